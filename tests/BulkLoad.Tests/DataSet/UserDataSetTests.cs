using System.IO.Compression;
using System.Security.Cryptography;
using BulkLoad.DataSet;

namespace BulkLoad.Tests.DataSet;

/// <summary>Measurements are compared over months and machines: that holds only while the rows stay the same.</summary>
public sealed class UserDataSetTests
{
    private static readonly UserDataSet Thousand = new(Rows: 1000, Seed: 20261);

    [Theory]
    [InlineData(DataFormat.Csv, "c32cfe1ad06ca8cc3c74de30c16f88592f7be59eef2a283525c887d94c30046e")]
    [InlineData(DataFormat.Tsv, "6d55c118f274e74b917a765447a57f4702f5e550fe986535a86db4a1707be53a")]
    [InlineData(DataFormat.Mysql, "f45dff079d3b1235740f96844702dc2642e207c38ff792ca266651f6c3706103")]
    [InlineData(DataFormat.Jsonl, "f13b55f4de5d0c5b38a8c0498096dc0838d4bc0f4158ee075b64448a241bbed0")]
    public void The_same_seed_gives_the_same_bytes(DataFormat format, string sha256) =>
        Assert.Equal(sha256, Convert.ToHexStringLower(SHA256.HashData(Written(Thousand, format))));

    [Fact]
    public void Gzip_holds_the_CSV()
    {
        using var unzipped = new MemoryStream();
        using (var gzip = new GZipStream(new MemoryStream(Written(Thousand, DataFormat.Gz)), CompressionMode.Decompress))
        {
            gzip.CopyTo(unzipped);
        }

        Assert.Equal(Written(Thousand, DataFormat.Csv), unzipped.ToArray());
    }

    [Fact]
    public void Shuffled_rows_are_the_same_rows_in_another_order()
    {
        // In this format a row is a line.
        string[] byId = Lines(Thousand);
        string[] shuffled = Lines(Thousand with { IsShuffled = true });

        Assert.NotEqual(byId, shuffled);
        Assert.Equal(byId.Order(StringComparer.Ordinal), shuffled.Order(StringComparer.Ordinal));
    }

    private static string[] Lines(UserDataSet dataSet) =>
        System.Text.Encoding.UTF8.GetString(Written(dataSet, DataFormat.Mysql)).Split('\n');

    private static byte[] Written(UserDataSet dataSet, DataFormat format)
    {
        using var stream = new MemoryStream();
        dataSet.Write(stream, format);
        return stream.ToArray();
    }
}
