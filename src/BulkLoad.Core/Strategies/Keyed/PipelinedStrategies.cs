using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>One prepared DELETE per record, sent before earlier answers are read: the outcome of each record is known at once, an error
/// concerns its record alone, and the order of the records can be kept. MariaDB executes it for many records in one packet, while each
/// finds its row.</summary>
internal sealed class PipelinedDeleteStrategy : ILoadStrategy
{
    /// <summary>Whether a record is known to find no row, or to be refused, so that each is sent by itself.</summary>
    public bool IsForFaults { get; init; }

    public string Name => PipelinedSender.Strategy;

    public string? FindObstacle(LoadFacts facts) =>
        facts.Server.MaxPreparedStatements > 0 ? null : "the server keeps no prepared statements (max_prepared_stmt_count is 0)";

    public Assessment Assess(LoadFacts facts) => new(
        Describe(facts), new Cost(GoesInBulk(facts) ? KeyCosts.OfBulkDelete(facts) : KeyCosts.OfRowDelete(facts), 1, 2), KeySizes.OfRows);

    private string Describe(LoadFacts facts)
    {
        if (KeyRules.IsOneByOne(facts))
        {
            return "one DELETE a record in the file's order, which decides, sent ahead of the answers";
        }

        // On a slow network a round trip per row would decide the time; neither of the two needs one.
        var route = facts.Server.RoundTrip.TotalMilliseconds is >= 1 and var milliseconds
            ? $", on this route too: the {milliseconds:F1} ms of an answer are waited for once a batch, as they are by lists"
            : "";
        return GoesInBulk(facts)
            ? $"one DELETE a record, sent ahead of the answers in packets of many records: exact for each of them, and more than twice "
                + $"the server's work of a list{route}"
            : $"one DELETE a record, sent ahead of the answers: exact for each of them, and three to four times the server's work of a "
                + $"list{route}";
    }

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes)
    {
        var size = GoesInBulk(facts) ? $"executed for up to {PipelinedBatch.KeysInBulk} records at once" : "for each record";
        return [TransactionSql.Savepoint(0), $"{KeySql.Of(facts).PreparedDelete()} ({size})"];
    }

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new PipelinedSender(session, facts, new DeleteStatement(facts), sizes.RowsPerBatch, GoesInBulk(facts));

    /// <summary>Whether one answer tells the outcome of many records: if it counts as many rows, each has found its own.</summary>
    private bool GoesInBulk(LoadFacts facts) =>
        !IsForFaults && facts.Key!.IsUnique && facts.Table.UndoesBatches && !KeyRules.IsOneByOne(facts)
        && BulkRules.FindServerObstacle(facts) is null;
}

/// <summary>One UPDATE per record, sent before earlier answers are read: the outcome of each record is known at once, an error concerns its
/// record alone, the order of the records can be kept, and each can change other columns.</summary>
internal sealed class PipelinedUpdateStrategy : ILoadStrategy
{
    public string Name => PipelinedSender.Strategy;

    public string? FindObstacle(LoadFacts facts) => null;

    /// <summary>The cost was measured with three values a row (docs/strategies.md).</summary>
    public Assessment Assess(LoadFacts facts) => new(
        UpdateRules.CanSort(facts)
            ? "one UPDATE a record, sent ahead of the answers: exact for each of them, and three times the server's work of a set"
            : "one UPDATE a record in the file's order, sent ahead of the answers",
        new Cost(KeyCosts.OfRowUpdate(facts), 1, 2), KeySizes.OfRows);

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes)
    {
        var columns = facts.RecordsCanLackColumns ? ", with the columns that it has" : "";
        return [TransactionSql.Savepoint(0), $"{new UpdateSql(facts).PreparedRow()} (for each record{columns})"];
    }

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new PipelinedSender(session, facts, new UpdateStatement(facts), sizes.RowsPerBatch, isInBulk: false);
}

/// <summary>Sends a statement for each row. One that fails has undone itself, and its record becomes a reject; what was not sent by then is
/// sent afterwards. Only a warning or an impossible count undoes the batch. Executed in bulk, many keys have one answer: if it counts as
/// many rows as keys, each has found its row; else the batch is undone and sent again key by key.</summary>
/// <param name="isInBulk">whether to begin with executions in bulk, which the server must support</param>
internal sealed class PipelinedSender(IServerSession session, LoadFacts facts, KeyedStatement statement, int rowsPerBatch, bool isInBulk)
    : KeyedSender<PipelinedBatch>(session, facts, rowsPerBatch)
{
    /// <summary>Name for <c>--strategy</c>, of an update and of a delete.</summary>
    public const string Strategy = "pipelined";

    private readonly BulkBackoff _bulk = new(isInBulk);

    protected override LazyStatement Prepared { get; } = new(session, () => statement.Prepared);

    protected override PipelinedBatch CreateBatch() =>
        new(statement.CreateOrder(areAlone: true), statement, Prepared, Facts.Server, Facts.Table.UndoesBatches, _bulk);

    protected override async ValueTask<BatchOutcome> SendAsync(PipelinedBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        if (!batch.IsWritten)
        {
            await Prepared.GetAsync(cancellationToken);
            batch.Write();
        }

        if (batch.InBulk.Count > 0)
        {
            await PipelineFaults.RunAsync(Session, batch.Pipeline, onSent, cancellationToken);
            if (batch.CountInBulk() is { } taken)
            {
                _bulk.Confirm();
                return taken;
            }

            _bulk.Delay();
            await RollBackAsync(cancellationToken);
            batch.WriteOneByOne();
            onSent = static () => { };
        }

        return await SendOneByOneAsync(batch, onSent, cancellationToken);
    }

    private async ValueTask<BatchOutcome> SendOneByOneAsync(PipelinedBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        var taken = new RowCounts { Superseded = batch.Superseded };
        var missing = new List<int>();
        var refused = new List<(int Row, BatchRefusal Refusal)>();
        do
        {
            await PipelineFaults.RunAsync(Session, batch.Pipeline, onSent, cancellationToken);
            onSent = static () => { };
            foreach (var (row, answer, error) in batch.ReadAnswers())
            {
                if (error is not null)
                {
                    refused.Add((row, BatchRefusals.OfError(error)));
                }
                else if (statement.Count(answer, 1) is not { } counted)
                {
                    var refusal = await UndoAsync(batch, answer, 1, cancellationToken);
                    return batch.RowCount > 1 ? refusal with { Row = row } : refusal;
                }
                else if (counted.Count == 0)
                {
                    missing.Add(row);
                }
                else
                {
                    taken += counted;
                }
            }
        }
        while (batch.KeepUnsent());

        refused.AddRange(batch.TooLarge.Select(found => (batch.Row(found.Key), TooLarge(found.Bytes, 0))));
        refused.Sort(static (one, other) => one.Row.CompareTo(other.Row));
        missing.Sort();
        return (BatchOutcome)taken with { Missing = missing, Refused = refused };
    }
}

/// <summary>After a batch that did not find all its rows, batches are sent key by key, twice as many each time.</summary>
internal sealed class BulkBackoff(bool isInBulk)
{
    private const int MaxDelay = 64;

    private int _delay;
    private int _waiting;

    public bool IsDue()
    {
        if (_waiting == 0)
        {
            return isInBulk;
        }

        _waiting--;
        return false;
    }

    public void Confirm() => _delay = 0;

    public void Delay() => _waiting = _delay = Math.Clamp(_delay * 2, 1, MaxDelay);
}

/// <summary>Rows of a block in a pipeline, after the batch's savepoint: an execution of the prepared statement for each row, or its own
/// text, or an execution in bulk for many rows.</summary>
/// <param name="hasSavepoint">false: the engine has none</param>
internal sealed class PipelinedBatch(
    KeyOrder keys, KeyedStatement statement, LazyStatement prepared, ServerFacts server, bool hasSavepoint, BulkBackoff bulk)
    : KeyedBatch(keys)
{
    /// <summary>Keys of one execution in bulk: one answer costs little beside so many, and a missing row repeats only these.</summary>
    public const int KeysInBulk = 500;

    private readonly RowEncoder _encoder = statement.CreateEncoder();
    private readonly BinaryParameters _parameters = new(statement.CreateEncoder().Types(1));
    private readonly BulkParameters _bulkParameters = new(statement.CreateEncoder().Types(1));
    private readonly ArrayBufferWriter<byte> _text = new();
    private readonly List<int> _sent = [];
    private int _before;

    public Pipeline Pipeline { get; } = new();

    /// <summary>Whether <see cref="Pipeline"/> has the rows; else <see cref="Write()"/> adds them when the statement is prepared.</summary>
    public bool IsWritten { get; private set; }

    /// <summary>Number of keys of each execution in bulk, in order; empty: each row has its own statement.</summary>
    public List<int> InBulk { get; } = [];

    /// <summary>Rows that are not sent, since no packet can hold them.</summary>
    public List<(int Key, long Bytes)> TooLarge { get; } = [];

    public void Write()
    {
        if (!bulk.IsDue() || !TryWriteInBulk())
        {
            WriteOneByOne();
        }
    }

    public void WriteOneByOne()
    {
        Begin();
        Write(0);
    }

    /// <returns>null: an execution in bulk has not found a row for each key</returns>
    public RowCounts? CountInBulk()
    {
        if (Pipeline.Faults.Count > 0 || Pipeline.Answered != Pipeline.Count)
        {
            return null;
        }

        var taken = new RowCounts { Superseded = Superseded };
        for (var i = 0; i < InBulk.Count; i++)
        {
            if (statement.Count(Pipeline.Answers[_before + i], InBulk[i]) is not { } counted || counted.Count < InBulk[i])
            {
                return null;
            }

            taken += counted;
        }

        return taken;
    }

    /// <summary>The answer or the error of each row that was sent, 0-based in the batch; leaves out the savepoint's.</summary>
    public IEnumerable<(int Row, OkResult Answer, ServerException? Error)> ReadAnswers()
    {
        var errors = Pipeline.Faults.ToDictionary(fault => fault.Command, fault => fault.Error);
        for (var command = _before; command < Pipeline.Answered; command++)
        {
            yield return (Row(_sent[command - _before]), Pipeline.Answers[command], errors.GetValueOrDefault(command));
        }
    }

    /// <summary>Keeps only the rows that were not sent.</summary>
    /// <returns>whether there are any</returns>
    public bool KeepUnsent()
    {
        if (Pipeline.Sent == Pipeline.Count)
        {
            return false;
        }

        var next = _sent[Pipeline.Sent - _before];
        TooLarge.RemoveAll(found => found.Key > next);
        Pipeline.Clear();
        _before = 0;
        Write(next);
        return true;
    }

    protected override void Encode()
    {
        IsWritten = false;
        if (prepared.Prepared is not null || server.MaxPreparedStatements == 0)
        {
            Write();
        }
    }

    /// <summary>Clears the pipeline, and begins it with the savepoint.</summary>
    private void Begin()
    {
        TooLarge.Clear();
        InBulk.Clear();
        Pipeline.Clear();
        if (hasSavepoint)
        {
            Pipeline.Add(TransactionSql.SavepointBytes(0));
        }

        (IsWritten, _before) = (true, Pipeline.Count);
    }

    /// <returns>false: one of the keys may be too large by itself</returns>
    private bool TryWriteInBulk()
    {
        Begin();
        for (var key = 0; key < Keys.Count;)
        {
            _bulkParameters.Reset();
            var from = key;
            do
            {
                _encoder.Add(Keys.Block, Keys.RowOfBlock(key++), _bulkParameters);
            }
            while (key < Keys.Count && key - from < KeysInBulk && _bulkParameters.PacketBytes < server.MaxAllowedPacket / 4);

            if (_bulkParameters.PacketBytes >= server.MaxAllowedPacket)
            {
                return false;
            }

            InBulk.Add(key - from);
            Pipeline.Add(prepared.Prepared!, _bulkParameters);
        }

        return true;
    }

    private void Write(int from)
    {
        _sent.Clear();
        for (var key = from; key < Keys.Count; key++)
        {
            if (Add(Keys.RowOfBlock(key)) is var bytes && bytes >= server.MaxAllowedPacket)
            {
                TooLarge.Add((key, bytes));
            }
            else
            {
                _sent.Add(key);
            }
        }
    }

    /// <summary>Adds a row's statement to <see cref="Pipeline"/>, unless it is too large for the server.</summary>
    /// <returns>bytes of its packet</returns>
    private long Add(int row)
    {
        _text.ResetWrittenCount();
        if (statement.TryWriteRow(_text, Keys.Block, row))
        {
            var bytes = _text.WrittenCount + 1L;
            if (bytes < server.MaxAllowedPacket)
            {
                Pipeline.Add(_text.WrittenSpan);
            }

            return bytes;
        }

        _parameters.Reset();
        _encoder.Add(Keys.Block, row, _parameters);
        if (_parameters.PacketBytes < server.MaxAllowedPacket)
        {
            Pipeline.Add(prepared.Prepared!, _parameters);
        }

        return _parameters.PacketBytes;
    }
}
