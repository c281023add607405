using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Tests.Jobs;

/// <summary>All inputs of a request together: what holds for each of them, and what they are when one is not as the others.</summary>
public sealed class SourceSetTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-set").FullName;

    [Theory]
    [InlineData("", "a.csv=", "a.csv: is empty: there is no header in it (--no-header: no record either)")]
    [InlineData("", "a.csv= b.csv=", "a.csv: is empty: there is no header in it")]
    [InlineData("delete", "a.txt=", "a.txt: is empty: there is no key in it")]
    [InlineData("--ignore-unknown", "a.csv=id/1",
        "--ignore-unknown is for JSON, and a.csv is csv: --map FIELD=@ skips a field, and so does @name in --columns")]
    [InlineData("--ignore-unknown", "e.csv= a.csv=id/1", "--ignore-unknown is for JSON, and a.csv is csv")]
    [InlineData("--write-spec", "a.csv=id,name/1,x b.csv=name,id/x,1",
        "--write-spec: b.csv and a.csv have different formats or headers, and no spec fits both")]
    [InlineData("", "-", "there is no standard input")]
    public void What_cannot_be_is_refused_before_the_table_is_known(string words, string files, string expected) =>
        Assert.Contains(expected, Assert.ThrowsAny<BulkLoadException>(() => Look(words, files).Dispose()).Message
            .Replace($"{_folder}/", "", StringComparison.Ordinal), StringComparison.Ordinal);

    [Theory]
    [InlineData("a.csv=id,name/1,x b.csv=id,name/2,y", null)]
    [InlineData("e.csv= a.csv=id,name/1,x", null)]
    [InlineData("a.csv=id,name/1,x b.csv=name,id/y,2", "b.csv and a.csv")]
    [InlineData("a.csv=id,name/1,x b.jsonl={\"id\":2}", "b.jsonl and a.csv")]
    [InlineData("e.csv= a.csv=id;name/1;x b.csv=id,name/2,y", "b.csv and a.csv")]
    public void One_file_of_rejects_holds_records_of_inputs_that_begin_alike(string files, string? names)
    {
        using var set = Look("", files);
        if (names is null)
        {
            Assert.NotNull(set.RejectForm);
            return;
        }

        var fault = Assert.Throws<RequestException>(() => set.RejectForm);
        Assert.StartsWith($"--reject-file: {names} have different headers, formats or encodings",
            fault.Message.Replace($"{_folder}/", "", StringComparison.Ordinal), StringComparison.Ordinal);
    }

    [Fact]
    public void Bytes_of_a_record_are_those_of_all_inputs_by_their_records()
    {
        using var set = Look("--no-header", "a.csv=1,aaaaaa b.csv=1,aa/2,aa/3,aa");
        Assert.Equal(((9 + (3 * 5)) / 4.0, 24L), (set.RecordBytes, set.TotalBytes));
        using var empty = Look("", "a.csv=id,name");
        Assert.Equal(100, empty.RecordBytes);
    }

    /// <summary>Columns come in the first input's order, and those of an input in another order go to the same places.</summary>
    [Fact]
    public void Inputs_go_to_the_same_columns_in_the_order_of_the_first_with_a_record()
    {
        using var set = Look("", "e.csv= a.csv=name,id/x,1 b.csv=id,name/2,y");
        var columns = set.MapTo(Columns.Table(Columns.Integer("id"), Columns.Varchar("name")), key: null);
        Assert.Equal(["name", "id"], columns.Select(column => column.Name));
        Assert.All(set.Mapped, source => Assert.Equal(columns, source.Mapping.Columns));
        Assert.Equal(["e.csv", "a.csv", "b.csv"], set.Mapped.Select(source => Path.GetFileName(source.Look.Name)));
        Assert.Contains(set.Guesses, note => note.Contains("it is empty, and has no records", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("a.csv=id,name/1,x b.csv=id/2", "name")]
    [InlineData("a.csv=id/1 b.csv=id,name/2,y", "name")]
    public void Inputs_with_other_columns_are_refused(string files, string named)
    {
        using var set = Look("", files);
        var fault =
            Assert.ThrowsAny<BulkLoadException>(() => set.MapTo(Columns.Table(Columns.Integer("id"), Columns.Varchar("name")), key: null));
        Assert.Contains(named, fault.Message, StringComparison.Ordinal);
        Assert.Contains("b.csv", fault.Message, StringComparison.Ordinal);
    }

    /// <summary>What has to be read twice is put aside where it comes once.</summary>
    [Theory]
    [InlineData("--create", true)]
    [InlineData("check", true)]
    [InlineData("", false)]
    public void A_pipe_is_put_aside_where_it_is_read_more_than_once(string words, bool isPutAside)
    {
        using var set = Look(words, "-", "id,name\n1,x\n");
        Assert.Null(set.TotalBytes);
        if (!isPutAside)
        {
            set.MapTo(Columns.Table(Columns.Integer("id"), Columns.Varchar("name")), key: null);
            Assert.False(Assert.Single(set.Mapped).CanReadAgain);
            return;
        }

        foreach (var _ in (int[])[1, 2])
        {
            var (_, input) = Assert.Single(set.OpenAll(default));
            using var text = new StreamReader(input.Content);
            Assert.Equal("id,name\n1,x\n", text.ReadToEnd());
        }
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <param name="words">options</param>
    /// <param name="files">each as <c>name=lines</c>, with a slash between lines</param>
    private SourceSet Look(string words, string files, string? input = null)
    {
        var paths = files.Split(' ').Select(file =>
        {
            var parts = file.Split('=', 2);
            if (parts is [_, var lines])
            {
                File.WriteAllText(Path.Combine(_folder, parts[0]), lines.Length == 0 ? "" : lines.Replace('/', '\n') + "\n");
            }

            return parts.Length == 1 ? file : Path.Combine(_folder, parts[0]);
        });
        return SourceSet.Look(
            TestFacts.Request with
            {
                Files = [.. paths],
                Kind = words == "delete" ? JobKind.Delete : JobKind.Import,
                Mode = words == "check" ? JobMode.Check : JobMode.Write,
                Create = words == "--create",
                WritesSpec = words == "--write-spec",
                TempFolder = _folder,
                StandardInput = input is null ? null : new MemoryStream(Encoding.UTF8.GetBytes(input)),
                Source = new SourceOptions
                {
                    Format = words == "delete" ? InputFormat.Keys : InputFormat.Auto,
                    HasHeader = words == "--no-header" ? false : null,
                    IgnoreUnknown = words == "--ignore-unknown",
                },
            },
            NullLogger.Instance, default);
    }
}
