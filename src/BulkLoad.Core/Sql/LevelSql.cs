using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>The order of rows that refer to rows of their own table: a table of their keys, each with its level, which is below those of
/// its parents. A statement reads the rows of one level and what belongs to them, by indexes, so that the time does not depend on the depth
/// of chains. Pure.</summary>
/// <param name="references">foreign keys of the table to itself</param>
/// <param name="rows">the table whose rows get levels: the one itself, or its staging table</param>
/// <param name="others">skips rows whose key this table has; null: none</param>
internal sealed class LevelSql(TableFacts table, IReadOnlyList<ForeignKey> references, string rows, string? others)
{
    /// <summary>Tables that the program has made are not part of a seed, so that no staging table has this name.</summary>
    public static string NameOf(string table) => StageSql.NameOf($"{SeedSql.OwnPrefix}levels_{table}");

    private const string Level = "bulkload_level";

    private readonly string _levels = QuotedName(table);

    /// <summary>Records that are no rows yet.</summary>
    public static LevelSql OfNew(TableFacts table, IReadOnlyList<ForeignKey> references) =>
        new(table, references, StageOf(table), table.QuotedName);

    /// <summary>Rows without a record.</summary>
    public static LevelSql OfExtra(TableFacts table, IReadOnlyList<ForeignKey> references) =>
        new(table, references, table.QuotedName, StageOf(table));

    public static LevelSql OfAll(TableFacts table, IReadOnlyList<ForeignKey> references) =>
        new(table, references, table.QuotedName, null);

    public static string Create(TableFacts table) =>
        $"CREATE TABLE {QuotedName(table)} ({Level} INT NOT NULL, PRIMARY KEY ({SqlName.List(table.PrimaryKey)}), INDEX ({Level})) "
            + $"ENGINE=InnoDB COMMENT={SqlLiteral.Quote(StageSql.Comment)} SELECT {SqlName.List(table.PrimaryKey)}, 0 AS {Level} "
            + $"FROM {table.QuotedName} LIMIT 0";

    public string Clear => $"DELETE FROM {_levels}";

    /// <summary>Rows that wait for no other one have level 0.</summary>
    public string Begin => $"INSERT INTO {_levels} ({SqlName.List(table.PrimaryKey)}, {Level}) SELECT {KeyOf("c")}, 0 FROM {rows} c"
        + Without("c", "o") + " WHERE " + string.Join(" AND ", references.Select(key => WaitsForNone(key, null))) + AndNot("o");

    /// <summary>Rows that wait only for those of a level and of levels above it have the next one; one statement for each of the foreign
    /// keys.</summary>
    public IEnumerable<string> Next(int level) => references.Select(key =>
        $"INSERT INTO {_levels} ({SqlName.List(table.PrimaryKey)}, {Level}) SELECT DISTINCT {KeyOf("c")}, {level + 1} FROM {_levels} b "
            + $"STRAIGHT_JOIN {rows} p ON {Same("p", "b")} STRAIGHT_JOIN {rows} c ON {Pairs(key, "c", "p")} AND NOT ({Same("c", "p")})"
            + Without("c", "o") + $" LEFT JOIN {_levels} d ON {Same("d", "c")} WHERE b.{Level} = {level} AND d.{Level} IS NULL"
            + string.Concat(references.Select(other => $" AND {WaitsForNone(other, level)}")) + AndNot("o"));

    public string Count => RowCountSql.All(_levels);

    /// <summary>Rows of a level: how many.</summary>
    public string CountOf(int level) => $"{Count} WHERE {Level} = {level}";

    public string Delete(int level) =>
        $"DELETE t FROM {_levels} b STRAIGHT_JOIN {table.QuotedName} t ON {Same("t", "b")} WHERE b.{Level} = {level}";

    /// <summary>A join that gives rows of a table their levels, and the order with parents first.</summary>
    /// <param name="alias">of the rows' table</param>
    public static (string Join, string Order) InOrder(TableFacts table, string alias) =>
        ($" JOIN {QuotedName(table)} b ON {JoinSql.On(alias, table.PrimaryKey, "b", table.PrimaryKey)}", $" ORDER BY b.{Level}");

    private static string QuotedName(TableFacts table) => SqlName.Quote(table.Database, NameOf(table.Name));

    private static string StageOf(TableFacts table) => SqlName.Quote(table.Database, StageSql.NameOf(table.Name));

    /// <summary>Whether row c has no other parent that counts and has no level yet. A count is looked up for each row by itself; NOT EXISTS
    /// could be answered by reading all rows.</summary>
    /// <param name="most">levels below this one do not count; null: there are none yet</param>
    private string WaitsForNone(ForeignKey key, int? most) => $"(SELECT COUNT(*) FROM {rows} q{Without("q", "r")}"
        + (most is null ? "" : $" LEFT JOIN {_levels} m ON {Same("m", "q")} AND m.{Level} <= {most}")
        + $" WHERE {Pairs(key, "c", "q")} AND NOT ({Same("q", "c")}){AndNot("r")}{(most is null ? "" : $" AND m.{Level} IS NULL")}) = 0";

    private string Without(string alias, string other) => others is null ? "" : $" LEFT JOIN {others} {other} ON {Same(other, alias)}";

    private string AndNot(string other) => others is null ? "" : $" AND {other}.{SqlName.Quote(table.FoundBy)} IS NULL";

    private string KeyOf(string alias) => string.Join(", ", table.PrimaryKey.Select(column => $"{alias}.{SqlName.Quote(column)}"));

    private string Same(string one, string other) => JoinSql.On(one, table.PrimaryKey, other, table.PrimaryKey);

    private static string Pairs(ForeignKey key, string child, string parent) => JoinSql.On(child, key.Columns, parent, key.ToColumns);
}
