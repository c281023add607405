using System.Buffers;
using System.Buffers.Binary;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Feed;

/// <summary>Rows by their key, in bounded memory.</summary>
/// <param name="isLastFirst">whether of rows with the same key the last one in the inputs comes first; else they come as they are there.
/// The first one counts for the others, and so is never committed behind them</param>
internal sealed class RowSort(
    ComparableKey key, int columns, bool isLastFirst, string folder, int memoryBytes, CancellationToken cancellationToken) : IDisposable
{
    private readonly ExternalSort _sort = new(folder, memoryBytes, cancellationToken);
    private readonly ArrayBufferWriter<byte> _entry = new();
    private readonly ArrayBufferWriter<byte> _last = new();
    private SortedEntries? _sorted;

    /// <summary>Whether the current row has the key of the one before it.</summary>
    public bool RepeatsKey { get; private set; }

    public long Count { get; private set; }

    /// <summary>The current row; valid until the next <see cref="Read"/>.</summary>
    public SerializedRow Current => new(_sorted!.Key[(int)_sorted.Number..], columns);

    /// <exception cref="TempFileException">there is no room to put anything aside</exception>
    public void Add(RowBlock block)
    {
        for (var row = 0; row < block.RowCount; row++)
        {
            _entry.ResetWrittenCount();
            var room = _entry.GetSpan(key.MostBytes(block, row) + sizeof(long));
            var length = key.Write(block, row, room);
            var id = RecordId.Of(block.Source, block.Record(row));
            BinaryPrimitives.WriteInt64BigEndian(room[length..], isLastFirst ? ~id : id);
            _entry.Advance(length + sizeof(long));
            SerializedRow.Write(block, row, _entry);
            _sort.Add(_entry.WrittenSpan, length + sizeof(long));
        }

        Count += block.RowCount;
    }

    /// <summary>Goes to the next row; after the first time no more can be added.</summary>
    /// <exception cref="TempFileException">what was put aside cannot be read</exception>
    public bool Read()
    {
        cancellationToken.ThrowIfCancellationRequested();
        _sorted ??= _sort.Sort();
        if (!_sorted.Read())
        {
            return false;
        }

        var current = _sorted.Key[..((int)_sorted.Number - sizeof(long))];
        RepeatsKey = current.SequenceEqual(_last.WrittenSpan);
        if (!RepeatsKey)
        {
            _last.ResetWrittenCount();
            _last.Write(current);
        }

        return true;
    }

    public void Dispose()
    {
        _sorted?.Dispose();
        _sort.Dispose();
    }
}
