using System.Text.RegularExpressions;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Opens the ledger's session, and translates its server errors for the user.</summary>
internal static partial class LedgerSession
{
    private const int MaxStatements = 50;

    /// <summary>Letters of statements that are sent together; one statement may be longer.</summary>
    private const int MaxLetters = 512 * 1024;

    /// <summary>Opens a session with the settings that the ledger needs: it may be idle for long, and waits only briefly for
    /// locks.</summary>
    public static async Task<IServerSession> OpenAsync(ConnectionOptions options, ServerFacts server, CancellationToken cancellationToken)
    {
        var session = await ServerSession.ConnectAsync(options, cancellationToken);
        try
        {
            session.Bound(AnswerBound.LookUp);
            string[] galera = server.IsGalera ? [SessionSql.WaitForCluster] : [];
            await SetUpAsync(session, server.LogsStatements, cancellationToken, [LedgerSql.StayIdle, LedgerSql.WaitBriefly, .. galera]);
            session.Bound(AnswerBound.Lock);
            return session;
        }
        catch
        {
            await session.DisposeAsync();
            throw;
        }
    }

    /// <summary>Gives a session the settings that the ledger needs.</summary>
    /// <param name="logsStatements">whether the server may log changes by statement</param>
    public static async Task SetUpAsync(
        IServerSession session, bool logsStatements, CancellationToken cancellationToken, params string[] more) =>
        await session.QueryAllAsync(
            [.. SessionSql.Profile(session.Server.IsMariaDb, takesZeroDates: false, timeZone: null), SessionSql.Isolation(logsStatements),
                .. more],
            cancellationToken);

    /// <summary>Whether the ledger's table is missing, as far as the account can tell.</summary>
    public static bool IsMissing(ServerException fault) => fault.Error is ServerError.NoSuchTable or ServerError.TableAccessDenied;

    /// <summary>Whether a statement of the ledger does not fit the table, which has one column less or one more.</summary>
    public static bool IsMisshapen(ServerException fault) =>
        fault.Error is ServerError.BadField or ServerError.WrongValueCountOnRow or ServerError.NoDefaultForField;

    /// <summary>A former session may have an undecided chunk; a locking read waits for it.</summary>
    public static async Task<ChunkList> ReadChunksAsync(
        IServerSession session, LedgerSql sql, FoundJob job, CancellationToken cancellationToken)
    {
        try
        {
            return await LedgerPages.LockChunksAsync(
                session, sql, job.Id,
                async () => LedgerTruth.Read((await session.QueryAllAsync(
                    [LedgerSql.WaitByDefault, sql.LockTally(job.Id), LedgerSql.WaitBriefly], cancellationToken))[1].FirstRow, 0),
                cancellationToken);
        }
        catch (ServerException fault) when (fault.Error == ServerError.LockWaitTimeout)
        {
            throw new ServerException($"a session that an earlier run of job {job.Id} has left on the server is still working "
                + $"({job.Job.Runner.Describe()}): wait until it ends, or KILL it", fault);
        }
    }

    /// <summary>Locks and returns a job's details; null: it is gone.</summary>
    /// <exception cref="PlanException">somebody else holds it</exception>
    public static async Task<string?> LockAsync(IServerSession session, LedgerSql sql, string job, CancellationToken cancellationToken)
    {
        try
        {
            return (await session.QueryAsync(sql.LockJob(job), cancellationToken)).Rows is [var row] ? row[0] : null;
        }
        catch (ServerException fault) when (IsHeldElsewhere(fault))
        {
            throw await FindHolderAsync(session, sql, job, fault, cancellationToken);
        }
    }

    /// <summary>The refusal of a start whose job somebody else runs.</summary>
    /// <param name="fault">why the job cannot be locked</param>
    public static async Task<PlanException> FindHolderAsync(
        IServerSession session, LedgerSql sql, string job, ServerException fault, CancellationToken cancellationToken) =>
        (await session.QueryAsync(sql.ReadJob(job), cancellationToken)).Rows is [var row]
            ? RunBy(job, JobRecord.Read(row[0]))
            : new PlanException(
                $"job {job} is being started by somebody else at this moment: a job cannot run twice at the same time", fault);

    /// <summary>Runs statements in groups, since there may be many long ones.</summary>
    public static async Task<IReadOnlyList<TextResultSet>> QueryManyAsync(
        IServerSession session, IEnumerable<string> statements, CancellationToken cancellationToken)
    {
        List<TextResultSet> answers = [];
        foreach (var some in InPieces(statements))
        {
            answers.AddRange(await session.QueryAllAsync(some, cancellationToken));
        }

        return answers;
    }

    public static IEnumerable<IReadOnlyList<string>> InPieces(IEnumerable<string> statements)
    {
        List<string> some = [];
        var letters = 0;
        foreach (var statement in statements)
        {
            if (some.Count == MaxStatements || (some.Count > 0 && letters + statement.Length > MaxLetters))
            {
                yield return some;
                (some, letters) = ([], 0);
            }

            some.Add(statement);
            letters += statement.Length;
        }

        if (some.Count > 0)
        {
            yield return some;
        }
    }

    /// <summary>Whether the job has a row, which is locked then; false also when the session is lost.</summary>
    public static async Task<bool> HasJobAsync(IServerSession session, LedgerSql sql, string job, CancellationToken cancellationToken)
    {
        try
        {
            return (await session.QueryAsync(sql.LockJob(job), cancellationToken)).Rows.Count > 0;
        }
        catch (ServerException) when (!session.IsUsable)
        {
            return false;
        }
    }

    /// <summary>Creates the table. Commits what is open.</summary>
    /// <exception cref="PlanException">the server does not create it</exception>
    public static async Task CreateAsync(IServerSession session, LedgerSql sql, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(sql.Create, cancellationToken);
        }
        catch (ServerException fault) when (fault.Code != 0 && session.IsUsable)
        {
            throw await RefuseAsync(session, sql, fault, cancellationToken);
        }
    }

    /// <summary>Checks the table's columns.</summary>
    /// <param name="shape">from the first row of <see cref="LedgerSql.FindJob"/>; null: the server does not say</param>
    /// <exception cref="PlanException">the table is not one that this program has created</exception>
    public static void RequireShape(LedgerSql sql, string? shape)
    {
        var found = DisplayWidths().Replace(shape ?? "", match => match.Groups[1].Value);
        if (found == LedgerSql.RightShape)
        {
            return;
        }

        var engine = found.Split('|')[0];
        throw new PlanException(engine.Length > 0 && engine != "InnoDB"
            ? $"the ledger {sql.DisplayName} is a table of engine {engine}, which keeps rows that are rolled back: ALTER TABLE "
                + $"{sql.DisplayName} ENGINE=InnoDB, or name another schema with --ledger-schema"
            : $"the ledger {sql.DisplayName} has other columns than this program makes: another program's table, or one that was changed "
                + "by hand: rename it, or name another schema with --ledger-schema");
    }

    /// <summary>What the user can do where the ledger is missing, or the account may not use it.</summary>
    public static async Task<BulkLoadException> RefuseAsync(
        IServerSession session, LedgerSql sql, ServerException fault, CancellationToken cancellationToken)
    {
        if (fault.IsOfFullTable)
        {
            var full = new ServerException($"{fault.Message}; {ServerException.FullText}", fault);
            full.End("nothing was loaded", null, []);
            return full;
        }

        const string Rights = "SELECT, INSERT, UPDATE, DELETE, CREATE";
        return fault.IsReadOnly ? new PlanException($"the server takes no changes: {fault.Message}: connect to the primary", fault)
            : new PlanException(
                $"the ledger {sql.DisplayName}, which keeps a job that is started again from loading twice, cannot be used: "
                    + $"{fault.ServerText} (error {fault.Code}): "
                    + (fault.Error == ServerError.BadDb ? "create that database"
                        : await AccountGrant.OfAsync(session, Rights, sql.Database, LedgerSql.TableName, cancellationToken))
                    + "; or name another schema with --ledger-schema, or do without it by --no-ledger",
                fault);
    }

    /// <summary>Display widths, which MariaDB writes behind the types of whole numbers.</summary>
    [GeneratedRegex(@"\b(int|bigint)\(\d+\)")]
    private static partial Regex DisplayWidths();

    /// <summary>Whether another session has the job's row, or has just made it.</summary>
    public static bool IsHeldElsewhere(ServerException fault) =>
        fault.Error is ServerError.LockWaitTimeout or ServerError.DupEntry or ServerError.LockDeadlock;

    public static PlanException RunBy(string id, JobRecord job) => new(
        $"job {id} is being run by {job.Runner.Describe()}: wait until that is done, or stop it (KILL {job.Runner.Session} where its "
            + "machine is gone)");
}
