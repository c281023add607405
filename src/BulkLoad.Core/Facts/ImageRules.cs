using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>What is known of rows that are kept as they were before a job changes them (<c>--undoable</c>).</summary>
/// <param name="References">foreign keys to the table, its own too, as far as the account may see them</param>
/// <param name="RowBytes">of the table on average, an estimate; null: unknown</param>
/// <param name="MaxListKeys">keys that the server looks up in an index when they are in one list</param>
internal sealed record ImageFacts(IReadOnlyList<ForeignKey> References, long? RowBytes, int MaxListKeys)
{
    /// <summary>The unique key by which an import finds rows; null: the job has a key of its own, or there is none.</summary>
    public UniqueKey? Found { get; init; }

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

    /// <summary>Words of a condition that read no clock.</summary>
    private static readonly HashSet<string> Plain =
        new(["and", "or", "xor", "not", "is", "null", "in", "like", "between", "true", "false"], StringComparer.OrdinalIgnoreCase);

    /// <summary>Whether the job changes or deletes rows that are there.</summary>
    public static bool ChangesRows(LoadRequest request) =>
        request.Kind != JobKind.Import || request.OnDuplicate is DuplicateMode.Update or DuplicateMode.Replace;

    /// <summary>Why not, and what helps, for people; null: it can.</summary>
    public static string? FindObstacle(LoadFacts facts)
    {
        if (UndoRules.FindTableObstacle(facts.Table) is { } obstacle)
        {
            return obstacle;
        }

        if (facts.Server.LogsStatements)
        {
            return "the server's binary log by statement (binlog_format) does not copy rows to its replicas as they are: set it to ROW";
        }

        return (facts.Request.Kind == JobKind.Import ? FindImportObstacle(facts) : FindKeyedObstacle(facts)) ?? FindZoneObstacle(facts);
    }

    /// <summary>Whether the statements that keep rows run in UTC: MySQL copies a TIMESTAMP by its time in the session's zone, which is one
    /// for two moments in the hour that clocks repeat.</summary>
    public static bool CopiesInUtc(LoadFacts facts) => !facts.Server.IsMariaDb && facts.Server.Zone.RepeatsTimes
        && facts.Table.Columns.Any(column => column is { Kind: ColumnKind.Timestamp, IsGenerated: false });

    /// <summary>Times by which such a statement finds its rows are in the session's zone.</summary>
    private static string? FindZoneObstacle(LoadFacts facts)
    {
        if (!CopiesInUtc(facts))
        {
            return null;
        }

        var keys = facts.Key?.Columns.Select(column => column.Name) ?? VerifyRules.FindUniqueKey(facts).Key!.Columns;
        var key = keys.Concat(facts.Table.PrimaryKey).FirstOrDefault(name => facts.Table.Find(name)!.Kind == ColumnKind.Timestamp);
        var found = key is not null ? $"key '{key}' finds rows"
            : facts.Request is { Kind: JobKind.Delete, Key.Where: { } where } && MayReadZone(where, facts.Table) ? "--where finds rows"
            : null;
        return found is null ? null
            : $"{found} by times of the session's zone, {facts.Server.Zone.Name}, in which MySQL does not copy each TIMESTAMP as it is, "
                + "since clocks repeat an hour: --time-zone UTC, an offset, or the zone's name such as Europe/Berlin helps";
    }

    /// <summary>Whether a condition may be another one in another zone: only plain columns surely are not.</summary>
    private static bool MayReadZone(string where, TableFacts table) => where.Contains('(', StringComparison.Ordinal)
        || where.Contains('@', StringComparison.Ordinal)
        || SqlTokens.NamesIn(where).Any(name => table.Find(name) is { } column
            ? column.IsGenerated || column.Kind == ColumnKind.Timestamp : !Plain.Contains(name));

    private static string? FindImportObstacle(LoadFacts facts)
    {
        var (request, table) = (facts.Request, facts.Table);
        var (found, reason) = VerifyRules.FindUniqueKey(facts);
        if (found is null)
        {
            return $"{reason}: which rows are the job's would not be known"
                + (request.OnDuplicate != DuplicateMode.Error ? ""
                    : "; --ids-file FILE keeps ids that the server makes, and undo reads it");
        }

        if (request.OnDuplicate != DuplicateMode.Error
            && table.InsertTriggers.Concat(table.UpdateTriggers).FirstOrDefault(TableFacts.RunsBefore) is { } trigger)
        {
            return $"trigger {trigger} may change the key of a row: which rows are the job's would not be known";
        }

        if (!ChangesRows(request))
        {
            return null;
        }

        if (table.UniqueKeys.FirstOrDefault(key => key.Name != found.Name && !facts.IsNumbered(key)) is { } other)
        {
            return $"a record can find a row by key '{found.Name}' or by '{other.Name}': which rows are the job's would not be known";
        }

        var isReplace = request.OnDuplicate == DuplicateMode.Replace;
        if (isReplace && !found.IsPrimary)
        {
            return $"a row that is replaced by key '{found.Name}' gets another primary key: --on-duplicate update leaves it";
        }

        // A number that finds a row is that row's own; a text may be another one that counts as equal.
        var same = found.Columns.Where(name => table.Find(name)!.Behaviour.Family is ColumnFamily.Integer);
        var changed = (isReplace ? table.Columns.Select(column => column.Name)
            : facts.Columns.Select(column => column.Name).Concat(facts.Assignments.Select(one => one.Column)))
            .Except(same, StringComparer.OrdinalIgnoreCase);
        return FindReference(facts, "UPDATE", reference => Meets(reference, changed) ? reference.UpdateRule : "")
            ?? (isReplace ? FindReference(facts, "DELETE", reference => reference.DeleteRule) : null);
    }

    private static string? FindKeyedObstacle(LoadFacts facts)
    {
        var table = facts.Table;
        string[] changed = [.. facts.ChangedColumns.Select(column => column.Name), .. facts.Assignments.Select(one => one.Column)];
        string[] finding = [.. table.PrimaryKey, .. facts.Key?.Columns.Select(column => column.Name) ?? []];
        if (facts.Request.Kind == JobKind.Update
            && finding.FirstOrDefault(name => changed.Contains(name, StringComparer.OrdinalIgnoreCase)) is { } key)
        {
            return $"'{key}' is changed, and finds the rows: which of them is which would not be known";
        }

        return facts.Request.Kind == JobKind.Delete ? FindReference(facts, "DELETE", reference => reference.DeleteRule)
            : FindReference(facts, "UPDATE", reference => Meets(reference, changed) ? reference.UpdateRule : "");
    }

    /// <param name="ruleOf">what the server does with rows of the foreign key's table</param>
    private static string? FindReference(LoadFacts facts, string change, Func<ForeignKey, string> ruleOf) =>
        facts.Images!.References.FirstOrDefault(one => ruleOf(one) is "CASCADE" or "SET NULL" or "SET DEFAULT") is { } reference
            ? $"foreign key {reference.Name} of {reference.Database}.{reference.Table} is ON {change} {ruleOf(reference)}: rows of it "
                + "would change too, and they are not kept as they were"
            : null;

    private static bool Meets(ForeignKey reference, IEnumerable<string> columns) =>
        reference.ToColumns.Any(name => columns.Contains(name, StringComparer.OrdinalIgnoreCase));

    public static IEnumerable<string> Notes(LoadFacts facts)
    {
        if (facts.Images is not { } images)
        {
            yield break;
        }

        var isDelete = facts.Request.Kind == JobKind.Delete;
        var copies = isDelete || !ChangesRows(facts.Request) ? 1 : 2;
        var how = isDelete ? "as they were" : copies == 1 ? "as the job leaves them" : "as they were, and as the job leaves them";
        var rows = facts.EstimatedRecords is { } records ? $"at most about {records:N0} rows"
            : facts.Request.Kind == JobKind.Import ? "all rows that it inserts or changes" : "all rows that it changes";
        var size = facts.EstimatedRecords is { } all && images.RowBytes is { } bytes
            ? $", about {Math.Max(1, all * bytes * copies / (1024 * 1024)):N0} MiB" : "";
        yield return $"--undoable: {rows} are kept {how}, in {(copies == 1 ? "a table" : "tables")} beside "
            + $"{facts.Table.DisplayName}{size}, for {Days(facts.Request.Undoable!.Value)}";
        string[] triggers = [.. facts.Request.Kind switch
        {
            JobKind.Delete => facts.Table.DeleteTriggers,
            JobKind.Update => facts.Table.UpdateTriggers,
            _ => facts.Table.InsertTriggers.Concat(ChangesRows(facts.Request) ? facts.Table.UpdateTriggers : [])
                .Concat(facts.Request.OnDuplicate == DuplicateMode.Replace ? facts.Table.DeleteTriggers : []),
        }];
        if (triggers.Length > 0)
        {
            yield return $"--undoable: what triggers do to other tables cannot be undone: {string.Join(", ", triggers)}";
        }
    }

    private static string Days(TimeSpan age) => age.TotalDays >= 1 && age.Hours == 0
        ? $"{Plural.Count((long)age.TotalDays, "day")}" : $"{Plural.Count((long)age.TotalHours, "hour")}";
}
