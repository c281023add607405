using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Mapping;

internal static class MappingWays
{
    /// <summary>The likeliest first. <paramref name="header"/> is null if there is none.</summary>
    /// <param name="isOrdered">whether each field has its place in a record, which JSON's fields do not have</param>
    /// <param name="hint">what the input itself shows; the message has its purpose already</param>
    public static IEnumerable<WayOn> After(
        IReadOnlyList<string>? header, bool isOrdered, TableFacts table, LoadRequest request, WayOn? hint)
    {
        if (hint is { Words.Count: > 0 })
        {
            yield return hint with { Purpose = "to read it so" };
        }

        if (header is null)
        {
            yield break;
        }

        var isNamed = header.Any(name => table.Find(name) is not null);
        var guesses = NameGuesses.For(header, table, request, isOrdered);
        var padded = isOrdered && header.Any(name => name.Trim(' ', '\t') is var bare && bare != name && table.Find(bare) is not null);
        if (padded)
        {
            yield return new WayOn("to remove the blanks around names and values") { Words = ["--dirt", "padding=repair"] };
        }

        if (guesses.Count > 0 || IsNamelessLast(header, isOrdered, request))
        {
            var skipped = IsNamelessLast(header, isOrdered, request) ? new[] { KeyValuePair.Create($"{header.Count}", "@") } : [];
            yield return new WayOn(guesses.Count > 0
                ? "to load the fields into columns of nearly the same names" : "to skip the field without a name")
            {
                Words = NameGuesses.WordsOf([.. guesses, .. skipped]),
            };
        }
        else if (hint is null && isOrdered && !isNamed && !padded && request is { Columns: null, Map.Count: 0, Source.HasHeader: null })
        {
            yield return new WayOn("if the first line is a record and no header")
            {
                Words = ["--no-header"],
                Without = request.AddColumns ? ["--add-columns"] : [],
            };
        }

        if (hint is null && isNamed && guesses.Count == 0 && !padded && CouldAdd(header, table, request))
        {
            yield return new WayOn("to add a column to the table for each such field") { Words = ["--add-columns"] };
        }
    }

    /// <summary>Whether each line ends with a delimiter.</summary>
    private static bool IsNamelessLast(IReadOnlyList<string> header, bool isOrdered, LoadRequest request) =>
        isOrdered && header.Count > 1 && header[^1].Length == 0 && request.Columns is null
        && request.Map.All(pair => pair.Key != $"{header.Count}" && pair.Key.Length > 0);

    /// <summary>Whether <c>--add-columns</c> would make columns for the fields that have none.</summary>
    private static bool CouldAdd(IReadOnlyList<string> header, TableFacts table, LoadRequest request) =>
        request is { Kind: JobKind.Import, Mode.JudgesOnly: false, AddColumns: false, Create: false, Columns: null }
        && header.Any(name => name.Trim().Length > 0 && table.Find(name.Trim()) is null && request.Map.All(pair => pair.Key != name));
}
