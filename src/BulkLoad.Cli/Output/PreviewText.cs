using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

internal static class PreviewText
{
    /// <summary>Comes before the sentence about a job's result; empty: it is no preview.</summary>
    public static string Prefix(LoadReport report) => report.Preview switch
    {
        null => "",
        { Stop: { } stop } preview => $"{Begin(preview)}the command would stop at {Place(stop)}, and {stop.Stays}; "
            + $"with --max-rejects {report.Counts.Rejected} it would be{About(preview)}: ",
        { } preview => $"{Begin(preview)}it would be{About(preview)}: ",
    };

    /// <summary>A preview whose counts are not exact says so first.</summary>
    private static string Begin(PreviewReport preview) => preview.NotExact.Count == 0
        ? "preview: nothing was written; "
        : $"preview: nothing was written; the counts are not exact, since {string.Join(", and since ", preview.NotExact)}; ";

    private static string About(PreviewReport preview) => preview.NotExact.Count == 0 ? "" : " about";

    private static string Place(PreviewStop stop) => stop switch
    {
        { Source: null } => "a record that the server refuses",
        { Line: null } => $"{ReportText.FileName(stop.Source)}, record {Amounts.Count(stop.Record ?? 0)}",
        _ => $"{ReportText.FileName(stop.Source)}:{stop.Line}",
    };

    public static void Write(TextWriter to, PreviewReport preview)
    {
        foreach (var change in preview.Changes)
        {
            to.WriteLine(Line(string.Join(", ", preview.Key), change));
        }

        var more = preview.AllChanges - preview.EmptiedRows - preview.Changes.Count;
        if (preview.File is { } file)
        {
            to.WriteLine($"all changes are in {file}{(preview.EmptiedRows > 0 ? ", without the rows that --truncate deletes" : "")}");
        }
        else if (more > 0 && preview.Key.Count > 0)
        {
            to.WriteLine($"and {Amounts.Count(more, "more row")} (--preview-file FILE.csv writes all)");
        }
        else if (preview.Key.Count == 0)
        {
            to.WriteLine("the table has no key that tells its rows apart: no row is shown");
        }

        foreach (var finding in preview.Findings)
        {
            to.WriteLine($"note  {finding}");
        }
    }

    /// <summary>Such as <c>id 7: updated price: 9.50 -> 9.99</c>.</summary>
    /// <param name="what">before the key</param>
    public static string Line(string what, RowChange change)
    {
        var values = string.Join(
            ", ", change.Values.Select(value => $"{value.Column}: {value.Before ?? "NULL"} -> {value.After ?? "NULL"}"));
        return $"{what} {change.Key}: {change.Kind}{(values.Length > 0 ? $"  {values}" : "")}";
    }
}
