using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Tests.Input;

/// <summary>What holds for every reader on any input.</summary>
public sealed class ReaderHonestyTests
{
    private static readonly string[] Pieces = [",", ",", "\"", "\"\"", "\n", "\r\n", "\r", "a", "bc", "\\", "#", "{", "}", "\\N", "ä"];

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 200)];

    /// <summary>CsvHelper and our own scanner are two judges of the same rules.</summary>
    [Theory]
    [MemberData(nameof(Seeds))]
    public void Both_readers_of_csv_agree_on_any_text(int seed)
    {
        var random = new Random(seed);
        var text = Inputs.Utf8(string.Concat(random.GetItems(Pieces, random.Next(60))));
        foreach (var comment in new char?[] { null, '#' })
        {
            var dialect = Dialect.Of(new SourceOptions { HasHeader = false, Comment = comment }, InputFormat.Csv);
            using var delimited = new DelimitedReader(new MemoryStream(text), new ReaderStart("in"), dialect);
            using var scanning = new ScanningReader(new MemoryStream(text), new ReaderStart("in"), dialect);
            Assert.Equal(All(delimited), All(scanning));
        }
    }

    /// <summary>The records, lines and faults are the same as with one character; only a text that holds a half of it is another.</summary>
    [Theory]
    [MemberData(nameof(Seeds))]
    public void A_delimiter_of_several_characters_is_as_strict_as_one(int seed)
    {
        var random = new Random(seed);
        var text = string.Concat(random.GetItems(Pieces, random.Next(60)));
        foreach (var delimiter in new[] { "::", "<>-", "~a" })
        {
            var options = new SourceOptions { Format = InputFormat.Csv, HasHeader = random.Next(2) == 0 };
            var expected = Read(text, options);
            var several = Read(
                text.Replace(",", delimiter, StringComparison.Ordinal),
                options with { Delimiter = delimiter[0], DelimiterTail = delimiter[1..] });
            Assert.Equal(expected, several.Select(record => record.Replace(delimiter, ",", StringComparison.Ordinal)));
        }

        static List<string> Read(string text, SourceOptions options)
        {
            try
            {
                return [.. Inputs.Records(text, options).Select(record =>
                    $"{record.Number} {record.Line} {record.Raw} {record.Fault} {(record.Fault is null ? record.Fields : "")}")];
            }
            catch (InputException fault)
            {
                return [fault.Message];
            }
        }
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Any_text_is_read_alike_however_it_comes(int seed)
    {
        var random = new Random(seed);
        var text = string.Concat(random.GetItems(Pieces, random.Next(60)));
        Inputs.Records(text, new SourceOptions { Format = InputFormat.Csv, HasHeader = false });
        Inputs.Records(text, new SourceOptions { Format = InputFormat.Csv, HasHeader = false, Quote = '\0' });
        Inputs.Records(text, new SourceOptions { Format = InputFormat.Csv, HasHeader = false, Escape = '\\', Comment = '#' });
        Inputs.Records(text, new SourceOptions { Format = InputFormat.Mysql, Delimiter = ',', Quote = '"', Newline = "\r\n" });
        Inputs.Records(text, new SourceOptions { Format = InputFormat.Postgres });
        Inputs.Records(text, new SourceOptions { Format = InputFormat.Jsonl });
    }

    [Theory]
    [InlineData(InputFormat.Csv, "1,some text,\"a \"\"b\"\"\"\r\n", "1,,\"\"\n")]
    [InlineData(InputFormat.Mysql, "1\ta\\tb\t\\N\n", "2\tsome text\t\n")]
    [InlineData(InputFormat.Postgres, "1\ta\\tb\\x41\\101\t\\N\n", "2\tsome text\t\n")]
    [InlineData(InputFormat.Json, "{\"a\":1,\n\"b\":\"x\\ny\",\"c\":null}\n", "{\"a\":[1],\"c\":\"x\"}\n")]
    [InlineData(InputFormat.Jsonl, "{\"a\":1,\"b\":\"x\\ny\",\"c\":null}\n", "{\"a\":[1],\"c\":\"x\"}\n")]
    public void Good_records_cost_no_memory_each(InputFormat format, string odd, string even)
    {
        var bytes = Inputs.Utf8(string.Concat(Enumerable.Repeat(odd + even, 50_250)));
        var options = new SourceOptions { Format = format, HasHeader = false };
        using var reader = Inputs.Reader(bytes, options, fieldNames: ["a", "b", "c"]);
        for (var i = 0; i < 500; i++)
        {
            Touch(reader);
        }

        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 100_000; i++)
        {
            Touch(reader);
        }

        // The runtime allocates a little as it compiles again what runs hot.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 50_000);
        Assert.Equal(100_500, reader.RecordNumber);
        Assert.False(reader.Read());
    }

    [Theory]
    [InlineData(InputFormat.Csv, "\"", "\"\n1\n")]
    [InlineData(InputFormat.Mysql, "", "\n1\n")]
    [InlineData(InputFormat.Jsonl, "{\"a\":\"", "\"}\n{\"a\":1}\n")]
    public void Record_of_64_MiB_is_read_where_the_limit_is_raised(InputFormat format, string before, string after)
    {
        const int Length = 64 << 20;
        var bytes = new byte[before.Length + Length + after.Length];
        bytes.AsSpan().Fill((byte)'x');
        Inputs.Utf8(before).CopyTo(bytes, 0);
        Inputs.Utf8(after).CopyTo(bytes, before.Length + Length);
        var options = new SourceOptions { Format = format, HasHeader = false };
        using var refused = Inputs.Reader(bytes, options, pieceSize: 1 << 16, fieldNames: ["a"]);
        Assert.True(refused.Read());
        Assert.Equal(("record-too-large", 64 << 10), (refused.Fault?.Code, refused.RawRecord.Length));
        Assert.True(refused.Read());
        Assert.Equal((null, 2L, 2L, before.Length + Length + (long)after.IndexOf('\n', StringComparison.Ordinal) + 1),
            (refused.Fault, refused.RecordNumber, refused.LineNumber, refused.ByteOffset));
        Assert.False(refused.Read());

        using var reader = Inputs.Reader(bytes, options with { MaxRecordBytes = Length + 8 }, 1 << 16, ["a"]);
        Assert.True(reader.Read());
        reader.GetField(0, out var value);
        Assert.Equal(Length, value.Length);
        Assert.True(reader.Read());
        Assert.Equal((2L, 2L), (reader.RecordNumber, reader.LineNumber));
    }

    private static void Touch(IRecordReader reader)
    {
        if (!reader.Read() || reader.Fault is not null)
        {
            throw new InvalidOperationException($"record {reader.RecordNumber}: {reader.Fault}");
        }

        for (var i = 0; i < reader.FieldCount; i++)
        {
            reader.GetField(i, out _);
        }
    }

    private static List<string> All(IRecordReader reader)
    {
        var records = new List<string>();
        while (reader.Read())
        {
            // What a broken record's fields are is nobody's concern.
            var record = ReadRecord.Of(reader);
            records.Add($"{record with { Fields = record.Fault is null ? record.Fields : "" }} {reader.Fault?.Field}");
        }

        return records;
    }
}
