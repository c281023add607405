using BulkLoad.Core.Reports;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>What a check of a folder has found, for people.</summary>
internal static class SeedCheckText
{
    /// <summary>Rejects that are shown of a table.</summary>
    private const int MostRejects = 10;

    /// <param name="isVerbose">whether the counts of each table are wanted</param>
    /// <param name="width">columns that a line may take</param>
    public static void Write(TextWriter to, SeedCheckReport report, bool isVerbose, int width = int.MaxValue)
    {
        to.WriteLine(Headline(report));
        foreach (var table in report.Tables)
        {
            WriteRejects(to, table);
        }

        if (isVerbose)
        {
            WriteCounts(to, report.Tables, width);
        }

        foreach (var note in report.Notes)
        {
            to.WriteLine($"note: {note}");
        }

        foreach (var table in report.Tables)
        {
            WriteOthers(to, table);
        }
    }

    private static void WriteCounts(TextWriter to, IReadOnlyList<SeedCheckTable> tables, int width)
    {
        List<string[]> rows = [["file", "table", "records", "accepted", "undecided", "rejected", "time"]];
        rows.AddRange(tables.Select(table => new[]
        {
            SeedText.Files(table.Files), table.Table,
            Amounts.Count(table.Records), Amounts.Count(table.Accepted), Amounts.Count(table.Undecided), Amounts.Count(table.Rejected),
            table.Failure is not null ? "not judged" : Amounts.Duration(table.Elapsed),
        }));
        TextTable.Write(to, rows, width, "  ", numbers: 2);
    }

    private static void WriteRejects(TextWriter to, SeedCheckTable table)
    {
        foreach (var reject in table.FirstRejects.Take(MostRejects))
        {
            to.WriteLine($"{table.Table}: {reject.Describe()} ({reject.Code})");
        }

        if (table.Rejected > MostRejects)
        {
            to.WriteLine($"{table.Table}: {Amounts.Count(table.Rejected - MostRejects, "more reject")}");
        }
    }

    private static void WriteOthers(TextWriter to, SeedCheckTable table)
    {
        foreach (var note in table.Notes)
        {
            to.WriteLine($"{table.Table}: {note}");
        }

        foreach (var count in table.UndecidedByReason)
        {
            to.WriteLine($"{table.Table}: {Amounts.Count(count.Records, "record")} undecided: {count.Description} ({count.Reason})");
        }
    }

    private static string Headline(SeedCheckReport report)
    {
        var read = report.Tables.Sum(table => table.Records);
        var undecided = report.Tables.Sum(table => table.Undecided);
        var rejected = report.Tables.Sum(table => table.Rejected);
        var tables = report.Tables.Count == 1 ? "the table" : $"the {Amounts.Count(report.Tables.Count, "table")}";
        var place = $"{tables} of {report.Schema} ({report.Server})";
        var isPart = report.Outcome == LoadOutcome.Interrupted;
        var fit = FindingsText.Fit(read, rejected, undecided, FindingsText.RecordsOf(read, report.Folder), place, "", isPart);
        var unsure = undecided == 0 ? "" : $", {Amounts.Count(undecided)} can only be judged by a server";
        var unjudged = report.Tables.Count(table => table.Failure is not null);
        var missing = unjudged == 0 ? "" : $", {Amounts.Count(unjudged, "table")} {Plural.For(unjudged, "was", "were")} not judged";
        var ended = report.Outcome switch
        {
            LoadOutcome.Complete => "",
            LoadOutcome.Interrupted => "interrupted: ",
            _ => "failed: ",
        };
        return $"{ended}{fit}{unsure}{missing} ({Amounts.Duration(report.Elapsed)})";
    }
}
