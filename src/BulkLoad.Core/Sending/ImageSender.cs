using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>Keeps the rows that a batch finds as they were before it, and as it has left them, in the batch's own transaction: what rolls
/// the batch back takes these away too.</summary>
/// <param name="sender">of the strategy; owned from here on</param>
internal sealed class ImageSender(IBatchSender sender, IServerSession session, LoadFacts facts) : IBatchSender
{
    private readonly ImageBatch?[] _batches = new ImageBatch?[2];
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

        switch (facts.Request.Kind)
        {
            case JobKind.Import:
                RequireInserted(await RunAsync(images.After, cancellationToken) - kept, outcome.Taken);
                break;
            case JobKind.Update:
                Require(await RunAsync(images.After, cancellationToken) == kept);
                break;
            case JobKind.Delete when outcome.Taken.DeletedRows != kept:
                Require(outcome.Taken.DeletedRows < kept);
                await RunAsync(images.After, cancellationToken);
                break;
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

    /// <param name="found">rows with the batch's keys, less those that were there before; a row counts in each list of keys that has
    /// one of its records</param>
    private void RequireInserted(long found, RowCounts taken)
    {
        if (facts.Request.OnDuplicate == DuplicateMode.Error && found != taken.Inserted
            && facts.Table.InsertTriggers.FirstOrDefault(TableFacts.RunsBefore) is { } trigger)
        {
            throw new ReconciliationException($"--undoable: {Plural.Count(taken.Inserted, "row")} of {facts.Table.DisplayName} were "
                + $"inserted, and {found:N0} have the keys of their records: does trigger {trigger} change them?");
        }

        Require(found >= taken.Inserted && found <= (facts.Request.OnDuplicate == DuplicateMode.Error ? taken.Inserted : taken.Present));
    }

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

    /// <summary>0-based, of the key's values in a row.</summary>
    private readonly int[] _places;
    private readonly JobKind _kind;

    /// <summary>Whether rows may be there before the batch, and stay.</summary>
    private readonly bool _findsRows;
    private readonly string _table;
    private readonly int _maxKeys;
    private readonly long _maxBytes;
    private int[] _rows = [];

    public ImageBatch(LoadFacts facts)
    {
        var images = facts.Images!;
        _places = images.Found is { } found ? [.. VerifyRules.PlacesOf(facts, found)] : [.. Enumerable.Range(0, facts.KeyCount)];
        TableColumn[] columns = [.. _places.Select(place => facts.Columns[place])];
        _keys = facts.Key is null ? new KeySql(facts.Table, columns, columns, where: null) : KeySql.Of(facts);
        (_kind, _table) = (facts.Request.Kind, facts.Table.DisplayName);
        _findsRows = facts.Key is not null || facts.Request.OnDuplicate != DuplicateMode.Error;

        // An update is compared with its images by their number; and what a record deletes may let --where pass the next one's row.
        var where = _kind == JobKind.Delete && !KeyRules.IsOneByOne(facts) ? facts.Request.Key.Where : null;
        var index = facts.Key is { } key ? key.Index?.Name : images.Found!.Name;
        _sql = new ImageSql(facts.Table, images.Before!, images.After, _keys, index, where, facts.Server.IsMariaDb,
            ImageRules.CopiesInUtc(facts));
        _maxKeys = Math.Min(KeysPerList, images.MaxListKeys);
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

            var more = BytesOfKey(block, row);
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

    private long BytesOfKey(RowBlock block, int row)
    {
        var bytes = (long)_keys.KeyOverhead;
        foreach (var place in _places)
        {
            // A literal is at most twice as long as its value.
            var state = block.Get(row, place, out var value);
            bytes += value.Length * 2L;
            if (state != CellState.Value && _kind == JobKind.Import)
            {
                throw new PlanException($"--undoable: record {block.Record(row):N0} has no value for the key of {_table}, and the row that "
                    + "the server makes of it would not be known: leave --undoable out, or fill the key in each record");
            }
        }

        return bytes;
    }

    private void Add(RowBlock block, int count)
    {
        if (_findsRows)
        {
            _text.ResetWrittenCount();
            _sql.WriteBefore(count, Value, _text);
            Before.Add(_text.WrittenSpan);
        }

        _text.ResetWrittenCount();
        switch (_kind)
        {
            case JobKind.Delete:
                _sql.WriteForget(count, Value, _text);
                break;
            case JobKind.Update:
                _sql.WriteAfter(count, Value, _text);
                break;
            default:
                _sql.WriteAfterInsert(count, Value, _text);
                break;
        }

        After.Add(_text.WrittenSpan);

        ReadOnlySpan<byte> Value(int key, int column)
        {
            block.Get(_rows[key], _places[column], out var value);
            return value;
        }
    }
}
