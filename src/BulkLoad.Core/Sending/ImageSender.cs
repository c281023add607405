using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>Keeps the rows that a batch finds as they were before it, and as it has left them, in the batch's own transaction: what rolls
/// the batch back takes these away too.</summary>
/// <param name="sender">of the strategy; owned from here on</param>
internal sealed class ImageSender(IBatchSender sender, IServerSession session, LoadFacts facts) : IBatchSender
{
    private readonly ImageBatch?[] _batches = new ImageBatch?[2];
    private readonly bool _deletes = facts.Images!.After is null;
    private int _turn;

    public static IBatchSender Around(IBatchSender sender, IServerSession session, LoadFacts facts) =>
        facts.Images is { Before: not null } ? new ImageSender(sender, session, facts) : sender;

    public EncodedBatch Encode(RowBlock block, int from, int max)
    {
        var batch = _batches[_turn++ & 1] ??= new ImageBatch(facts);
        batch.Fill(sender.Encode(block, from, max), block, from);
        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var images = (ImageBatch)batch;
        var kept = await RunAsync(images.Before, cancellationToken);

        // What follows is about this batch.
        var outcome = await sender.SendAsync(images.Inner, isMoreToCome: false, onSent, cancellationToken);
        if (outcome.Refusal is not null)
        {
            await session.ExecuteAsync(ImageSql.RollBack, cancellationToken);
            return outcome;
        }

        if (!_deletes)
        {
            Require(await RunAsync(images.After, cancellationToken) == kept);
        }
        else if (outcome.Taken.DeletedRows != kept)
        {
            Require(outcome.Taken.DeletedRows < kept);
            await RunAsync(images.After, cancellationToken);
        }

        return outcome;
    }

    public ValueTask DisposeAsync() => sender.DisposeAsync();

    /// <returns>number of rows that were copied</returns>
    private async ValueTask<long> RunAsync(Pipeline pipeline, CancellationToken cancellationToken)
    {
        await PipelineFaults.RunAsync(session, pipeline, static () => { }, cancellationToken);
        if (pipeline.Faults.Count > 0)
        {
            throw Differ(pipeline.Faults[0].Error.Message);
        }

        if (CountCopied(pipeline) is { } copied)
        {
            return copied;
        }

        var warnings = (await session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken)).Rows;
        throw Differ(warnings is [[_, _, { } first], ..] ? first : "the server warns");
    }

    /// <returns>null: the server warns</returns>
    private static long? CountCopied(Pipeline pipeline)
    {
        var copied = 0L;
        Span<long> numbers = stackalloc long[3];
        foreach (var answer in pipeline.Answers)
        {
            if (answer.Warnings > 0)
            {
                return null;
            }

            copied += answer.ReadNumbers(numbers) == numbers.Length ? numbers[0] : 0;
        }

        return copied;
    }

    private ReconciliationException Differ(string why) => new(
        $"rows of {facts.Table.DisplayName} could not be kept as they are for --undoable: {why}; was the table altered while the job ran?");

    private void Require(bool holds)
    {
        if (!holds)
        {
            throw new ServerException(FaultKind.TransactionLost, $"rows of {facts.Table.DisplayName} with keys of a batch came or went "
                + "between their images and the change, by others or by a trigger");
        }
    }
}

/// <summary>A batch with the statements that keep its rows.</summary>
internal sealed class ImageBatch : EncodedBatch
{
    private const int KeysPerList = 1000;

    /// <summary>A list must fit into a packet, whatever the keys are.</summary>
    private const int ShareOfPacket = 4;

    private readonly ArrayBufferWriter<byte> _text = new();
    private readonly ImageSql _sql;
    private readonly KeySql _keys;
    private readonly bool _deletes;
    private readonly int _maxKeys;
    private readonly long _maxBytes;
    private int[] _rows = [];

    public ImageBatch(LoadFacts facts)
    {
        var images = facts.Images!;
        _keys = KeySql.Of(facts);
        _deletes = images.After is null;

        // An update is compared with its images by their number; and what a record deletes may let --where pass the next one's row.
        var where = _deletes && !KeyRules.IsOneByOne(facts) ? facts.Request.Key.Where : null;
        _sql = new ImageSql(
            facts.Table, images.Before!, images.After, _keys, facts.Key!.Index?.Name, where, facts.Server.IsMariaDb);
        _maxKeys = Math.Min(KeysPerList, facts.Key.MaxListKeys);
        _maxBytes = Math.Min(1024 * 1024, facts.Server.MaxAllowedPacket / ShareOfPacket);
    }

    public EncodedBatch Inner { get; private set; } = null!;

    public Pipeline Before { get; } = new();

    /// <summary>Keeps rows as the batch has left them, or forgets those that it has not deleted.</summary>
    public Pipeline After { get; } = new();

    public void Fill(EncodedBatch inner, RowBlock block, int from)
    {
        (Inner, RowCount) = (inner, inner.RowCount);
        Before.Clear();
        After.Clear();
        Before.Add(Encoding.ASCII.GetBytes(ImageSql.Savepoint));
        if (_rows.Length < _maxKeys)
        {
            _rows = new int[_maxKeys];
        }

        var (count, bytes) = (0, 0L);
        for (var row = from; row < from + RowCount; row++)
        {
            if (block.IsSuperseded(row))
            {
                continue;
            }

            // A literal is at most twice as long as its value.
            var more = (block.ByteCountOf(row, 1) * 2L) + _keys.KeyOverhead;
            if (count == _maxKeys || (count > 0 && bytes + more > _maxBytes))
            {
                Add(block, count);
                (count, bytes) = (0, 0);
            }

            _rows[count++] = row;
            bytes += more;
        }

        if (count > 0)
        {
            Add(block, count);
        }
    }

    private void Add(RowBlock block, int count)
    {
        _text.ResetWrittenCount();
        _sql.WriteBefore(count, Value, _text);
        Before.Add(_text.WrittenSpan);
        _text.ResetWrittenCount();
        if (_deletes)
        {
            _sql.WriteForget(count, Value, _text);
        }
        else
        {
            _sql.WriteAfter(count, Value, _text);
        }

        After.Add(_text.WrittenSpan);

        ReadOnlySpan<byte> Value(int key, int column)
        {
            block.Get(_rows[key], column, out var value);
            return value;
        }
    }
}
