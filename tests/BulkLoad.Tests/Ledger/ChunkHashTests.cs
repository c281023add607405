using BulkLoad.Core.Ledger;
using BulkLoad.Core.Rows;

namespace BulkLoad.Tests.Ledger;

public sealed class ChunkHashTests
{
    private static readonly (long Offset, byte[] Bytes)[] Records = [(0, [1, 2]), (3, []), (4, [3]), (6, [4, 5, 6]), (10, [7])];

    private static string OneByOne((long Offset, byte[] Bytes)[] records)
    {
        var hash = new ChunkHash();
        foreach (var (offset, bytes) in records)
        {
            hash.Add(offset, bytes);
        }

        return hash.Finish();
    }

    /// <summary>Blocks of rows and rejects: a letter a record, r is refused, | begins another block.</summary>
    private static string InBlocks(string form)
    {
        var hash = new ChunkHash();
        var next = 0;
        foreach (var part in form.Split('|'))
        {
            var block = new RowBlock(1, 16);
            foreach (var letter in part)
            {
                var (offset, bytes) = Records[next++];
                if (letter == 'r')
                {
                    block.AddReject(
                        new Reject { Source = "x", Record = next, Line = next, Offset = offset, Code = "x", Message = "x", Text = bytes });
                }
                else
                {
                    block.AddNull();
                    block.EndRow(next, next, offset, bytes);
                }
            }

            hash.Add(block);
        }

        return hash.Finish();
    }

    [Theory]
    [InlineData("ooooo")]
    [InlineData("o|o|o|o|o")]
    [InlineData("oo|ooo")]
    [InlineData("rrrrr")]
    [InlineData("roror")]
    [InlineData("oro|ro")]
    public void Blocks_and_rejects_do_not_matter(string form) => Assert.Equal(OneByOne(Records), InBlocks(form));

    [Fact]
    public void Where_a_record_ends_matters() =>
        Assert.NotEqual(OneByOne(Records), OneByOne([(0, [1]), (2, [2]), (4, [3]), (6, [4, 5, 6]), (10, [7])]));

    [Fact]
    public void Order_and_number_matter()
    {
        Assert.NotEqual(OneByOne(Records), OneByOne([.. Records.Reverse()]));
        Assert.NotEqual(OneByOne(Records), OneByOne(Records[..4]));
    }

    [Fact]
    public void Each_chunk_begins_anew()
    {
        var hash = new ChunkHash();
        hash.Add(1, [1]);
        var first = hash.Finish();
        hash.Add(1, [1]);
        Assert.Equal(first, hash.Finish());
    }
}
