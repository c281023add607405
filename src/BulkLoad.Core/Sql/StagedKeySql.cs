using System.Buffers;
using System.Globalization;
using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Sql;

/// <summary>
/// Keys in a temporary table with the target's own types and collations, so that the server tells which of them are one, and finds their
/// rows by a join. Its columns are named unlike any of the target's, which an expression of the user's may name.
/// </summary>
internal sealed class StagedKeySql
{
    private const string Record = "bulkload_record";
    private const string Name = "bulkload_keys";

    private readonly TableFacts _target;
    private readonly IReadOnlyList<TableColumn> _columns;
    private readonly string _table;
    private readonly string _key;
    private readonly LiteralForm[] _forms;
    private readonly byte[] _head;

    /// <param name="table">the target</param>
    /// <param name="key">the columns of the key: all values of a row</param>
    /// <param name="isInMemory">whether the server keeps it in memory, which it does for no TEXT or BLOB</param>
    public StagedKeySql(TableFacts table, IReadOnlyList<TableColumn> key, bool isInMemory = false)
    {
        (_target, _columns) = (table, key);
        _table = SqlName.Quote(table.Database, Name);
        _key = string.Join(',', key.Select((_, i) => KeySql.Name(i)));
        _forms = [.. key.Select(column => new LiteralForm(column))];
        _head = Encoding.UTF8.GetBytes($"INSERT INTO {_table} ({_key},{Record}) VALUES ");

        // Types, character sets and collations as they are; the table is gone with its session.
        Create = $"CREATE TEMPORARY TABLE {_table} ({Record} BIGINT NOT NULL PRIMARY KEY){(isInMemory ? " ENGINE=MEMORY" : "")} "
            + $"SELECT {string.Join(',', key.Select((column, i) => $"{SqlName.Quote(column.Name)} AS {KeySql.Name(i)}"))},0 AS {Record} FROM {Target} LIMIT 0";
    }

    public string Create { get; }

    /// <summary>Nothing of it commits what is open, as TRUNCATE would.</summary>
    public string Clear => $"DELETE FROM {_table}";

    /// <summary>Nothing of it commits what is open.</summary>
    public string Drop => $"DROP TEMPORARY TABLE {_table}";

    /// <summary>The table as a target, and its columns: the values of a row, and its number behind them.</summary>
    public (TableFacts Table, IReadOnlyList<TableColumn> Columns) AsTarget =>
    (
        _target with { Name = Name, InsertTriggers = [], UpdateTriggers = [], DeleteTriggers = [] },
        [
            .. _columns.Select((column, i) => column with { Name = KeySql.Name(i), Default = ColumnDefault.None }),
            new TableColumn { Name = Record, TypeText = "bigint", Kind = ColumnKind.Integer, IsNullable = false, Default = ColumnDefault.None },
        ]);

    /// <summary>The numbers of the rows that are there, in order.</summary>
    public string Numbers => $"SELECT {Record} FROM {_table} ORDER BY {Record}";

    /// <summary>How many different keys are there, to the columns' own comparison.</summary>
    public string CountDifferent => $"SELECT COUNT(*) FROM (SELECT DISTINCT {_key} FROM {_table}) bulkload_list";

    private string Target => SqlName.Quote(_target.Database, _target.Name);

    /// <summary>A DELETE of the target's rows that have one of the keys, and of those keys: the keys of no row stay.</summary>
    /// <param name="index">by which the target's rows are found, however many keys there are</param>
    /// <param name="where">what rows must fulfil besides; null: nothing</param>
    public string Delete(TableIndex index, string? where) =>
        $"DELETE {_table},{Target} FROM {_table} STRAIGHT_JOIN {Target} FORCE INDEX ({SqlName.Quote(index.Name)}) ON {string.Join(" AND ", _columns.Select((column, i) => $"{Target}.{SqlName.Quote(column.Name)}={_table}.{KeySql.Name(i)}"))}"
        + (where is null ? "" : $" WHERE ({where})");

    /// <summary>How an INSERT begins.</summary>
    public string InsertHead => Encoding.UTF8.GetString(_head);

    /// <summary>An INSERT of rows of a block.</summary>
    /// <param name="output">takes the text</param>
    /// <param name="block">whole rows</param>
    /// <param name="rowOf">the row of a place, 0-based in the block</param>
    /// <param name="numberOf">the number of the row of a place</param>
    /// <param name="from">first place</param>
    /// <param name="to">behind the last place</param>
    /// <param name="most">bytes after which the statement is complete</param>
    /// <returns>places taken, at least one</returns>
    public int WriteInsert(ArrayBufferWriter<byte> output, RowBlock block, Func<int, int> rowOf, Func<int, long> numberOf, int from, int to, long most)
    {
        Span<byte> tail = stackalloc byte[24];
        var start = output.WrittenCount;
        output.Write(_head);
        var place = from;
        for (; place < to && (place == from || output.WrittenCount - start < most); place++)
        {
            output.Write(place == from ? ""u8 : ","u8);
            tail[0] = (byte)',';
            numberOf(place).TryFormat(tail[1..], out var length, default, CultureInfo.InvariantCulture);
            InsertSql.WriteRows(output, _forms, block, rowOf(place), 1, tail[..(length + 1)]);
        }

        return place - from;
    }

    /// <summary>The records that have the key of an earlier one, or of a later one, in order, a page at a time.</summary>
    /// <param name="after">only those behind this one</param>
    /// <param name="most">no more than these</param>
    /// <param name="lastCounts">whether they are those before the last one with their key; else those behind the first</param>
    public string Repeated(long after, int most, bool lastCounts) => string.Create(
        CultureInfo.InvariantCulture,
        $"SELECT {Record} FROM (SELECT {Record},ROW_NUMBER() OVER (PARTITION BY {_key} ORDER BY {Record}{(lastCounts ? " DESC" : "")}) AS bulkload_n FROM {_table}) bulkload_list WHERE bulkload_n>1 AND {Record}>{after} ORDER BY {Record} LIMIT {most}");
}
