using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Values.Mapping;

namespace BulkLoad.Core.Feed;

/// <summary>The reading side: maps records of all inputs in order into blocks, and cuts these into chunks by the input alone. It hands
/// blocks to the sending side through a bounded channel, which limits how far it is ahead of the server. Refused records go with the block
/// in whose place they stood.</summary>
internal sealed class BlockProducer(
    IReadOnlyList<LoadSource> sources, LoadFacts facts, BatchSizes sizes, BlockOutput output, KnownRecords known)
{
    /// <summary>The first block is small and each next one twice as large, so that the server soon has something to do.</summary>
    private const long SmallFirstBlock = 64 * 1024;

    /// <summary>With more files than this, small ones go into a chunk together with their neighbours.</summary>
    private const int ManyFiles = 100;

    private const long SmallFile = 64 * 1024;

    private readonly LoadRequest _request = facts.Request;
    private readonly BlockBounds _bounds = new(sizes);
    private readonly ChunkCutter _cutter = new(sizes);
    private readonly MappedFields _mapped = new(sources, facts.Request);

    private long _bytesPerBlock = Math.Min(SmallFirstBlock, sizes.BytesPerBatch);

    private readonly List<(DirtKind Kind, long Line, long Offset, byte[] Text)> _passed = [];
    private long _loadedBefore;
    private long _left = facts.Request.Limit ?? long.MaxValue;
    private long _rejects = known.Rejects;

    /// <summary>Earlier rejects that stop nothing, since they were allowed when they were found.</summary>
    public long Allowed { get; init; } = known.Rejects;

    /// <summary>Whether the first block is as large as the others: with a long round trip, the waits between small ones would cost more
    /// than they gain.</summary>
    public bool BeginsLarge
    {
        init => _bytesPerBlock = value ? sizes.BytesPerBatch : _bytesPerBlock;
    }

    /// <summary>How inputs are divided between several readers.</summary>
    public PieceSizes Pieces { private get; init; } = PieceSizes.For(facts);

    private bool HasTooManyRejects => _rejects > Allowed && _request.StoppingRejects.IsExceededBy(_rejects);

    /// <summary>How it ended is in the channel's completion.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            for (var source = 0; source < sources.Count && !HasTooManyRejects; source++)
            {
                await PumpAsync(source, cancellationToken);
                if (_left == 0)
                {
                    PassOver(source + 1);
                    break;
                }
            }

            output.Complete();
        }
        catch (Exception fault)
        {
            // After any fault, the sending side must end, roll back what is open, and report the fault.
            output.Complete(fault);
        }
    }

    private async Task PumpAsync(int source, CancellationToken cancellationToken)
    {
        var tap = sources[source].Content?.CreateTap();
        using var input = sources[source].Open(_request.Source, tap, cancellationToken);
        if (input.Length != sources[source].Look.Length || input.Changed != sources[source].Look.Changed)
        {
            throw new InputException($"{input.Name}: changed while it was read; run the command again when nothing writes to it");
        }

        using var reader = sources[source].CreateReader(input, _request.Source);
        await using var pieces = CreatePieces(source, input, reader);
        reader.OnPassed = (kind, line, offset, text) => TakePassedLine(kind, line, input.SourceOffset(offset), text);
        var mapper = CreateMapper(source);
        _loadedBefore = 0;
        try
        {
            var end = await PumpAsync(source, input, reader, mapper, pieces, cancellationToken);
            if (end is { } limit)
            {
                sources[source].Content?.EndAt(limit, sources[source], _request.Source, cancellationToken);
            }
            else if (tap is not null)
            {
                sources[source].Content!.Take(tap);
            }
        }
        finally
        {
            Count(source, reader.RecordNumber, input.BytesRead);
        }
    }

    private RowMapper CreateMapper(int source) =>
        sources[source].CreateMapper(_request.Values, facts.Server.Zone, tellsAll: _request.Mode.IsCheck);

    /// <summary>Null: one reader reads the input. What looks at each record by itself needs them one by one.</summary>
    private PieceQueue? CreatePieces(int source, InputFile input, IRecordReader reader) =>
        Pieces.Readers > 1 && sources[source].Look.Length >= Pieces.MinInput && reader is IDivisibleReader { IsDivisible: true } divisible
            && _request.Limit is null && known is { Committed: null, ResumeAt: { Source: 0, Record: 0 } }
            && sources[source].Content is not { IsLeftOutInPart: true }
            ? new PieceQueue(input, divisible, () => CreateMapper(source), facts.RowColumns.Count, _request.Source.Dirt, Pieces)
            : null;

    /// <summary>Inputs behind the last record that the limit allows count as empty.</summary>
    private void PassOver(int from)
    {
        foreach (var source in sources.Skip(from))
        {
            source.Content?.EndAtStart();
        }
    }

    /// <returns>the offset of the first record that the limit does not allow; null: there is none</returns>
    private async Task<long?> PumpAsync(
        int source, InputFile input, IRecordReader reader, RowMapper mapper, PieceQueue? pieces, CancellationToken cancellationToken)
    {
        var block = output.Rent(source);
        var isCommitted = false;
        long? end = null;
        while (!HasTooManyRejects && reader.Read())
        {
            if (sources[source].Content is { LoadedUpTo: > 0 } content && content.IsInLoadedHead(input.SourceOffset(reader.ByteOffset)))
            {
                _passed.Clear();
                isCommitted = true;
                content.LoadedRecords = _loadedBefore = reader.RecordNumber;
                continue;
            }

            if (sources[source].Content is { LoadedFrom: not null } tail && tail.IsInLoadedTail(input.SourceOffset(reader.ByteOffset)))
            {
                _passed.Clear();
                isCommitted = true;
                _loadedBefore++;
                continue;
            }

            if (_left == 0)
            {
                // This record only shows where the one before it ends.
                end = input.SourceOffset(reader.ByteOffset);
                _loadedBefore++;
                break;
            }

            _left--;
            if (known.Has(source, reader.RecordNumber, input.SourceOffset(reader.ByteOffset), reader.RawRecord))
            {
                // The files of findings have what was found in it already, and what is between it and the input's end.
                _passed.Clear();
                isCommitted = true;
                continue;
            }

            isCommitted = false;
            if (IsCompleteBefore(reader.ByteOffset, block))
            {
                block = await HandOverAsync(block, reader.RecordNumber, input.BytesRead, cancellationToken);
            }

            TakePassedLines(block, input);
            Take(reader, input.SourceOffset(reader.ByteOffset), mapper, block, input.Name);
            if (pieces is not null && pieces.MayBegin(reader.ByteOffset))
            {
                block = await TakePiecesAsync(pieces, block, cancellationToken);
            }
        }

        if (!HasTooManyRejects)
        {
            if (end is null)
            {
                input.CheckUnchanged();
            }
            else
            {
                _passed.Clear();
            }

            _mapped.EndSource(source, reader);
            known.Committed?.EndSource(source);
            if (isCommitted)
            {
                _passed.Clear();
            }

            TakePassedLines(block, input);
            block.EndsSource = true;
            block.EndsJob = source == sources.Count - 1 || _left == 0;
            block.EndsChunk = block.EndsJob || !JoinsNext(source);
            if (block.EndsChunk)
            {
                _cutter.Reset();
            }
            else
            {
                _cutter.Join(sources[source].Look.Length!.Value);
            }
        }

        await GiveAsync(block, reader.RecordNumber, input.BytesRead, cancellationToken);
        return end;
    }

    /// <summary>Takes what several readers have mapped, until one reader must continue.</summary>
    /// <returns>the block that is filled next</returns>
    private async Task<RowBlock> TakePiecesAsync(PieceQueue pieces, RowBlock block, CancellationToken cancellationToken)
    {
        pieces.Begin();
        while (!HasTooManyRejects && await pieces.NextAsync() is { } piece)
        {
            block = await TakeAsync(piece, pieces, block, cancellationToken);
        }

        await pieces.EndAsync();
        return block;
    }

    private async Task<RowBlock> TakeAsync(PieceReader piece, PieceQueue pieces, RowBlock block, CancellationToken cancellationToken)
    {
        var (rows, place) = (piece.Rows, pieces.Place);
        var (row, rejects) = (0, 0);
        while (row < rows.RowCount || rejects < rows.Rejects.Count)
        {
            // All records of the piece are rows or rejects.
            var before = rejects < rows.Rejects.Count ? (int)rows.Rejects[rejects].Record - 1 - rejects : rows.RowCount;
            var reject = row == before ? rows.Rejects[rejects] : null;
            var count = before - row;
            while (count > 1 && !HasRoomFor(rows, row, count, block))
            {
                count /= 2;
            }

            if (count <= 1 && IsCompleteBefore(reject?.Offset ?? rows.Offset(row), block))
            {
                block = await HandOverAsync(block, pieces.Count(row + rejects + 1), piece.BytesRead, cancellationToken);
            }

            if (reject is null)
            {
                block.AddRows(rows, row, count, place.Records, place.Line - 1);
                pieces.ConvertOffsets(block, count);
                row += count;
                continue;
            }

            block.AddReject(pieces.Convert(reject));
            rejects++;
            _rejects++;
            if (HasTooManyRejects)
            {
                break;
            }
        }

        pieces.Take(piece, row + rejects);
        return block;
    }

    /// <summary>Whether surely no block and no chunk ends before any of these rows. If so, they are counted.</summary>
    private bool HasRoomFor(RowBlock rows, int from, int count, RowBlock block) =>
        _bounds.HaveRoomFor(block, _bytesPerBlock, count, rows.ByteCountOf(from, count), rows.OriginalsOf(from, count).Length)
        && _cutter.Take(rows.Offset(from), rows.Offset(from + count - 1), count);

    /// <summary>Whether a block ends before the record at this offset. Called once for each record, in order.</summary>
    private bool IsCompleteBefore(long offset, RowBlock block)
    {
        if (_cutter.StartsChunk(offset))
        {
            block.EndsChunk = true;
            return true;
        }

        return _bounds.AreReachedBy(block, _bytesPerBlock);
    }

    /// <summary>Whether the next input goes into the same chunk: otherwise each small file would be a COMMIT. False where each record must
    /// know whether another one with its key comes.</summary>
    private bool JoinsNext(int source) => sources.Count > ManyFiles && known.Superseded is null
        && sources[source].Look.Length <= SmallFile
        && sources[source + 1].Look.Length is <= SmallFile and { } bytes && _cutter.HasRoom(bytes);

    private void Take(IRecordReader reader, long offset, RowMapper mapper, RowBlock block, string name)
    {
        if (!mapper.TryAdd(reader, name, offset, block))
        {
            _rejects++;
        }
        else if (reader.Repair is { } repair)
        {
            var place = reader.PlaceIn(name, offset, repair.Field);
            block.AddRepair(new Repair(place, repair.Code, repair.Message, mapper.ColumnOf(repair.Field)));
        }
    }

    private async ValueTask<RowBlock> HandOverAsync(RowBlock block, long records, long bytes, CancellationToken cancellationToken)
    {
        var source = block.Source;
        await GiveAsync(block, records, bytes, cancellationToken);
        return output.Rent(source);
    }

    private ValueTask GiveAsync(RowBlock block, long records, long bytes, CancellationToken cancellationToken)
    {
        Count(block.Source, records, bytes);
        _bytesPerBlock = Math.Min(_bytesPerBlock * 2, sizes.BytesPerBatch);
        MarkSuperseded(block);
        return output.WriteAsync(block, cancellationToken);
    }

    private void MarkSuperseded(RowBlock block)
    {
        for (var row = 0; known.Superseded is not null && row < block.RowCount; row++)
        {
            if (known.Superseded.Has(RecordId.Of(block.Source, block.Record(row))))
            {
                block.Supersede(row);
            }
        }
    }

    private void Count(int source, long records, long bytes)
    {
        output.Read.SetRecords(source, records - _loadedBefore);
        output.Read.SetBytes(source, bytes);
    }

    /// <summary>An empty line that no option calls dirt has nothing to report.</summary>
    private void TakePassedLine(DirtKind kind, long line, long offset, ReadOnlySpan<byte> text)
    {
        if (_request.Source.Dirt.Names(kind))
        {
            _passed.Add((kind, line, offset, text.ToArray()));
        }
    }

    private void TakePassedLines(RowBlock block, InputFile input)
    {
        foreach (var (kind, line, offset, text) in _passed)
        {
            var place = new RecordPlace(input.Name, block.LastRecord, line, offset, text);
            block.AddRepair(new Repair(place, DirtPolicies.NameOf(kind), "passed over", null));
        }

        _passed.Clear();
    }
}

internal sealed class BlockBounds(BatchSizes sizes)
{
    /// <summary>A block ends with so many refused and repaired records, however few rows it has.</summary>
    private const int MaxFindings = 10_000;

    /// <summary>A block may have as many values as bytes, but at least so many: rows of many columns are mostly NULL.</summary>
    private const long MinValues = 1024 * 1024;

    /// <summary>Limit of the input's bytes in a block, as a multiple of its values' bytes: fields may be skipped.</summary>
    private const int MaxOriginalBytes = 2;

    /// <summary>A block may exceed its size by this part (1/n), to end with a statement.</summary>
    private const int ShareOfRest = 8;

    private readonly int _rows = sizes.RowsPerBatch - (sizes.RowsPerBatch > sizes.RowsPerStatement
        ? sizes.RowsPerBatch % sizes.RowsPerStatement : 0);

    /// <summary>Each value has its own end in its block, also an empty one.</summary>
    private readonly long _values = Math.Min(sizes.ValuesPerBlock, Math.Max(MinValues, sizes.BytesPerBatch));

    public bool AreReachedBy(RowBlock block, long bytes) => block.RowCount >= _rows
        || (IsNextTooMuch(block, bytes) && EndsStatement(block, bytes))
        || (long)block.RowCount * block.ColumnCount >= _values
        || block.OriginalByteCount >= bytes * MaxOriginalBytes
        || block.Rejects.Count + block.Repairs.Count >= MaxFindings;

    /// <summary>Whether surely no bound is reached before any of more rows. No, if it is not sure.</summary>
    public bool HaveRoomFor(RowBlock block, long bytes, int rows, int valueBytes, int originalBytes)
    {
        var (all, values) = (block.RowCount + rows, block.ByteCount + (long)valueBytes);
        return all <= _rows
            && values + (values / Math.Max(1, block.RowCount)) <= bytes
            && (long)all * block.ColumnCount < _values
            && block.OriginalByteCount + originalBytes < bytes * MaxOriginalBytes
            && block.Rejects.Count + block.Repairs.Count < MaxFindings;
    }

    /// <summary>Whether the rows are whole statements, or too large for the block to end with one.</summary>
    private bool EndsStatement(RowBlock block, long bytes) =>
        block.RowCount % sizes.RowsPerStatement == 0
        || (long)sizes.RowsPerStatement * (block.ByteCount / block.RowCount) > bytes / ShareOfRest;

    /// <summary>Whether another row like those that are there would exceed the block's size: all blocks would keep the room of a long row
    /// too many.</summary>
    private static bool IsNextTooMuch(RowBlock block, long bytes) =>
        block.ByteCount > bytes - (block.RowCount == 0 ? 0 : block.ByteCount / block.RowCount);
}

/// <summary>Decides where chunks begin: by offsets and counts of the input alone, so that another run cuts at the same places.</summary>
internal sealed class ChunkCutter(BatchSizes sizes)
{
    /// <summary>A chunk is extended by so many records at most, and by a quarter of its bytes.</summary>
    private const int MaxBound = 1_000;

    private const int MaxJoined = 1_000;

    private long _start = -1;
    private long _records;
    private long _joinedBytes;
    private int _joined;
    private int _bound;

    public void Reset() => (_start, _records, _joinedBytes, _joined, _bound) = (-1, 0, 0, 0, 0);

    /// <summary>Puts the next input into the same chunk.</summary>
    /// <param name="bytes">of the input that has ended</param>
    public void Join(long bytes) => (_start, _joinedBytes, _joined) = (-1, _joinedBytes + bytes, _joined + 1);

    public bool HasRoom(long bytes) =>
        _joined < MaxJoined && _joinedBytes + bytes < sizes.BytesPerChunk / 2 && _records < sizes.RowsPerChunk;

    /// <summary>Counts records of which none begins a chunk. False: one may, and none was counted.</summary>
    /// <param name="first">offset of the first one</param>
    /// <param name="last">offset of the last one</param>
    public bool Take(long first, long last, int records)
    {
        var start = _start < 0 ? first : _start;
        if (_joinedBytes + last - start >= sizes.BytesPerChunk || _records + records > sizes.RowsPerChunk)
        {
            return false;
        }

        (_start, _records) = (start, _records + records);
        return true;
    }

    /// <summary>Whether the record at this offset begins a chunk. Called once for each record, in order.</summary>
    /// <param name="isBound">whether the record should stay with the one before it</param>
    public bool StartsChunk(long offset, bool isBound = false)
    {
        _start = _start < 0 ? offset : _start;
        var bytes = _joinedBytes + offset - _start;
        if (_records == 0 || (bytes < sizes.BytesPerChunk && _records < sizes.RowsPerChunk))
        {
            _records++;
            return false;
        }

        if (isBound && _bound < MaxBound && bytes - sizes.BytesPerChunk < sizes.BytesPerChunk / 4)
        {
            _bound++;
            return false;
        }

        Reset();
        (_start, _records) = (offset, 1);
        return true;
    }
}
