using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>UPDATEs of rows that are found by keys: one record a statement, or the records of a list that the table is joined with (MySQL
/// manual, "UPDATE Statement", "VALUES Statement"). The list begins with a SELECT of no rows from the table itself, so that its columns
/// have the types, character sets and collations of the table's.</summary>
/// <remarks>
/// A list is never made of placeholders: their types are settled when the statement is prepared, from nothing. MySQL 9.7 then cuts the
/// fractions of all times in a list with a NULL among them, without a word, and MariaDB 10.11 has columns too narrow for the second row.
/// </remarks>
internal sealed class UpdateSql
{
    private readonly IReadOnlyList<TableColumn> _columns;
    private readonly int _keyCount;
    private readonly LiteralForm[] _forms;
    private readonly RowList _list;
    private readonly byte[][] _settings;
    private readonly byte[] _rowHead;
    private readonly byte[] _rowGuard;
    private readonly byte[] _listHead;
    private readonly byte[] _listTail;
    private readonly string _sampleRow;
    private readonly string _table;
    private readonly string _tag;
    private readonly SetText _assignments;
    private readonly string _guard;

    /// <param name="facts">with a key, whose columns stand first in a row</param>
    public UpdateSql(LoadFacts facts)
    {
        (_columns, _keyCount, _tag) = (facts.Columns, facts.KeyCount, facts.Tag);
        var row = facts.RowColumns;
        _forms = [.. row.Select(
            (column, i) => new LiteralForm(column, isKey: i < _keyCount || column.Kind != ColumnKind.Double))];
        _table = facts.Table.QuotedName;
        _assignments = Assign(facts);
        _guard = facts.Request.Key.Where is { } where ? $"({where})" : "";
        var word = facts.Server.IsMariaDb ? "" : "ROW";
        _list = new RowList(_forms, word);
        _sampleRow = $"{word}({string.Join(',', row.Select(ColumnSql.Placeholder))})";
        _settings = [.. _columns.Select(column => Encoding.UTF8.GetBytes($"{Qualified(column.Name)}="))];
        _rowHead = Encoding.UTF8.GetBytes($"UPDATE {_table} SET ");
        _rowGuard = Encoding.UTF8.GetBytes(_guard.Length == 0 ? "" : $" AND {_guard}");
        var typed = string.Join(',', row.Select((column, i) => $"{Typed(column)} AS {KeySql.Name(i)}"));
        _listHead = Encoding.UTF8.GetBytes(JobTag.Into($"UPDATE (SELECT {typed} FROM {_table} WHERE FALSE UNION ALL VALUES ", _tag));
        Keys = KeySql.Of(facts);
        _listTail = Encoding.UTF8.GetBytes($") {KeySql.List} STRAIGHT_JOIN {_table} ON {Keys.On} SET "
            + Set(i => $"{KeySql.List}.{KeySql.Name(i)}", _assignments.With(place => $"{KeySql.List}.{KeySql.Name(place)}"))
            + (_guard.Length == 0 ? "" : $" WHERE {_guard}"));
    }

    public KeySql Keys { get; }

    public int RowOverhead => _list.RowOverhead;

    public int ListOverhead => _listHead.Length + _listTail.Length;

    public string SampleList() => $"{Encoding.UTF8.GetString(_listHead)}{_sampleRow}{Encoding.UTF8.GetString(_listTail)}";

    /// <param name="rowOf">the place in the block of each</param>
    public void WriteList(IBufferWriter<byte> output, RowBlock block, int count, Func<int, int> rowOf)
    {
        output.Write(_listHead);
        _list.Write(output, block, count, rowOf);
        output.Write(_listTail);
    }

    /// <summary>The places of a row's values in the order of <see cref="PreparedRow"/>'s placeholders.</summary>
    public static int[] OrderOfRow(LoadFacts facts) =>
        [.. Enumerable.Range(facts.KeyCount, facts.Columns.Count - facts.KeyCount), .. Assign(facts).Places,
            .. Enumerable.Range(0, facts.KeyCount)];

    /// <summary>How often a value of a row is sent at most.</summary>
    public static int MaxReads(LoadFacts facts) => Math.Max(1, Assign(facts).MaxReads);

    /// <summary>An UPDATE by one record: placeholders for the values that it gives, then for its key.</summary>
    public string PreparedRow()
    {
        var keys = string.Join(" AND ", _columns.Take(_keyCount).Select(column => $"{Qualified(column.Name)}=?"));
        return JobTag.Into($"UPDATE {_table} SET ", _tag)
            + $"{Set(i => ColumnSql.Placeholder(_columns[i]), _assignments.Prepared())} WHERE {keys}{Encoding.UTF8.GetString(_rowGuard)}";
    }

    /// <summary>An UPDATE by one record as literals: of the columns that it names, and with what they default to.</summary>
    public void WriteRow(IBufferWriter<byte> output, RowBlock block, int row)
    {
        output.Write(_rowHead);
        var isFirst = true;
        for (var column = _keyCount; column < _columns.Count; column++)
        {
            if (block.Get(row, column, out _) != CellState.Absent)
            {
                WriteSetting(isFirst ? ""u8 : ","u8, column);
                isFirst = false;
            }
        }

        if (!_assignments.IsEmpty)
        {
            output.Write(isFirst ? ""u8 : ","u8);
            _assignments.Write(output, block, row);
        }
        else if (isFirst && _columns.Count > _keyCount)
        {
            // A record that names nothing has still to find its row.
            output.Write(_settings[_keyCount]);
            output.Write(_settings[_keyCount].AsSpan()[..^1]);
        }

        for (var column = 0; column < _keyCount; column++)
        {
            WriteSetting(column == 0 ? " WHERE "u8 : " AND "u8, column);
        }

        output.Write(_rowGuard);

        void WriteSetting(ReadOnlySpan<byte> before, int column)
        {
            output.Write(before);
            output.Write(_settings[column]);
            _forms[column].Write(output, block, row, column);
        }
    }

    /// <summary>An UPDATE of one column by one record, to be shown to the server.</summary>
    public static string Sample(TableFacts table, IReadOnlyList<TableColumn> row, ColumnAssignment assignment) =>
        $"UPDATE {table.QuotedName} SET {SetText.Assign([assignment], row).Prepared()}";

    private static SetText Assign(LoadFacts facts) => SetText.Assign(
        facts.Assignments, facts.RowColumns, $"{facts.Table.QuotedName}.");

    /// <summary>What columns are set to. Where only the key is there, as of an input without records, its first column is set to
    /// itself.</summary>
    private string Set(Func<int, string> valueOf, string assignments)
    {
        var own = Enumerable.Range(_keyCount, _columns.Count - _keyCount).Select(i => $"{Qualified(_columns[i].Name)}={valueOf(i)}");
        return string.Join(',', assignments.Length > 0 ? own.Append(assignments)
            : own.DefaultIfEmpty($"{Qualified(_columns[0].Name)}={Qualified(_columns[0].Name)}"));
    }

    private string Qualified(string column) => $"{_table}.{SqlName.Quote(column)}";

    /// <summary>Of the column's type. MariaDB does not put text into one that begins with another character set than the text's (error
    /// 1267).</summary>
    private string Typed(TableColumn column) => column switch
    {
        { IsField: true } => "CAST(NULL AS CHAR)",
        { IsCharacter: true, Charset: not "utf8mb4" } => $"CONVERT({Qualified(column.Name)} USING utf8mb4)",
        _ => ColumnSql.Of(column.Kind).ListHead?.Invoke(Qualified(column.Name)) ?? Qualified(column.Name),
    };
}
