using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Undo;

/// <summary>Looks at the rows that a job has changed, a chunk in a transaction, and takes back those that are as it has left them. What
/// became of each row is kept in the same transaction.</summary>
/// <param name="kinds">of rows, in the table beside</param>
/// <param name="refersToItself">whether rows of the table may refer to others of it</param>
/// <param name="isPreview">whether nothing is deleted</param>
internal sealed class UndoPass(IReadOnlyList<UndoSql> kinds, bool refersToItself, bool isPreview)
{
    private const int RowsPerChunk = 2_000;
    private const int ShareOfRefused = 8;

    private bool _hasReversed = true;

    /// <summary>Fewer while the server refuses rows, until one is alone.</summary>
    private int _rows = RowsPerChunk;

    public long Chunks { get; private set; }

    /// <summary>Rows that were put back, and that triggers have changed then.</summary>
    public long Different { get; private set; }

    /// <summary>What the server said to the first row that it did not take back; null: it took all.</summary>
    public string? Refusal { get; private set; }

    /// <summary>Works until each row has its end; can be called again after a fault.</summary>
    public async Task RunAsync(IServerSession session, Action onChunk, CancellationToken stop)
    {
        // A row may be referred to by one that comes later and goes.
        do
        {
            foreach (var sql in kinds)
            {
                while (await DoChunkAsync(session, sql, stop))
                {
                    Chunks++;
                    onChunk();
                }
            }
        }
        while ((refersToItself || kinds.Any(sql => sql.PutBack is not null)) && _hasReversed && await TakeReferredAsync(session));
    }

    /// <summary>A stop waits for the chunk's end: it is short, and the counts are known then.</summary>
    private async Task<bool> DoChunkAsync(IServerSession session, UndoSql sql, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        if (!await TakeAsync(session, sql))
        {
            await session.ExecuteAsync(TransactionSql.RollBack, CancellationToken.None);
            return false;
        }

        if (!isPreview)
        {
            await session.QueryAsync(sql.Lock, CancellationToken.None);
        }

        foreach (var statement in sql.Marks)
        {
            await session.ExecuteAsync(statement, CancellationToken.None);
        }

        try
        {
            var reversed = await (sql.PutBack is { } putBack ? PutBackAsync(session, sql, putBack) : ReverseAsync(session, sql));
            await session.ExecuteAsync(TransactionSql.Commit, CancellationToken.None);
            _hasReversed |= reversed > 0;
            _rows = Math.Min(RowsPerChunk, _rows * 2);
        }
        catch (ServerException fault) when (sql.PutBack is not null && session.IsUsable && BatchRefusals.AreAboutRows(fault))
        {
            await RefuseAsync(session, sql, fault);
        }

        return true;
    }

    private async Task<bool> TakeAsync(IServerSession session, UndoSql sql)
    {
        await session.QueryAllAsync(isPreview ? [TransactionSql.RollBack] : UndoSql.Begin, CancellationToken.None);
        return await CountAsync(session, sql.Take(_rows)) > 0;
    }

    private async Task<long> PutBackAsync(IServerSession session, UndoSql sql, string putBack)
    {
        if (isPreview)
        {
            // A row may wait for one that is only put back by a real undo.
            await session.ExecuteAsync(TransactionSql.Savepoint(0), CancellationToken.None);
            if (!refersToItself)
            {
                await CountAsync(session, putBack);
                await CompareAsync(session, sql);
            }

            await session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), CancellationToken.None);
            return await CountAsync(session, sql.MarkReversed);
        }

        var put = await CountAsync(session, putBack);
        await CompareAsync(session, sql);
        return Require(put, await CountAsync(session, sql.MarkReversed), "put back");
    }

    /// <summary>A trigger may have changed what was put back; nothing else may.</summary>
    private async Task CompareAsync(IServerSession session, UndoSql sql)
    {
        var different = long.Parse(
            (await session.QueryAsync(sql.CountDifferent, CancellationToken.None)).Scalar!, CultureInfo.InvariantCulture);
        Different += different;
        if (different > 0 && !sql.HasTriggers)
        {
            throw new ReconciliationException($"{different:N0} rows that were put back are not as they were: nothing of this chunk was "
                + "changed");
        }
    }

    /// <summary>Such as a unique value that another row has by now: fewer rows are tried, until the refused one is alone.</summary>
    private async Task RefuseAsync(IServerSession session, UndoSql sql, ServerException fault)
    {
        Refusal ??= fault.ServerText;
        if (_rows > 1)
        {
            await session.ExecuteAsync(TransactionSql.RollBack, CancellationToken.None);
            _rows = Math.Max(1, _rows / ShareOfRefused);
            return;
        }

        if (await TakeAsync(session, sql))
        {
            await session.ExecuteAsync(sql.MarkRefused, CancellationToken.None);
            await session.ExecuteAsync(TransactionSql.Commit, CancellationToken.None);
            _rows = 2;
        }
    }

    /// <summary>Of rows that refer to each other those first that nobody refers to.</summary>
    private async Task<long> ReverseAsync(IServerSession session, UndoSql sql)
    {
        for (var reversed = 0L; ;)
        {
            foreach (var statement in sql.MarkParents(isPreview))
            {
                await session.ExecuteAsync(statement, CancellationToken.None);
            }

            var some = await DeleteAsync(session, sql);
            reversed += some;
            if (!refersToItself || some == 0 || await CountAsync(session, sql.TakeParents) == 0)
            {
                await session.ExecuteAsync(sql.KeepParents, CancellationToken.None);
                return reversed;
            }
        }
    }

    private async Task<long> DeleteAsync(IServerSession session, UndoSql sql)
    {
        if (isPreview)
        {
            return await CountAsync(session, sql.MarkReversed);
        }

        foreach (var statement in sql.Unlink)
        {
            await session.ExecuteAsync(statement, CancellationToken.None);
        }

        return Require(await CountAsync(session, sql.Delete), await CountAsync(session, sql.MarkReversed), "deleted");
    }

    private static long Require(long done, long marked, string what) => done == marked ? done : throw new ReconciliationException(
        $"{marked:N0} rows should have been {what}, and {done:N0} were: nothing of this chunk was changed; do triggers or foreign keys "
            + "change rows of the table?");

    private async Task<bool> TakeReferredAsync(IServerSession session)
    {
        var some = 0L;
        foreach (var sql in kinds)
        {
            some += await CountAsync(session, sql.TakeReferred);
        }

        await session.ExecuteAsync(TransactionSql.Commit, CancellationToken.None);
        _hasReversed = false;
        return some > 0;
    }

    private static async Task<long> CountAsync(IServerSession session, string statement) =>
        (long)(await session.ExecuteAsync(statement, CancellationToken.None)).AffectedRows;
}
