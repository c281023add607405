using BulkLoad.Core.Reports;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>A seed's plan and report, for people.</summary>
internal static class SeedText
{
    /// <summary>Rejects that are shown of a table.</summary>
    private const int MostRejects = 10;

    /// <param name="width">columns that a line may take</param>
    public static void Write(TextWriter to, SeedPlan plan, int width = int.MaxValue)
    {
        to.WriteLine(
            $"seed {plan.Database} from {plan.Folder}, --mode {SeedWords.Of(plan.Mode)}{(plan.Atomic ? ", all in one transaction" : "")}");
        to.WriteLine(
            $"  on {plan.Server.Kind} {plan.Server.Version} at {plan.Server.Endpoint} as {plan.Server.User} ({plan.Server.Security})");
        foreach (var note in plan.Notes)
        {
            to.WriteLine($"  {note}");
        }

        if (plan.SchemaStatements > 0)
        {
            to.WriteLine($"  {Amounts.Count(plan.SchemaStatements, "statement")} of the schema file first; the tables' order is found "
                + "when they are there");
        }

        List<string[]> rows = [["", "table", "files", "after"]];
        rows.AddRange(plan.Tables.Select((table, i) => new[] { $"{i + 1}", table.Table, string.Join(", ", table.Files), table.IsKnown
            ? "nothing to do"
            : string.Join(", ", table.After) }));
        TextTable.Write(to, rows, width, "  ");
        foreach (var table in plan.Tables)
        {
            foreach (var note in table.Notes)
            {
                to.WriteLine($"  {table.Table}: {note}");
            }
        }
    }

    /// <inheritdoc cref="Write(TextWriter, SeedPlan, int)" path="/param"/>
    public static void Write(TextWriter to, SeedReport report, int width = int.MaxValue)
    {
        var plan = report.Plan!;
        to.WriteLine(Headline(report, plan));
        List<string[]> rows = [["file", "table", "inserted", "updated", "unchanged", "deleted", "time"]];
        rows.AddRange(report.Tables.Select(table => table.Outcome switch
        {
            SeedOutcome.Known => [Files(table.Files), table.Table, "", "", "known", "", ""],
            SeedOutcome.LoadedBefore => [Files(table.Files), table.Table, "", "", "loaded before", "", ""],
            SeedOutcome.NotStarted when !report.IsPreview => [Files(table.Files), table.Table, "", "", "not started", "", ""],
            SeedOutcome.Undone => [Files(table.Files), table.Table, "", "", "undone", "", ""],
            _ => new[]
            {
                Files(table.Files), table.Table, Amounts.Count(table.Inserted), Amounts.Count(table.Updated),
                Amounts.Count(table.Unchanged),
                Amounts.Count(table.Deleted), table.Outcome == SeedOutcome.Failed ? "failed" : Amounts.Duration(table.Elapsed),
            },
        }));
        TextTable.Write(to, rows, width, "  ", numbers: 2);
        foreach (var note in report.Notes)
        {
            to.WriteLine($"note: {note}");
        }

        foreach (var table in report.Tables)
        {
            WriteDetails(to, table);
        }
    }

    private static void WriteDetails(TextWriter to, SeedTableReport table)
    {
        foreach (var note in table.Notes)
        {
            to.WriteLine($"{table.Table}: {note}");
        }

        foreach (var change in table.Changes)
        {
            to.WriteLine(PreviewText.Line(table.Table, change));
        }

        foreach (var reject in table.FirstRejects.Take(MostRejects))
        {
            to.WriteLine(VisibleText.Of($"{table.Table}: {reject.Describe()}"));
        }

        if (table.Rejected > MostRejects)
        {
            to.WriteLine($"{table.Table}: {Amounts.Count(table.Rejected - MostRejects, "more reject")}");
        }
    }

    private static string Headline(SeedReport report, SeedPlan plan)
    {
        var (inserted, updated, deleted) = (report.Tables.Sum(table => table.Inserted), report.Tables.Sum(table => table.Updated),
            report.Tables.Sum(table => table.Deleted));
        var counts = $"{Amounts.Count(inserted)} inserted, {Amounts.Count(updated)} updated, {Amounts.Count(deleted)} deleted";
        var where = $"{Amounts.Count(report.Tables.Count, "table")} of {plan.Database} on {plan.Server.Kind} {plan.Server.Version} at "
            + $"{plan.Server.Endpoint}";
        var time = Amounts.Duration(report.Elapsed);
        return report switch
        {
            { IsPreview: true } => $"preview: nothing was changed in {where}; it would be: {counts}",
            { Outcome: LoadOutcome.AlreadyComplete } when report.Tables.Any(table => table.Outcome == SeedOutcome.LoadedBefore) =>
                $"nothing to do: the files of {where} were loaded before ({time})",
            { Outcome: LoadOutcome.AlreadyComplete } =>
                $"nothing to do: {where} are as the last seed left them, and so are the files ({time})",
            { Outcome: LoadOutcome.Complete } => $"seeded {where}: {counts} in {time}",
            { Outcome: LoadOutcome.Interrupted } => $"interrupted: {where}: {counts} in {time}; the same command continues",
            _ => $"failed{(report.FailedTable is { } table ? $" at {table}" : "")}: {where}: {counts} in {time}",
        };
    }

    /// <summary>The files of a table.</summary>
    internal static string Files(IReadOnlyList<string> files) => files.Count == 1 ? files[0] : $"{files[0]} and {files.Count - 1} more";
}
