using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Mapping;

/// <summary>What the names that a user or a table has say of an input's first line: none is taken for a header, or for a record, in
/// silence.</summary>
internal static class HeaderRules
{
    /// <summary>The look, held to <c>--columns</c>: those are names that a header must have, or say how many fields a record has.</summary>
    /// <exception cref="InputException">its first line may be a header or a record</exception>
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

    /// <summary>Sees to it that the first line of an input that is read without a header is none.</summary>
    /// <exception cref="InputException">it names columns</exception>
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
        FieldText.Show(Encoding.UTF8.GetBytes(string.Join(look.Delimiter ?? ',', fields.Take(FaultList.Most))));
}
