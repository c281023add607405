using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>The spatial types (MySQL manual, "Spatial Data Types"): well-known text that both servers read alike, of the column's type. It
/// is judged to the last sign, since MariaDB stores NULL for what it cannot read, without a word.</summary>
internal sealed class GeometryRule(TableColumn column) : ValueRule
{
    private readonly WktForm _form = WktForms.Parse(column.GeometryType);

    private readonly ValueFault _otherType = new("wrong-geometry", $"is not of the column's type {column.GeometryType}");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        // A number may get a digit before or behind its point, and EMPTY a blank; all else only gets shorter.
        var wkt = new WktText(text, block.Reserve(text.Length + text.Count((byte)'.') + 1));
        if (wkt.Convert(out var form) is { } fault)
        {
            return fault;
        }

        if (!_form.Takes(form))
        {
            return _otherType;
        }

        block.Take(wkt.Length);
        return null;
    }
}
