using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input;

/// <summary>What becomes of dirty records, by policy.</summary>
public sealed class DirtTests
{
    private static readonly SourceOptions Csv = new() { Format = InputFormat.Csv, MaxQuotedLines = 3 };

    private static SourceOptions With(string kind, DirtAction action) =>
        Csv with { Dirt = DirtPolicies.None.With(kind == "all" ? null : DirtPolicies.Find(kind), action) };

    /// <summary>The file is <c>a,b,c</c>, a good record, the dirty one, a good record.</summary>
    [Theory]
    [InlineData("few-fields", "1,x", "1|x|-")]
    [InlineData("many-fields", "1,x,y,,", "1|x|y")]
    [InlineData("stray-quote", "1,x\"y,z", "1|x\"y|z")]
    [InlineData("stray-quote", "1,5\" x 3\",z", "1|5\" x 3\"|z")]
    [InlineData("text-after-quote", "1,\"The \"BIG\" boss\",z", "1|\"The \"BIG\" boss\"|z")]
    [InlineData("text-after-quote", "1,\"x\"y,z", "1|\"x\"y|z")]
    [InlineData("text-after-quote", "\"1\",\"x\"y,z", "\"1\"|\"x\"y|z")]
    [InlineData("text-after-quote", "\"x\"y,\"p,q\",\"z\"", "\"x\"y|\"p,q\"|\"z\"")]
    [InlineData("text-after-quote", "\"x\"y,\"a\"\"b\"c,\"z\"", "\"x\"y|\"\"a\"\"b\"c\"|\"z\"")]
    [InlineData("text-after-quote", "\"He said \"hi, there\" to me\",x,z", "\"He said \"hi, there\" to me\"|x|z")]
    [InlineData("text-after-quote", "\"1,\"x, y\",z", "\"1|\"x, y\"|z")]
    [InlineData("text-after-quote", "1,\"2,\"x, y\"", "1|\"2|\"x, y\"")]
    [InlineData("unclosed-quote", "1,\"x,z", "1|\"x|z")]
    [InlineData("unclosed-quote", "\"p,q\",x,\"z", "\"p,q\"|x|\"z")]
    [InlineData("other-dialect", "1;x,y;z", "1|x,y|z")]
    [InlineData("other-dialect", "1\tx\t\"y\tz\"", "1|x|\"y\tz\"")]
    [InlineData("other-dialect", "1,'x,y',z", "1|\"x,y\"|z")]
    [InlineData("nul-bytes", "1,x\0y,\0", "1|xy|")]
    [InlineData("byte-order-mark", "\ufeff1,x,z", "1|x|z")]
    [InlineData("byte-order-mark", "\ufeff\"1\",\"x\",z", "\"1\"|\"x\"|z")]
    [InlineData("padding", "1, \"x, y\" ,\"z\" ", "1|\"x, y\"|\"z\"")]
    public void Repaired_record_is_delivered_and_told_and_else_refused_or_the_end(string kind, string record, string fields)
    {
        var text = $"a,b,c\n0,0,0\n{record}\n9,9,9\n";
        foreach (var repairing in new[] { kind, "all" })
        {
            var records = Inputs.Records(text, With(repairing, DirtAction.Repair));
            Assert.Equal(["0|0|0", fields, "9|9|9"], records.Select(r => r.Fields));
            Assert.All(records, r => Assert.Null(r.Fault));
            Assert.Equal((record, 3L, 12L), (records[1].Raw, records[1].Line, records[1].Offset));
            Assert.Equal([null, kind, null], Repairs(text, With(repairing, DirtAction.Repair)));
        }

        var refused = Inputs.Records(text, With(kind, DirtAction.Reject));
        Assert.Equal([null, kind, null], refused.Select(r => r.Fault));
        Assert.Equal(record, refused[1].Raw);

        var error = Assert.Throws<InputException>(() => Inputs.Records(text, With(kind, DirtAction.Fail)));
        Assert.StartsWith("in:3: ", error.Message, StringComparison.Ordinal);
        Assert.EndsWith($"(--dirt {kind}=fail)", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_header_again_is_known_behind_a_byte_order_mark()
    {
        const string text = "a,b\n1,x\n\ufeffa,b\n2,y\n";
        Assert.Equal([null, "repeated-header", null], Inputs.Records(text, Csv).Select(record => record.Fault));
        Assert.Equal(["1|x", "2|y"], Inputs.Records(text, With("repeated-header", DirtAction.Repair)).Select(record => record.Fields));
    }

    [Fact]
    public void Byte_order_mark_within_a_line_or_in_a_servers_own_text_is_a_character()
    {
        Assert.Equal(["1|\ufeffx"], Inputs.Records("a,b\n1,\ufeffx\n", Csv).Select(record => record.Fields));
        var mysql = Inputs.Records("0\tx\n\ufeff1\tx\n", new SourceOptions { Format = InputFormat.Mysql });
        Assert.All(mysql, record => Assert.Null(record.Fault));
    }

    [Fact]
    public void Byte_order_mark_in_a_header_that_is_not_the_files_first_is_an_error() =>
        Assert.Contains("begins with a byte order mark", Assert.Throws<InputException>(
            () => Inputs.Records("\ufeff\ufeffa,b\n1,x\n", Csv)).Message, StringComparison.Ordinal);

    [Fact]
    public void A_record_with_quotes_of_two_kinds_is_mended_only_where_both_may_be()
    {
        const string text = "a,b,c\nx\"y,\"p\"q,z\n";
        Assert.Equal("text-after-quote", Inputs.Records(text, With("stray-quote", DirtAction.Repair))[0].Fault);
        Assert.Equal("stray-quote", Inputs.Records(text, With("text-after-quote", DirtAction.Repair))[0].Fault);
        Assert.Equal("x\"y|\"p\"q|z", Inputs.Records(text, With("all", DirtAction.Repair))[0].Fields);
    }

    [Theory]
    [InlineData("text-after-quote", "\"p\"q,x,\"z", "\"p\"q|x|\"z")]
    [InlineData("stray-quote", "p\"q,x,\"z", "p\"q|x|\"z")]
    public void An_unclosed_quote_is_mended_behind_another_fault_only_where_both_may_be(string kind, string record, string fields)
    {
        var text = $"a,b,c\n{record}\n9,9,9\n";
        Assert.Equal(kind, Inputs.Records(text, With("unclosed-quote", DirtAction.Repair))[0].Fault);
        Assert.Equal("unclosed-quote", Inputs.Records(text, With(kind, DirtAction.Repair))[0].Fault);
        Assert.Equal([fields, "9|9|9"], Inputs.Fields(text, With("all", DirtAction.Repair)));
    }

    /// <summary>A delimiter is within what may be half a pair of quotes: fields that are made up, dropped or joined would shift the
    /// others.</summary>
    [Theory]
    [InlineData("1,x\"y, z\",3,", "stray-quote")]
    [InlineData("\"1,2,3,\"x", "text-after-quote")]
    [InlineData("1\",2", "stray-quote")]
    [InlineData("1,\"2,3,4,5", "unclosed-quote")]
    public void Fields_are_not_made_up_behind_a_quote_that_may_have_enclosed_a_delimiter(string record, string fault) =>
        Assert.Equal(fault, Inputs.Records($"a,b,c\n{record}\n9,9,9\n", With("all", DirtAction.Repair))[0].Fault);

    [Theory]
    [InlineData("a , \"b\" ,c\n1,2,3\n", "a|b|c")]
    [InlineData(" a,\tb, c \n1,2,3\n", "a|b|c")]
    [InlineData("\" a \", \"b, x\",c\n1,2,3\n", " a |b, x|c")]
    public void Padding_is_taken_out_of_names_too(string text, string names)
    {
        using var reader = Inputs.Reader(Inputs.Utf8(text), With("padding", DirtAction.Repair));
        Assert.Equal(names, string.Join('|', reader.FieldNames!));
        Assert.True(reader.Read());
        Assert.Equal("1|2|3", ReadRecord.Of(reader).Fields);
    }

    [Fact]
    public void Other_faults_of_a_header_are_never_repaired()
    {
        Assert.Throws<InputException>(() => Inputs.Records("a,x\"b\n1,2\n", With("all", DirtAction.Repair)));
        Assert.Contains("--dirt padding=repair", Assert.Throws<InputException>(() => Inputs.Records("a, \"b\"\n1,2\n", Csv)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Surplus_fields_are_joined_only_where_the_last_is_text()
    {
        var text = "a,b\n1,x, y,\"z\"\n";
        var options = With("many-fields", DirtAction.Repair);
        using var reader = Inputs.Reader(Inputs.Utf8(text), options);
        reader.JoinsSurplus = true;
        Assert.True(reader.Read());
        Assert.Equal("1|\"x, y,z\"", ReadRecord.Of(reader).Fields);
        Assert.Equal("many-fields", Inputs.Records(text, options)[0].Fault);
    }

    [Fact]
    public void Padding_of_bare_fields_is_taken_for_dirt_only_where_it_is_to_be_repaired()
    {
        Assert.Equal([" 1 |\tx"], Inputs.Fields("a,b\n 1 ,\tx\n", Csv));
        Assert.Equal([" 1 |\tx"], Inputs.Fields("a,b\n 1 ,\tx\n", With("padding", DirtAction.Fail)));
        Assert.Equal(["1|x", "|"], Inputs.Fields("a,b\n 1 ,\tx\n ,\t\n", With("padding", DirtAction.Repair)));
    }

    [Fact]
    public void Nul_bytes_are_data_unless_something_is_said_of_them() =>
        Assert.Equal([null], Inputs.Records("a,b\n1,x\0\n", Csv).Select(r => r.Fault));

    [Fact]
    public void Empty_lines_are_passed_over_unless_something_else_is_said()
    {
        var text = "a,b\n\n1,2\n\n\n3,4\n";
        Assert.Equal([null, null], Inputs.Records(text, Csv).Select(r => r.Fault));
        Assert.Equal([null, null], Inputs.Records(text, With("all", DirtAction.Repair)).Select(r => r.Fault));
        Assert.Equal(["empty-lines", null, "empty-lines", "empty-lines", null],
            Inputs.Records(text, With("empty-lines", DirtAction.Reject)).Select(r => r.Fault));
        Assert.Throws<InputException>(() => Inputs.Records(text, With("empty-lines", DirtAction.Fail)));
        Assert.Equal(
            [(DirtKind.EmptyLines, 2L, 4L, ""), (DirtKind.EmptyLines, 4L, 9L, ""), (DirtKind.EmptyLines, 5L, 10L, "")], Passed(text, Csv));
    }

    [Fact]
    public void Header_that_comes_again_is_a_fault_or_passed_over()
    {
        var text = "a,b\n1,2\na,b\n3,4\n";
        Assert.Equal([null, "repeated-header", null], Inputs.Records(text, Csv).Select(r => r.Fault));
        Assert.Equal(["1|2", "3|4"], Inputs.Fields(text, With("repeated-header", DirtAction.Repair)));
        Assert.Equal([(DirtKind.RepeatedHeader, 3L, 8L, "a,b")], Passed(text, With("repeated-header", DirtAction.Repair)));
        Assert.Throws<InputException>(() => Inputs.Records(text, With("repeated-header", DirtAction.Fail)));
    }

    [Fact]
    public void Mixed_line_ends_are_dirt_only_where_something_is_said_of_them()
    {
        var text = "a,b\r\n1,2\r\n3,\"4\n5\"\r\n5,6\n7,8\r\n9,0";
        Assert.All(Inputs.Records(text, Csv), r => Assert.Null(r.Fault));
        Assert.Equal([null, null, "mixed-newlines", null, null],
            Inputs.Records(text, With("mixed-newlines", DirtAction.Reject)).Select(r => r.Fault));
        Assert.Equal([null, null, "mixed-newlines", null, null], Repairs(text, With("all", DirtAction.Repair)));
        Assert.Throws<InputException>(() => Inputs.Records(text, With("mixed-newlines", DirtAction.Fail)));
    }

    [Fact]
    public void Several_kinds_in_one_record_are_mended_where_all_of_them_may_be()
    {
        var text = "a,b,c\n1,x\"y\n";
        Assert.Equal(["1|x\"y|-"], Inputs.Fields(text, With("all", DirtAction.Repair)));
        Assert.Equal("few-fields", Inputs.Records(text, With("stray-quote", DirtAction.Repair))[0].Fault);
        Assert.Equal("stray-quote", Inputs.Records(text, With("few-fields", DirtAction.Repair))[0].Fault);
    }

    [Fact]
    public void Quotes_of_a_record_over_several_lines_are_not_repaired() =>
        Assert.Equal("text-after-quote", Inputs.Records("a,b\n1,\"x\ny \"z\" y\"\n", With("all", DirtAction.Repair))[0].Fault);

    [Fact]
    public void Record_that_fits_two_other_dialects_is_read_in_none_of_them() =>
        Assert.Equal("few-fields", Inputs.Records("a,b\n1;x|y\n", With("other-dialect", DirtAction.Repair))[0].Fault);

    [Theory]
    [InlineData('\\', "1,x\\,y", "1|\"x,y\"|-")]
    [InlineData('\\', "1,\"x\\\"y", "1|\"x\"y|-")]
    public void Escapes_hold_in_repaired_records(char escape, string record, string fields) =>
        Assert.Equal(
            [fields.Replace(
                "\"x\"y", record.Contains("\\\"", StringComparison.Ordinal) ? "\"\"x\"y\"" : "\"x\"y", StringComparison.Ordinal)],
            Inputs.Fields($"a,b,c\n{record}\n", With("all", DirtAction.Repair) with { Escape = escape }));

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 200)];

    /// <summary>Whatever stands there: with everything repaired, each record has its fields or a fault, however the bytes come.</summary>
    [Theory]
    [MemberData(nameof(Seeds))]
    public void Any_text_is_repaired_alike_however_it_comes(int seed)
    {
        string[] pieces = [",", ",", "\"", "\"\"", "\n", "\r\n", "\r", "a", "bc", "\\", " ", ";", "\t", "\0", "'", "ä"];
        var random = new Random(seed);
        var text = string.Concat(random.GetItems(pieces, random.Next(80)));
        foreach (var options in new[] { With("all", DirtAction.Repair), With("all", DirtAction.Repair) with { Escape = '\\' } })
        {
            var records = Inputs.Records($"a,b\n{text}", options);
            Assert.All(records, r => Assert.True(r.Fault is not null || r.Fields.Contains('|', StringComparison.Ordinal), r.ToString()));
        }
    }

    private static List<string?> Repairs(string text, SourceOptions options)
    {
        var repairs = new List<string?>();
        using var reader = Inputs.Reader(Inputs.Utf8(text), options);
        while (reader.Read())
        {
            repairs.Add(reader.Repair?.Code);
        }

        return repairs;
    }

    private static List<(DirtKind, long, long, string)> Passed(string text, SourceOptions options)
    {
        var passed = new List<(DirtKind, long, long, string)>();
        using var reader = Inputs.Reader(Inputs.Utf8(text), options);
        reader.OnPassed = (kind, line, offset, bytes) => passed.Add((kind, line, offset, System.Text.Encoding.UTF8.GetString(bytes)));
        while (reader.Read())
        {
        }

        return passed;
    }
}
