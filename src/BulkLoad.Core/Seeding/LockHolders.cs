using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Seeding;

/// <summary>Tells who keeps a session waiting, as far as the account may see.</summary>
/// <param name="connect">opens another session</param>
/// <param name="time">for the wait before anybody is asked</param>
internal sealed class LockHolders(Func<CancellationToken, Task<IServerSession>> connect, TimeProvider time)
{
    /// <summary>The server tells of a lock only while somebody waits for it.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    /// <summary>Runs a statement that may have to wait for others.</summary>
    /// <param name="session">runs it</param>
    /// <param name="database">of the table</param>
    /// <param name="table">that it needs</param>
    /// <param name="statement">returns no rows</param>
    /// <param name="state">what is true where it is refused, for people</param>
    /// <exception cref="ServerException">it was refused; where others hold the table for too long, the message names them</exception>
    public async Task<OkResult> ExecuteAsync(
        IServerSession session, string database, string table, string statement, string state, CancellationToken cancellationToken)
    {
        using var answered = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var running = session.ExecuteAsync(statement, cancellationToken).AsTask();
        var holder = AskAsync(session, database, table, answered.Token);
        try
        {
            var result = await running;
            await answered.CancelAsync();
            return result;
        }
        catch (ServerException fault) when (fault.Error == ServerError.LockWaitTimeout)
        {
            throw new ServerException(
                $"{database}.{table} is locked by {await holder ?? Unknown(session.Server.IsMariaDb)}: {state}; end that session's "
                    + "transaction or LOCK TABLES and try again", fault);
        }
        finally
        {
            await answered.CancelAsync();
            await holder;
        }
    }

    /// <summary>Null: nobody is known, or need not be.</summary>
    private async Task<string?> AskAsync(IServerSession waiting, string database, string table, CancellationToken cancellationToken)
    {
        try
        {
            await Task.Delay(Patience, time, cancellationToken);
            await using var side = await connect(cancellationToken);
            side.Bound(AnswerBound.LookUp);
            var questions = LockHolderSql.Questions(waiting.Server.IsMariaDb, waiting.Server.ConnectionId, database, table);
            foreach (var (question, isExact) in questions)
            {
                if (await FindAsync(side, question, cancellationToken) is { Count: > 0 } found)
                {
                    return string.Join(isExact ? " and " : " or ", found);
                }
            }
        }
        catch (Exception fault) when (fault is OperationCanceledException or BulkLoadException)
        {
            // The statement's own end says what is to be said.
        }

        return null;
    }

    private static string Unknown(bool isMariaDb) =>
        "another session; which one, the server does not tell this account "
        + $"(an administrator sees it: {LockHolderSql.HowToSee(isMariaDb)})";

    private static async Task<IReadOnlyList<string>> FindAsync(IServerSession side, string question, CancellationToken cancellationToken)
    {
        try
        {
            return [.. (await side.QueryAsync(question, cancellationToken)).Rows.Select(Describe)];
        }
        catch (ServerException fault) when (fault.Code != 0 && side.IsUsable)
        {
            // Not for this account, or not on this server.
            return [];
        }
    }

    private static string Describe(string?[] row) =>
        $"session {row[0]}{(row[1] is null ? "" : $" of {row[1]}@{row[2]}")}"
        + (row[4] == "Sleep" ? $", idle for {row[3]} s" : row[4] is null ? "" : ", at work");
}
