using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input;

/// <summary>A bad quote is a fault of the line where it is opened; reading goes on at the line behind it.</summary>
public sealed class UnclosedQuoteTests
{
    private const string Mark = "unclosed-quote";

    private static readonly SourceOptions Csv = new() { Format = InputFormat.Csv, MaxQuotedLines = 3 };
    private static readonly SourceOptions Escaped = Csv with { Escape = '\\' };

    public static TheoryData<string> Formats => ["csv", "escaped", "newline"];

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 90)];

    private static SourceOptions Options(string format) => format switch
    {
        "csv" => Csv,
        "escaped" => Escaped,
        _ => Csv with { Newline = "\n" },
    };

    [Theory]
    [MemberData(nameof(Formats))]
    public void Field_of_too_many_lines(string format)
    {
        var records = Inputs.Records("a,b\n0,x\n1,\"y\n2,z\n3,z\n4,z\n5,z\n", Options(format));
        Assert.Equal(new ReadRecord(2, 3, 8, "1,\"y", "", Mark), records[1]);
        Assert.Equal(["0|x", "", "2|z", "3|z", "4|z", "5|z"], records.Select(r => r.Fields));
        Assert.Equal([2, 3, 4, 5, 6, 7], records.Select(r => r.Line));
        Assert.Equal([4, 8, 13, 17, 21, 25], records.Select(r => r.Offset));
    }

    [Theory]
    [MemberData(nameof(Formats))]
    public void Field_of_as_many_lines_as_it_may_have_is_read(string format) =>
        Assert.Equal(
            ["1|\"y\n2,z\n3,z\n\"", "4|z"],
            Inputs.Fields("a,b\n1,\"y\n2,z\n3,z\n\"\n4,z\n", Options(format)));

    [Theory]
    [MemberData(nameof(Formats))]
    public void Quote_that_is_open_at_the_end_of_the_input(string format)
    {
        foreach (var (end, rest) in new[] { ("", "2|z"), ("\n", "2|z"), ("\n3,", "3|") })
        {
            var records = Inputs.Records($"a,b\n1,\"y\n2,z{end}", Options(format));
            Assert.Equal(new ReadRecord(1, 2, 4, "1,\"y", "", Mark), records[0]);
            Assert.Equal(rest, records[^1].Fields);
        }

        Assert.Equal("1,\"y", Inputs.Records("a,b\n1,\"y", Options(format))[0].Raw);
        Assert.Equal("\"", Inputs.Records("a,b\n\"\n", Options(format))[0].Raw);
    }

    [Theory]
    [MemberData(nameof(Formats))]
    public void Record_whose_first_field_has_lines_of_its_own_is_refused_to_the_line_of_the_bad_quote(string format)
    {
        var records = Inputs.Records("a,b\n\"x\ny\",\"z\n1,2\n3,4\n5,6\n7,8\n", Options(format));
        Assert.Equal(new ReadRecord(1, 2, 4, "\"x\ny\",\"z", "", Mark), records[0]);
        Assert.Equal(["1|2", "3|4", "5|6", "7|8"], records.Skip(1).Select(r => r.Fields));
        Assert.Equal(4, records[1].Line);
    }

    [Theory]
    [MemberData(nameof(Formats))]
    public void Quote_that_another_records_quote_closes_takes_no_record_with_it(string format)
    {
        var records = Inputs.Records("a,b\n1,\"x\n2,y\n\n3,\"z\"\n4,\"p\nq\"\n", Options(format));
        Assert.Equal([Mark, null, null, null], records.Select(r => r.Fault));
        Assert.Equal(["1,\"x", "2,y", "3,\"z\"", "4,\"p\nq\""], records.Select(r => r.Raw));
    }

    [Theory]
    [MemberData(nameof(Formats))]
    public void Record_that_closes_a_bad_quote_may_have_lines_of_its_own(string format) =>
        Assert.Equal(["1,\"x", "2,\"p\nq\"", "3,y"], Inputs.Records("a,b\n1,\"x\n2,\"p\nq\"\n3,y\n", Options(format)).Select(r => r.Raw));

    [Theory]
    [MemberData(nameof(Formats))]
    public void Text_behind_a_field_of_several_lines_is_one_fault_where_they_are_no_records(string format)
    {
        var records = Inputs.Records("a,b\n1,\"x\nof y\"z\n2,y\n", Options(format));
        Assert.Equal(["text-after-quote", null], records.Select(r => r.Fault));
        Assert.Equal("1,\"x\nof y\"z", records[0].Raw);
    }

    [Theory]
    [MemberData(nameof(Formats))]
    public void Record_that_grows_too_large_within_quotes(string format)
    {
        var options = Options(format) with { MaxRecordBytes = 10, MaxQuotedLines = 1000 };
        var records = Inputs.Records("a,b\n1,\"y\n2,zzzz\n3,zzzz\n4,\"\"\n", options);
        Assert.Equal([Mark, null, null, null], records.Select(r => r.Fault));
        Assert.Equal(["1,\"y", "2,zzzz", "3,zzzz", "4,\"\""], records.Select(r => r.Raw));
    }

    [Theory]
    [InlineData("csv", "1,23456", 7, null, "1,23456")]
    [InlineData("csv", "1,23456", 6, "record-too-large", "1,2345")]
    [InlineData("csv", "1,\"23456789", 6, "record-too-large", "1,\"234")]
    [InlineData("csv", "\"x\n\",2345", 6, "record-too-large", "\"x\n\",2")]
    [InlineData("escaped", "1,23456", 6, "record-too-large", "1,2345")]
    [InlineData("escaped", "1,2\\,456789", 6, "record-too-large", "1,2\\,4")]
    [InlineData("newline", "1,23456789", 6, "record-too-large", "1,2345")]
    public void Record_that_is_too_large_is_cut_and_reading_goes_on(string format, string record, int limit, string? fault, string raw)
    {
        var records = Inputs.Records($"a,b\n0,0\n{record}\n5,6\n7,8", Options(format) with { MaxRecordBytes = limit });
        Assert.Equal((fault, raw, 3L, 8L), (records[1].Fault, records[1].Raw, records[1].Line, records[1].Offset));
        Assert.Equal(
            (null, "5|6", 4L + record.Count(c => c == '\n'), 9L + record.Length),
            (records[2].Fault, records[2].Fields, records[2].Line, records[2].Offset));
        Assert.Equal("7|8", records[3].Fields);
    }

    [Fact]
    public void Comment_that_is_too_large_is_still_a_comment() =>
        Assert.Equal(
            ["1|2"], Inputs.Fields(
                $"a,b\n#{new string('x', 300_000)}\n1,2\n#{new string('x', 3000)}", Csv with { Comment = '#', MaxRecordBytes = 100 }));

    [Fact]
    public void Header_that_is_too_large_or_unclosed_is_an_error()
    {
        var unclosed = Assert.Throws<InputException>(() => Inputs.Reader(Inputs.Utf8("a,\"b\n1,2\n"), Csv));
        Assert.Contains("in:1: the header cannot be read: a quote is opened here", unclosed.Message, StringComparison.Ordinal);
        var large = Assert.Throws<InputException>(() => Inputs.Reader(Inputs.Utf8("a,bcdefg\n1,2\n"), Csv with { MaxRecordBytes = 4 }));
        Assert.Contains("--max-record-bytes", large.Message, StringComparison.Ordinal);
    }

    /// <summary>Wherever a bad record stands, the others are read as if it were not there, at their true places.</summary>
    [Theory]
    [MemberData(nameof(Seeds))]
    public void Records_around_a_bad_one_are_the_same_as_without_it(int seed)
    {
        var random = new Random(seed);
        var format = Formats.ToArray()[seed % 3];
        string[] good = ["1,2\n", $"3,\"x\ny\"{(format == "newline" ? "" : "\r")}\n", ",\n", "\"a,\"\"b\",c\n", "\n", "\"\",\"\"\n",
            $"{new string('z', 40)},4\n"];
        string[] bad = ["1,\"x\n", "\"p,q\n", "1,x\"y\n", "1\n", "1,2,3\n", $"{new string('b', 300)},1\n", $"1,\"{new string('b', 300)}\n"];
        var options = Options(format) with { MaxRecordBytes = 200 };
        var count = random.Next(1, 2000);
        var before = string.Concat(random.GetItems(good, count));
        var after = string.Concat(random.GetItems(good, random.Next(10)));
        var broken = random.GetItems(bad, 1)[0];

        var whole = Inputs.Utf8($"a,b\n{before}{after}");
        var read = Inputs.Utf8($"a,b\n{before}{broken}{after}");
        int[] pieceSizes = [60, 1 << 20];
        foreach (var pieceSize in pieceSizes)
        {
            var expected = All(whole, options, pieceSize);
            var found = All(read, options, pieceSize);
            var at = found.FindIndex(record => record.Fault is not null);
            var fault = found[at];
            Assert.Equal(4 + before.Length, fault.Offset);
            found.RemoveAt(at);
            Assert.Equal(expected, found.Select((record, i) => i < at ? record : record with
            {
                Number = record.Number - 1,
                Line = record.Line - 1,
                Offset = record.Offset - broken.Length,
            }));
        }
    }

    private static List<ReadRecord> All(byte[] bytes, SourceOptions options, int pieceSize)
    {
        var records = new List<ReadRecord>();
        using var reader = Inputs.Reader(bytes, options, pieceSize);
        while (reader.Read())
        {
            records.Add(ReadRecord.Of(reader));
        }

        return records;
    }
}
