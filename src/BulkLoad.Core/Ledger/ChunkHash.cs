using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Ledger;

/// <summary>
/// The content of a chunk in one word: SHA-256 over the bytes of its records and over their offsets, in the input's order. The same
/// whether records come one by one or in blocks, however those are cut, and whichever of them are rows and which are refused.
/// </summary>
internal sealed class ChunkHash : IDisposable
{
    private const int PieceBytes = 64 * 1024;

    private readonly IncrementalHash _records = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly IncrementalHash _offsets = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly ArrayBufferWriter<byte> _recordPiece = new();
    private readonly ArrayBufferWriter<byte> _offsetPiece = new();

    /// <summary>The next record.</summary>
    /// <param name="offset">of its first byte in the decompressed, undecoded input</param>
    /// <param name="record">as the reader has it</param>
    public void Add(long offset, ReadOnlySpan<byte> record)
    {
        _recordPiece.Write(record);
        BinaryPrimitives.WriteInt64LittleEndian(_offsetPiece.GetSpan(sizeof(long)), offset);
        _offsetPiece.Advance(sizeof(long));
        if (_recordPiece.WrittenCount + _offsetPiece.WrittenCount >= PieceBytes)
        {
            Flush();
        }
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
        Flush();
        Span<byte> both = stackalloc byte[2 * SHA256.HashSizeInBytes];
        _records.GetHashAndReset(both);
        _offsets.GetHashAndReset(both[SHA256.HashSizeInBytes..]);
        return Convert.ToHexStringLower(SHA256.HashData(both));
    }

    public void Dispose()
    {
        _records.Dispose();
        _offsets.Dispose();
    }

    private void Add(RowBlock block, int from, int rows)
    {
        if (rows == 0)
        {
            return;
        }

        Flush();
        _records.AppendData(block.OriginalsOf(from, rows));
        var offsets = block.OffsetsOf(from, rows);
        if (BitConverter.IsLittleEndian)
        {
            _offsets.AppendData(MemoryMarshal.AsBytes(offsets));
            return;
        }

        foreach (var offset in offsets)
        {
            Add(offset, []);
        }
    }

    private void Flush()
    {
        _records.AppendData(_recordPiece.WrittenSpan);
        _offsets.AppendData(_offsetPiece.WrittenSpan);
        _recordPiece.ResetWrittenCount();
        _offsetPiece.ResetWrittenCount();
    }
}
