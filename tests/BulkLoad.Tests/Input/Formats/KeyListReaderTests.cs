using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input.Formats;

public sealed class KeyListReaderTests
{
    private static readonly SourceOptions Keys = new() { Format = InputFormat.Keys };
    private static readonly SourceOptions Ranges = Keys with { ReadsRanges = true };

    private static List<ReadRecord> Read(string text, SourceOptions options, int pieceSize = 1 << 20)
    {
        var records = new List<ReadRecord>();
        using var reader = Inputs.Reader(Inputs.Utf8(text), options, pieceSize);
        while (reader.Read())
        {
            records.Add(ReadRecord.Of(reader));
        }

        return records;
    }

    [Theory]
    [InlineData("1\n2\n3\n", "\"1\"", "\"2\"", "\"3\"")]
    [InlineData("1\r\n2\r3", "\"1\"", "\"2\"", "\"3\"")]
    [InlineData("  1\t\n\n \t \n 2", "\"1\"", "\"2\"")]
    [InlineData("\"a\"\n'b'\n\\N\nNULL\na b,c\n", "\"\"a\"\"", "\"'b'\"", "\"\\N\"", "\"NULL\"", "\"a b,c\"")]
    [InlineData("10..20\n", "\"10..20\"")]
    [InlineData("")]
    [InlineData("\n\r\n")]
    public void A_key_is_a_line_as_it_stands_but_for_the_blanks_around_it(string text, params string[] expected)
    {
        foreach (var pieceSize in Inputs.PieceSizes)
        {
            Assert.Equal(expected, Read(text, Keys, pieceSize).Select(record => record.Fields));
        }
    }

    [Fact]
    public void Each_record_tells_its_line_and_offset_and_the_line_as_it_is()
    {
        Assert.Equal(
            [new ReadRecord(1, 1, 0, " 1", "\"1\"", null), new ReadRecord(2, 3, 6, "2 ", "\"2\"", null),
                new ReadRecord(3, 4, 9, "3", "\"3\"", null)],
            Read(" 1\r\n\r\n2 \n3", Keys));
    }

    [Fact]
    public void Comments_and_skipped_lines_are_no_records() =>
        Assert.Equal([new ReadRecord(1, 4, 8, "1", "\"1\"", null)], Read("x\ny\n #z\n1", Keys with { Comment = '#', SkipLines = 2 }));

    [Fact]
    public void A_header_is_no_record()
    {
        using var reader = Inputs.Reader(Inputs.Utf8("\n Id \r\n7\n"), Keys with { HasHeader = true });

        Assert.Equal(["Id"], reader.FieldNames!);
        Assert.True(reader.Read());
        Assert.Equal(new ReadRecord(1, 3, 7, "7", "\"7\"", null), ReadRecord.Of(reader));
    }

    [Fact]
    public void A_range_is_a_record_for_each_of_its_numbers()
    {
        Assert.Equal(
            [
                new ReadRecord(1, 1, 0, "-1", "\"-1\"", null),
                new ReadRecord(2, 1, 0, "0", "\"0\"", null),
                new ReadRecord(3, 1, 0, "1", "\"1\"", null),
                new ReadRecord(4, 2, 6, "5", "\"5\"", null),
                new ReadRecord(5, 3, 8, "9223372036854775807", "\"9223372036854775807\"", null),
            ],
            Read("-1..1\n5\n9223372036854775807 .. 9223372036854775807", Ranges));
    }

    [Theory]
    [InlineData("3..1")]
    [InlineData("1..")]
    [InlineData("..1")]
    [InlineData("a..b")]
    [InlineData("1...3")]
    [InlineData("-9223372036854775808..9223372036854775807")]
    [InlineData("1..9223372036854775808")]
    public void What_is_no_range_is_a_fault_and_reading_goes_on(string range)
    {
        var records = Read($"{range}\n7\n", Ranges);

        Assert.Equal([(1L, "bad-range", range), (2L, null, "7")], records.Select(record => (record.Number, record.Fault, record.Raw)));
    }

    [Fact]
    public void Line_over_the_limit_is_a_fault_that_keeps_its_beginning_and_reading_goes_on()
    {
        foreach (var pieceSize in Inputs.PieceSizes)
        {
            var records = Read($"123\n1234\r\n{new string('x', 3000)}\n12\n12345", Keys with { MaxRecordBytes = 3 }, pieceSize);

            Assert.Equal(
                [(1L, 0L, "123", null), (2L, 4L, "123", "record-too-large"), (3L, 10L, "xxx", "record-too-large"), (4L, 3011L, "12", null),
                    (5L, 3014L, "123", "record-too-large")],
                records.Select(record => (record.Line, record.Offset, record.Raw, record.Fault)));
        }
    }

    [Fact]
    public void Empty_lines_are_what_the_policy_says()
    {
        var passed = new List<long>();
        using var reader =
            Inputs.Reader("1\n\n2\n"u8.ToArray(), Keys with { Dirt = DirtPolicies.None.With(DirtKind.EmptyLines, DirtAction.Repair) });
        reader.OnPassed = (_, line, _, _) => passed.Add(line);
        while (reader.Read())
        {
        }

        Assert.Equal([2L], passed);
        Assert.Equal(
            [null, "empty-lines", null],
            Read("1\n\n2\n", Keys with { Dirt = DirtPolicies.None.With(DirtKind.EmptyLines, DirtAction.Reject) })
                .Select(record => record.Fault));
        Assert.Throws<InputException>(
            () => Read("1\n\n2\n", Keys with { Dirt = DirtPolicies.None.With(DirtKind.EmptyLines, DirtAction.Fail) }));
    }

    [Fact]
    public void A_hundred_thousand_keys_take_no_memory_of_their_own()
    {
        var bytes = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, 100_000).Select(i => $"{i}\n")));
        using var reader = Inputs.Reader(bytes, Keys);
        reader.Read();
        var before = GC.GetAllocatedBytesForCurrentThread();
        var records = 1;
        while (reader.Read())
        {
            reader.GetField(0, out _);
            records++;
        }

        Assert.Equal(100_000, records);

        // Buffers, once.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 3 * records);
    }
}
