using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;

namespace BulkLoad.Core.Jobs;

/// <summary>Finds a file's delimiter by names and number of the table's columns. Reads it again only if its fields do not fit.</summary>
internal static class DelimiterByTable
{
    private static readonly string[] Delimiters = [",", ";", "\t", "|", "||", "::", "^", "~", "\x01", "#", ":"];

    /// <param name="open">opens the input, which nobody has read; it stays the caller's</param>
    /// <param name="key">of a delete, all columns that the input has</param>
    /// <exception cref="InputException">the delimiter is ambiguous, with the table's columns too</exception>
    public static SourceInfo Settle(
        SourceInfo look, Func<InputFile> open, LoadRequest request, TableFacts table, IReadOnlyList<TableColumn>? key)
    {
        var source = request.Source;
        if (look is not { Format: InputFormat.Csv, IsEmpty: false }
            || source is not { Format: InputFormat.Auto, Delimiter: null, IsPinned: false })
        {
            return look;
        }

        var known = look.Undecided is null ? Fits(look, request, table, key) : Fit.None;
        if (known == Fit.ByName || (known == Fit.ByCount && look.FieldNames is null))
        {
            return look;
        }

        var input = open();
        var found = Delimiters
            .Where(delimiter => look.Undecided is not { } doubt || (delimiter.Length == 1 && doubt.Delimiters.Contains(delimiter[0])))
            .Select(delimiter => (Delimiter: delimiter, Look: TryLook(input, request, delimiter)))
            .Where(one => one.Look is { FieldCount: > 1 })
            .Select(one => (one.Delimiter, Look: one.Look!, Fit: Fits(one.Look!, request, table, key)))
            .Where(one => one.Fit > known).ToList();
        var best = found.FindAll(one => one.Fit == found.Max(other => other.Fit));
        if (best is not [var (delimiter, settled, fit)])
        {
            return look.Undecided is { } undecided ? throw undecided : look;
        }

        var reason = fit == Fit.ByName ? "its names are columns of the table"
            : $"it makes as many fields as the table has columns, {settled.FieldCount}";
        var detected = new DetectedSetting("delimiter", delimiter, 1, reason) { Shown = DelimiterDetector.Show(delimiter) };
        return settled with { Detections = [.. settled.Detections, detected], Guesses = [.. settled.Guesses, detected.ToString()] };
    }

    private enum Fit
    {
        None,
        ByCount,
        ByName,
    }

    private static Fit Fits(SourceInfo look, LoadRequest request, TableFacts table, IReadOnlyList<TableColumn>? key)
    {
        if (look.FieldNames is { } names && request.Columns is not { Count: > 0 })
        {
            var known = names.Count(name => table.Find(name) is not null
                || request.Map.Any(pair => pair.Key.Equals(name, StringComparison.OrdinalIgnoreCase)));
            if (2 * known >= names.Count || NameGuesses.For(names, table, request).Count > 0)
            {
                return Fit.ByName;
            }
        }

        return look.FieldCount == ColumnMapping.CountWithoutHeader(table, request, key)
            && look.FaultySampleRecords <= look.SampleRecords / 2 ? Fit.ByCount : Fit.None;
    }

    private static SourceInfo? TryLook(InputFile input, LoadRequest request, string delimiter)
    {
        try
        {
            return SourceProbe.Look(
                input, request.Source with { Delimiter = delimiter[0], DelimiterTail = delimiter[1..] }, request.Values);
        }
        catch (Exception fault) when (fault is InputException or RequestException)
        {
            return null;
        }
    }
}
