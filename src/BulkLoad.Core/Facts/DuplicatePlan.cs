using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>Chooses the form of INSERT. It must leave the same table, and give the same counts, as records sent one by one in the file's
/// order. ON DUPLICATE KEY UPDATE does so for whole batches, and its answer gives exact counts. Where it would do something else than was
/// asked for, batches are plain INSERTs and narrowing finds each duplicate.</summary>
/// <param name="Reason">why there is no form, or what to know of it; for people</param>
internal sealed record DuplicatePlan(DuplicateForm? Form, string? Reason)
{
    private const string OneByOne = "each duplicate is found by narrowing, which is slow where there are many";

    public static DuplicatePlan Of(LoadFacts facts)
    {
        if (facts.Request.OnDuplicate == DuplicateMode.Error)
        {
            return new(DuplicateForm.Plain, null);
        }

        if (DescribeNoDuplicates(facts) is { } reason)
        {
            return new(DuplicateForm.Plain, reason);
        }

        return facts.Request.OnDuplicate switch
        {
            DuplicateMode.Ignore => OfIgnore(facts),
            DuplicateMode.Replace => OfReplace(facts),
            _ => OfUpdate(facts),
        };
    }

    /// <summary>The column that <see cref="DuplicateForm.KeepRow"/> sets to itself; null: the account may change none. AUTO_INCREMENT comes
    /// last: MySQL warns of it in a statement that makes ids (error 1869).</summary>
    public static TableColumn? FindKeptColumn(TableFacts table) =>
        table.UniqueKeys.SelectMany(key => key.Columns).Select(table.Find).Concat(table.Columns)
            .Where(column => column is { IsGenerated: false, CanUpdate: true, CanSelect: true })
            .OrderBy(column => column!.Default == ColumnDefault.AutoIncrement)
            .FirstOrDefault();

    public static IEnumerable<TableColumn> Unmapped(LoadFacts facts) =>
        facts.Table.Columns.Where(
            column => !column.IsGenerated && column.Default != ColumnDefault.AutoIncrement && !IsMapped(facts, column));

    private static string? DescribeNoDuplicates(LoadFacts facts)
    {
        var keys = facts.Table.UniqueKeys;
        if (keys.Count == 0)
        {
            return $"{facts.Table.DisplayName} has no primary or unique key: no record can be a duplicate";
        }

        return keys.All(facts.IsNumbered)
            ? "every record gets a new id from the server: none can be a duplicate"
            : null;
    }

    private static DuplicatePlan OfIgnore(LoadFacts facts)
    {
        var table = facts.Table;
        var obstacle = FindVersioning(table) ?? FindUnsafeLog(facts)
            ?? (table.UpdateTriggers.Count > 0 ? $"trigger {table.UpdateTriggers[0]} would run for the rows that are to stay" : null)
            ?? (FindKeptColumn(table) is null ? "the account may not UPDATE and SELECT a column" : null);
        if (obstacle is null)
        {
            return new(DuplicateForm.KeepRow, null);
        }

        return table.InsertTriggers.Count > 0
            ? new(null, $"{obstacle}, and a duplicate of {table.DisplayName} cannot be distinguished from one that trigger " +
                $"{table.InsertTriggers[0]} makes elsewhere")
            : new(DuplicateForm.SkipAlone, $"{obstacle}: {OneByOne}");
    }

    private static DuplicatePlan OfReplace(LoadFacts facts)
    {
        var table = facts.Table;
        var obstacle = FindVersioning(table)
            ?? (table.UniqueKeys.Count > 1 ? $"with {table.UniqueKeys.Count} unique keys a record can replace several rows" : null)
            ?? table.InsertTriggers.Concat(table.UpdateTriggers).Concat(table.DeleteTriggers).Select(trigger => $"trigger {trigger} runs")
                .FirstOrDefault()
            ?? (table.Referencing.Count > 0 ? $"foreign keys of {string.Join(", ", table.Referencing)} point at the rows" : null)
            ?? table.Columns.Where(
                column => column.Default == ColumnDefault.AutoIncrement && !IsMapped(facts, column) && !Has(table.UniqueKeys[0], column))
                .Select(column => $"a replaced row gets a new {column.Name}").FirstOrDefault()
            ?? (Mapped(facts).Concat(Unmapped(facts)).Any(column => !column.CanUpdate) ? "the account may not UPDATE every column" : null);
        return obstacle is null ? new(DuplicateForm.SetRow, null) : new(DuplicateForm.ReplaceAlone, $"{obstacle}: {OneByOne}");
    }

    private static DuplicatePlan OfUpdate(LoadFacts facts)
    {
        var obstacle = FindVersioning(facts.Table) ?? FindUnsafeLog(facts)
            ?? (Mapped(facts).FirstOrDefault(column => !column.CanUpdate) is { } column
                ? $"the account may not UPDATE column '{column.Name}'" : null);
        return obstacle is null ? new(DuplicateForm.SetColumns, null) : new(null, obstacle);
    }

    /// <summary>MariaDB counts a row that stays as it is as changed in such a table, and keeps a version of it.</summary>
    private static string? FindVersioning(TableFacts table) =>
        table.IsVersioned ? $"{table.DisplayName} keeps versions of its rows, also of those that an UPDATE leaves as they are" : null;

    /// <summary>Warning 1592 with each statement (MySQL manual, "INSERT ... ON DUPLICATE KEY UPDATE Statement").</summary>
    private static string? FindUnsafeLog(LoadFacts facts) => facts.Server.LogsStatements && facts.Table.UniqueKeys.Count > 1
        ? "the server's binary log by statement does not keep which of several unique keys an update went by"
        : null;

    private static IEnumerable<TableColumn> Mapped(LoadFacts facts) =>
        facts.Columns.Concat(facts.Assignments.Select(assignment => facts.Table.Find(assignment.Column)).OfType<TableColumn>());

    private static bool IsMapped(LoadFacts facts, TableColumn column) => Mapped(facts).Any(mapped => mapped.Name == column.Name);

    private static bool Has(UniqueKey key, TableColumn column) => key.Columns.Contains(column.Name, StringComparer.OrdinalIgnoreCase);
}

/// <summary>How INSERT statements do what <see cref="DuplicateMode"/> asks for.</summary>
internal enum DuplicateForm
{
    /// <summary>A duplicate is the server's error, or there can be none.</summary>
    Plain,

    /// <summary>ON DUPLICATE KEY UPDATE that sets a column to itself.</summary>
    KeepRow,

    /// <summary>ON DUPLICATE KEY UPDATE of the columns that the input has.</summary>
    SetColumns,

    /// <summary>ON DUPLICATE KEY UPDATE of every column, to its default where the input has none: like REPLACE in simple tables.</summary>
    SetRow,

    /// <summary>A duplicate makes its INSERT fail; narrowing finds it, and it is skipped.</summary>
    SkipAlone,

    /// <summary>A duplicate makes its INSERT fail; narrowing finds it, and REPLACE sends it again.</summary>
    ReplaceAlone,
}
