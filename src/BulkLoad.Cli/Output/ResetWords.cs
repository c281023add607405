using System.Text.Json;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Output;

/// <summary>How a reset went, for people and for test suites.</summary>
internal static class ResetWords
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
        json.Strings("dropped", report.Dropped);
        json.Strings("notes", report.Notes);
    });

    /// <summary>One line.</summary>
    public static void WriteJson(TextWriter to, BulkLoadException failure, ExitCode code) => WriteLine(to, json =>
    {
        json.WriteBoolean("ok", false);
        json.WriteString("error", failure.Message);
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
        using (var json = new Utf8JsonWriter(bytes, JsonWords.OneLine))
        {
            json.WriteStartObject();
            members(json);
            json.WriteEndObject();
        }

        to.Write(Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length)));
        to.Write('\n');
    }
}
