using System.Buffers;
using System.Globalization;
using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Sql;

/// <summary>Keys in a temporary table with the target's own types and collations, so that the server tells which of them are one.</summary>
internal sealed class StagedKeySql
{
    private const string Record = "bulkload_record";

    private readonly string _table;
    private readonly string _key;
    private readonly LiteralForm[] _forms;
    private readonly byte[] _head;

    /// <param name="facts">with a key</param>
    public StagedKeySql(LoadFacts facts)
    {
        _table = SqlName.Quote(facts.Table.Database, "bulkload_keys");
        _key = SqlName.List(facts.Columns.Select(column => column.Name));
        _forms = [.. facts.Columns.Select(column => new LiteralForm(column))];
        _head = Encoding.UTF8.GetBytes($"INSERT INTO {_table} ({_key},{Record}) VALUES ");

        // Types, character sets and collations as they are; the table is gone with its session.
        Create = $"CREATE TEMPORARY TABLE {_table} ({Record} BIGINT NOT NULL PRIMARY KEY) "
            + $"SELECT {_key},0 AS {Record} FROM {SqlName.Quote(facts.Table.Database, facts.Table.Name)} LIMIT 0";
    }

    public string Create { get; }

    /// <summary>An INSERT of a block's rows.</summary>
    /// <param name="output">takes the text</param>
    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="recordOf">a row's number, which rises in the input's order</param>
    /// <param name="most">bytes after which the statement is complete</param>
    /// <returns>rows taken, at least one</returns>
    public int WriteInsert(ArrayBufferWriter<byte> output, RowBlock block, int from, Func<int, long> recordOf, long most)
    {
        Span<byte> tail = stackalloc byte[24];
        output.Write(_head);
        var row = from;
        for (; row < block.RowCount && (row == from || output.WrittenCount < most); row++)
        {
            output.Write(row == from ? ""u8 : ","u8);
            tail[0] = (byte)',';
            recordOf(row).TryFormat(tail[1..], out var length, default, CultureInfo.InvariantCulture);
            InsertSql.WriteRows(output, _forms, block, row, 1, tail[..(length + 1)]);
        }

        return row - from;
    }

    /// <summary>The records that have the key of an earlier one, in order, a page at a time.</summary>
    /// <param name="after">only those behind this one</param>
    /// <param name="most">no more than these</param>
    public string Repeated(long after, int most) => string.Create(
        CultureInfo.InvariantCulture,
        $"SELECT {Record} FROM (SELECT {Record},ROW_NUMBER() OVER (PARTITION BY {_key} ORDER BY {Record}) AS bulkload_n FROM {_table}) bulkload_list WHERE bulkload_n>1 AND {Record}>{after} ORDER BY {Record} LIMIT {most}");
}
