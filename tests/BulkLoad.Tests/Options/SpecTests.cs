using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Options;
using BulkLoad.Tests.Input;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Options;

/// <summary>What was found out about one input, and others that are held to it.</summary>
public sealed class SpecTests
{
    public static TheoryData<string, string, string> Heads => HeadTests.Heads;

    [Fact]
    public void A_spec_is_a_json_object_in_the_options_words()
    {
        var request = TestFacts.Request with
        {
            Columns = ["id", "@x"],
            Values = new ValueOptions { NullTexts = [new NullText(null, "-"), new NullText("age", "=")] },
        };
        Assert.Equal(
            """
            {
              "bulkload-spec": 1,
              "format": "csv",
              "encoding": "utf-8",
              "byte-order-mark": true,
              "delimiter": ";",
              "quote": "\"",
              "escape": "",
              "newline": null,
              "comment": null,
              "skip-lines": 0,
              "preamble": 1,
              "header": [
                "id",
                "Straße"
              ],
              "fields": 2,
              "null-value": [
                {
                  "column": null,
                  "text": "-"
                },
                {
                  "column": "age",
                  "text": "="
                }
              ],
              "columns": [
                "id",
                "@x"
              ]
            }

            """,
            SpecJson.ToText(Of("\uFEFFsep=;\nid;Straße\n1;x\n", request)));
    }

    /// <summary>Whatever was found out, the same input fits, with nothing left to find out, and reads the same.</summary>
    [Theory]
    [MemberData(nameof(Heads))]
    public void The_same_input_fits(string name, string head, string found)
    {
        if (found.StartsWith("in.csv:", StringComparison.Ordinal))
        {
            Assert.Throws<InputException>(() => Of(head));
            return;
        }

        var text = SpecJson.ToText(Of(head));
        var pinned = new PinnedSpec($"{name}.json", SpecJson.Read(Inputs.Utf8(text), "spec.json"));
        var request = pinned.ApplyTo(TestFacts.Request);
        var look = Look(Inputs.Utf8(head), request);
        if (2 * look.FaultySampleRecords > look.SampleRecords)
        {
            // Names for fewer columns than there are: that was not right the first time either.
            Assert.Throws<InputException>(() => pinned.Require(look));
            return;
        }

        pinned.Require(look);
        Assert.Equal(text, SpecJson.ToText(SourceSpec.Of(look, request)));
        Assert.Empty(look.Guesses);
        Assert.All(look.Detections, one => Assert.Equal("encoding", one.What));
    }

    [Theory]
    [InlineData("utf-16")]
    [InlineData("utf-16BE")]
    [InlineData("windows-1252")]
    public void The_same_encoding_fits(string name)
    {
        Encoding.RegisterProvider(CodePagesEncodingProvider.Instance);
        var encoding = Encoding.GetEncoding(name);
        byte[] bytes = [.. encoding.GetPreamble(), .. encoding.GetBytes("id,name\n1,Zoë\n2,Müller\n")];
        var request = TestFacts.Request with { Source = new SourceOptions { Encoding = name == "utf-16BE" ? "utf-16" : name } };
        var pinned = new PinnedSpec("s.json", SourceSpec.Of(Look(bytes, request), request));
        pinned.Require(Look(bytes, pinned.ApplyTo(request)));
        pinned.Require(Look(bytes, pinned.ApplyTo(TestFacts.Request)));
    }

    [Theory]
    [InlineData("id,name\n1,a\n", "id,Name\n1,a\n", "field 2 of its header is 'Name', expected 'name'")]
    [InlineData("id,name\n1,a\n", "name,id\na,1\n", "field 1 of its header is 'name', expected 'id'")]
    [InlineData("id,name\n1,a\n", "id,name,age\n1,a,3\n", "it has 3 fields, expected 2")]
    [InlineData("id,name\n1,a\n", "id\n1\n", "it has 1 field, expected 2")]
    [InlineData("id,name\n1,a\n", "id;name\n1;a\n", "field 1 of its header is 'id;name', expected 'id'")]
    [InlineData("id,name\n1,a\n", "id,name\n1;a\n2;b\n3,c\n", "2 of its first 3 records are not 2 fields")]
    [InlineData("id,name\n1,a\n", "\uFEFFid,name\n1,a\n", "it starts with a byte order mark")]
    [InlineData("\uFEFFid,name\n1,a\n", "id,name\n1,a\n", "it has no byte order mark")]
    [InlineData("Title\nid,name\n1,a\n", "id,name\n1,a\n", "field 1 of its header is '1', expected 'id'")]
    [InlineData("id,name\n1,a\n", "Title\nid,name\n1,a\n", "field 1 of its header is 'Title', expected 'id'")]
    [InlineData("id,name\n1,'a'\n2,'b'\n3,'c'\n", "'id',name\n1,'a'\n", null)]
    [InlineData("id,name\n1,'a'\n2,'b'\n3,'c'\n", "\"id\",name\n1,\"a\"\n", "field 1 of its header is '\"id\"', expected 'id'")]
    public void Another_input_is_an_error_that_says_what_differs(string first, string later, string? difference)
    {
        var pinned = new PinnedSpec("s.json", Of(first));
        var look = Look(Inputs.Utf8(later), pinned.ApplyTo(TestFacts.Request));
        var fault = Record.Exception(() => pinned.Require(look));
        Assert.Equal(
            difference is null ? null : $"in: does not fit s.json: {difference}; if that is intended, write a new spec with --write-spec",
            fault?.Message);
    }

    [Fact]
    public void Another_encoding_is_an_error()
    {
        var pinned = new PinnedSpec("s.json", Of("id,name\n1,a\n"));
        var request = pinned.ApplyTo(TestFacts.Request);
        var utf16 = Assert.Throws<InputException>(() => pinned.Require(Look(Encoding.Unicode.GetBytes("id,name\n1,a\n"), request)));
        Assert.Equal("in: does not fit s.json: its encoding is utf-16, expected utf-8; if that is intended, write a new spec with "
            + "--write-spec", utf16.Message);
        Assert.Throws<InputException>(() => Look([.. "id,name\n1,"u8, 0xFC, (byte)'\n', (byte)'2', (byte)',', 0xFC, (byte)'\n'], request));
    }

    [Theory]
    [InlineData("--format", "'csv'")]
    [InlineData("--encoding", "'utf-8'")]
    [InlineData("--delimiter", "';'")]
    [InlineData("--quote", "'\"'")]
    [InlineData("--escape", "''")]
    [InlineData("--newline", "nothing of it")]
    [InlineData("--comment", "nothing of it")]
    [InlineData("--skip-lines", "'0'")]
    [InlineData("--header", "'a header'")]
    [InlineData("--null-value", "''")]
    [InlineData("--columns", "nothing of it")]
    public void What_was_typed_otherwise_is_refused_by_name(string option, string pinned)
    {
        var request = TestFacts.Request with
        {
            Columns = option == "--columns" ? ["a", "b"] : null,
            Values = option == "--null-value" ? new ValueOptions { NullTexts = [new NullText(null, "-")] } : new ValueOptions(),
            Source = option switch
            {
                "--format" => new SourceOptions { Format = InputFormat.Tsv },
                "--encoding" => new SourceOptions { Encoding = "utf-16" },
                "--delimiter" => new SourceOptions { Delimiter = ',' },
                "--quote" => new SourceOptions { Quote = '\0' },
                "--escape" => new SourceOptions { Escape = '\\' },
                "--newline" => new SourceOptions { Newline = "\n" },
                "--comment" => new SourceOptions { Comment = '#' },
                "--skip-lines" => new SourceOptions { SkipLines = 1 },
                "--header" => new SourceOptions { HasHeader = false },
                _ => new SourceOptions(),
            },
        };
        var fault = Assert.Throws<RequestException>(() => new PinnedSpec("s.json", Of("id;name\n1;a\n")).ApplyTo(request));
        Assert.StartsWith($"{option}: '", fault.Message, StringComparison.Ordinal);
        Assert.Contains($"but s.json says {pinned}: ", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_was_typed_alike_is_taken()
    {
        var request = TestFacts.Request with
        {
            Source = new SourceOptions
            { Format = InputFormat.Csv, Encoding = "UTF-8", Delimiter = ';', Quote = '"', Escape = '"', SkipLines = 0, HasHeader = true },
        };
        Assert.Equal("UTF-8", new PinnedSpec("s.json", Of("id;name\n1;a\n")).ApplyTo(request).Source.Encoding);
    }

    [Fact]
    public void Json_lines_are_held_to_format_and_encoding()
    {
        var pinned = new PinnedSpec("s.json", Of("{\"a\":1}\n"));
        Assert.Equal(
            (InputFormat.Jsonl, null, null, 0), (pinned.Spec.Format, pinned.Spec.Delimiter, pinned.Spec.Header, pinned.Spec.Fields));
        pinned.Require(Look(Inputs.Utf8("{\"b\":1,\"c\":2}\n"), pinned.ApplyTo(TestFacts.Request)));
    }

    [Theory]
    [InlineData("", "--spec: 's.json' is not as --write-spec writes it: ")]
    [InlineData("[]", "--spec: 's.json' is no spec of version 1: write one with --write-spec")]
    [InlineData("{}", "--spec: 's.json' is no spec of version 1: write one with --write-spec")]
    [InlineData("{\"bulkload-spec\":2}", "--spec: 's.json' is no spec of version 1: write one with --write-spec")]
    [InlineData("{\"bulkload-spec\":\"1\"}", "--spec: 's.json' is not as --write-spec writes it: ")]
    [InlineData("{\"bulkload-spec\":1}", "--spec: 's.json' is not as --write-spec writes it: ")]
    [InlineData("{\"bulkload-spec\":1,\"format\":\"xls\"}", "--spec: 's.json' is not as --write-spec writes it: its format is not known")]
    public void A_file_that_is_no_spec_is_refused(string text, string message) =>
        Assert.StartsWith(
            message, Assert.Throws<RequestException>(() => SpecJson.Read(Inputs.Utf8(text), "s.json")).Message, StringComparison.Ordinal);

    private static SourceSpec Of(string head, LoadRequest? request = null) =>
        SourceSpec.Of(Look(Inputs.Utf8(head), request ?? TestFacts.Request), request ?? TestFacts.Request);

    private static SourceInfo Look(byte[] bytes, LoadRequest request)
    {
        using var input = Inputs.Open(bytes, request.Source);
        return SourceProbe.Look(input, request.Source, request.Values);
    }
}
