using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>
/// UPDATEs of rows that are found by keys: one record a statement, or the records of a list that the table is joined with (MySQL manual,
/// "UPDATE Statement", "VALUES Statement"). The list begins with a SELECT of no rows from the table itself, so that its columns have
/// the types, character sets and collations of the table's.
/// </summary>
/// <remarks>
/// A list is never made of placeholders: their types are settled when the statement is prepared, from nothing. MySQL 9.7 then cuts the
/// fractions of all times in a list with a NULL among them, without a word, and MariaDB 10.11 has columns too narrow for the second row.
/// </remarks>
internal sealed class UpdateSql
{
    private readonly IReadOnlyList<TableColumn> _columns;
    private readonly IReadOnlyList<TableColumn> _row;
    private readonly int _keyCount;
    private readonly LiteralForm[] _forms;
    private readonly byte[][] _settings;
    private readonly byte[] _rowHead;
    private readonly byte[] _rowGuard;
    private readonly byte[] _settingOfNothing;
    private readonly byte[] _listHeadBytes;
    private readonly byte[] _listTailBytes;
    private readonly byte[] _listRowBytes;
    private readonly string _table;
    private readonly string _preparedHead;
    private readonly SetText _assignments;
    private readonly string _guard;
    private readonly string _listHead;
    private readonly string _listTail;
    private readonly string _listRow;

    /// <param name="facts">with a key, whose columns stand first in a row</param>
    public UpdateSql(LoadFacts facts)
    {
        _columns = facts.Columns;
        _row = facts.RowColumns;
        _keyCount = facts.KeyCount;
        _forms = [.. _row.Select(
            (column, i) => i < _keyCount || column.Kind != ColumnKind.Double ? LiteralForm.OfKey(column) : new LiteralForm(column))];
        _table = SqlName.Quote(facts.Table.Database, facts.Table.Name);
        _assignments = Assign(facts);
        _guard = facts.Request.Key.Where is { } where ? $"({where})" : "";
        _listRow = facts.Server.IsMariaDb ? "" : "ROW";
        var typed = string.Join(',', _row.Select((column, i) => $"{Typed(column)} AS {KeySql.Name(i)}"));
        _listHead = JobTag.Into($"UPDATE (SELECT {typed} FROM {_table} WHERE FALSE UNION ALL VALUES ", facts.Tag);
        var set = SetsNothing ? [Nothing]
            : Enumerable.Range(_keyCount, _columns.Count - _keyCount)
                .Select(i => $"{Qualified(_columns[i].Name)}={KeySql.List}.{KeySql.Name(i)}");
        _settings = [.. _columns.Select(column => Encoding.UTF8.GetBytes($"{Qualified(column.Name)}="))];
        _preparedHead = JobTag.Into($"UPDATE {_table} SET ", facts.Tag);
        _rowHead = Encoding.UTF8.GetBytes($"UPDATE {_table} SET ");
        _rowGuard = Encoding.UTF8.GetBytes(_guard.Length == 0 ? "" : $" AND {_guard}");
        _settingOfNothing = _columns.Count == _keyCount
            ? []
            : Encoding.UTF8.GetBytes($"{Qualified(_columns[_keyCount].Name)}={Qualified(_columns[_keyCount].Name)}");
        _listTail = $") {KeySql.List} STRAIGHT_JOIN {_table} ON {KeySql.Of(facts).On} SET "
            + Join(string.Join(',', set), _assignments.With(place => $"{KeySql.List}.{KeySql.Name(place)}"))
            + (_guard.Length == 0 ? "" : $" WHERE {_guard}");
        (_listHeadBytes, _listTailBytes, _listRowBytes) = (
            Encoding.UTF8.GetBytes(_listHead), Encoding.UTF8.GetBytes(_listTail), Encoding.UTF8.GetBytes(_listRow));
    }

    /// <summary>Whether only the key is there: of an input without records, whose statements are prepared all the same.</summary>
    private bool SetsNothing => _columns.Count == _keyCount && _assignments.IsEmpty;

    private string Nothing => $"{Qualified(_columns[0].Name)}={Qualified(_columns[0].Name)}";

    /// <summary>What stands around a row's own bytes at most, as literals.</summary>
    public int RowOverhead => "ROW(),".Length + _forms.Sum(form => form.Overhead + 1);

    /// <summary>What stands around the rows of a list.</summary>
    public int ListOverhead => _listHeadBytes.Length + _listTailBytes.Length;

    /// <summary>An UPDATE by a list of one row, with a question mark for each value: for people.</summary>
    public string SampleList() => $"{_listHead}{_listRow}({string.Join(',', _row.Select(ValueSql.Placeholder))}){_listTail}";

    /// <summary>An UPDATE by a list of rows as literals.</summary>
    /// <param name="block">has the rows, each with a value or NULL for every column</param>
    /// <param name="rowOf">the place in the block of each</param>
    public void WriteList(IBufferWriter<byte> output, RowBlock block, int count, Func<int, int> rowOf)
    {
        output.Write(_listHeadBytes);
        for (var i = 0; i < count; i++)
        {
            output.Write(i == 0 ? ""u8 : ","u8);
            output.Write(_listRowBytes);
            for (var column = 0; column < _row.Count; column++)
            {
                output.Write(column == 0 ? "("u8 : ","u8);
                _forms[column].Write(output, block, rowOf(i), column);
            }

            output.Write(")"u8);
        }

        output.Write(_listTailBytes);
    }

    /// <summary>The places of a row's values in the order of <see cref="PreparedRow"/>'s placeholders.</summary>
    public static int[] OrderOfRow(LoadFacts facts) =>
        [.. Enumerable.Range(facts.KeyCount, facts.Columns.Count - facts.KeyCount), .. Assign(facts).Places,
            .. Enumerable.Range(0, facts.KeyCount)];

    /// <summary>How often a value of a row is sent at most.</summary>
    public static int MostReads(LoadFacts facts) => Math.Max(1, Assign(facts).MostReads);

    /// <summary>An UPDATE by one record: placeholders for the values that it gives, then for its key.</summary>
    public string PreparedRow()
    {
        var set = SetsNothing ? [Nothing]
            : _columns.Skip(_keyCount).Select(column => $"{Qualified(column.Name)}={ValueSql.Placeholder(column)}");
        return $"{_preparedHead}{Join(string.Join(',', set), _assignments.Prepared())} WHERE "
            + $"{Join(string.Join(" AND ", _columns.Take(_keyCount).Select(column => $"{Qualified(column.Name)}=?")), _guard, " AND ")}";
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
                output.Write(isFirst ? ""u8 : ","u8);
                output.Write(_settings[column]);
                _forms[column].Write(output, block, row, column);
                isFirst = false;
            }
        }

        if (!_assignments.IsEmpty)
        {
            output.Write(isFirst ? ""u8 : ","u8);
            _assignments.Write(output, block, row);
        }
        else if (isFirst)
        {
            // A record that names nothing has still to find its row.
            output.Write(_settingOfNothing);
        }

        for (var column = 0; column < _keyCount; column++)
        {
            output.Write(column == 0 ? " WHERE "u8 : " AND "u8);
            output.Write(_settings[column]);
            _forms[column].Write(output, block, row, column);
        }

        output.Write(_rowGuard);
    }

    /// <summary>An UPDATE of one column by one record, to be shown to the server.</summary>
    /// <param name="row">the values of a row, with the fields that the expression reads</param>
    /// <param name="assignment">of the column</param>
    public static string Sample(TableFacts table, IReadOnlyList<TableColumn> row, ColumnAssignment assignment) =>
        $"UPDATE {SqlName.Quote(table.Database, table.Name)} SET "
            + $"{SetText.Of([assignment], row, one => $"{SqlName.Quote(one.Column)}=(", ")").Prepared()}";

    private static SetText Assign(LoadFacts facts) =>
        SetText.Of(facts.Assignments, facts.RowColumns,
            assignment => $"{SqlName.Quote(facts.Table.Database, facts.Table.Name)}.{SqlName.Quote(assignment.Column)}=(", ")", ",");

    private string Qualified(string column) => $"{_table}.{SqlName.Quote(column)}";

    /// <summary>
    /// Of the column's type. A number is none of a list that begins with a BIT, and MariaDB does not put text into one that begins with
    /// another character set than the text's (error 1267).
    /// </summary>
    private string Typed(TableColumn column) => column.Kind switch
    {
        _ when column.IsField => "CAST(NULL AS CHAR)",
        ColumnKind.Bit => "CAST(0 AS UNSIGNED)",
        ColumnKind.Enum or ColumnKind.Set => $"CONVERT({Qualified(column.Name)} USING utf8mb4)",
        _ when column is { IsCharacter: true, Charset: not "utf8mb4" } => $"CONVERT({Qualified(column.Name)} USING utf8mb4)",
        _ => Qualified(column.Name),
    };

    private static string Join(string one, string other, string between = ",") =>
        one.Length == 0 ? other : other.Length == 0 ? one : $"{one}{between}{other}";
}
