using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// A prepared DELETE for each key. Where the server executes it in bulk, many keys have one answer: as many rows as keys tell that each has found
/// its row; else the batch is undone and goes again key by key.
/// </summary>
internal sealed class PipelinedDeleteSender : PipelinedSender
{
    /// <summary>So many batches at most go key by key until one is tried in bulk again.</summary>
    private const int MostPatience = 64;

    private readonly bool _isUnique;
    private readonly Hope _hope;

    /// <param name="session">carries the pipelines</param>
    /// <param name="facts">with a key</param>
    /// <param name="rowsPerBatch">rows that are put in order together</param>
    /// <param name="isInBulk">whether to begin with executions in bulk, which the server must take</param>
    public PipelinedDeleteSender(IServerSession session, LoadFacts facts, int rowsPerBatch, bool isInBulk)
        : this(session, facts, rowsPerBatch, new LazyStatement(session, KeySql.Of(facts).PreparedDelete()), new RowEncoder(facts.Columns), new Hope(isInBulk))
    {
    }

    private PipelinedDeleteSender(IServerSession session, LoadFacts facts, int rowsPerBatch, LazyStatement statement, RowEncoder encoder, Hope hope)
        : base(session, facts, rowsPerBatch, statement, () => new PipelinedDeletes(KeyOrder.OfRows(facts), statement, encoder, facts.Server.MaxAllowedPacket, hope.Ask)) =>
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

    protected override async ValueTask<BatchOutcome?> TrySendInBulkAsync(PipelinedBatch batch, Action onSent, CancellationToken cancellationToken)
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

    /// <summary>Whether the next batch is likely to find all of its rows: behind one that did not, batches go key by key, twice as many each time.</summary>
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
