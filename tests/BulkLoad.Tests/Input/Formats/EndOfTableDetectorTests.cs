using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input.Formats;

/// <summary>Footers, and further tables in the same file.</summary>
public sealed class EndOfTableDetectorTests
{
    private static readonly SourceOptions Csv = new() { Format = InputFormat.Csv };

    private static SourceOptions With(params (string Kind, DirtAction Action)[] dirt) => Csv with
    {
        Dirt = dirt.Aggregate(
            DirtPolicies.None, (policies, said) => policies.With(said.Kind == "all" ? null : DirtPolicies.Find(said.Kind), said.Action)),
    };

    /// <summary>The file is <c>a,b,c</c>, two records, and the footer.</summary>
    [Theory]
    [InlineData("(2 rows)\n")]
    [InlineData("(2 rows)")]
    [InlineData("-- end of export\n\n")]
    [InlineData("\n\nTotal,2\n")]
    [InlineData("Total,,,7\n")]
    [InlineData("Source: \"us\"\nTotal,2\n\n(2 rows)\n")]
    [InlineData("5\"\n")]
    [InlineData("Total,2,7\n")]
    [InlineData("\"Total:\",2,7\n")]
    [InlineData("\nSubtotal,2,7\nGrand total,2,7\n(2 rows)\n")]
    [InlineData(",Total,7\n")]
    public void Footer_is_told_by_its_name_or_passed_over_or_the_end(string footer)
    {
        var text = $"a,b,c\n1,x,y\n2,x,y\n{footer}";
        var lines = footer.Split('\n', StringSplitOptions.RemoveEmptyEntries);

        var refused = Inputs.Records(text, With(("footer", DirtAction.Reject)));
        Assert.Equal([null, null, .. lines.Select(_ => "footer")], refused.Select(r => r.Fault));
        Assert.Equal(lines, refused.Skip(2).Select(r => r.Raw));

        Assert.Equal(["1|x|y", "2|x|y"], Inputs.Fields(text, With(("footer", DirtAction.Repair))));
        Assert.Equal(lines, Passed(text, With(("footer", DirtAction.Repair))).Select(line => line.Text));

        var error = Assert.Throws<InputException>(() => Inputs.Records(text, With(("footer", DirtAction.Fail))));
        Assert.EndsWith("(--dirt footer=fail)", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("3\n4,x,y\n", "few-fields -")]
    [InlineData("Total,3\n4,x,y\n(4 rows)\n", "few-fields - footer")]
    [InlineData("4;x;y\n", "other-dialect")]
    [InlineData("(2 rows)\n4;x;y\n", "few-fields other-dialect")]
    [InlineData("\"Total\n", "unclosed-quote")]
    [InlineData("\n4,x,y\n", "-")]
    [InlineData("Total,x,y\n4,x,y\n", "- -")]
    [InlineData("Totally,x,y\n", "-")]
    public void Lines_with_a_record_behind_them_are_no_footer(string rest, string faults) =>
        Assert.Equal(faults.Split(' '),
            Inputs.Records($"a,b,c\n1,x,y\n2,x,y\n{rest}", With(("footer", DirtAction.Reject))).Skip(2).Select(r => r.Fault ?? "-"));

    [Fact]
    public void Nobody_is_told_of_a_footer_who_did_not_ask() =>
        Assert.Equal(["few-fields"], Inputs.Records("a,b\n(0 rows)\n", Csv).Select(r => r.Fault));

    [Fact]
    public void Empty_line_of_a_file_with_one_column_is_a_record_and_no_footer() =>
        Assert.Equal(["x", ""], Inputs.Fields("a\nx\n\n", With(("all", DirtAction.Repair))));

    [Theory]
    [InlineData("3,x\n", "3|x|-")]
    [InlineData("3,x,y,z\n", "3|x|\"y,z\"")]
    [InlineData("3,x\n(3 rows)\n", "3|x|-")]
    [InlineData("Total\n", "")]
    [InlineData("\nTotal,7\n", "")]
    [InlineData("\nTotal,7\nMean,3\n", "")]
    [InlineData("3;x;y\n", "3|x|y")]
    public void Where_its_count_is_to_be_repaired_a_line_is_a_footer_only_if_it_stands_apart_or_has_one_field(string rest, string fields)
    {
        using var reader = Inputs.Reader(Inputs.Utf8($"a,b,c\n1,x,y\n{rest}"), With(("all", DirtAction.Repair)));
        reader.JoinsSurplus = true;
        Assert.True(reader.Read());
        var records = new List<string>();
        while (reader.Read())
        {
            Assert.Null(reader.Fault);
            records.Add(ReadRecord.Of(reader).Fields);
        }

        Assert.Equal(fields.Length == 0 ? [] : [fields], records);
    }

    [Fact]
    public void Footer_is_at_most_64_KiB_from_its_first_line_on()
    {
        var line = $"{new string('x', 1023)}\n";
        foreach (var (lines, first) in new[] { (64, "footer"), (65, "few-fields") })
        {
            var text = $"a,b\n1,x\n{string.Concat(Enumerable.Repeat(line, lines))}";
            var faults = Inputs.Records(text, With(("footer", DirtAction.Reject))).Skip(1).Select(r => r.Fault).ToList();
            Assert.Equal(first, faults[0]);
            Assert.All(faults.Skip(1), fault => Assert.Equal("footer", fault));
        }
    }

    /// <summary>What is read quickly and looked at again stays what it was: empty lines and bad ones before every place where a buffer
    /// ends.</summary>
    [Fact]
    public void Records_around_lines_that_were_looked_behind_are_the_same()
    {
        var random = new Random(7);
        var text = string.Concat(Enumerable.Range(0, 9000)
            .Select(i => random.Next(12) switch { 0 => "\n", 1 => $"{i}\n", _ => $"{i},\"{new string('y', random.Next(40))}\",z\n" }));
        var plain = Read(Csv);
        var watched = Read(With(("footer", DirtAction.Reject), ("several-tables", DirtAction.Reject)));
        Assert.True(plain.Count > 8000);
        Assert.Equal(plain, watched.Select(record => record.Fault is "footer" ? record with { Fault = "few-fields" } : record));

        List<ReadRecord> Read(SourceOptions options)
        {
            using var reader = Inputs.Reader(Inputs.Utf8($"a,b,c\n{text}"), options, pieceSize: 1 << 16);
            var records = new List<ReadRecord>();
            while (reader.Read())
            {
                records.Add(ReadRecord.Of(reader));
            }

            return records;
        }
    }

    [Theory]
    [InlineData("\ncode,price\nA1,9.99\n")]
    [InlineData("\n\ncode,price\nA1,9.99\nA2,9.99")]
    [InlineData("Products\ncode,price\nA1,9.99\n")]
    [InlineData("\nProducts\n\ncode,price,unit,stock\nA1,9.99,m,3\n")]
    [InlineData("\ncode,price\nA1,9.99\n\na,b,c\n7,x,y\n")]
    [InlineData("\nid,b,count\n7,x,y\n")]
    [InlineData("Products\n\"a\",d,e\n7,x,y\n8,\"x\nz\",y\n")]
    public void From_another_header_on_all_is_refused(string rest)
    {
        var text = $"a,b,c\n1,x,y\n2,x,y\n{rest}";
        foreach (var action in new[] { DirtAction.Reject, DirtAction.Repair })
        {
            var records = Inputs.Records(text, With(("several-tables", action)));
            Assert.Equal(["1|x|y", "2|x|y"], records.Take(2).Select(r => r.Fields));
            Assert.All(records.Skip(2), record => Assert.Equal("several-tables", record.Fault));
            Assert.Equal(
                rest.Split('\n', StringSplitOptions.RemoveEmptyEntries), records.Skip(2).SelectMany(record => record.Raw.Split('\n')));
        }

        var error = Assert.Throws<InputException>(() => Inputs.Records(text, With(("several-tables", DirtAction.Fail))));
        Assert.EndsWith("(--dirt several-tables=fail)", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("code,price\nA1,9.99\n", "nothing stands before it")]
    [InlineData("\ncode,price\n", "nothing stands behind it")]
    [InlineData("\ncode,price\n\n", "nothing stands behind it")]
    [InlineData("\ncode,price\n3,x,y\n", "a record of the first table stands behind it")]
    [InlineData("\ncode,price\nA1,9.99\n3,x,y\n", "a record of the first table is among its records")]
    [InlineData("\ncode,price\nA1\n", "what stands behind it has another count")]
    [InlineData("\ncode,1\nA1,9.99\n", "a number is no name")]
    [InlineData("\ncode,\nA1,9.99\n", "nor is nothing")]
    [InlineData("\ncode,code\nA1,9.99\n", "two names are the same")]
    [InlineData("\nBob,Berlin,Germany\nAnn,Paris,France\n", "it could be a record")]
    [InlineData("Page 2\na,b,c\n3,x,y\n", "it is the same header")]
    public void Other_lines_are_no_other_table(string rest, string why)
    {
        var faults = Inputs.Records($"a,b,c\n1,x,y\n2,x,y\n{rest}", With(("several-tables", DirtAction.Reject)))
            .Select(record => record.Fault);
        Assert.False(faults.Contains("several-tables"), why);
    }

    [Fact]
    public void Nothing_is_told_of_another_table_where_nobody_asked() =>
        Assert.Equal([null, null, null], Inputs.Records("a,b\n1,x\n\na,c\n2,x\n", Csv).Select(r => r.Fault));

    [Fact]
    public void Footer_of_the_last_table_belongs_to_it() =>
        Assert.Equal(
            [null, "several-tables", "several-tables", "several-tables"],
            Inputs.Records("a,b,c\n1,x,y\n\ncode,price\nA1,9.99\n\n(1 row)\n", With(("all", DirtAction.Repair))).Select(r => r.Fault));

    [Fact]
    public void Both_are_found_in_the_mysql_format_too()
    {
        var mysql = With(("all", DirtAction.Repair)) with { Format = InputFormat.Mysql, HasHeader = true };
        Assert.Equal([null, "several-tables", "several-tables"],
            Inputs.Records("a\tb\tc\n1\tx\ty\n\ncode\tprice\nA1\t9.99\n", mysql).Select(r => r.Fault));
        Assert.Equal([null], Inputs.Records("a\tb\tc\n1\tx\ty\n1 row in set\n", mysql).Select(r => r.Fault));
    }

    private static List<(DirtKind Kind, string Text)> Passed(string text, SourceOptions options)
    {
        var passed = new List<(DirtKind, string)>();
        using var reader = Inputs.Reader(Inputs.Utf8(text), options);
        reader.OnPassed = (kind, _, _, bytes) =>
        {
            if (kind != DirtKind.EmptyLines)
            {
                passed.Add((kind, System.Text.Encoding.UTF8.GetString(bytes)));
            }
        };
        while (reader.Read())
        {
        }

        return passed;
    }
}
