using BulkLoad.Core.Refresh;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>What became of the rows of a job that was undone.</summary>
internal static class UndoText
{
    public static void Write(TextWriter to, LoadReport report, UndoReport undo)
    {
        if (undo.Complete)
        {
            to.WriteLine(undo.FormerTable is null ? Sentence(undo, report.Elapsed) : SentenceOfRefresh(undo));
        }
        else if (report.Outcome == LoadOutcome.Interrupted)
        {
            to.WriteLine($"interrupted after {Amounts.Duration(report.Elapsed)}: {report.State}");
        }

        foreach (var others in undo.Others)
        {
            var more = others.Rows > others.Keys.Count ? ", ..." : "";
            var keys = others.Keys.Count == 0 ? "" : $", with key {string.Join("; ", others.Keys)}{more}";
            to.WriteLine(VisibleText.OneLine($"{others.Reason}: {Amounts.Count(others.Rows, "row")}{keys}"));
        }

        foreach (var note in report.Notes)
        {
            to.WriteLine($"note  {note}");
        }

        if (undo is { Preview: true, Complete: true })
        {
            to.WriteLine("run the same command without --preview to do it");
        }
    }

    private static string SentenceOfRefresh(UndoReport undo)
    {
        var table = undo.Partition is null ? undo.Table : $"partition {undo.Partition} of {undo.Table}";
        return undo.Exchange is not { } exchange ? $"{table} is as it was before job {undo.Job}"
            : undo.Preview ? $"preview: nothing was changed; by {exchange.Way}, {table} would be as it was before job {undo.Job}: "
                + RefreshText.Rows(exchange)
            : $"{table} is as it was before job {undo.Job}, by {exchange.Way} in {exchange.Exchange.TotalMilliseconds:N0} ms: "
                + RefreshText.Rows(exchange);
    }

    /// <summary>Before the table's name.</summary>
    public static string In(string change) => change switch
    {
        UndoReport.Inserted => "inserted into",
        UndoReport.Deleted => "deleted from",
        UndoReport.InsertedOrChanged => "inserted into or changed in",
        _ => "changed in",
    };

    private static string Sentence(UndoReport undo, TimeSpan elapsed)
    {
        var would = undo.Preview ? "would be" : Plural.For(undo.Reversed, "is", "are");
        var what = $"that job {undo.Job} had {In(undo.Change)} {undo.Table} {would} reversed";
        var rest = (string[])[.. Part(undo.Kept, "kept"), .. Part(undo.AlreadyGone, "already gone"),
            .. Part(undo.AlreadyBack, "already there again")];
        return (undo.Reversed == undo.Rows
            ? $"all {Amounts.Count(undo.Rows, "row")} {what}"
            : $"{Amounts.Count(undo.Reversed)} of the {Amounts.Count(undo.Rows, "row")} {what}, {string.Join(", ", rest)}")
            + $", in {Amounts.Duration(elapsed)}";

        static string[] Part(long rows, string what) => rows == 0 ? [] : [$"{Amounts.Count(rows)} {what}"];
    }
}
