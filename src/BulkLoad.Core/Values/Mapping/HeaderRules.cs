using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Mapping;

/// <summary>Checks an input's first line against the names that the user or the table gives: a header is never silently taken for a record,
/// nor a record for a header.</summary>
internal static class HeaderRules
{
    /// <summary>Applies <c>--columns</c>: its names must be those of the header, or say how many fields a record has.</summary>
    /// <exception cref="InputException">the first line may be a header or a record</exception>
    public static SourceInfo Apply(SourceInfo look, LoadRequest request)
    {
        if (request.Columns is not { Count: > 0 } columns || !look.Format.HasPlaces())
        {
            return look;
        }

        if (look.FieldNames is { } names)
        {
            return IsSaid(request) || AreInPlace(columns, names) ? look : throw new InputException(
                $"{look.Name}: is its first line, {Show(look, names)}, a header? It does not have the names of --columns in their places")
            {
                WaysOn = [
                    new WayOn("if it is a header, whose names --columns replaces") { Words = ["--header"] }, HeaderDetector.IfRecord],
            };
        }

        return look.FieldCounts.ContainsKey(columns.Count) ? look with { FieldCount = columns.Count } : look;
    }

    /// <summary>Refuses a first line that is a header, for an input that is read without one.</summary>
    /// <exception cref="InputException">the first line names columns</exception>
    public static void RequireRecord(SourceInfo look, LoadRequest request, TableFacts table)
    {
        if (IsSaid(request) || look.FirstRecord is not { Count: > 0 } first)
        {
            return;
        }

        var names = table.Columns.Select(column => column.Name).ToHashSet(StringComparer.OrdinalIgnoreCase);
        var isNamed = request.Columns is { Count: > 0 } columns && columns.Any(name => !FieldMap.IsSkipped(name))
            && AreInPlace(columns, first);
        if (isNamed || first.All(names.Contains))
        {
            throw new InputException(
                $"{look.Name}: is its first line, {Show(look, first)}, a header? It names columns, and the " +
                $"{look.Format.Word()} format has no header by default")
            {
                WaysOn = [HeaderDetector.IfHeader, HeaderDetector.IfRecord],
            };
        }
    }

    private static bool IsSaid(LoadRequest request) => request.Source.HasHeader is not null || request.Spec is not null;

    private static bool AreInPlace(IReadOnlyList<string> columns, IReadOnlyList<string> names) => columns.Count == names.Count
        && columns.Zip(names)
            .All(pair => FieldMap.IsSkipped(pair.First) || pair.First.Equals(pair.Second, StringComparison.OrdinalIgnoreCase));

    private static string Show(SourceInfo look, IReadOnlyList<string> fields) =>
        FieldText.Show(Encoding.UTF8.GetBytes(string.Join(look.Delimiter ?? ',', fields.Take(FaultList.MaxShown))));
}
