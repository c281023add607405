using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Seeding;

/// <summary>
/// Puts back tables of a database that were seeded, as often as it is called; its session stays open, and is opened anew where it was lost.
/// One call at a time.
/// </summary>
/// <param name="connection">where the database is</param>
/// <param name="options">what is put back</param>
/// <param name="time">null: the machine's</param>
internal sealed class SeedResetJob(ConnectionOptions connection, SeedResetOptions options, TimeProvider? time = null) : IAsyncDisposable
{
    private readonly string _database = (options.Database ?? connection.Database) is { } name && !string.IsNullOrWhiteSpace(name)
        ? name
        : throw new RequestException("no database: name the one whose tables are put back with --database");

    private IServerSession? _session;
    private SeedReset? _reset;

    /// <summary>Opens the session, so that what keeps it from being opened is known before the first reset.</summary>
    /// <exception cref="PlanException">the database is not one for that</exception>
    /// <exception cref="ConnectException">no session could be opened</exception>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        SeedReset.RequireAllowed(_database, options);
        await CloseAsync();
        _session = await ConnectAsync(cancellationToken);
        _reset = new SeedReset(_session, _database, options, ConnectAsync, time ?? TimeProvider.System);
    }

    /// <summary>Puts back what was touched since the tables were seeded, or put back.</summary>
    /// <exception cref="BulkLoadException">what the user can fix</exception>
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
            // It was lost since the last call. What it may have begun by now is undone or done: either way the next look tells.
            await OpenAsync(cancellationToken);
            return await _reset!.RunAsync(cancellationToken);
        }
    }

    /// <inheritdoc/>
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

/// <summary>What a reset does.</summary>
internal sealed record SeedResetOptions
{
    /// <summary>Whose tables are put back; null: the connection's default database.</summary>
    public string? Database { get; init; }

    /// <summary>
    /// The schema that has the copies; null: the database's name with <c>_bulkload</c> behind it, or the database itself.
    /// </summary>
    public string? Schema { get; init; }

    /// <summary>Tables that are left as they are.</summary>
    public IReadOnlyList<string> Except { get; init; } = [];

    /// <summary>Whether tables that were made since the copies were taken are dropped; else they are an error.</summary>
    public bool DropNew { get; init; }

    /// <summary>A database whose tables may be put back whatever its name is; null: none is named.</summary>
    public string? AllowedDatabase { get; init; }
}

/// <summary>A table that was not as it was.</summary>
/// <param name="Name">the table</param>
/// <param name="Deleted">rows that were deleted: they were not there before, or were others</param>
/// <param name="Inserted">rows that were inserted</param>
internal sealed record ResetTable(string Name, long Deleted, long Inserted)
{
    /// <summary>Rows that were made right where they stood.</summary>
    public long Updated { get; init; }

    /// <summary>Whether the id that comes next was set back.</summary>
    public bool IsNextIdSet { get; init; }

    /// <summary>Whether anything was done.</summary>
    public bool IsChanged => Deleted + Inserted + Updated > 0 || IsNextIdSet;
}

/// <summary>How a reset went.</summary>
internal sealed record SeedResetReport
{
    /// <summary>Whose tables.</summary>
    public required string Database { get; init; }

    /// <summary>Where the copies are, for people.</summary>
    public required string Place { get; init; }

    /// <summary>Tables that were put back, by name.</summary>
    public required IReadOnlyList<ResetTable> Tables { get; init; }

    /// <summary>How many tables were looked at.</summary>
    public required int Looked { get; init; }

    /// <summary>Tables that were dropped, since they were made after the copies.</summary>
    public required IReadOnlyList<string> Dropped { get; init; }

    /// <summary>What to know beside it, for people.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>How long it took, without connecting.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>Rows deleted in all tables.</summary>
    public long Deleted => Tables.Sum(table => table.Deleted);

    /// <summary>Rows inserted in all tables.</summary>
    public long Inserted => Tables.Sum(table => table.Inserted);

    /// <summary>Rows updated in all tables.</summary>
    public long Updated => Tables.Sum(table => table.Updated);
}
