using System.IO.Compression;
using BulkLoad.Cli.Completion;

namespace BulkLoad.Tests.Cli.Completion;

public sealed class HeaderPeekTests
{
    private static string NamesOf(string path, string text, string? delimiter = null, int skipped = 0) =>
        string.Join('/', HeaderPeek.Names(path, Encoding.UTF8.GetBytes(text), delimiter, skipped));

    [Theory]
    [InlineData("a.csv", "id,name\r\n1,x\r\n", "id/name")]
    [InlineData("a.csv", "id;name\n", "id/name")]
    [InlineData("a.csv", "sep=|\nid|name\n", "id/name")]
    [InlineData("a.csv", "\n\nid,\"a, \"\"b\"\"\"\n", "id/a, \"b\"")]
    [InlineData("a.tsv", "id,x\tname", "id,x/name")]
    [InlineData("a.csv", "one", "one")]
    [InlineData("a.csv", "\uFEFFid,name", "id/name")]
    [InlineData("a.csv", "", "")]
    [InlineData("a.jsonl", "{\"id\":1,\"a\":{\"b\":2},\"c\":[{\"d\":1}],\"e\":\"cut", "id/a/c/e")]
    [InlineData("a.json", " [ {\"id\": 1},\n {\"x\": 2} ]", "id")]
    [InlineData("a.jsonl", "{\"id\": nonsense", "id")]
    public void Names_are_those_of_the_header_or_of_the_first_object(string path, string text, string names) =>
        Assert.Equal(names, NamesOf(path, text));

    [Fact]
    public void What_is_typed_counts() => Assert.Equal("a,b/c", NamesOf("x.csv", "title\na,b::c\n", "::", 1));

    [Fact]
    public void A_packed_file_is_unpacked_as_far_as_it_was_read()
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(
                Encoding.UTF8.GetBytes("id\tname\n" + string.Concat(Enumerable.Range(0, 50_000).Select(i => $"{i * 7919}\tx{i}\n"))));
        }

        Assert.Equal(["id", "name"], HeaderPeek.Names("a.tsv.gz", packed.ToArray()[..20_000], null, 0));
        Assert.Empty(HeaderPeek.Names("a.csv.gz", [0x1f, 0x8b, 0, 0, 1, 2, 3], null, 0));
    }

    [Fact]
    public void Text_of_two_bytes_is_read_by_its_mark() =>
        Assert.Equal(["id", "größe"], HeaderPeek.Names(
            "a.csv", [.. Encoding.Unicode.GetPreamble(), .. Encoding.Unicode.GetBytes("id,größe\n")], null, 0));
}
