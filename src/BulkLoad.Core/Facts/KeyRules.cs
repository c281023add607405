using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

internal static class KeyRules
{
    public static string? FindObstacle(KeyFacts key, TableFacts table, KeyOptions options)
    {
        foreach (var column in key.Columns)
        {
            if (column.Behaviour.KeyUse == KeyUse.None)
            {
                return $"--key: column '{column.Name}' of {table.DisplayName} is {column.TypeText}, whose values cannot be compared " +
                    "exactly: name other columns";
            }

            if (!column.CanSelect)
            {
                return $"this account may not read column '{column.Name}' of {table.DisplayName}, by which rows are found: " +
                    table.Grant("SELECT");
            }
        }

        var names = string.Join(", ", key.Columns.Select(column => column.Name));
        if (!key.IsUnique && !options.AllowMultiple)
        {
            return $"--key {names}: no unique index of {table.DisplayName} over NOT NULL columns covers it, and a key may find several " +
                "rows: name the columns of such an index, or add --allow-multiple";
        }

        if (key.Index is not null || options.AllowScan)
        {
            return null;
        }

        return key.UnusedIndex is { } unused
            ? $"--key {names}: index {unused.Name} of {table.DisplayName} begins with it, but the server may not use it (it is " +
                "INVISIBLE or IGNORED), and every statement would read the whole table: make it usable, or add --allow-scan"
            : $"--key {names}: no index of {table.DisplayName} begins with it, and every statement would read the whole table: create " +
                "one, or add --allow-scan";
    }

    public static IEnumerable<string> Notes(LoadFacts facts)
    {
        var key = facts.Key!;
        foreach (var trigger in facts.Table.DeleteTriggers)
        {
            yield return $"trigger {trigger} runs for every row, in the order of the keys within a batch";
        }

        foreach (var (table, name, onDelete, _) in key.Referring)
        {
            yield return onDelete switch
            {
                "CASCADE" => $"foreign key {name} of {table} is ON DELETE CASCADE: its rows are deleted too, and are not counted",
                "SET NULL" => $"foreign key {name} of {table} is ON DELETE SET NULL: its rows lose their reference",
                _ => $"foreign key {name} of {table}: a row that it refers to cannot be deleted, and its record is a reject",
            };
        }

        if (FindOrder(facts) is { } order)
        {
            yield return $"one statement a record, in the file's order: {order}, and the order decides; slower than lists";
        }

        foreach (var note in NotesOnKey(key, "deleted"))
        {
            yield return note;
        }
    }

    public static IEnumerable<string> NotesOnKey(KeyFacts key, string done)
    {
        if (!key.IsUnique)
        {
            yield return $"--allow-multiple: a key can find several rows, all of which are {done}";
        }

        if (key.Index is null)
        {
            var why = key.UnusedIndex is { } unused
                ? $"index {unused.Name} may not be used (INVISIBLE or IGNORED)"
                : "no index begins with the key";
            yield return $"--allow-scan: {why}, and every statement reads the whole table";
        }
    }

    public static bool RefersTo(ReferringKey key, TableFacts table) =>
        key.Table.Equals(table.DisplayName, StringComparison.OrdinalIgnoreCase);

    public static bool IsOneByOne(LoadFacts facts) => FindOrder(facts) is not null;

    /// <summary>Why the outcome of a record to be deleted depends on the records before it, for people; null: it does not.</summary>
    public static string? FindOrder(LoadFacts facts)
    {
        var table = facts.Table;
        if (facts.Key!.Referring.Any(key => key.OnDelete != "SET NULL" && RefersTo(key, table)))
        {
            return "a foreign key of the table refers to the table itself";
        }

        if (facts.Request is { Kind: JobKind.Delete, Key.Where: { } guard } && OrderRules.ReadsMore(guard))
        {
            return "--where reads what another record may have deleted";
        }

        // Rows of these tables can be deleted with one record's row, and can keep another record's row from being deleted.
        var going = facts.Key.Cascading.Where(cascading => cascading.Key.OnDelete == "CASCADE").Select(cascading => cascading.Key.Table)
            .ToHashSet(StringComparer.OrdinalIgnoreCase);
        foreach (var (parent, key) in facts.Key.Cascading)
        {
            var isBack = RefersTo(key, table) && key.OnDelete != "SET NULL";
            if (isBack || (going.Contains(key.Table) && key.OnDelete is not ("CASCADE" or "SET NULL")))
            {
                return $"foreign key {key.Name} of {key.Table} refers to {parent}, " +
                    $"{(isBack ? "whose rows" : "and rows of both")} are deleted too by ON DELETE CASCADE";
            }
        }

        return null;
    }
}

/// <summary>The server's work for rows that are found by their keys, as measured, in microseconds a row (docs/strategies.md).</summary>
internal static class KeyCosts
{
    /// <summary>Cost of a statement that reads the whole table, where its size is not known: that of 100,000 rows.</summary>
    private const double MicrosecondsPerScan = 50_000;

    /// <summary>A statement of text has to be parsed: its cost relative to that of a prepared one.</summary>
    private const double TextPerPrepared = 1.15;

    public static double OfListDelete(LoadFacts facts, int keys)
    {
        var (list, row) = facts.Server.IsMariaDb ? (3.6, 12.5) : (4.0, 17.3);
        return list + (((row * TextPerPrepared) - list) / keys) + OfScans(facts, keys);
    }

    public static double OfStagedDelete(LoadFacts facts, int rowsPerBatch) =>
        (facts.Server.IsMariaDb ? 4.8 : 6.4) + OfScans(facts, rowsPerBatch);

    public static double OfRowDelete(LoadFacts facts) => (facts.Server.IsMariaDb ? 12.5 : 17.3) + OfScans(facts, 1);

    /// <summary>Deletes executed in bulk on MariaDB: measured beside lists of a thousand keys: 1.4 s of 100,000 rows against 0.7 s, start
    /// included.</summary>
    public static double OfBulkDelete(LoadFacts facts) => 8.4 + OfScans(facts, 1);

    public static double OfListUpdate(LoadFacts facts, int rows)
    {
        var list = facts.Server.IsMariaDb ? 5.7 : 7.4;
        return list + (((OfRowUpdate(facts) * TextPerPrepared) - list) / rows);
    }

    public static double OfStagedUpdate(LoadFacts facts) => facts.Server.IsMariaDb ? 6.5 : 9.2;

    public static double OfRowUpdate(LoadFacts facts) => facts.Server.IsMariaDb ? 15.2 : 22.5;

    private static double OfScans(LoadFacts facts, int keys) => facts.Key!.Index is null ? MicrosecondsPerScan / keys : 0;
}
