using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>What is known of rows that are kept as they were before a job changes them (<c>--undoable</c>).</summary>
/// <param name="References">foreign keys to the table, its own too, as far as the account may see them</param>
/// <param name="RowBytes">of the table on average, an estimate; null: unknown</param>
internal sealed record ImageFacts(IReadOnlyList<ForeignKey> References, long? RowBytes)
{
    /// <summary>The table of the rows as they were; null: the job has not begun.</summary>
    public string? Before { get; init; }

    /// <summary>The table of the rows as the job has left them; null: it leaves none.</summary>
    public string? After { get; init; }
}

/// <summary>Whether all that a job changes can be put back from images of its rows. Pure.</summary>
internal static class ImageRules
{
    /// <summary>Rows that a transaction writes for one that it changes: the row, as it was, and as it is left.</summary>
    public const int CopiesWithRow = 3;

    /// <summary>Why not, and what helps, for people; null: it can.</summary>
    public static string? FindObstacle(LoadFacts facts)
    {
        var table = facts.Table;
        if (UndoRules.FindTableObstacle(table) is { } obstacle)
        {
            return obstacle;
        }

        if (facts.Server.LogsStatements)
        {
            return "the server's binary log by statement (binlog_format) does not copy rows to its replicas as they are: set it to ROW";
        }

        string[] changed = [.. facts.ChangedColumns.Select(column => column.Name), .. facts.Assignments.Select(one => one.Column)];
        string[] finding = [.. table.PrimaryKey, .. facts.Key?.Columns.Select(column => column.Name) ?? []];
        if (facts.Request.Kind == JobKind.Update
            && finding.FirstOrDefault(name => changed.Contains(name, StringComparer.OrdinalIgnoreCase)) is { } key)
        {
            return $"'{key}' is changed, and finds the rows: which of them is which would not be known";
        }

        var isDelete = facts.Request.Kind == JobKind.Delete;
        return facts.Images!.References.FirstOrDefault(one => Changes(
            isDelete ? one.DeleteRule : one.ToColumns.Any(name => changed.Contains(name, StringComparer.OrdinalIgnoreCase))
                ? one.UpdateRule : "")) is { } reference
            ? $"foreign key {reference.Name} of {reference.Database}.{reference.Table} is ON "
                + $"{(isDelete ? "DELETE" : "UPDATE")} {(isDelete ? reference.DeleteRule : reference.UpdateRule)}"
                + ": rows of it would change too, and they are not kept as they were"
            : null;
    }

    public static IEnumerable<string> Notes(LoadFacts facts)
    {
        if (facts.Images is not { } images)
        {
            yield break;
        }

        var copies = facts.Request.Kind == JobKind.Delete ? 1 : 2;
        var rows = facts.EstimatedRecords is { } records ? $"at most about {records:N0} rows" : "all rows that it changes";
        var size = facts.EstimatedRecords is { } all && images.RowBytes is { } bytes
            ? $", about {Math.Max(1, all * bytes * copies / (1024 * 1024)):N0} MiB" : "";
        yield return $"--undoable: {rows} are kept as they were{(copies == 2 ? ", and as the job leaves them" : "")}, in a table beside "
            + $"{facts.Table.DisplayName}{size}, for {Days(facts.Request.Undoable!.Value)}";
        string[] triggers = [.. facts.Request.Kind == JobKind.Delete ? facts.Table.DeleteTriggers : facts.Table.UpdateTriggers];
        if (triggers.Length > 0)
        {
            yield return $"--undoable: what triggers do to other tables cannot be undone: {string.Join(", ", triggers)}";
        }
    }

    private static string Days(TimeSpan age) => age.TotalDays >= 1 && age.Hours == 0
        ? $"{Plural.Count((long)age.TotalDays, "day")}" : $"{Plural.Count((long)age.TotalHours, "hour")}";

    private static bool Changes(string rule) => rule is "CASCADE" or "SET NULL" or "SET DEFAULT";
}
