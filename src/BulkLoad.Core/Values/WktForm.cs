namespace BulkLoad.Core.Values;

/// <summary>The types of geometries.</summary>
internal enum WktForm
{
    /// <summary>As a column's type: all of them.</summary>
    Geometry,
    Point,
    LineString,
    Polygon,
    MultiPoint,
    MultiLineString,
    MultiPolygon,
    GeometryCollection,
}

/// <summary>Their names, and which goes into which.</summary>
internal static class WktForms
{
    private static readonly string[] Names = [.. Enum.GetNames<WktForm>().Select(name => name.ToUpperInvariant())];

    private static readonly byte[][] Words = [.. Names.Select(Encoding.ASCII.GetBytes)];

    /// <param name="name">in upper case</param>
    public static WktForm Parse(string name) => (WktForm)Array.IndexOf(Names, name);

    /// <summary>The name in upper case, in ASCII.</summary>
    public static ReadOnlySpan<byte> Word(WktForm form) => Words[(int)form];

    /// <summary>Of a value; any case.</summary>
    public static bool TryParse(ReadOnlySpan<byte> word, out WktForm form)
    {
        for (form = WktForm.Point; form <= WktForm.GeometryCollection; form++)
        {
            if (Ascii.EqualsIgnoreCase(word, Words[(int)form]))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a column of this type takes a value of another; on both servers a collection takes what is several.</summary>
    public static bool Takes(this WktForm column, WktForm value) =>
        column == WktForm.Geometry || column == value || (column == WktForm.GeometryCollection && value >= WktForm.MultiPoint);
}
