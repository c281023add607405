using System.Buffers;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Keys in a temporary table with the target's own types and collations, so that the server decides which keys are equal, and
/// finds their rows by a join; for an update with the new values. Its columns have other names than the target's, which a user's expression
/// may name.</summary>
internal sealed class StagedKeySql
{
    private const string Record = "bulkload_record";
    private const string Name = "bulkload_keys";
    private const string ByKey = "bulkload_by_key";

    private readonly TableFacts _target;
    private readonly IReadOnlyList<TableColumn> _columns;
    private readonly int _keyCount;
    private readonly string _tag;
    private readonly string _table;
    private readonly string _key;
    private readonly RowList _list;
    private readonly byte[] _head;

    /// <param name="columns">the values of a row: the columns of the key, behind them those that change, and behind those the fields that
    /// expressions read</param>
    /// <param name="isInMemory">whether the server keeps it in memory, which is not possible with TEXT or BLOB</param>
    /// <param name="keyCount">columns of the key; null: all</param>
    /// <param name="isIndexed">whether keys are looked up in it, rather than in the target</param>
    /// <param name="isNullable">whether a record may lack a value, whatever the column says</param>
    public StagedKeySql(TableFacts table, IReadOnlyList<TableColumn> columns, bool isInMemory = false, int? keyCount = null,
        bool isIndexed = false, string tag = "", bool isNullable = false)
    {
        (_target, _columns, _keyCount, _tag) = (table, columns, keyCount ?? columns.Count, tag);
        _table = SqlName.Quote(table.Database, Name);
        _key = string.Join(',', Enumerable.Range(0, _keyCount).Select(KeySql.Name));
        _list = new RowList([.. columns.Select(column => new LiteralForm(column))]);
        _head = Encoding.UTF8.GetBytes(
            JobTag.Into($"INSERT INTO {_table} ({string.Join(',', columns.Select((_, i) => KeySql.Name(i)))},{Record}) VALUES ", tag));

        // Types, character sets and collations as they are; the table ends with its session.
        var fields = string.Concat(
            columns.Select((column, i) => column.IsField ? $",{KeySql.Name(i)} LONGTEXT CHARACTER SET utf8mb4" : ""));
        var own = string.Concat(columns.Select((column, i) => column.IsField ? "" : $"{SqlName.Quote(column.Name)} AS {KeySql.Name(i)},"));
        Create = $"CREATE TEMPORARY TABLE {_table} "
            + $"({Record} BIGINT NOT NULL PRIMARY KEY{fields}{(isIndexed ? $",KEY {ByKey} ({_key})" : "")})"
            + $"{(isInMemory ? " ENGINE=MEMORY" : "")} "
            + $"SELECT {own}0 AS {Record} FROM "
            + $"{(isNullable ? $"(SELECT 1 AS bulkload_one) one LEFT JOIN {Target} ON FALSE" : Target)} LIMIT 0";
    }

    public string Create { get; }

    /// <summary>Does not commit, as TRUNCATE would.</summary>
    public string Clear => $"DELETE FROM {_table}";

    /// <summary>Does not commit. A note if there is no table.</summary>
    public string Drop => $"DROP TEMPORARY TABLE IF EXISTS {_table}";

    public string QuotedName => _table;

    /// <summary>The table as a target, and its columns: the values of a row, and its number behind them.</summary>
    public (TableFacts Table, IReadOnlyList<TableColumn> Columns) AsTarget =>
    (
        _target with { Name = Name, InsertTriggers = [], UpdateTriggers = [], DeleteTriggers = [], CallingTriggers = [] },
        [
            .. _columns.Select((column, i) => column with { Name = KeySql.Name(i), Default = ColumnDefault.None, IsField = false }),
            new TableColumn
            {
                Name = Record, TypeText = "bigint", Kind = ColumnKind.Integer, IsNullable = false, Default = ColumnDefault.None,
            },
        ]);

    public string Numbers => $"SELECT {Record} FROM {_table} ORDER BY {Record}";

    /// <summary>Number of different keys, by the columns' own comparison.</summary>
    public string CountDifferent => $"SELECT COUNT(*) FROM (SELECT DISTINCT {_key} FROM {_table}) {KeySql.List}";

    private string Joined(TableIndex? index) =>
        (index is null ? $"{Target} STRAIGHT_JOIN {_table} FORCE INDEX ({ByKey})"
            : $"{_table} STRAIGHT_JOIN {Target} FORCE INDEX ({SqlName.Quote(index.Name)})")
        + " ON " + string.Join(
            " AND ", _columns.Take(_keyCount).Select((column, i) => $"{Target}.{SqlName.Quote(column.Name)}={_table}.{KeySql.Name(i)}"));

    private static string Guard(string? where) => where is null ? "" : $" WHERE ({where})";

    private string Target => _target.QuotedName;

    /// <summary>Deletes the target's rows that have one of the keys, and those keys: keys without a row stay.</summary>
    /// <param name="index">by which the target's rows are found, however many keys there are; null: the target is read once, and its rows'
    /// keys are looked up</param>
    public string Delete(TableIndex? index, string? where) =>
        JobTag.Into($"DELETE {_table},{Target} FROM {Joined(index)}{Guard(where)}", _tag);

    /// <summary>Updates the target's rows that have one of the keys.</summary>
    /// <param name="index">by which they are found, however many keys there are</param>
    public string Update(TableIndex index, IReadOnlyList<ColumnAssignment> assignments, string? where) =>
        JobTag.Into($"UPDATE {Joined(index)} SET ", _tag)
        + string.Join(',', [
            .. _columns.Skip(_keyCount).TakeWhile(column => !column.IsField)
                .Select((column, i) => $"{Target}.{SqlName.Quote(column.Name)}={_table}.{KeySql.Name(_keyCount + i)}"),
            .. SetText.Each(assignments, _columns, $"{Target}.", place => $"{_table}.{KeySql.Name(place)}"),
        ])
        + Guard(where);

    /// <summary>The numbers of the rows whose key the target has, unordered; locks those of the target.</summary>
    public string Found(TableIndex index, string? where) =>
        JobTag.Into($"SELECT {_table}.{Record} FROM {Joined(index)}{Guard(where)} FOR UPDATE", _tag);

    public string InsertHead => Encoding.UTF8.GetString(_head);

    /// <param name="most">limit in bytes, after which the statement is complete</param>
    /// <returns>number of places taken, at least one</returns>
    public int WriteInsert(
        ArrayBufferWriter<byte> output, RowBlock block, Func<int, int> rowOf, Func<int, long> numberOf, int from, int to, long most)
    {
        Span<byte> number = stackalloc byte[24];
        var start = output.WrittenCount;
        output.Write(_head);
        var place = from;
        for (; place < to && (place == from || output.WrittenCount - start < most); place++)
        {
            numberOf(place).TryFormat(number, out var length, default, CultureInfo.InvariantCulture);
            _list.Open(output, block, rowOf(place), place == from);
            output.Write(","u8);
            output.Write(number[..length]);
            output.Write(")"u8);
        }

        return place - from;
    }

    /// <summary>A page of the records that have the key of an earlier one, or of a later one, in order.</summary>
    /// <param name="lastCounts">whether the last record of each key counts, and those before it are found; otherwise the first one</param>
    public string Repeated(long after, int most, bool lastCounts) =>
        $"SELECT {Record} FROM (SELECT {Record},ROW_NUMBER() OVER (PARTITION BY {_key} ORDER BY {Record}{(lastCounts ? " DESC" : "")}) AS "
            + $"bulkload_n FROM {_table}) {KeySql.List} WHERE bulkload_n>1 AND {Record}>{after} ORDER BY {Record} LIMIT {most}";
}
