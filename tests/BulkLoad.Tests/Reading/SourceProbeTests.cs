using System.Text;
using BulkLoad.Core.Reading;
using Xunit;

namespace BulkLoad.Tests.Reading;

public sealed class SourceProbeTests
{
    [Fact]
    public void Small_csv_is_counted_and_stays_unread()
    {
        var bytes = Inputs.Utf8("\uFEFFid,name\n1,a\n2,b\n");
        using var input = Inputs.Open(bytes, pieceSize: 3);
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal(InputFormat.Csv, look.Format);
        Assert.Equal(["id", "name"], look.FieldNames);
        Assert.Equal((2, 2, 4.0, 2L), (look.FieldCount, look.SampleRecords, look.AverageRecordBytes, look.EstimatedRecords));
        Assert.False(look.IsEmpty);
        Assert.Equal(["encoding utf-8 (by byte order mark)", "format csv (as nothing says otherwise)"], look.Guesses);
        Assert.Equal(bytes[3..], Inputs.ReadContent(input));
    }

    [Theory]
    [InlineData("", true, 0)]
    [InlineData("\uFEFF", true, 0)]
    [InlineData("\n\n", true, 0)]
    [InlineData("a,b", false, 0)]
    [InlineData("a,b\n", false, 0)]
    [InlineData("a,b\n1,2", false, 1)]
    public void Empty_input_is_not_the_same_as_no_records(string text, bool isEmpty, int records)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal((isEmpty, records, records), (look.IsEmpty, look.SampleRecords, (int?)look.EstimatedRecords));
    }

    [Fact]
    public void Large_input_is_estimated_from_its_first_records()
    {
        var text = new StringBuilder("id,name\n");
        for (var i = 0; i < 100_000; i++)
        {
            text.Append(100_000 + i).Append(",somebody\n");
        }

        var path = Path.Combine(Directory.CreateTempSubdirectory().FullName, "people.csv");
        File.WriteAllText(path, text.ToString());
        using var input = InputFile.Open(path, new SourceOptions());
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal((1000, 16.0, 100_000L), (look.SampleRecords, look.AverageRecordBytes, look.EstimatedRecords));
        Assert.Equal(["format csv (by extension)"], look.Guesses);
        Assert.Equal(text.Length, look.Length);
        Directory.Delete(Path.GetDirectoryName(path)!, recursive: true);
    }

    [Fact]
    public void First_record_larger_than_the_sample_is_looked_at_whole()
    {
        using var input = Inputs.Open(Inputs.Utf8(new string('x', 2_000_000) + ",b\n1,2\n"));
        Assert.Equal(2, SourceProbe.Look(input, new SourceOptions()).FieldCount);
    }

    [Theory]
    [InlineData("a\tb\n", "--format tsv")]
    [InlineData("a;b\n", "--delimiter ';'")]
    [InlineData("a|b\n", "--delimiter '|'")]
    [InlineData("a\0b\0\n\0", "--encoding utf-16")]
    public void Header_of_one_field_that_holds_another_delimiter_gives_a_hint(string text, string hint)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        Assert.EndsWith(hint, SourceProbe.Look(input, new SourceOptions()).HeaderHint, StringComparison.Ordinal);
    }
}
