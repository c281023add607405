using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Seeding;

/// <summary>
/// Puts back tables of a database that were seeded, as often as it is called; its session stays open, and is opened anew where it was lost.
/// One call at a time.
/// </summary>
/// <param name="connection">where the database is</param>
/// <param name="options">what is put back</param>
/// <param name="time">null: the machine's</param>
public sealed class SeedResetJob(ConnectionOptions connection, SeedResetOptions options, TimeProvider? time = null) : IAsyncDisposable
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
