using System.Buffers;
using System.Buffers.Binary;
using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Feed;

/// <summary>The reading side of a job whose records are sorted: it reads and maps all inputs, and then gives them as one, whose records are
/// renumbered: first the refused ones, in the inputs' order, since they have no key; then the rows by their key. A record's number, and
/// where chunks end, depend on the inputs alone. Blocks are cut as <see cref="BlockProducer"/> cuts them; each record still knows its
/// place. Offsets are sums of the records' lengths, not those of the files: a line that is fixed behind what is committed may move all
/// others.</summary>
/// <param name="key">0-based places of the key's columns in the rows</param>
internal sealed class SortedBlockProducer(
    IReadOnlyList<LoadSource> sources, LoadFacts facts, BatchSizes sizes, BlockOutput output, KnownRecords known, IReadOnlyList<int> key)
{
    /// <summary>Memory for sorting, in bytes; more rows go to temporary files in pieces of this size.</summary>
    public const int DefaultMemoryBytes = 8 * 1024 * 1024;

    private const int BlocksAhead = 4;
    private const int RowsPerReadBlock = 2_000;
    private const long BytesPerReadBlock = 512 * 1024;

    private readonly LoadRequest _request = facts.Request;
    private readonly BlockBounds _bounds = new(sizes);
    private readonly ChunkCutter _cutter = new(sizes);
    private readonly long _lastCommitted = known.LastPlace;
    private RowBlock _block = output.Rent(source: 0);
    private long _place;
    private long _offset;
    private bool _isOpen;

    public Action? OnRead { get; init; }

    public int MemoryBytes { get; init; } = DefaultMemoryBytes;

    /// <summary>How inputs are divided between several readers.</summary>
    public PieceSizes Pieces { get; init; } = PieceSizes.For(facts);

    /// <summary>How it ended is in the channel's completion.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            using var rows = new RowSort(
                new KeyColumns([.. key.Select(place => (facts.Columns[place], place))]), facts.RowColumns.Count,
                isLastFirst: _request.Kind == JobKind.Update, _request.TempFolder, MemoryBytes, cancellationToken);
            using var findings = new IssueSpool(_request.TempFolder, cancellationToken);
            await ReadAsync(rows, findings, cancellationToken);
            await GiveAsync(rows, findings, cancellationToken);
            output.Complete();
        }
        catch (TempFileException fault)
        {
            output.Complete(new TempFileException($"{fault.Message}, or keep the input's order with --no-sort", fault));
        }
        catch (Exception fault)
        {
            // After any fault, the sending side must end, roll back what is open, and report the fault.
            output.Complete(fault);
        }
    }

    private async Task ReadAsync(RowSort rows, IssueSpool findings, CancellationToken cancellationToken)
    {
        var channel = Channel.CreateBounded<RowBlock>(new BoundedChannelOptions(BlocksAhead) { SingleReader = true, SingleWriter = true });
        var read = new BlockOutput(output.Blocks, channel.Writer, output.Read);
        var pump = new BlockProducer(sources, facts, new BatchSizes(RowsPerReadBlock, BytesPerReadBlock), read, KnownRecords.None)
        {
            Allowed = known.Rejects,
            Pieces = Pieces,
        };
        await using var pass = new InputPass(channel.Reader, pump.RunAsync, isPrompt: true, cancellationToken);
        await foreach (var block in pass.ReadAsync(output.Blocks, cancellationToken))
        {
            rows.Add(block);
            findings.Add(block);
            OnRead?.Invoke();
        }
    }

    private async Task GiveAsync(RowSort rows, IssueSpool findings, CancellationToken cancellationToken)
    {
        foreach (var finding in findings.ReadAll())
        {
            // Findings behind the last record go with that record.
            if (!_isOpen && _place < findings.Rejects + rows.Count && Open(isBound: false))
            {
                await HandOverAsync(cancellationToken);
            }

            Give(finding);
            if (_bounds.AreReachedBy(_block, sizes.BytesPerBatch))
            {
                await HandOverAsync(cancellationToken);
            }
        }

        // The reading has ended at the limit of refused records.
        var isWhole = findings.Rejects <= known.Rejects || !_request.StoppingRejects.IsExceededBy(findings.Rejects);
        while (isWhole && rows.Read())
        {
            if (!_isOpen && Open(rows.RepeatsKey && _request.RowsPerChunk is null))
            {
                await HandOverAsync(cancellationToken);
            }

            Give(rows.Current, rows.RepeatsKey);
        }

        if (isWhole)
        {
            known.Committed?.EndSource(0);
            _block.EndsChunk = true;
            _block.EndsSource = true;
            _block.EndsJob = true;
        }

        await output.WriteAsync(_block, cancellationToken);
    }

    /// <summary>Begins the next record.</summary>
    /// <param name="isBound">whether it should be in the chunk of the record before it, so that chunks have no keys in common</param>
    /// <returns>whether the block is complete before it</returns>
    private bool Open(bool isBound)
    {
        _isOpen = true;
        _place++;
        if (_place <= _lastCommitted)
        {
            return false;
        }

        if (_cutter.StartsChunk(_offset, isBound))
        {
            _block.EndsChunk = true;
            return true;
        }

        return _bounds.AreReachedBy(_block, sizes.BytesPerBatch);
    }

    private void Give(RecordIssue finding)
    {
        if (finding is Reject reject)
        {
            if (!IsCommitted(reject.Text.Span))
            {
                _block.AddReject(reject with { SortedPlace = (_place, _offset) });
            }

            Close(reject.Text.Length);
        }
        else if (_place == 0 || _place > _lastCommitted)
        {
            _block.AddRepair((Repair)finding);
        }
    }

    private void Give(SerializedRow row, bool isRepeated)
    {
        if (!IsCommitted(row.Original))
        {
            row.AddTo(_block, _place, _offset);
            if (isRepeated && _request.Kind != JobKind.Import)
            {
                // Only the first record with its key counts: in the inputs' order the first of a delete, and the last of an update.
                _block.Supersede(_block.RowCount - 1);
            }
        }

        Close(row.Original.Length);
    }

    /// <summary>Each record counts one byte more, for a line end.</summary>
    private void Close(int length)
    {
        _offset += length + 1;
        _isOpen = false;
    }

    private bool IsCommitted(ReadOnlySpan<byte> original) => known.Has(0, _place, _offset, original);

    private async ValueTask HandOverAsync(CancellationToken cancellationToken)
    {
        await output.WriteAsync(_block, cancellationToken);
        _block = output.Rent(source: 0);
    }
}

/// <summary>Sorts rows by their key, in bounded memory.</summary>
/// <param name="isLastFirst">whether of rows with the same key the last one in the inputs comes first; otherwise the first one. The one
/// that comes first counts for the others, and so is never committed behind them</param>
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

    /// <summary>Valid until the next <see cref="Read"/>.</summary>
    public SerializedRow Current => new(_sorted!.Key[(int)_sorted.Number..], columns);

    /// <exception cref="TempFileException">a temporary file cannot be written</exception>
    public void Add(RowBlock block)
    {
        for (var row = 0; row < block.RowCount; row++)
        {
            _entry.ResetWrittenCount();
            var room = _entry.GetSpan(key.MaxBytes(block, row) + sizeof(long));
            var length = key.Write(block, row, room);
            var id = RecordId.Of(block.Source, block.Record(row));
            BinaryPrimitives.WriteInt64BigEndian(room[length..], isLastFirst ? ~id : id);
            _entry.Advance(length + sizeof(long));
            SerializedRow.Write(block, row, _entry);
            _sort.Add(_entry.WrittenSpan, length + sizeof(long));
        }

        Count += block.RowCount;
    }

    /// <summary>Goes to the next row; after the first call, no rows can be added.</summary>
    /// <exception cref="TempFileException">a temporary file cannot be read</exception>
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

/// <summary>Findings of the reading side, in the input's order, in bounded memory.</summary>
internal sealed class IssueSpool(string folder, CancellationToken cancellationToken) : IDisposable
{
    private const int MemoryBytes = 4 * 1024 * 1024;

    private readonly ExternalSort _sort = new(folder, MemoryBytes, cancellationToken);
    private readonly MemoryStream _entry = new();
    private long _count;

    public long Rejects { get; private set; }

    /// <exception cref="TempFileException">a temporary file cannot be written</exception>
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

    /// <summary>All findings; can be called once, and then no more can be added.</summary>
    /// <exception cref="TempFileException">a temporary file cannot be read</exception>
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
            Write(writer, finding.Column);
            Write(writer, finding.At);
            writer.Write(finding.Code);
            writer.Write(finding.Message);
            writer.Write(finding.Text.Span);
        }

        _sort.Add(_entry.GetBuffer().AsSpan(0, (int)_entry.Length), 0);
    }

    private static void Write(BinaryWriter writer, string? text)
    {
        writer.Write(text is not null);
        writer.Write(text ?? "");
    }

    private static string? ReadText(BinaryReader reader)
    {
        var isThere = reader.ReadBoolean();
        var text = reader.ReadString();
        return isThere ? text : null;
    }

    private static RecordIssue Of(byte[] bytes)
    {
        using var reader = new BinaryReader(new MemoryStream(bytes), Encoding.UTF8);
        var isReject = reader.ReadBoolean();
        var (source, record, line, offset) = (reader.ReadString(), reader.ReadInt64(), reader.ReadInt64(), reader.ReadInt64());
        var (column, at) = (ReadText(reader), ReadText(reader));
        var (code, message) = (reader.ReadString(), reader.ReadString());
        var text = bytes.AsMemory((int)reader.BaseStream.Position);
        var place = new RecordPlace(source, record, line, offset, text, at);
        return isReject ? new Reject(place, code, message, column) : new Repair(place, code, message, column);
    }
}
