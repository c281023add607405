using BulkLoad.Core;
using BulkLoad.Core.Reading;
using Xunit;

namespace BulkLoad.Tests.Reading;

public sealed class SpoolFileTests
{
    [Fact]
    public void What_went_through_can_be_read_again_as_often_as_one_likes()
    {
        var content = new byte[300_000];
        new Random(1).NextBytes(content);
        using var spool = SpoolFile.Create(folder: null);
        using (var copy = spool.Copy(new MemoryStream(content)))
        {
            Assert.Equal(content, All(copy));
        }

        Assert.Equal(content, All(spool.OpenRead()));
        Assert.Equal(content, All(spool.OpenRead()));
    }

    [Fact]
    public void Nothing_is_seen_of_it_in_its_folder()
    {
        var folder = Directory.CreateTempSubdirectory();
        try
        {
            using var spool = SpoolFile.Create(folder.FullName);
            using var copy = spool.Copy(new MemoryStream("secret"u8.ToArray()));
            All(copy);
            Assert.Empty(folder.EnumerateFileSystemInfos());
            Assert.Equal("secret"u8, All(spool.OpenRead()));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public void A_folder_that_takes_no_file_is_named() =>
        Assert.StartsWith("--temp-dir: /no/such/folder takes no file", Assert.Throws<RequestException>(() => SpoolFile.Create("/no/such/folder")).Message, StringComparison.Ordinal);

    private static byte[] All(Stream stream)
    {
        using var all = new MemoryStream();
        stream.CopyTo(all);
        return all.ToArray();
    }
}
