using System.Buffers.Binary;
using System.IO.Hashing;
using System.Runtime.InteropServices;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Ledger;

/// <summary>
/// The content of a chunk in one word: XXH128 over the bytes of its records, and over their offsets, in the input's order. The same
/// whether records come one by one or in blocks, however those are cut, and whichever of them are rows and which are refused.
/// It tells what has changed; who means to forge a chunk is not kept from it, and gains nothing by it.
/// </summary>
internal sealed class ChunkHash
{
    private const int HashBytes = 16;

    private readonly XxHash128 _records = new();
    private readonly XxHash128 _offsets = new();

    /// <summary>The next record.</summary>
    /// <param name="offset">of its first byte in the decompressed, undecoded input</param>
    public void Add(long offset, ReadOnlySpan<byte> record)
    {
        Span<byte> place = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(place, offset);
        _records.Append(record);
        _offsets.Append(place);
    }

    /// <summary>The next records: rows of a block and what was refused between them.</summary>
    public void Add(RowBlock block)
    {
        var row = 0;
        foreach (var reject in block.Rejects)
        {
            var until = row;
            while (until < block.RowCount && block.Record(until) < reject.Place.Record)
            {
                until++;
            }

            Add(block, row, until - row);
            Add(reject.Place.Offset, reject.Text.Span);
            row = until;
        }

        Add(block, row, block.RowCount - row);
    }

    /// <summary>The word for what was added, in hexadecimal digits; what is added next is another chunk's.</summary>
    public string Finish()
    {
        Span<byte> both = stackalloc byte[2 * HashBytes];
        _records.GetHashAndReset(both);
        _offsets.GetHashAndReset(both[HashBytes..]);
        return Convert.ToHexStringLower(both);
    }

    private void Add(RowBlock block, int from, int rows)
    {
        _records.Append(block.OriginalsOf(from, rows));
        var offsets = block.OffsetsOf(from, rows);
        if (BitConverter.IsLittleEndian)
        {
            _offsets.Append(MemoryMarshal.AsBytes(offsets));
            return;
        }

        foreach (var offset in offsets)
        {
            Add(offset, []);
        }
    }
}
