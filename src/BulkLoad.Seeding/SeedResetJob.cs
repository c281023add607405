using BulkLoad.Core.Protocol;

namespace BulkLoad.Seeding;

/// <summary>Puts back seeded tables at each call. Its session stays open, and is opened again when it was lost. Not thread-safe.</summary>
/// <param name="time">null: the machine's</param>
internal sealed class SeedResetJob(ConnectionOptions connection, SeedResetOptions options, TimeProvider? time = null) : IAsyncDisposable
{
    private readonly string _database = (options.Database ?? connection.Database) is { } name && !string.IsNullOrWhiteSpace(name)
        ? name
        : throw new RequestException("no database: name the one whose tables are put back with --database");

    private IServerSession? _session;
    private SeedReset? _reset;

    /// <summary>Opens the session, so that an error is known before the first reset.</summary>
    /// <exception cref="PlanException">the database does not allow it</exception>
    /// <exception cref="ConnectException">no session could be opened</exception>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        SeedReset.RequireAllowed(_database, options);
        await CloseAsync();
        _session = await ConnectAsync(cancellationToken);
        _reset = new SeedReset(_session, _database, options, ConnectAsync, time ?? TimeProvider.System);
    }

    public async Task<SeedResetReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var isOpen = _session is { IsUsable: true };
        if (!isOpen)
        {
            await OpenAsync(cancellationToken);
        }

        try
        {
            return await _reset!.RunAsync(cancellationToken);
        }
        catch (ServerException fault) when (isOpen && fault.Kind == FaultKind.SessionLost)
        {
            // The session was lost since the last call. The server has committed or undone its work: the next look tells which.
            await OpenAsync(cancellationToken);
            return await _reset!.RunAsync(cancellationToken);
        }
    }

    public async ValueTask DisposeAsync() => await CloseAsync();

    private async ValueTask CloseAsync()
    {
        if (_session is { } session)
        {
            _session = null;
            await session.DisposeAsync();
        }
    }

    private async Task<IServerSession> ConnectAsync(CancellationToken cancellationToken) =>
        await ServerSession.ConnectAsync(connection with { Database = _database, OffersLocalInfile = false }, cancellationToken);
}

internal sealed record SeedResetOptions
{
    /// <summary>Null: the connection's default database.</summary>
    public string? Database { get; init; }

    /// <summary>The schema that has the copies; null: the database's name with <c>_bulkload</c> behind it, or the database
    /// itself.</summary>
    public string? Schema { get; init; }

    public IReadOnlyList<string> Except { get; init; } = [];

    /// <summary>Whether tables that were made since the copies were taken are dropped; otherwise they are an error.</summary>
    public bool DropNew { get; init; }

    /// <summary>A database whose tables may be put back whatever its name is; null: none is named.</summary>
    public string? AllowedDatabase { get; init; }
}

/// <summary>A table that differed from its copy.</summary>
/// <param name="Deleted">rows that were new, or differed</param>
internal sealed record ResetTable(string Name, long Deleted, long Inserted)
{
    /// <summary>Rows that were corrected in place.</summary>
    public long Updated { get; init; }

    public bool IsNextIdSet { get; init; }

    public bool IsChanged => Deleted + Inserted + Updated > 0 || IsNextIdSet;
}

internal sealed record SeedResetReport
{
    public required string Database { get; init; }

    /// <summary>Where the copies are, for people.</summary>
    public required string Place { get; init; }

    public required IReadOnlyList<ResetTable> Tables { get; init; }

    /// <summary>Number of tables that were compared.</summary>
    public required int Looked { get; init; }

    /// <summary>Tables that were made after the copies.</summary>
    public required IReadOnlyList<string> Dropped { get; init; }

    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>Without connecting.</summary>
    public required TimeSpan Elapsed { get; init; }

    public long Deleted => Tables.Sum(table => table.Deleted);

    public long Inserted => Tables.Sum(table => table.Inserted);

    public long Updated => Tables.Sum(table => table.Updated);
}
