using System.Text.Json;
using BulkLoad.Core.Reports;
using BulkLoad.Seeding;

namespace BulkLoad.Cli.Output;

internal static class SeedText
{
    /// <summary>Limit of the shown rejects of a table.</summary>
    private const int MaxRejects = 10;

    /// <param name="width">columns of a line</param>
    public static void Write(TextWriter to, SeedPlan plan, int width = int.MaxValue)
    {
        to.WriteLine(
            $"seed {plan.Database} from {plan.Folder}, --mode {SeedModes.Of(plan.Mode)}{(plan.Atomic ? ", all in one transaction" : "")}");
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

    /// <param name="marked">number of first rejects that the reader sees as marks in the files</param>
    /// <param name="width">columns of a line</param>
    public static void Write(TextWriter to, SeedReport report, int width = int.MaxValue, int marked = 0)
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
        foreach (var line in Legend(report))
        {
            to.WriteLine($"  {line}");
        }

        foreach (var note in report.Notes)
        {
            to.WriteLine($"note: {note}");
        }

        foreach (var table in report.Tables)
        {
            WriteDetails(to, table, report.Failure?.Message, ref marked);
        }
    }

    /// <summary>Explains the words that the table has. If nothing was to do, the headline says it.</summary>
    private static IEnumerable<string> Legend(SeedReport report)
    {
        (SeedOutcome Outcome, string Meaning)[] words =
        [
            (SeedOutcome.Failed, report.Outcome == LoadOutcome.Interrupted
                ? "failed: it was stopped before its end" : "failed: not all of it was loaded; the error says why"),
            (SeedOutcome.Known, "known: the table is as the last seed left it, and so are its files; nothing was to do"),
            (SeedOutcome.LoadedBefore, "loaded before: the same files were loaded, and are not loaded again; rows may have changed since"),
            (SeedOutcome.Undone, "undone: it was rolled back with the other tables"),
        ];
        return report.Outcome == LoadOutcome.AlreadyComplete ? []
            : words.Where(word => report.Tables.Any(table => table.Outcome == word.Outcome)).Select(word => word.Meaning);
    }

    /// <param name="failure">which is shown already; null: none</param>
    /// <param name="marked">number of rejects that are shown already</param>
    private static void WriteDetails(TextWriter to, SeedTableReport table, string? failure, ref int marked)
    {
        foreach (var note in table.Notes)
        {
            to.WriteLine($"{table.Table}: {note}");
        }

        foreach (var change in table.Changes)
        {
            to.WriteLine(PreviewText.Line(table.Table, change));
        }

        var told = Math.Min(marked, table.FirstRejects.Count);
        marked -= told;
        foreach (var reject in table.FirstRejects.Skip(told).Take(MaxRejects - told).Where(reject => reject.Describe() != failure))
        {
            to.WriteLine(VisibleText.Of($"{table.Table}: {reject.Describe()}"));
        }

        if (table.Rejected > MaxRejects)
        {
            to.WriteLine($"{table.Table}: {Amounts.Count(table.Rejected - MaxRejects, "more reject")}");
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

    internal static string Files(IReadOnlyList<string> files) => files.Count == 1 ? files[0] : $"{files[0]} and {files.Count - 1} more";
}

internal static class SeedCheckText
{
    /// <summary>Limit of the shown rejects of a table.</summary>
    private const int MaxRejects = 10;

    /// <param name="isVerbose">with the counts of each table</param>
    /// <param name="width">columns of a line</param>
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
        foreach (var reject in table.FirstRejects.Take(MaxRejects))
        {
            to.WriteLine($"{table.Table}: {reject.Describe()} ({reject.Code})");
        }

        if (table.Rejected > MaxRejects)
        {
            to.WriteLine($"{table.Table}: {Amounts.Count(table.Rejected - MaxRejects, "more reject")}");
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

/// <summary>The result of a reset, for people and for test suites.</summary>
internal static class ResetText
{
    public static void Write(TextWriter to, SeedResetReport report)
    {
        to.WriteLine($"{Amounts.Count(report.Tables.Count)} of {Amounts.Count(report.Looked, "table")} of {report.Database} put back in "
            + $"{report.Elapsed.TotalMilliseconds:0.0} ms");
        foreach (var table in report.Tables)
        {
            to.WriteLine($"  {table.Name}: {string.Join(", ", Parts(table))}");
        }

        if (report.Dropped.Count > 0)
        {
            to.WriteLine($"dropped: {string.Join(", ", report.Dropped)}");
        }

        foreach (var note in report.Notes)
        {
            to.WriteLine($"note: {note}");
        }
    }

    /// <summary>One line.</summary>
    public static void WriteJson(TextWriter to, SeedResetReport report) => WriteLine(to, json =>
    {
        json.WriteBoolean("ok", true);
        json.WriteNumber("tables", report.Tables.Count);
        json.WriteNumber("deleted", report.Deleted);
        json.WriteNumber("inserted", report.Inserted);
        json.WriteNumber("updated", report.Updated);
        json.WriteNumber("ms", Math.Round(report.Elapsed.TotalMilliseconds, 1));
        json.Value("dropped", report.Dropped);
        json.Value("notes", report.Notes);
    });

    /// <summary>One line.</summary>
    public static void WriteJson(TextWriter to, BulkLoadException failure, ExitCode code, TypedCommand? typed) => WriteLine(to, json =>
    {
        json.WriteBoolean("ok", false);
        json.WriteString("error", failure.Message);
        json.WriteString("state", failure.State);
        json.WaysOn(failure.WaysOn, typed);
        json.WriteNumber("exitCode", (int)code);
    });

    private static IEnumerable<string> Parts(ResetTable table)
    {
        (long Count, string Verb)[] rows = [(table.Updated, "updated"), (table.Deleted, "deleted"), (table.Inserted, "inserted")];
        foreach (var (count, verb) in rows.Where(part => part.Count > 0))
        {
            yield return $"{Amounts.Count(count, "row")} {verb}";
        }

        if (table.IsNextIdSet)
        {
            yield return "AUTO_INCREMENT set back";
        }
    }

    private static void WriteLine(TextWriter to, Action<Utf8JsonWriter> members)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes, JsonOutput.OneLine))
        {
            json.WriteStartObject();
            members(json);
            json.WriteEndObject();
        }

        to.Write(Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length)));
        to.Write('\n');
    }
}
