using System.Buffers;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Questions about rows that are found by keys: their number, the sums of their hashes, the content of one. The form of a value
/// here has its counterpart in Verifying: the two are one definition in two languages, and a test compares them for every type.</summary>
internal sealed class CompareSql
{
    /// <summary>A NULL in a row's text; no value's form is equal to it.</summary>
    public const string NullForm = "N";

    public const int MaxShown = 100;

    /// <summary>A derived table with a LIMIT is computed by itself: merged, the hash would be computed for each of its slices.</summary>
    private const string NotMerged = " LIMIT 18446744073709551615";

    private const string Hash = "h";

    private readonly KeySql _keys;
    private readonly IReadOnlyList<TableColumn> _key;
    private readonly string _countHead;
    private readonly string _sumHead;
    private readonly string _rowsHead;
    private readonly string _rowsTail;
    private readonly string _rowHead;

    public CompareSql(TableFacts table, IReadOnlyList<TableColumn> key, IReadOnlyList<TableColumn> compared, string tag = "")
    {
        var name = table.QuotedName;
        _key = key;
        _keys = new KeySql(table, key, key, where: null);
        var row = $"SHA2(CONCAT_WS(',',{string.Join(',', compared.Select(column => $"IFNULL({Form(column, name)},'{NullForm}')"))}),256)";
        _countHead = JobTag.Into($"SELECT COUNT(*) FROM {name} WHERE ", tag);
        _sumHead = JobTag.Into($"SELECT COUNT(*),{Slice(1)},{Slice(2)} FROM (SELECT {row} AS {Hash} FROM {name} WHERE ", tag);
        _rowsHead = JobTag.Into($"SELECT {KeySql.List}.{KeySql.Ordinal},{row} FROM (", tag);
        _rowsTail = $") {KeySql.List} STRAIGHT_JOIN {name} ON {_keys.On}";
        var shown = compared.Select(column =>
            $"{Form(column, name)},{ColumnSql.Of(column.Kind).Shown($"{name}.{SqlName.Quote(column.Name)}", MaxShown)}");
        _rowHead = $"SELECT {string.Join(',', shown)} FROM {name} WHERE ";
    }

    public int KeyOverhead => _keys.KeyOverhead;

    public void WriteCount(int count, KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, _countHead);
        _keys.WriteMatch(count, get, output);
    }

    /// <summary>One row: the number of rows that some keys have, and the sums of the first and the second 64 bits of their
    /// hashes.</summary>
    public void WriteSums(int count, KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, _sumHead);
        _keys.WriteMatch(count, get, output);
        Write(output, $"{NotMerged}) r");
    }

    /// <summary>A row for each row that one of some keys has: the key's number, its hash in hexadecimal digits.</summary>
    public void WriteRows(int count, KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, _rowsHead);
        _keys.WriteListed(count, get, output);
        Write(output, _rowsTail);
    }

    /// <summary>The rows of a key: for each compared column its form, and its beginning for people.</summary>
    public void WriteRow(KeyValue get, IBufferWriter<byte> output)
    {
        Write(output, _rowHead);
        _keys.WriteMatch(1, get, output);
        Write(output, " LIMIT 1");
    }

    public string Sample(bool counts)
    {
        var text = new ArrayBufferWriter<byte>();
        if (counts)
        {
            WriteCount(1, Value, text);
        }
        else
        {
            WriteSums(1, Value, text);
        }

        return Encoding.UTF8.GetString(text.WrittenSpan);

        ReadOnlySpan<byte> Value(int key, int column) => KeySql.SampleOf(_key[column]);
    }

    /// <summary>Whether a column's form is a hash of its value: large values are not copied into a row's text.</summary>
    public static bool IsHashed(TableColumn column) =>
        column.Behaviour.Compared is ComparedForm.Json or ComparedForm.Geometry
            || ((column.IsCharacter || column.IsBinary) && column.MaxBytes > MaxBytesInline);

    private const int MaxBytesInline = 1024;

    /// <summary>A text that is equal for equal values only; NULL for NULL.</summary>
    private static string Form(TableColumn column, string table)
    {
        var value = ColumnSql.Of(column.Kind).Compared($"{table}.{SqlName.Quote(column.Name)}", column);
        return IsHashed(column) ? $"SHA2({value},256)" : column.Behaviour.Compared switch
        {
            ComparedForm.Text => $"CONCAT(LENGTH({value}),':',{value})",
            ComparedForm.Bytes => $"HEX({value})",
            _ => value,
        };
    }

    private static string Slice(int number) =>
        $"COALESCE(SUM(CAST(CONV(SUBSTR({Hash},{((number - 1) * 16) + 1},16),16,10) AS UNSIGNED)),0)";

    private static void Write(IBufferWriter<byte> output, string text) => Encoding.UTF8.GetBytes(text, output);
}
