using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Undo;

/// <summary>Looks at the rows that a job has inserted, a chunk in a transaction, and deletes those that are as they were. What became of
/// each row is kept in the same transaction.</summary>
/// <param name="refersToItself">whether rows of the table may refer to others of it</param>
/// <param name="isPreview">whether nothing is deleted</param>
internal sealed class UndoPass(UndoSql sql, bool refersToItself, bool isPreview)
{
    private const int RowsPerChunk = 2_000;

    private bool _hasReversed = true;

    public long Chunks { get; private set; }

    /// <summary>Works until each row has its end; can be called again after a fault.</summary>
    public async Task RunAsync(IServerSession session, Action onChunk, CancellationToken stop)
    {
        // A row may be referred to by one that comes later and goes.
        do
        {
            while (await DoChunkAsync(session, stop))
            {
                Chunks++;
                onChunk();
            }
        }
        while (refersToItself && _hasReversed && await TakeReferredAsync(session));
    }

    /// <summary>A stop waits for the chunk's end: it is short, and the counts are known then.</summary>
    private async Task<bool> DoChunkAsync(IServerSession session, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        await session.QueryAllAsync(isPreview ? [TransactionSql.RollBack] : UndoSql.Begin, CancellationToken.None);
        if (await CountAsync(session, sql.Take(RowsPerChunk)) == 0)
        {
            await session.ExecuteAsync(TransactionSql.RollBack, CancellationToken.None);
            return false;
        }

        if (!isPreview)
        {
            await session.QueryAsync(sql.Lock, CancellationToken.None);
        }

        foreach (var statement in (string[])[sql.MarkGone, sql.MarkChanged, .. sql.MarkReferred])
        {
            await session.ExecuteAsync(statement, CancellationToken.None);
        }

        var reversed = await ReverseAsync(session);
        await session.ExecuteAsync(TransactionSql.Commit, CancellationToken.None);
        _hasReversed |= reversed > 0;
        return true;
    }

    /// <summary>Of rows that refer to each other those first that nobody refers to.</summary>
    private async Task<long> ReverseAsync(IServerSession session)
    {
        for (var reversed = 0L; ;)
        {
            foreach (var statement in sql.MarkParents(isPreview))
            {
                await session.ExecuteAsync(statement, CancellationToken.None);
            }

            var some = await DeleteAsync(session);
            reversed += some;
            if (!refersToItself || some == 0 || await CountAsync(session, sql.TakeParents) == 0)
            {
                await session.ExecuteAsync(sql.KeepParents, CancellationToken.None);
                return reversed;
            }
        }
    }

    private async Task<long> DeleteAsync(IServerSession session)
    {
        if (isPreview)
        {
            return await CountAsync(session, sql.MarkReversed);
        }

        foreach (var statement in sql.Unlink)
        {
            await session.ExecuteAsync(statement, CancellationToken.None);
        }

        var (deleted, marked) = (await CountAsync(session, sql.Delete), await CountAsync(session, sql.MarkReversed));
        return deleted == marked ? deleted : throw new ReconciliationException(
            $"{marked:N0} rows should have been deleted, and {deleted:N0} were: nothing of this chunk was changed; do triggers or "
                + "foreign keys delete rows of the table?");
    }

    private async Task<bool> TakeReferredAsync(IServerSession session)
    {
        var some = await CountAsync(session, sql.TakeReferred);
        await session.ExecuteAsync(TransactionSql.Commit, CancellationToken.None);
        _hasReversed = false;
        return some > 0;
    }

    private static async Task<long> CountAsync(IServerSession session, string statement) =>
        (long)(await session.ExecuteAsync(statement, CancellationToken.None)).AffectedRows;
}
