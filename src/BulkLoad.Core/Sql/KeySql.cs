using System.Buffers;
using System.Buffers.Text;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>SQL that finds rows by lists of keys. A key's values are written in the types of its columns: a quoted number would make the
/// server compare a text column as numbers, or the other way round, and then '0123' is 123. Keys are literals, not placeholders: a list of
/// any length needs no prepared statement of its own, and the server can EXPLAIN it.</summary>
internal sealed class KeySql
{
    public const string List = "bulkload_list";

    /// <summary>The column of <see cref="List"/> with a row's 0-based number.</summary>
    public const string Ordinal = "bulkload_n";

    /// <summary>Of a key's number.</summary>
    private const int MaxDigits = 10;

    private readonly string _table;
    private readonly IReadOnlyList<TableColumn> _columns;
    private readonly LiteralForm[] _forms;
    private readonly int[] _leading;
    private readonly string _guard;
    private readonly string _deleteHead;
    private readonly string _listHead;
    private readonly string _lookHead;
    private readonly string _lookTail;

    /// <param name="columns">of the key, in the order of a row's values</param>
    /// <param name="leading">those that begin the index by which rows are found, in its order</param>
    /// <param name="asksForIndex">whether MariaDB must look lists up in the index even if they are most of the table: if it reads the
    /// table, it waits for rows that another session has deleted. sql_safe_updates has that effect on a DELETE (MariaDB manual,
    /// "sql_safe_updates"); the server then refuses a list that it cannot look up</param>
    public KeySql(TableFacts table, IReadOnlyList<TableColumn> columns, IReadOnlyList<TableColumn> leading, string? where, string tag = "",
        bool asksForIndex = false)
    {
        _table = table.QuotedName;
        _columns = columns;
        _forms = [.. columns.Select(column => new LiteralForm(column, isKey: true))];
        _leading = [.. leading.Select(column => columns.ToList().IndexOf(column))];
        KeyOverhead = " UNION ALL SELECT 1234567890".Length + columns.Sum(column => Column(column).Length + 32);
        _guard = where is null ? "" : $" AND ({where})";
        _deleteHead = JobTag.Into($"DELETE FROM {_table} WHERE ", tag);
        _listHead = asksForIndex ? $"SET STATEMENT sql_safe_updates=1 FOR {_deleteHead}" : _deleteHead;
        On = string.Join(" AND ", columns.Select((column, i) => $"{Column(column)}={Stored(column, i)}"));
        _lookTail = $") {List} STRAIGHT_JOIN {_table} ON {On}"
            + $"{(where is null ? "" : $" WHERE ({where})")} GROUP BY {List}.{Ordinal} FOR UPDATE";
        _lookHead = JobTag.Into(
            $"SELECT {List}.{Ordinal},COUNT(*),MIN(CONCAT_WS(',',{string.Join(',', columns.Select(Identity))})) FROM (", tag);
    }

    public static KeySql Of(LoadFacts facts) =>
        new(facts.Table, facts.Key!.Columns, facts.Key.Leading, facts.Request.Key.Where, facts.Tag, facts.Server.IsMariaDb
            && facts.Key is { IsUnique: true, Index: not null });

    /// <summary>The condition that a row of the table has the key of a row of <see cref="List"/>, whose columns are named by
    /// <see cref="Name"/>.</summary>
    public string On { get; }

    /// <summary>Limit of the bytes around a key's own, in the longer of the two forms.</summary>
    public int KeyOverhead { get; }

    /// <param name="get">a key's values: number of the key, column, output</param>
    public void WriteDelete(int count, KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, count > 1 ? _listHead : _deleteHead);
        WriteMatch(count, get, output);
        Write(output, _guard);
    }

    /// <summary>One value: the number of rows that have one of some keys.</summary>
    public void WriteCount(int count, KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, $"SELECT COUNT(*) FROM {_table} WHERE ");
        WriteMatch(count, get, output);
    }

    /// <summary>The condition that a row of the table has one of some keys.</summary>
    public void WriteMatch(int count, KeyValue get, IBufferWriter<byte> output)
    {
        if (_leading.Length < _columns.Count && _leading.Length > 0)
        {
            // The index does not have the whole key: the list of its part lets the server use it.
            WriteList(count, _leading, get, output);
            output.Write(" AND "u8);
        }

        WriteList(count, _leading.Length == _columns.Count ? _leading : [.. Enumerable.Range(0, _columns.Count)], get, output);
    }

    /// <summary>Locks the rows that some keys have. A row for each key that has rows: its number, how many, and a text that identifies
    /// their values.</summary>
    public void WriteLook(int count, KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, _lookHead);
        WriteListed(count, get, output);
        Write(output, _lookTail);
    }

    public void WriteListed(int count, KeyValue get, IBufferWriter<byte> output)
    {
        for (var i = 0; i < count; i++)
        {
            Write(output, i == 0 ? "SELECT " : " UNION ALL SELECT ");
            Utf8Formatter.TryFormat(i, output.GetSpan(MaxDigits), out var digits);
            output.Advance(digits);
            Write(output, i == 0 ? $" AS {Ordinal}" : "");
            for (var column = 0; column < _columns.Count; column++)
            {
                output.Write(","u8);
                _forms[column].Write(output, get(i, column));
                Write(output, i == 0 ? $" AS {Name(column)}" : "");
            }
        }
    }

    /// <summary>One row if the table has an integer of that range in a column; else none.</summary>
    public static string AnyBetween(string database, string table, string column, string first, string last) =>
        $"SELECT 1 FROM {SqlName.Quote(database, table)} WHERE {SqlName.Quote(column)} BETWEEN {first} AND {last} LIMIT 1";

    public string PreparedDelete() => $"{_deleteHead}{string.Join(" AND ", _columns.Select(column => $"{Column(column)}=?"))}{_guard}";

    public string SampleDelete()
    {
        var text = new ArrayBufferWriter<byte>();
        Write(text, _listHead);
        WriteMatch(1, (_, column) => SampleOf(_columns[column]), text);
        Write(text, _guard);
        return Encoding.UTF8.GetString(text.WrittenSpan);
    }

    public static ReadOnlySpan<byte> SampleOf(TableColumn column) => Encoding.UTF8.GetBytes(column.Behaviour.Sample);

    /// <summary>One column as a list, several as a list of rows. MariaDB does not use an index for a single row, nor for one with an ENUM,
    /// and MySQL compares a TIME in a row as text, in which zeros at the end count: these are written as conditions.</summary>
    private void WriteList(int count, int[] columns, KeyValue get, IBufferWriter<byte> output)
    {
        var names = columns.Select(column => Column(_columns[column])).ToArray();
        var areConditions =
            names.Length > 1 && (count == 1 || !Array.TrueForAll(columns, column => _columns[column].Behaviour.StandsInRow));
        var (head, between, after) = areConditions ? ("(", " OR ", "")
            : names.Length == 1 ? ($"{names[0]} IN (", ",", "")
            : ($"({string.Join(',', names)}) IN (", ",", ")");
        byte[][] before = [.. names.Select((name, at) => Encoding.UTF8.GetBytes(
            areConditions ? $"{(at == 0 ? "" : " AND ")}{name}=" : at > 0 ? "," : names.Length == 1 ? "" : "("))];
        Write(output, head);
        for (var i = 0; i < count; i++)
        {
            Write(output, i == 0 ? "" : between);
            for (var at = 0; at < columns.Length; at++)
            {
                output.Write(before[at]);
                _forms[columns[at]].Write(output, get(i, columns[at]));
            }

            Write(output, after);
        }

        output.Write(")"u8);
    }

    private string Column(TableColumn column) => $"{_table}.{SqlName.Quote(column.Name)}";

    /// <param name="column">0-based place in a row</param>
    public static string Name(int column) => $"bulkload_k{column}";

    /// <summary>A value of the list in the column's type: otherwise no index can be used, and collations conflict (error 1267).</summary>
    private static string Stored(TableColumn column, int number)
    {
        var name = $"{List}.{Name(number)}";
        return ColumnSql.Of(column.Kind).ListType is { } type ? $"CAST({name} AS {type})"
            : column is { Collation: { } collation, Charset: { } charset } ? $"CONVERT({name} USING {charset}) COLLATE {collation}"
            : name;
    }

    /// <summary>A text that identifies the stored value.</summary>
    private string Identity(TableColumn column) =>
        column.IsCharacter || column.IsBinary ? $"HEX({Column(column)})" : $"HEX(CAST({Column(column)} AS CHAR))";

    private static void Write(IBufferWriter<byte> output, string text) => Encoding.UTF8.GetBytes(text, output);
}

/// <param name="key">0-based number of the key</param>
/// <param name="column">0-based place in a row</param>
internal delegate ReadOnlySpan<byte> KeyValue(int key, int column);
