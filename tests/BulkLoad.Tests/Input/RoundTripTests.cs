using System.Text.Json;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Tests.Input;

/// <summary>Random records, written by each format's rules, come back as they were; the seed is in the test's name.</summary>
public sealed class RoundTripTests
{
    private const int Records = 60;

    /// <summary>Every character that means something to some format, and characters of all UTF-8 lengths.</summary>
    private static readonly string[] Pieces =
    [
        ",", "\t", ";", "\"", "\"\"", "'", "\\", "\\N", "\\n", "N", "NULL", "\r", "\n", "\r\n", "\0", "\b", "\u001A", "#", " ",
        "a", "text", "ä", "€", "😀", "\uFEFF", "{", "}", "|", "/", "\u2028", "0",
    ];

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 25)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Csv(int seed)
    {
        var options = new SourceOptions { Format = InputFormat.Csv, HasHeader = false };
        AssertReadBack(seed, options, (record, random) =>
            string.Join(',', record.Select(v => v is null ? "" : Quoted(v, random))) + LineEnd(random, "\n", "\r\n", "\r"));
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Tsv_with_another_quote(int seed)
    {
        var options = new SourceOptions { Format = InputFormat.Tsv, HasHeader = false, Quote = '\'' };
        AssertReadBack(seed, options, (record, random) =>
            string.Join('\t', record.Select(v => v is null ? "" : $"'{v.Replace("'", "''", StringComparison.Ordinal)}'"))
            + LineEnd(random, "\n", "\r\n"));
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Csv_with_a_line_end_of_its_own(int seed)
    {
        var options = new SourceOptions { Format = InputFormat.Csv, HasHeader = false, Newline = "\r\n" };
        AssertReadBack(seed, options, (record, random) =>
            string.Join(',', record.Select(v => v is null ? "" : Quoted(v, random))) + "\r\n");
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Mysql(int seed)
    {
        var options = new SourceOptions { Format = InputFormat.Mysql };
        AssertReadBack(seed, options, (record, random) =>
            string.Join('\t', record.Select(v => v is null ? "\\N" : Escaped(v, "\t\n\\", random))) + "\n");
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Mysql_enclosed(int seed)
    {
        var options = new SourceOptions { Format = InputFormat.Mysql, Delimiter = ',', Quote = '"', Newline = "\r\n" };
        AssertReadBack(seed, options, (record, random) =>
            string.Join(',', record.Select(v => v is null ? "\\N" : $"\"{Escaped(v, "\"\\", random)}\"")) + "\r\n");
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Csv_with_an_escape(int seed)
    {
        var options = new SourceOptions { Format = InputFormat.Csv, HasHeader = false, Escape = '\\' };
        AssertReadBack(seed, options, (record, random) =>
            string.Join(',', record.Select(v => v is null ? "\\N" : $"\"{Escaped(v, "\"\\", random)}\""))
            + LineEnd(random, "\n", "\r\n", "\r"));
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Jsonl(int seed)
    {
        string[] keys = ["a", "b\"", "ç", "d\\N"];
        AssertReadBack(seed, new SourceOptions { Format = InputFormat.Jsonl }, (record, random) =>
        {
            var members = keys.Select((key, i) => (key, value: record[i])).ToArray();
            random.Shuffle(members);
            return "{"
                + string.Join(',', members.Select(m => Json(m.key, random) + ":" + (m.value is null ? "null" : Json(m.value, random))))
                + "}" + LineEnd(random, "\n", "\r\n");
        }, keys);
    }

    private static void AssertReadBack(
        int seed, SourceOptions options, Func<string?[], Random, string> write, string[]? keys = null)
    {
        var random = new Random(seed);
        var records = Enumerable.Range(0, Records).Select(_ => Record(random)).ToArray();
        var places = new List<(long Offset, string Raw)>();
        var text = new StringBuilder();
        var offset = 0L;
        foreach (var record in records)
        {
            var line = write(record, random);
            places.Add((offset, line.TrimEnd('\r', '\n')));
            offset += Encoding.UTF8.GetByteCount(line);
            text.Append(line);
        }

        var read = Inputs.Records(text.ToString(), options, keys);
        Assert.Equal(places, read.Select(r => (r.Offset, r.Raw.TrimEnd('\r', '\n'))));
        using var reader = Inputs.Reader(Inputs.Utf8(text.ToString()), options, fieldNames: keys);
        foreach (var record in records)
        {
            Assert.True(reader.Read());
            Assert.Null(reader.Fault);
            Assert.Equal(record, Enumerable.Range(0, reader.FieldCount).Select(i => Value(reader, i)));
        }
    }

    private static string? Value(IRecordReader reader, int index)
    {
        // Bare empty fields of csv and tsv are the NULL that was written.
        var kind = reader.GetField(index, out var value);
        return kind == FieldKind.Null || (kind == FieldKind.Bare && value.IsEmpty) ? null : Encoding.UTF8.GetString(value);
    }

    private static string?[] Record(Random random)
    {
        var record = new string?[4];
        for (var i = 0; i < record.Length; i++)
        {
            record[i] = random.Next(6) == 0 ? null : string.Concat(random.GetItems(Pieces, random.Next(8)));
        }

        // A record never is an empty line, nor one that begins like a byte order mark.
        record[0] = "x" + record[0];
        return record;
    }

    private static string Quoted(string value, Random random) =>
        value.Length > 0 && value.IndexOfAny([',', '"', '\r', '\n']) < 0 && random.Next(2) == 0
            ? value
            : $"\"{value.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    private static string Escaped(string value, string special, Random random)
    {
        var escaped = new StringBuilder();
        foreach (var character in value)
        {
            var name = character switch { '\0' => '0', '\b' => 'b', '\n' => 'n', '\r' => 'r', '\t' => 't', '\u001A' => 'Z', _ => '-' };
            var isNamed = name != '-' && random.Next(2) == 0;
            escaped.Append(
                isNamed ? $"\\{name}" : special.Contains(character, StringComparison.Ordinal) ? $"\\{character}" : $"{character}");
        }

        return escaped.ToString();
    }

    private static string Json(string value, Random random) => random.Next(2) == 0
        ? JsonSerializer.Serialize(value)
        : "\"" + string.Concat(value.Select(c => $"\\u{(int)c:x4}")) + "\"";

    private static string LineEnd(Random random, params string[] lineEnds) => random.GetItems(lineEnds, 1)[0];
}
