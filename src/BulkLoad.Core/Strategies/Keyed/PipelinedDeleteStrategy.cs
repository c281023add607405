using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Insert;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// One prepared DELETE a record, sent ahead of the answers: what becomes of each record is known at once, an error is that of its record
/// alone, and the order of the records can be kept. MariaDB executes it for many records in one packet, as long as each of them finds its
/// row.
/// </summary>
internal sealed class PipelinedDeleteStrategy : ILoadStrategy
{
    /// <summary>Whether some record is known to find no row, or to be refused, so that each goes by itself.</summary>
    public bool IsForFaults { get; init; }

    public string Name => PipelinedUpdateStrategy.Word;

    public string? FindObstacle(LoadFacts facts) =>
        facts.Server.MaxPreparedStatements > 0 ? null : "the server keeps no prepared statements (max_prepared_stmt_count is 0)";

    public string Describe(LoadFacts facts)
    {
        if (KeyRules.IsOneByOne(facts))
        {
            return "one DELETE a record in the file's order, which decides, sent ahead of the answers";
        }

        // On a slow route a round trip a row would be the whole of it; neither of the two makes one.
        var route = facts.Server.RoundTrip.TotalMilliseconds is >= 1 and var milliseconds
            ? $", on this route too: the {milliseconds:F1} ms of an answer are waited for once a batch, as they are by lists"
            : "";
        return GoesInBulk(facts)
            ? $"one DELETE a record, sent ahead of the answers in packets of many records: exact for each of them, and more than twice "
                + $"the server's work of a list{route}"
            : $"one DELETE a record, sent ahead of the answers: exact for each of them, and three to four times the server's work of a "
                + $"list{route}";
    }

    public Cost CostOf(LoadFacts facts) => new(GoesInBulk(facts) ? KeyCosts.OfBulkDelete(facts) : KeyCosts.OfRowDelete(facts), 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => KeySizes.OfRows;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.Savepoint(0),
            $"{KeySql.Of(facts).PreparedDelete()} "
                + $"({(GoesInBulk(facts) ? $"executed for up to {PipelinedDeletes.KeysInBulk} records at once" : "for each record")})"];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new PipelinedDeleteSender(session, facts, sizes.RowsPerBatch, GoesInBulk(facts));

    /// <summary>Whether one answer for many records tells what became of each: where as many rows as records went, each has found its
    /// own.</summary>
    private bool GoesInBulk(LoadFacts facts) =>
        !IsForFaults && facts.Key!.IsUnique && facts.Table.IsTransactional && !KeyRules.IsOneByOne(facts)
        && BulkExecuteStrategy.FindServerObstacle(facts) is null;
}

/// <summary>
/// A prepared DELETE for each key. Where the server executes it in bulk, many keys have one answer: as many rows as keys tell that each has
/// found its row; else the batch is undone and goes again key by key.
/// </summary>
internal sealed class PipelinedDeleteSender : PipelinedSender
{
    /// <summary>So many batches at most go key by key until one is tried in bulk again.</summary>
    private const int MostPatience = 64;

    private readonly bool _isUnique;
    private readonly Hope _hope;

    /// <param name="facts">with a key</param>
    /// <param name="isInBulk">whether to begin with executions in bulk, which the server must take</param>
    public PipelinedDeleteSender(IServerSession session, LoadFacts facts, int rowsPerBatch, bool isInBulk)
        : this(session, facts, rowsPerBatch, new LazyStatement(session, KeySql.Of(facts).PreparedDelete()), new RowEncoder(facts.Columns),
            new Hope(isInBulk))
    {
    }

    private PipelinedDeleteSender(
        IServerSession session, LoadFacts facts, int rowsPerBatch, LazyStatement statement, RowEncoder encoder, Hope hope)
        : base(session, facts, rowsPerBatch, statement,
            () => new PipelinedDeletes(KeyOrder.OfRows(facts), statement, encoder, facts.Server.MaxAllowedPacket, hope.Ask)) =>
        (_isUnique, _hope) = (facts.Key!.IsUnique, hope);

    protected override bool TrySettle(int row, OkResult answer, RowOutcomes outcomes)
    {
        if (_isUnique && answer.AffectedRows > 1)
        {
            return false;
        }

        if (answer.AffectedRows == 0)
        {
            outcomes.Miss(row);
        }
        else
        {
            outcomes.Take(new RowCounts { Deleted = 1, DeletedRows = (long)answer.AffectedRows });
        }

        return true;
    }

    protected override async ValueTask<BatchOutcome?> TrySendInBulkAsync(
        PipelinedBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        var deletes = (PipelinedDeletes)batch;
        await PipelineFaults.RunAsync(Session, deletes.Pipeline, onSent, cancellationToken);
        if (FindsAll(deletes))
        {
            _hope.Confirm();
            var deleted = deletes.RowCount - deletes.Superseded;
            return (BatchOutcome)new RowCounts { Superseded = deletes.Superseded, Deleted = deleted, DeletedRows = deleted };
        }

        _hope.Lose();
        await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
        deletes.WriteOneByOne();
        return null;
    }

    /// <summary>Whether every execution has deleted as many rows as it had keys, and nothing was to be said of it.</summary>
    private static bool FindsAll(PipelinedDeletes deletes)
    {
        // The savepoint's answer is the first.
        var answers = deletes.Pipeline.Answers;
        if (deletes.Pipeline.Faults.Count > 0 || answers.Length != deletes.InBulk.Count + 1)
        {
            return false;
        }

        for (var i = 0; i < deletes.InBulk.Count; i++)
        {
            if (answers[i + 1].Warnings > 0 || answers[i + 1].AffectedRows != (ulong)deletes.InBulk[i])
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Whether the next batch is likely to find all of its rows: behind one that did not, batches go key by key, twice as many
    /// each time.</summary>
    private sealed class Hope(bool isInBulk)
    {
        private int _patience;
        private int _waiting;

        /// <summary>Asked for each batch.</summary>
        public bool Ask()
        {
            if (_waiting == 0)
            {
                return isInBulk;
            }

            _waiting--;
            return false;
        }

        public void Confirm() => _patience = 0;

        public void Lose() => _waiting = _patience = Math.Clamp(_patience * 2, 1, MostPatience);
    }
}

/// <summary>Rows of a block as executions of a prepared DELETE in a pipeline: one for each key, or one in bulk for many of them.</summary>
/// <param name="statement">of one key</param>
/// <param name="maxPacket">bytes that the server takes in one packet</param>
/// <param name="goesInBulk">asked for each batch; the server must take bulk executions then</param>
internal sealed class PipelinedDeletes(KeyOrder keys, LazyStatement statement, RowEncoder encoder, long maxPacket, Func<bool> goesInBulk)
    : PipelinedBatch(keys, statement)
{
    /// <summary>Keys of one execution: an answer costs little beside them, and few are found again where one has no row.</summary>
    public const int KeysInBulk = 500;

    private readonly BinaryParameters _parameters = new(encoder.Types(1));
    private readonly BulkParameters _bulk = new(encoder.Types(1));

    /// <summary>Keys of each execution in bulk, in order.</summary>
    public List<int> InBulk { get; } = [];

    public override bool IsInBulk => InBulk.Count > 0;

    protected override bool NeedsStatement => true;

    public override void Write()
    {
        InBulk.Clear();
        if (!goesInBulk())
        {
            base.Write();
            return;
        }

        Begin();
        for (var key = 0; key < Keys.Count;)
        {
            _bulk.Reset();
            var from = key;
            do
            {
                encoder.Add(Keys.Block, Keys.RowOfBlock(key++), _bulk);
            }
            while (key < Keys.Count && key - from < KeysInBulk && _bulk.PacketBytes < maxPacket / 4);

            if (_bulk.PacketBytes >= maxPacket)
            {
                // One of the keys may be too large by itself.
                WriteOneByOne();
                return;
            }

            InBulk.Add(key - from);
            Pipeline.Add(Statement!, _bulk);
        }
    }

    /// <summary>Writes each key as an execution of its own, whatever it was before.</summary>
    public void WriteOneByOne()
    {
        InBulk.Clear();
        base.Write();
    }

    protected override long? Add(int key, PreparedStatement? statement)
    {
        _parameters.Reset();
        encoder.Add(Keys.Block, Keys.RowOfBlock(key), _parameters);
        if (_parameters.PacketBytes >= maxPacket)
        {
            return _parameters.PacketBytes;
        }

        Pipeline.Add(statement!, _parameters);
        return null;
    }
}
