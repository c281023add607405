using BulkLoad.Core.Facts;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Planning;

/// <summary>Indexes that a load can do without: they refuse no row, only queries need them, and their definition is complete.
/// Pure.</summary>
internal static class RebuildRules
{
    /// <summary>Entries from which on an empty table is filled faster without its indexes: 100,000 rows with four indexes took 0.48 of the
    /// time on MariaDB and 0.69 on MySQL, 1,000,000 rows 0.47 and 0.42, and with one index of few values about the same.</summary>
    private const long EntriesToRebuild = 200_000;

    /// <param name="definitions">all indexes but the primary key, in the table's order</param>
    /// <param name="columns">of each index by its name, in the index's order; null: an expression</param>
    public static IndexFacts Judge(
        TableFacts table, IReadOnlyList<IndexDefinition> definitions, ILookup<string, string?> columns, IReadOnlyList<string> referring,
        IReadOnlyList<string> referred)
    {
        var dropped = new List<IndexDefinition>();
        var kept = new List<KeptIndex>();
        foreach (var definition in definitions)
        {
            if (FindNeed(table, definition, [.. columns[definition.Name]], referring, referred) is { } reason)
            {
                kept.Add(new KeptIndex(definition.Name, reason));
            }
            else
            {
                dropped.Add(definition);
            }
        }

        return new IndexFacts(dropped, kept)
        {
            KeepsOrder = definitions.SkipWhile(IsKept).SkipWhile(index => !IsKept(index)).All(IsSorted),
        };

        bool IsKept(IndexDefinition index) => !dropped.Contains(index);

        // Servers write unique indexes before ordinary ones, and full-text indexes behind them.
        static bool IsSorted(IndexDefinition index) => index.Kind is "UNIQUE" or "FULLTEXT";
    }

    /// <summary>Whether a table without rows, which nobody else uses, is filled faster without these indexes, and has the same definition
    /// behind it.</summary>
    public static bool IsFaster(LoadFacts facts, IndexFacts indexes) =>
        indexes.KeepsOrder && facts.EstimatedRecords * (double)indexes.Dropped.Count >= EntriesToRebuild;

    /// <returns>null: there is no rebuild</returns>
    public static PlannedRebuild? Describe(LoadFacts facts) =>
        facts.Indexes is not { } indexes
            ? null
            : new PlannedRebuild([.. indexes.Dropped.Select(index => index.Text)], indexes.Kept,
                facts.Request.Known is null || indexes.Dropped.Count == 0 ? [.. Notes(facts, indexes)]
                    : ["the table beside is filled without them, for speed"]);

    public static IEnumerable<string> SqlBeforeRows(LoadFacts facts) => facts.Indexes is { Dropped.Count: > 0 } indexes
        ? [new IndexSql(facts.Table.Database, facts.Table.Name).Drop(indexes.Dropped.Select(index => index.Name), facts.Tag)]
        : [];

    public static IEnumerable<string> SqlAfterCommit(LoadFacts facts) => facts.Indexes is { Dropped.Count: > 0 } indexes
        ? [new IndexSql(facts.Table.Database, facts.Table.Name).Add(indexes.Dropped.Select(index => index.Text), facts.Tag)]
        : [];

    private static IEnumerable<string> Notes(LoadFacts facts, IndexFacts indexes)
    {
        if (indexes.Dropped.Count == 0)
        {
            yield return "no index can be dropped: the table is loaded as it is";
            yield break;
        }

        yield return $"from the first row until the job is done nobody finds rows by {Names(indexes.Dropped)}: what other sessions look "
            + "for there reads the whole table, also while the job is killed or stopped, until it is started again (or 'bulkload jobs "
            + "restore')";
        yield return "adding them reads the whole table and takes disk space; like dropping them it waits for the transactions of others "
            + "that have touched the table, and new ones wait for it; replicas do both too";
        yield return "both change the time at which the table was made: other jobs of it that are complete are refused when they are "
            + "started again";
        if (facts is { Indexes.Rows: { } there, EstimatedRecords: { } coming } && there > coming)
        {
            yield return $"the table has about {Plural.Count(there, "row")} and the input about {Plural.Count(coming, "record")}: adding "
                + "them may take longer than doing without them saves";
        }
    }

    private static string Names(IReadOnlyList<IndexDefinition> indexes) => string.Join(", ", indexes.Select(index => index.Name));

    private static string? FindNeed(TableFacts table, IndexDefinition index, IReadOnlyList<string?> columns,
        IReadOnlyList<string> referring, IReadOnlyList<string> referred)
    {
        switch (index.Kind)
        {
            case "":
                break;
            case "UNIQUE":
                return "it keeps duplicates out";
            case "FULLTEXT":
                return "the server does not say which words it leaves out";
            default:
                return $"{index.Kind}: only ordinary indexes are dropped";
        }

        if (columns is not [var first, ..])
        {
            return "the account may not see its columns";
        }

        if (first is null || columns.Any(column => column is null))
        {
            return "it has an expression, which can refuse values";
        }

        if (columns.FirstOrDefault(column => table.Find(column!) is not { IsGenerated: false }) is { } generated)
        {
            return $"column '{generated}' is generated, and its expression can refuse values";
        }

        if (!TableText.IsIndex(index.Text))
        {
            return "its definition has something that is not known here";
        }

        // The server takes any index that begins with these columns. It treats the primary key's columns as the end of each index.
        if (referring.Contains(first, StringComparer.OrdinalIgnoreCase))
        {
            return $"a foreign key over column '{first}' may need it";
        }

        if (referred.Contains(first, StringComparer.OrdinalIgnoreCase))
        {
            return $"a foreign key that points to column '{first}' may need it";
        }

        return table.Find(first) is { Default: ColumnDefault.AutoIncrement }
            && !table.UniqueKeys.Any(key => first.Equals(key.Parts[0].Column, StringComparison.OrdinalIgnoreCase))
            ? $"AUTO_INCREMENT column '{first}' needs it"
            : null;
    }
}
