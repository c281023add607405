using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Tests.Input;

/// <summary>What becomes of the lines before a header.</summary>
public sealed class PreambleTests
{
    private const string Text = "Sales of May\n\n\"sep\"\nid,name\n1,Ann\n2,Bob\n";

    private static SourceOptions With(DirtAction action) => new() { Dirt = DirtPolicies.None.With(DirtKind.Preamble, action) };

    [Theory]
    [InlineData("utf-8")]
    [InlineData("utf-16")]
    public void Each_line_is_a_record_that_is_refused_with_its_place(string encoding)
    {
        foreach (var size in Inputs.PieceSizes)
        {
            using var input = Inputs.Open(Encoding.GetEncoding(encoding).GetBytes(Text), pieceSize: size);
            var look = SourceProbe.Look(input, new SourceOptions());
            using var reader = look.CreateReader(input, new SourceOptions());
            Assert.Equal(["id", "name"], reader.FieldNames);
            var read = new List<string>();
            while (reader.Read())
            {
                read.Add($"{reader.RecordNumber} {reader.LineNumber} {input.SourceOffset(reader.ByteOffset)} {reader.Fault?.Code} "
                    + $"{Encoding.UTF8.GetString(reader.RawRecord)}");
            }

            string[] expected = encoding == "utf-8"
                ? ["1 1 0 preamble Sales of May", "2 3 14 preamble \"sep\"", "3 5 28  1,Ann", "4 6 34  2,Bob"]
                : ["1 1 0 preamble Sales of May", "2 3 28 preamble \"sep\"", "3 5 56  1,Ann", "4 6 68  2,Bob"];
            Assert.Equal(expected, read);
        }
    }

    [Fact]
    public void Repaired_lines_are_passed_over_and_told()
    {
        using var input = Inputs.Open(Inputs.Utf8(Text));
        var options = With(DirtAction.Repair);
        using var reader = SourceProbe.Look(input, options).CreateReader(input, options);
        var passed = new List<string>();
        reader.OnPassed = (kind, line, offset, bytes) => passed.Add($"{kind} {line} {offset} {Encoding.UTF8.GetString(bytes)}");
        Assert.True(reader.Read());
        Assert.Equal("1|Ann", ReadRecord.Of(reader).Fields);
        Assert.Equal((1, 5), (reader.RecordNumber, reader.LineNumber));
        Assert.Equal(["Preamble 1 0 Sales of May", "Preamble 3 14 \"sep\""], passed);
    }

    [Fact]
    public void A_line_ends_the_job_where_the_user_says_so()
    {
        using var input = Inputs.Open(Inputs.Utf8("\n" + Text));
        var options = With(DirtAction.Fail);
        var look = SourceProbe.Look(input, options);
        var fault = Assert.Throws<InputException>(() => look.CreateReader(input, options));
        Assert.StartsWith("in:2: a line before the header", fault.Message, StringComparison.Ordinal);
        Assert.EndsWith("(--dirt preamble=fail)", fault.Message, StringComparison.Ordinal);
    }

    /// <summary>A file of refused records is imported as the input was: with what stands before the records, but not twice.</summary>
    [Theory]
    [InlineData(nameof(DirtAction.Reject), "id,name\n")]
    [InlineData(nameof(DirtAction.Repair), "Sales of May\n\n\"sep\"\nid,name\n")]
    public void Head_of_the_reject_file_has_what_is_not_refused(string action, string head)
    {
        using var input = Inputs.Open(Inputs.Utf8(Text));
        Assert.Equal(head, Encoding.UTF8.GetString(SourceProbe.Look(input, With(Enum.Parse<DirtAction>(action))).Head));
    }
}
