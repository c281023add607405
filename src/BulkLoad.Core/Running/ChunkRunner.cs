using System.Threading.Channels;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Running;

/// <summary>
/// The sending side, once for every strategy: takes blocks, has them encoded and sent, checks each answer, commits each chunk.
/// While the server works on a batch the next one is encoded. What is open when anything goes wrong is rolled back.
/// </summary>
internal sealed class ChunkRunner(
    IServerSession session, IBatchSender sender, IReadOnlyList<string> sourceNames, bool isAtomic, BlockPool blocks, Committed committed, Action<long> onSent, ILogger log)
{
    private Task<BatchRefusal?>? _underWay;
    private bool _isCommitDue;
    private (RowBlock Block, int From, int Rows) _sent;
    private long _openBatches;
    private long _openRecords;
    private (int Source, long Record) _last;

    /// <summary>Runs until the channel ends.</summary>
    /// <param name="input">blocks in file order; its completion's exception is thrown here after what is open was rolled back</param>
    /// <param name="stop">asked between batches: an orderly end</param>
    /// <param name="abort">ends what is under way by closing the session</param>
    public async Task RunAsync(ChannelReader<RowBlock> input, CancellationToken stop, CancellationToken abort)
    {
        try
        {
            while (await input.WaitToReadAsync(stop))
            {
                while (input.TryRead(out var block))
                {
                    stop.ThrowIfCancellationRequested();
                    await SendAsync(block, abort);
                    _isCommitDue |= block.EndsChunk && !isAtomic;
                }

                await CommitIfDueAsync(abort);
            }

            await CommitAsync(abort);
        }
        catch
        {
            await RollBackAsync(abort);
            throw;
        }
    }

    private async Task SendAsync(RowBlock block, CancellationToken abort)
    {
        for (var from = 0; from < block.RowCount;)
        {
            var batch = sender.Encode(block, from);
            await SettleAsync();
            await CommitIfDueAsync(abort);
            _sent = (block, from, batch.RowCount);
            var sent = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _underWay = sender.SendAsync(batch, sent.SetResult, abort).AsTask();
            await Task.WhenAny(sent.Task, _underWay);
            from += batch.RowCount;
        }
    }

    /// <summary>Takes the answer to the batch under way, if there is one.</summary>
    private async Task SettleAsync()
    {
        if (_underWay is not { } underWay)
        {
            return;
        }

        _underWay = null;
        var (block, from, rows) = _sent;
        if (await underWay is { } refusal)
        {
            throw new RefusedRecordException(Describe(refusal, block, from, rows));
        }

        _openBatches++;
        _openRecords += rows;
        _last = (block.Source, block.Record(from + rows - 1));
        onSent(rows);
        if (from + rows == block.RowCount)
        {
            blocks.Return(block);
        }
    }

    /// <summary>A chunk that is complete is committed when the next batch is ready to go, or when none is there yet.</summary>
    private Task CommitIfDueAsync(CancellationToken abort) => _isCommitDue ? CommitAsync(abort) : Task.CompletedTask;

    private async Task CommitAsync(CancellationToken abort)
    {
        _isCommitDue = false;
        await SettleAsync();
        if (_openRecords == 0)
        {
            return;
        }

        try
        {
            await session.ExecuteAsync(TransactionSql.Commit, abort);
        }
        catch (Exception fault) when (!session.IsUsable || fault is ServerException { Kind: FaultKind.SessionLost or FaultKind.Protocol })
        {
            committed.IsInDoubt = true;
            throw;
        }

        committed.Add(_openBatches, _openRecords, sourceNames[_last.Source], _last.Record);
        log.ChunkCommitted(committed.Chunks, committed.Records);
        (_openBatches, _openRecords) = (0, 0);
    }

    /// <summary>Best effort, and silent, since the first fault is the one to tell: where the session is broken the server rolls back by itself.</summary>
    private async Task RollBackAsync(CancellationToken abort)
    {
        if (_underWay is { } underWay)
        {
            _underWay = null;
            await ((Task)underWay).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        if (session.IsUsable)
        {
            await SendRollBackAsync(abort).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task SendRollBackAsync(CancellationToken abort) => await session.ExecuteAsync(TransactionSql.RollBack, abort);

    private Reject Describe(BatchRefusal refusal, RowBlock block, int from, int rows)
    {
        // A server that counts rows otherwise has not named one.
        var isKnown = refusal.Row < rows;
        var first = isKnown ? from + refusal.Row!.Value : from;
        return new Reject
        {
            Source = sourceNames[block.Source],
            Record = block.Record(first),
            Line = block.Line(first),
            Offset = block.Offset(first),
            LastLine = block.Line(isKnown ? first : from + rows - 1),
            Code = "refused-by-server",
            Message = refusal.Message,
            ServerCode = refusal.Code,
        };
    }
}
