using System.Diagnostics;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;

namespace BulkLoad.Bench;

/// <summary>The bench's tables and sessions, removed at the end. Replaces a table only if its comment says that a bench made it.</summary>
internal sealed class BenchPlace : IAsyncDisposable
{
    private const int RoundTripsMeasured = 21;

    private static readonly TimeSpan CleanUpLimit = TimeSpan.FromSeconds(30);

    private readonly ConnectionOptions _connection;
    private readonly Action<string> _note;
    private readonly ServerSession _admin;
    private readonly List<ServerSession> _sessions = [];
    private readonly HashSet<string> _tables = [];
    private readonly HashSet<string> _kept = [];

    private BenchPlace(ConnectionOptions connection, ServerSession admin, Action<string> note) =>
        (_connection, _admin, _note) = (connection, admin, note);

    public ConnectionOptions Connection => _connection;

    public ServerIdentity Identity => _admin.Server;

    public PlannedServer Server => new(
        Identity.IsMariaDb ? "MariaDB" : "MySQL", Identity.VersionText, Identity.Endpoint, Identity.Security, Identity.User);

    public bool IsOnThisMachine => _connection.Socket is not null || _connection.Host is "localhost" or "127.0.0.1" or "::1";

    /// <param name="note">gets what could not be removed</param>
    /// <exception cref="PlanException">another bench is running in the database; the connection must name one</exception>
    public static async Task<BenchPlace> OpenAsync(ConnectionOptions connection, Action<string> note, CancellationToken cancellationToken)
    {
        var admin = await OpenSessionAsync(connection, cancellationToken);
        try
        {
            if ((await admin.QueryAsync(BenchSql.Lock, cancellationToken)).Scalar != "1")
            {
                throw new PlanException($"another bench is running in database '{connection.Database}': wait until it has ended, or "
                    + "measure in another database");
            }

            // A bench that was killed has left tables. Those for transactions are kept: they are made once, and measured with again.
            await DropAllAsync(admin, BenchSql.FindLeft, cancellationToken);
            return new BenchPlace(connection, admin, note);
        }
        catch
        {
            await admin.DisposeAsync();
            throw;
        }
    }

    /// <summary>Opens a session that ends with the bench.</summary>
    public async Task<ServerSession> ConnectAsync(CancellationToken cancellationToken, bool isForTexts = false)
    {
        var session = await OpenSessionAsync(_connection with { SendsSeveralStatements = isForTexts }, cancellationToken);
        lock (_sessions)
        {
            _sessions.Add(session);
        }

        return session;
    }

    /// <summary>The caller owns the session.</summary>
    public static async Task<ServerSession> OpenSessionAsync(ConnectionOptions connection, CancellationToken cancellationToken)
    {
        var session = await ServerSession.ConnectAsync(connection with { OffersLocalInfile = !connection.KeepsThread }, cancellationToken);
        try
        {
            foreach (var statement in BenchSql.SetUp)
            {
                await session.ExecuteAsync(statement, cancellationToken);
            }

            return session;
        }
        catch
        {
            await session.DisposeAsync();
            throw;
        }
    }

    public static async Task<TimeSpan> MeasureRoundTripAsync(ServerSession session, CancellationToken cancellationToken)
    {
        var times = new List<double>();
        for (var i = 0; i < RoundTripsMeasured; i++)
        {
            var start = Stopwatch.GetTimestamp();
            await session.QueryAsync(CallSql.Scalar, cancellationToken);
            times.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }

        return TimeSpan.FromMilliseconds(BenchSpread.Of(times).Median);
    }

    public async Task ExecuteAsync(string statement, CancellationToken cancellationToken) =>
        await _admin.ExecuteAsync(statement, cancellationToken);

    public async Task<TextResultSet> QueryAsync(string statement, CancellationToken cancellationToken) =>
        await _admin.QueryAsync(statement, cancellationToken);

    public async Task RequireRowsAsync(string table, long rows, CancellationToken cancellationToken)
    {
        var count = (await QueryAsync(BenchSql.Count(table), cancellationToken)).Scalar;
        if (count != rows.ToString())
        {
            throw new ReconciliationException($"{table} has {count} rows, and should have {rows}");
        }
    }

    /// <summary>Throws if a table of that name is not a bench's.</summary>
    public async Task CreateAsync(string table, string columns, CancellationToken cancellationToken)
    {
        await MakeRoomAsync(table, cancellationToken);
        _tables.Add(table);
        await _admin.ExecuteAsync(BenchSql.Create(table, columns), cancellationToken);
    }

    public async Task CopyAsync(string table, string like, CancellationToken cancellationToken)
    {
        await MakeRoomAsync(table, cancellationToken);
        _tables.Add(table);

        // This is not cancelled: without the comment no bench would drop the table.
        await _admin.ExecuteAsync(BenchSql.Copy(table, like), default);
        await _admin.ExecuteAsync(BenchSql.Mark(table), default);
    }

    public void Keep(string table) => _kept.Add(table);

    public Task<IReadOnlyList<string>> FindTransactionTablesAsync(CancellationToken cancellationToken) =>
        FindAllAsync(_admin, BenchSql.FindForTransactions, cancellationToken);

    public Task<IReadOnlyList<string>> FindOthersTransactionTablesAsync(CancellationToken cancellationToken) =>
        FindAllAsync(_admin, BenchSql.FindOthersForTransactions, cancellationToken);

    public Task<int> DropTransactionTablesAsync(CancellationToken cancellationToken) =>
        DropAllAsync(_admin, BenchSql.FindForTransactions, cancellationToken);

    public async Task<IEnumerable<KeyValuePair<string, string>>> ReadSettingsAsync(CancellationToken cancellationToken) =>
        (await _admin.QueryAsync(BenchSql.Settings, cancellationToken)).Rows
            .Select(row => KeyValuePair.Create(row[0]!.ToLowerInvariant(), row[1] ?? ""));

    public async ValueTask DisposeAsync()
    {
        // A statement that still runs would hold its table and the locks of its session.
        var left = new List<uint>();
        foreach (var session in (List<ServerSession>)[.. _sessions, _admin])
        {
            if (!session.IsUsable)
            {
                left.Add(session.Server.ConnectionId);
            }

            await session.DisposeAsync();
        }

        string[] tables = [.. _tables.Except(_kept)];
        if (tables.Length == 0 && left.Count == 0)
        {
            return;
        }

        using var limit = new CancellationTokenSource(CleanUpLimit);
        try
        {
            await using var session = await OpenSessionAsync(_connection, limit.Token);
            await CleanUpAsync(session, left, tables, limit.Token);
        }
        catch (Exception fault) when (fault is BulkLoadException or OperationCanceledException)
        {
            _note($"not everything could be removed ({fault.Message}): drop {string.Join(", ", tables)}, or run a bench in this database "
                + "again, which does");
        }
    }

    private static async Task CleanUpAsync(ServerSession session, List<uint> left, string[] tables, CancellationToken cancellationToken)
    {
        foreach (var id in left)
        {
            try
            {
                await session.ExecuteAsync(BenchSql.Kill(id), cancellationToken);
            }
            catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
            {
                // It has ended by itself.
            }
        }

        foreach (var table in tables)
        {
            if (await FindAsync(session, table, cancellationToken) == true)
            {
                await session.ExecuteAsync(BenchSql.Drop(table), cancellationToken);
            }
        }
    }

    private static async Task<IReadOnlyList<string>> FindAllAsync(
        ServerSession session, string question, CancellationToken cancellationToken) =>
        [.. (await session.QueryAsync(question, cancellationToken)).Rows.Select(row => row[0]!)];

    private static async Task<int> DropAllAsync(ServerSession session, string question, CancellationToken cancellationToken)
    {
        var tables = await FindAllAsync(session, question, cancellationToken);
        foreach (var table in tables)
        {
            await session.ExecuteAsync(BenchSql.Drop(table), cancellationToken);
        }

        return tables.Count;
    }

    private async Task MakeRoomAsync(string table, CancellationToken cancellationToken)
    {
        switch (await FindAsync(_admin, table, cancellationToken))
        {
            case true:
                await _admin.ExecuteAsync(BenchSql.Drop(table), cancellationToken);
                break;
            case false:
                throw new PlanException($"database '{_connection.Database}' has a table '{table}' that no bench has made (its comment is "
                    + $"not '{BenchSql.Comment}'): rename it, or measure in another database");
        }
    }

    private static async Task<bool?> FindAsync(ServerSession session, string table, CancellationToken cancellationToken) =>
        (await session.QueryAsync(BenchSql.Find(table), cancellationToken)).Rows is [[var comment, ..], ..]
            ? comment == BenchSql.Comment
            : null;
}

internal static class BenchSql
{
    public const string Prefix = "bulkload_bench_";

    /// <summary>Tables for transactions stay from one command to the next.</summary>
    public const string TransactionPrefix = Prefix + "oltp_";

    /// <summary>A bench may drop a table with this comment.</summary>
    public const string Comment = "made by bulkload bench, which drops it";

    /// <summary>One bench in a database at a time: 1 means that the lock was free. Its name has at most 64 characters.</summary>
    public const string Lock = $"SELECT GET_LOCK(CONCAT('{Prefix}', LEFT(SHA2(DATABASE(), 256), 32)), 0)";

    /// <summary>With these settings figures do not depend on the server's defaults, and nobody waits long for a table.</summary>
    public static IReadOnlyList<string> SetUp { get; } =
    [
        "SET NAMES utf8mb4",
        "SET SESSION sql_mode='STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit=1, sql_safe_updates=0, sql_select_limit=DEFAULT, "
            + "lock_wait_timeout=10",
    ];

    /// <summary>Settings that influence the figures.</summary>
    public const string Settings =
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN "
            + "('innodb_flush_log_at_trx_commit','innodb_buffer_pool_size','innodb_doublewrite','log_bin','sync_binlog',"
        + "'max_allowed_packet','innodb_autoinc_lock_mode','query_cache_type')";

    public const string MaxPacket = "SELECT @@max_allowed_packet";

    public static string Create(string table, string columns) =>
        $"CREATE TABLE {SqlName.Quote(table)} ({columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT={SqlLiteral.Quote(Comment)}";

    public static string Copy(string table, string like) => $"CREATE TABLE {SqlName.Quote(table)} LIKE {like}";

    public static string Mark(string table) => $"ALTER TABLE {SqlName.Quote(table)} COMMENT={SqlLiteral.Quote(Comment)}";

    public static string Drop(string table) => $"DROP TABLE IF EXISTS {SqlName.Quote(table)}";

    public static string Empty(string table) => $"TRUNCATE TABLE {SqlName.Quote(table)}";

    public static string Count(string table) => $"SELECT COUNT(*) FROM {SqlName.Quote(table)}";

    public static string Fill(string table, string from) => $"INSERT INTO {SqlName.Quote(table)} SELECT * FROM {SqlName.Quote(from)}";

    public static string Find(string table) =>
        $"SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME={SqlLiteral.Quote(table)}";

    /// <summary>Tables of a bench that was killed.</summary>
    public static string FindLeft => FindAll($"{BeginsWith(Prefix)} AND NOT {BeginsWith(TransactionPrefix)} AND {HasComment}");

    public static string FindForTransactions => FindAll($"{BeginsWith(TransactionPrefix)} AND {HasComment}");

    /// <summary>Tables of such a name that no bench made.</summary>
    public static string FindOthersForTransactions => FindAll($"{BeginsWith(TransactionPrefix)} AND NOT {HasComment}");

    /// <summary>A session of the same account.</summary>
    public static string Kill(uint connectionId) => $"KILL {connectionId}";

    public static string Autocommit(bool isOn) => $"SET autocommit={(isOn ? 1 : 0)}";

    private static string HasComment => $"TABLE_COMMENT={SqlLiteral.Quote(Comment)}";

    private static string BeginsWith(string prefix) => $"LEFT(TABLE_NAME, {prefix.Length})={SqlLiteral.Quote(prefix)}";

    private static string FindAll(string condition) =>
        $"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() AND {condition} ORDER BY TABLE_NAME";
}
