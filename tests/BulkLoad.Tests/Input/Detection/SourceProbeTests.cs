using System.IO.Compression;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Tests.Input.Detection;

public sealed class SourceProbeTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory();

    public void Dispose() => _folder.Delete(recursive: true);

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

    [Theory]
    [InlineData("people.csv", "utf-8")]
    [InlineData("people.csv", "utf-16")]
    [InlineData("people.csv.gz", "utf-8")]
    [InlineData("people.csv.gz", "utf-16")]
    public void Large_input_is_estimated_from_its_first_records_and_then_read_whole(string name, string encoding)
    {
        var path = Write(name, encoding, "id,name\n", i => $"{100_000 + i},somebody {i * 7919L % 1_000_000:000000}\n");
        using var input = InputFile.Open(path, new SourceOptions());
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal((1000, 23.0), (look.SampleRecords, look.AverageRecordBytes));
        Assert.InRange(look.EstimatedRecords!.Value, 70_000, 130_000);
        Assert.Equal((new FileInfo(path).Length, encoding), (look.Length, look.EncodingName));
        Assert.Contains("format csv (by extension)", look.Guesses);

        using var reader = look.CreateReader(input, new SourceOptions());
        while (reader.Read())
        {
            Assert.Null(reader.Fault);
        }

        Assert.Equal((100_000L, look.Length), (reader.RecordNumber, input.BytesRead));
        input.CheckUnchanged();
    }

    [Theory]
    [InlineData("people.CSV", "a,b", InputFormat.Csv, "by extension")]
    [InlineData("people.tsv", "a,b", InputFormat.Tsv, "by extension")]
    [InlineData("people.tab", "a,b", InputFormat.Tsv, "by extension")]
    [InlineData("people.ndjson", "{\"a\":1}", InputFormat.Jsonl, "by extension")]
    [InlineData("people.jsonl.gz", "{}", InputFormat.Jsonl, "by extension")]
    [InlineData("people.txt", "a,b", InputFormat.Csv, "as nothing says otherwise")]
    [InlineData("people", "\n {}", InputFormat.Jsonl, "by first bytes")]
    public void Format_is_known_by_extension_or_first_bytes(string name, string text, InputFormat format, string reason)
    {
        using var input = InputFile.Open(Write(name, "utf-8", text, _ => ""), new SourceOptions());
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal(format, look.Format);
        Assert.Contains(look.Guesses, guess => guess.EndsWith($"({reason})", StringComparison.Ordinal));
        Assert.DoesNotContain(
            SourceProbe.Look(input, new SourceOptions { Format = format }).Guesses,
            guess => guess.StartsWith("format", StringComparison.Ordinal));
    }

    [Fact]
    public void Keys_of_jsonl_are_those_of_all_sample_lines_by_first_appearance()
    {
        const string Text = "{\"b\":1,\"a\":2}\n{\"c\":{\"x\":1},\"a\":2}\n{\"broken\":1,\n{}\n";
        using var input = Inputs.Open(Inputs.Utf8(Text));
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal(["b", "a", "c"], look.FieldNames);
        Assert.Equal((4, null, 4L), (look.SampleRecords, look.Delimiter, look.EstimatedRecords));

        using var reader = look.CreateReader(input, new SourceOptions());
        Assert.True(reader.Read());
        Assert.Equal("\"1\"|\"2\"|-", ReadRecord.Of(reader).Fields);
    }

    [Fact]
    public void Header_that_is_not_the_one_that_was_seen_ends_the_pass()
    {
        using var before = Inputs.Open(Inputs.Utf8("a,b\n"));
        using var after = Inputs.Open(Inputs.Utf8("b,a\n"));
        var look = SourceProbe.Look(before, new SourceOptions());
        Assert.Throws<InputException>(() => look.CreateReader(after, new SourceOptions()));
    }

    [Fact]
    public void Without_a_header_the_first_record_tells_the_count_of_fields()
    {
        using var input = Inputs.Open(Inputs.Utf8("1\t\\N\tx\n"));
        var look = SourceProbe.Look(input, new SourceOptions { Format = InputFormat.Mysql });
        Assert.Null(look.FieldNames);
        Assert.Equal((3, 1, '\t'), (look.FieldCount, look.SampleRecords, look.Delimiter));
    }

    [Fact]
    public void Length_of_a_pipe_is_not_known_and_nothing_is_estimated_from_it()
    {
        using var input = Inputs.Open(Inputs.Utf8("a\n" + string.Concat(Enumerable.Repeat("1\n", 200_000))));
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal((null, null, 1000), (look.Length, look.EstimatedRecords, look.SampleRecords));
        Assert.Null(look.Path);
    }

    [Theory]
    [InlineData('ä', '"', null)]
    [InlineData(',', ',', null)]
    [InlineData(',', '"', "")]
    [InlineData(',', '"', ",")]
    public void Characters_that_cannot_be_told_apart_are_refused(char delimiter, char quote, string? newline)
    {
        using var input = Inputs.Open([]);
        Assert.Throws<RequestException>(() => SourceProbe.Look(
            input, new SourceOptions { Delimiter = delimiter, Quote = quote, Newline = newline }));
    }

    [Theory]
    [InlineData("")]
    [InlineData("\"")]
    public void First_record_larger_than_the_sample_is_looked_at_whole(string quote)
    {
        using var input = Inputs.Open(Inputs.Utf8($"{quote}{new string('x', 2_000_000)}{quote},b\n1,2\n"));
        Assert.Equal(2, SourceProbe.Look(input, new SourceOptions()).FieldCount);
    }

    [Fact]
    public void Header_over_the_limit_ends_the_look()
    {
        using var input = Inputs.Open(Inputs.Utf8($"\"{new string('x', 2_000_000)}"));
        var error = Assert.Throws<InputException>(
            () => SourceProbe.Look(input, new SourceOptions { MaxRecordBytes = 1_000_000 }));
        Assert.Contains("--max-record-bytes", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("a\tb\n", "--format tsv")]
    [InlineData("a;b\n", "--delimiter ;")]
    [InlineData("a|b\n", "--delimiter |")]
    [InlineData("a\0b\0\n\0", "--encoding utf-16le")]
    public void Header_of_one_field_that_holds_another_delimiter_gives_a_hint(string text, string hint)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        Assert.Equal(hint, string.Join(' ', SourceProbe.Look(input, new SourceOptions { Format = InputFormat.Csv }).HeaderHint!.Words));
    }

    [Fact]
    public void Commas_behind_another_delimiter_ask_for_the_comma_and_not_for_the_format_that_was_given()
    {
        using var input = Inputs.Open(Inputs.Utf8("a,b\n"));
        Assert.Equal(["--delimiter", ","],
            SourceProbe.Look(input, new SourceOptions { Format = InputFormat.Csv, Delimiter = ';' }).HeaderHint!.Words);
        using var tabs = Inputs.Open(Inputs.Utf8("a,b\n"));
        Assert.Equal(["--format", "csv"], SourceProbe.Look(tabs, new SourceOptions { Format = InputFormat.Tsv }).HeaderHint!.Words);
    }

    [Fact]
    public void Json_array_is_known_by_its_first_bytes_unless_another_format_was_given()
    {
        using var input = Inputs.Open(Inputs.Utf8("\n[ {\"id\":1} ]\n"));
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal((InputFormat.Json, 1L, 1L), (look.Format, look.EstimatedRecords, look.FieldLines!["id"] - 1));
        Assert.Contains("format json (by first bytes)", look.Guesses);
        using var spread = Inputs.Open(Inputs.Utf8("{\n\"id\":1}\n"));
        Assert.Equal(InputFormat.Json, SourceProbe.Look(spread, new SourceOptions()).Format);
        using var lines = Inputs.Open(Inputs.Utf8("{\"id\":1\n}\n{\"id\":2}\n"));
        Assert.Equal(InputFormat.Json, SourceProbe.Look(lines, new SourceOptions()).Format);
        using var asCsv = Inputs.Open(Inputs.Utf8("[{id}]\n"));
        Assert.Equal(InputFormat.Csv, SourceProbe.Look(asCsv, new SourceOptions { Format = InputFormat.Csv }).Format);
    }

    [Theory]
    [InlineData("1,Ada,ada@example.com\n2,Bo,bo@example.com\n")]
    [InlineData("7,x\n")]
    [InlineData("x,2024-01-31 10:00:00\n")]
    public void Header_that_looks_like_values_gives_a_hint(string text)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        Assert.Equal(["--no-header"], SourceProbe.Look(input, new SourceOptions()).HeaderHint!.Words);
    }

    [Theory]
    [InlineData("[{\"id\":1}]\n", "not a JSON object")]
    [InlineData("\n{\"id\":1,}\n", "not valid JSON")]
    public void Json_lines_without_one_readable_key_say_what_is_wrong_and_where(string text, string reason)
    {
        using var input = Inputs.Open(Inputs.Utf8(text));
        var fault = Assert.Throws<InputException>(() => SourceProbe.Look(input, new SourceOptions { Format = InputFormat.Jsonl }));
        Assert.Contains(reason, fault.Message, StringComparison.Ordinal);
        Assert.Contains(text[0] == '\n' ? ":2: " : ":1: ", fault.Message, StringComparison.Ordinal);
    }

    private string Write(string name, string encoding, string header, Func<int, string> record)
    {
        var path = Path.Combine(_folder.FullName, name);
        using Stream file = name.EndsWith(".gz", StringComparison.Ordinal)
            ? new GZipStream(File.Create(path), CompressionLevel.Fastest)
            : File.Create(path);
        using var writer = new StreamWriter(file, encoding == "utf-8" ? new UTF8Encoding(false) : Encoding.GetEncoding(encoding));
        writer.Write(header);
        for (var i = 0; i < 100_000; i++)
        {
            writer.Write(record(i));
        }

        return path;
    }
}
