using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Finds who makes a session wait, as far as the account can see.</summary>
/// <param name="connect">opens another session</param>
/// <param name="time">for the wait before the server is asked</param>
internal sealed class LockHolders(Func<CancellationToken, Task<IServerSession>> connect, TimeProvider time)
{
    /// <summary>The server tells of a lock only while somebody waits for it, and the wait may be as short as a second.</summary>
    private static readonly TimeSpan WaitBeforeLook = TimeSpan.FromSeconds(0.5);

    /// <summary>An answer may come too early: servers refresh what they tell about transactions now and then.</summary>
    private static readonly TimeSpan WaitBetweenLooks = TimeSpan.FromSeconds(0.25);

    /// <summary>Limit of the named sessions if the server does not say which one it is.</summary>
    private const int MaxOthers = 3;

    /// <summary>Runs a statement that may have to wait for others.</summary>
    /// <param name="statement">needs the table; returns no rows</param>
    /// <param name="state">what is true after a refusal, for people</param>
    /// <exception cref="ServerException">it was refused; if others lock the table for too long, the message names them</exception>
    public async Task<OkResult> ExecuteAsync(
        IServerSession session, string database, string table, string statement, string state, CancellationToken cancellationToken)
    {
        using var answered = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        using var timedOut = CancellationTokenSource.CreateLinkedTokenSource(answered.Token);
        var running = session.ExecuteAsync(statement, cancellationToken).AsTask();
        var holder = AskAsync(session, database, table, timedOut.Token, answered.Token);
        try
        {
            var result = await running;
            await answered.CancelAsync();
            return result;
        }
        catch (ServerException fault) when (fault.Error == ServerError.LockWaitTimeout)
        {
            await timedOut.CancelAsync();
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

    /// <summary>Null: unknown, or no session must be named.</summary>
    /// <param name="timedOut">a question that runs is waited for, and no other is asked</param>
    private async Task<string?> AskAsync(
        IServerSession waiting, string database, string table, CancellationToken timedOut, CancellationToken cancellationToken)
    {
        try
        {
            await Task.Delay(WaitBeforeLook, time, timedOut);
            await using var side = await connect(cancellationToken);
            side.Bound(AnswerBound.LookUp);
            var questions = LockHolderSql.Questions(waiting.Server.IsMariaDb, waiting.Server.ConnectionId, database, table);
            while (true)
            {
                if (await FindFirstAsync(side, questions, [], cancellationToken) is { } holder)
                {
                    return holder;
                }

                await Task.Delay(WaitBetweenLooks, time, timedOut);
            }
        }
        catch (Exception fault) when (fault is OperationCanceledException or BulkLoadException)
        {
            // The error of the statement itself says enough.
            return null;
        }
    }

    /// <summary>Whether a session waits for a lock at this moment, and who makes it wait.</summary>
    /// <param name="side">another session of the same account</param>
    /// <param name="waiting">number of the session</param>
    /// <param name="own">numbers of the job's sessions: none of them makes another wait</param>
    /// <param name="table">that it may need; null: unknown</param>
    /// <returns>for people; null: it does not wait for a lock, as far as the account can see</returns>
    public static async Task<string?> FindAsync(
        IServerSession side, uint waiting, IReadOnlyCollection<uint> own, (string Database, string Table)? table,
        CancellationToken cancellationToken)
    {
        var isMariaDb = side.Server.IsMariaDb;
        var (database, name) = table ?? ("", "");
        var questions = LockHolderSql.Questions(isMariaDb, waiting, database, name);

        // Row locks show by themselves that the session waits.
        HashSet<string?> excluded = [.. own.Append(waiting).Append(side.Server.ConnectionId).Select(
            id => id.ToString(CultureInfo.InvariantCulture))];
        if (await FindFirstAsync(side, [questions[0], questions[^1]], excluded, cancellationToken) is { } holder)
        {
            return $"a row is locked by {holder}";
        }

        var sessions = (await side.QueryAsync(LockHolderSql.Sessions, cancellationToken)).Rows;
        var state = sessions.FirstOrDefault(row => row[0] == waiting.ToString(CultureInfo.InvariantCulture))?[6];
        if (!IsOfLock(state))
        {
            return null;
        }

        var what = table is null ? "a table" : $"{database}.{name}";
        if (table is not null && await FindFirstAsync(side, questions, excluded, cancellationToken) is { } owner)
        {
            return $"{what} is locked by {owner}";
        }

        // The server does not tell. A session of this database that does not wait itself may be the holder.
        string[] others = [.. sessions.Where(row => !excluded.Contains(row[0]) && row[3] == database && !IsOfLock(row[6]))
            .OrderByDescending(row => row[7]?.Contains(name, StringComparison.OrdinalIgnoreCase) == true).Take(MaxOthers)
            .Select(row => Describe([row[0], row[1], row[2], row[5], row[4]]))];
        return $"{what} is locked ({state}){(others.Length == 0 ? "" : $", perhaps by {string.Join(" or ", others)}")}; an administrator "
            + $"sees by whom: {LockHolderSql.HowToSee(isMariaDb)}";
    }

    private static bool IsOfLock(string? state) => state?.Contains("lock", StringComparison.OrdinalIgnoreCase) == true;

    private static async Task<string?> FindFirstAsync(
        IServerSession side, IEnumerable<(string Sql, bool IsExact)> questions, HashSet<string?> excluded,
        CancellationToken cancellationToken)
    {
        foreach (var (question, isExact) in questions)
        {
            if (await FindAsync(side, question, excluded, cancellationToken) is { Count: > 0 } found)
            {
                return string.Join(isExact ? " and " : " or ", found);
            }
        }

        return null;
    }

    private static string Unknown(bool isMariaDb) =>
        "another session; which one, the server does not tell this account "
        + $"(an administrator sees it: {LockHolderSql.HowToSee(isMariaDb)})";

    private static async Task<IReadOnlyList<string>> FindAsync(
        IServerSession side, string question, HashSet<string?> excluded, CancellationToken cancellationToken)
    {
        try
        {
            return [.. (await side.QueryAsync(question, cancellationToken)).Rows.Where(row => !excluded.Contains(row[0])).Select(Describe)];
        }
        catch (ServerException fault) when (fault.Code != 0 && side.IsUsable)
        {
            // The account may not ask, or this server does not have it.
            return [];
        }
    }

    private static string Describe(string?[] row) =>
        $"session {row[0]}{(row[1] is null ? "" : $" of {row[1]}@{row[2]}")}"
        + (row[4] == "Sleep" ? $", idle for {row[3]} s" : row[4] is null ? "" : ", at work");
}
