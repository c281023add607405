using System.Threading.Channels;
using BulkLoad.Core.Mapping;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Rejects;

namespace BulkLoad.Core.Running;

/// <summary>
/// The reading side: records of all inputs in order, mapped into blocks, cut into chunks by the input alone. Runs beside the
/// sending side and hands blocks over through a bounded channel, so that it can be ahead of the server by that much and no more.
/// </summary>
internal sealed class RecordPump(
    IReadOnlyList<LoadSource> sources, LoadRequest request, BatchSizes sizes, TimeZoneInfo? zone, ReadCounts counts, BlockPool blocks, ChannelWriter<RowBlock> output)
{
    /// <summary>The first block is small and each next one twice as large, so that the server has something to do at once.</summary>
    private const long FirstBlockBytes = 64 * 1024;

    private long _bytesPerBlock = Math.Min(FirstBlockBytes, sizes.BytesPerBatch);

    /// <summary>Pumps until the end, the first refused record, or cancellation; how it ended is in the channel's completion.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            for (var source = 0; source < sources.Count; source++)
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
        var mapper = new RowMapper(sources[source].Mapping, zone, request.NullValues);
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
        while (reader.Read())
        {
            if (cutter.StartsChunk(reader.ByteOffset))
            {
                block.EndsChunk = true;
                block = await HandOverAsync(block, reader, input, cancellationToken);
            }
            else if (block.RowCount >= sizes.RowsPerBatch || block.ByteCount >= _bytesPerBlock)
            {
                block = await HandOverAsync(block, reader, input, cancellationToken);
            }

            if (mapper.Add(reader, block) is { } fault)
            {
                Refuse(fault, mapper, reader, input);
            }
        }

        input.CheckUnchanged();
        block.EndsChunk = true;
        await HandOverAsync(block, reader, input, cancellationToken);
    }

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

    private static void Refuse(RecordFault fault, RowMapper mapper, IRecordReader reader, InputFile input)
    {
        throw new RefusedRecordException(new Reject
        {
            Source = input.Name,
            Record = reader.RecordNumber,
            Line = reader.LineNumber,
            Offset = reader.ByteOffset,
            LastLine = reader.LineNumber,
            Column = mapper.ColumnOf(fault),
            Code = fault.Code,
            Message = fault.Message,
        });
    }
}
