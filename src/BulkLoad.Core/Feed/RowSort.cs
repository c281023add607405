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
    KeyColumns key, int columns, bool isLastFirst, string folder, int memoryBytes, CancellationToken cancellationToken) : IDisposable
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

/// <summary>What the reading side has found in records, in the input's order, in bounded memory.</summary>
internal sealed class IssueSpool(string folder, CancellationToken cancellationToken) : IDisposable
{
    private const int MemoryBytes = 4 * 1024 * 1024;

    private readonly ExternalSort _sort = new(folder, MemoryBytes, cancellationToken);
    private readonly MemoryStream _entry = new();
    private long _count;

    public long Rejects { get; private set; }

    /// <exception cref="TempFileException">there is no room to put anything aside</exception>
    public void Add(RowBlock block)
    {
        var repair = 0;
        foreach (var reject in block.Rejects)
        {
            for (; repair < block.Repairs.Count && block.Repairs[repair].Record < reject.Record; repair++)
            {
                Add(block.Repairs[repair]);
            }

            Add(reject);
            Rejects++;
        }

        for (; repair < block.Repairs.Count; repair++)
        {
            Add(block.Repairs[repair]);
        }
    }

    /// <summary>All of them, to be asked for once; no more can be added.</summary>
    /// <exception cref="TempFileException">what was put aside cannot be read</exception>
    public IEnumerable<RecordIssue> ReadAll()
    {
        using var sorted = _sort.Sort();
        while (sorted.Read())
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return Of(sorted.Key[sizeof(long)..].ToArray());
        }
    }

    public void Dispose()
    {
        _sort.Dispose();
        _entry.Dispose();
    }

    private void Add(RecordIssue finding)
    {
        Span<byte> number = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(number, _count++);
        _entry.SetLength(0);
        _entry.Write(number);
        using (var writer = new BinaryWriter(_entry, Encoding.UTF8, leaveOpen: true))
        {
            writer.Write(finding is Reject);
            writer.Write(finding.Source);
            writer.Write(finding.Record);
            writer.Write(finding.Line);
            writer.Write(finding.Offset);
            writer.Write(finding.Column is not null);
            if (finding.Column is { } column)
            {
                writer.Write(column);
            }

            writer.Write(finding.Code);
            writer.Write(finding.Message);
            writer.Write(finding.Text.Span);
        }

        _sort.Add(_entry.GetBuffer().AsSpan(0, (int)_entry.Length), 0);
    }

    private static RecordIssue Of(byte[] bytes)
    {
        using var reader = new BinaryReader(new MemoryStream(bytes), Encoding.UTF8);
        var isReject = reader.ReadBoolean();
        var (source, record, line, offset) = (reader.ReadString(), reader.ReadInt64(), reader.ReadInt64(), reader.ReadInt64());
        var column = reader.ReadBoolean() ? reader.ReadString() : null;
        var (code, message) = (reader.ReadString(), reader.ReadString());
        var text = bytes.AsMemory((int)reader.BaseStream.Position);
        return isReject ? new Reject
        {
            Source = source,
            Record = record,
            Line = line,
            Offset = offset,
            Column = column,
            Code = code,
            Message = message,
            Text = text,
        }
            : new Repair
            {
                Source = source,
                Record = record,
                Line = line,
                Offset = offset,
                Column = column,
                Code = code,
                Message = message,
                Text = text,
            };
    }
}
