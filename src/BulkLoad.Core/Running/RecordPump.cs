using System.Threading.Channels;
using BulkLoad.Core.Mapping;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Rejects;

namespace BulkLoad.Core.Running;

/// <summary>
/// The reading side: records of all inputs in order, mapped into blocks, cut into chunks by the input alone. Runs beside the
/// sending side and hands blocks over through a bounded channel, so that it can be ahead of the server by that much and no more.
/// Records that reader or rules refuse go with the block in whose place they stood.
/// </summary>
internal sealed class RecordPump(
    IReadOnlyList<LoadSource> sources, LoadRequest request, BatchSizes sizes, ValueZone zone, ReadCounts counts, BlockPool blocks, ChannelWriter<RowBlock> output)
{
    /// <summary>The first block is small and each next one twice as large, so that the server has something to do at once.</summary>
    private const long FirstBlockBytes = 64 * 1024;

    /// <summary>A block ends with so many refused records, however few rows it has.</summary>
    private const int MostRejectsPerBlock = 10_000;

    /// <summary>A block may hold so many times as many bytes of the input as of values: fields may be passed over.</summary>
    private const int MostOriginalBytes = 2;

    private long _bytesPerBlock = Math.Min(FirstBlockBytes, sizes.BytesPerBatch);

    private long _rejects;

    private bool HasTooManyRejects => request.MaxRejects.IsExceededBy(_rejects);

    /// <summary>Pumps until the end, a refused record too many, or cancellation; how it ended is in the channel's completion.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            for (var source = 0; source < sources.Count && !HasTooManyRejects; source++)
            {
                await PumpAsync(source, cancellationToken);
            }

            output.Complete();
        }
        catch (Exception fault)
        {
            // Whatever it was, the sending side must end, roll back what is open, and tell.
            output.Complete(fault);
        }
    }

    private async Task PumpAsync(int source, CancellationToken cancellationToken)
    {
        using var input = sources[source].Opened ?? InputFile.Open(sources[source].Look.Path!, request.Source, cancellationToken);
        if (input.Length != sources[source].Look.Length || input.Changed != sources[source].Look.Changed)
        {
            throw new InputException($"{input.Name}: changed while it was read; run the command again when nothing writes to it");
        }

        using var reader = RecordReaders.Create(input, request.Source, sources[source].Look);
        reader.JoinsSurplus = sources[source].Mapping.EndsWithText;
        var mapper = new RowMapper(sources[source].Mapping, request.Values.In(sources[source].Look.Format), zone);
        var cutter = new ChunkCutter(sizes);
        try
        {
            await PumpAsync(source, input, reader, mapper, cutter, cancellationToken);
        }
        finally
        {
            Count(source, reader, input);
        }
    }

    private async Task PumpAsync(int source, InputFile input, IRecordReader reader, RowMapper mapper, ChunkCutter cutter, CancellationToken cancellationToken)
    {
        var block = Rent(source);
        while (!HasTooManyRejects && reader.Read())
        {
            if (cutter.StartsChunk(reader.ByteOffset))
            {
                block.EndsChunk = true;
                block = await HandOverAsync(block, reader, input, cancellationToken);
            }
            else if (IsFull(block))
            {
                block = await HandOverAsync(block, reader, input, cancellationToken);
            }

            if (mapper.Add(reader, reader.ByteOffset, block) is { } fault)
            {
                _rejects++;
                block.AddReject(RejectOf(fault, mapper, reader, input));
            }
        }

        if (!HasTooManyRejects)
        {
            input.CheckUnchanged();
            block.EndsChunk = true;
            block.EndsJob = source == sources.Count - 1;
        }

        await HandOverAsync(block, reader, input, cancellationToken);
    }

    private bool IsFull(RowBlock block) => block.RowCount >= sizes.RowsPerBatch
        || block.ByteCount >= _bytesPerBlock
        || block.OriginalByteCount >= _bytesPerBlock * MostOriginalBytes
        || block.Rejects.Count >= MostRejectsPerBlock;

    private RowBlock Rent(int source)
    {
        var block = blocks.Rent();
        block.Source = source;
        return block;
    }

    private async ValueTask<RowBlock> HandOverAsync(RowBlock block, IRecordReader reader, InputFile input, CancellationToken cancellationToken)
    {
        var source = block.Source;
        Count(source, reader, input);
        _bytesPerBlock = Math.Min(_bytesPerBlock * 2, sizes.BytesPerBatch);
        await output.WriteAsync(block, cancellationToken);
        return Rent(source);
    }

    private void Count(int source, IRecordReader reader, InputFile input)
    {
        counts.SetRecords(source, reader.RecordNumber);
        counts.SetBytes(source, input.BytesRead);
    }

    private static Reject RejectOf(RecordFault fault, RowMapper mapper, IRecordReader reader, InputFile input) => new()
    {
        Source = input.Name,
        Record = reader.RecordNumber,
        Line = reader.LineNumber,
        Offset = reader.ByteOffset,
        Column = mapper.ColumnOf(fault),
        Code = fault.Code,
        Message = fault.Message,
        Original = reader.RawRecord.ToArray(),
    };
}
