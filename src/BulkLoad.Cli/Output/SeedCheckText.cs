using BulkLoad.Core.Reports;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>What a check of a folder has found, for people.</summary>
internal static class SeedCheckText
{
    /// <summary>Rejects that are shown of a table.</summary>
    private const int MostRejects = 10;

    public static void Write(TextWriter to, SeedCheckReport report)
    {
        to.WriteLine(VisibleText.Of(Headline(report)));
        List<string[]> rows = [["file", "table", "records", "accepted", "undecided", "rejected", "time"]];
        rows.AddRange(report.Tables.Select(table => new[]
        {
            table.Files.Count == 1 ? table.Files[0] : $"{table.Files[0]} and {table.Files.Count - 1} more", table.Table,
            Amounts.Count(table.Records), Amounts.Count(table.Accepted), Amounts.Count(table.Undecided), Amounts.Count(table.Rejected),
            table.Failure is not null ? "not judged" : Amounts.Duration(table.Elapsed),
        }));
        SeedText.WriteTable(to, rows, numbers: 2);
        foreach (var note in report.Notes)
        {
            to.WriteLine(VisibleText.Of($"note: {note}"));
        }

        foreach (var table in report.Tables)
        {
            WriteDetails(to, table);
        }
    }

    private static void WriteDetails(TextWriter to, SeedCheckTable table)
    {
        foreach (var note in table.Notes)
        {
            to.WriteLine(VisibleText.Of($"{table.Table}: {note}"));
        }

        foreach (var count in table.UndecidedByReason)
        {
            to.WriteLine($"{table.Table}: {Amounts.Count(count.Records, "record")} undecided: {count.Description} ({count.Reason})");
        }

        foreach (var reject in table.FirstRejects.Take(MostRejects))
        {
            to.WriteLine(VisibleText.Of($"{table.Table}: {reject.Describe()} ({reject.Code})"));
        }

        if (table.Rejected > MostRejects)
        {
            to.WriteLine($"{table.Table}: {Amounts.Count(table.Rejected - MostRejects, "more reject")}");
        }
    }

    private static string Headline(SeedCheckReport report)
    {
        var (records, undecided, rejected) = (report.Tables.Sum(table => table.Records), report.Tables.Sum(table => table.Undecided), report.Tables.Sum(table => table.Rejected));
        var what = $"{report.Folder} by {report.Schema} ({report.Server}), without a server: {Amounts.Count(records, "record")} in {Amounts.Count(report.Tables.Count, "table")}, "
            + $"{Amounts.Count(rejected)} refused, {Amounts.Count(undecided)} undecided ({Amounts.Duration(report.Elapsed)})";
        return report.Outcome switch
        {
            LoadOutcome.Complete => $"checked {what}",
            LoadOutcome.Interrupted => $"interrupted: {what}",
            _ => $"failed: {what}",
        };
    }
}
