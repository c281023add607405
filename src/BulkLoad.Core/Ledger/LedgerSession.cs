using System.Text.RegularExpressions;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>The session for the ledger: what the server says there, in words for the user.</summary>
internal static partial class LedgerSession
{
    private const int MostStatements = 50;

    /// <summary>Letters of statements that go out together, of which one may be longer.</summary>
    private const int MostLetters = 512 * 1024;

    /// <summary>A new session with the profile that the ledger needs, which may be idle for long and waits briefly for locks.</summary>
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

    /// <summary>Gives a session the profile that the ledger needs.</summary>
    /// <param name="logsStatements">whether changes may be logged by statement</param>
    public static async Task SetUpAsync(
        IServerSession session, bool logsStatements, CancellationToken cancellationToken, params string[] more) =>
        await session.QueryAllAsync(
            [.. SessionSql.Profile(session.Server.IsMariaDb, takesZeroDates: false, timeZone: null), SessionSql.Isolation(logsStatements),
                .. more],
            cancellationToken);

    /// <summary>Whether the ledger's table is not there, as far as the account can tell.</summary>
    public static bool IsMissing(ServerException fault) => fault.Error is ServerError.NoSuchTable or ServerError.TableAccessDenied;

    /// <summary>Whether a statement of the ledger does not fit the table: a column is not there, or one more.</summary>
    public static bool IsMisshapen(ServerException fault) =>
        fault.Error is ServerError.BadField or ServerError.WrongValueCountOnRow or ServerError.NoDefaultForField;

    /// <summary>A former session may have a chunk that is not decided; a locking read waits for it.</summary>
    public static async Task<ChunkList> ReadChunksAsync(
        IServerSession session, LedgerSql sql, FoundJob job, CancellationToken cancellationToken)
    {
        try
        {
            return await LedgerPages.LockChunksAsync(
                session, sql, job.Id,
                async () => LedgerTruth.Read((await session.QueryAllAsync(
                    [LedgerSql.WaitAsUsual, sql.LockTally(job.Id), LedgerSql.WaitBriefly], cancellationToken))[1].FirstRow, 0),
                cancellationToken);
        }
        catch (ServerException fault) when (fault.Error == ServerError.LockWaitTimeout)
        {
            throw new ServerException($"a session that an earlier run of job {job.Id} has left on the server is still working "
                + $"({job.Job.Runner.Describe()}): wait until it ends, or KILL it", fault);
        }
    }

    /// <summary>A job's details, locked from here on; null where it is gone.</summary>
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

    /// <summary>Who runs a job, as the refusal of a start that would run it too.</summary>
    /// <param name="fault">because of which it cannot be locked</param>
    public static async Task<PlanException> FindHolderAsync(
        IServerSession session, LedgerSql sql, string job, ServerException fault, CancellationToken cancellationToken) =>
        (await session.QueryAsync(sql.ReadJob(job), cancellationToken)).Rows is [var row]
            ? RunBy(job, JobRecord.Read(row[0]))
            : new PlanException(
                $"job {job} is being started by somebody else at this moment: a job cannot run twice at the same time", fault);

    /// <summary>Executes statements, of which there may be many long ones, some at a time.</summary>
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

    /// <summary>Statements by those that go out together.</summary>
    public static IEnumerable<IReadOnlyList<string>> InPieces(IEnumerable<string> statements)
    {
        List<string> some = [];
        var letters = 0;
        foreach (var statement in statements)
        {
            if (some.Count == MostStatements || (some.Count > 0 && letters + statement.Length > MostLetters))
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

    /// <summary>Whether the job has a row, which is locked then; false too where the session is lost.</summary>
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

    /// <summary>Makes the table. Commits what is open.</summary>
    /// <exception cref="PlanException">the server does not make it</exception>
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

    /// <summary>Looks at what the table is.</summary>
    /// <param name="shape">as <see cref="LedgerSql.FindJob"/> has it in its first row; null: the server does not say</param>
    /// <exception cref="PlanException">it is none that could be relied on</exception>
    public static void RequireShape(LedgerSql sql, string? shape)
    {
        var found = DisplayWidths().Replace(shape ?? "", "$1");
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

    /// <summary>What to do where the ledger is not there, or the account may not use it.</summary>
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

    /// <summary>What MariaDB writes behind the types of whole numbers.</summary>
    [GeneratedRegex(@"\b(int|bigint)\(\d+\)")]
    private static partial Regex DisplayWidths();

    /// <summary>Whether another session has the job's row, or has just made it.</summary>
    public static bool IsHeldElsewhere(ServerException fault) =>
        fault.Error is ServerError.LockWaitTimeout or ServerError.DupEntry or ServerError.LockDeadlock;

    /// <summary>Another start runs the job.</summary>
    public static PlanException RunBy(string id, JobRecord job) => new(
        $"job {id} is being run by {job.Runner.Describe()}: wait until that is done, or stop it (KILL {job.Runner.Session} where its "
            + "machine is gone)");
}
