using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;

namespace BulkLoad.Core.Jobs;

/// <summary>A request with all its facts and its decision; nothing in it is asked again.</summary>
internal sealed record PreparedJob(IReadOnlyList<LoadSource> Sources, LoadFacts Facts, LoadDecision Decision)
{
    public LoadRequest Request => Facts.Request;

    public IReadOnlyList<string> SourceNames => [.. Sources.Select(source => source.Look.Name)];
}

/// <summary>Opens a job's sessions. Owns the lead, and those opened ahead until somebody takes them.</summary>
/// <param name="connect">opens a session in a test; null: over the network</param>
internal sealed class JobConnections(LoadRequest request, TimeProvider time, Func<CancellationToken, Task<IServerSession>>? connect = null)
    : IAsyncDisposable
{
    private IServerSession? _lead;
    private BackgroundTask<IServerSession>? _first;
    private BackgroundTask<ReadySession>? _second;
    private readonly Lock _gate = new();
    private readonly List<IServerSession> _open = [];
    private readonly List<uint> _closed = [];

    /// <summary>The session that asks the server and the table, and then carries rows.</summary>
    public IServerSession Lead => OpenLead ?? throw new InvalidOperationException("no session is open");

    /// <summary>Null: no lead is open yet.</summary>
    public IServerSession? OpenLead => _lead;

    /// <summary>Ids of the job's sessions; some may be closed. Safe for any thread.</summary>
    public IReadOnlyCollection<uint> Sessions
    {
        get
        {
            lock (_gate)
            {
                return [.. _closed, .. _open.Select(session => session.Server.ConnectionId)];
            }
        }
    }

    /// <summary>Opens the ledger's first session; null: nobody has begun to.</summary>
    public BackgroundTask<IServerSession>? Ledger { get; private set; }

    public void BeginLead(CancellationToken cancellationToken) => _first = new(ConnectAsync, cancellationToken);

    public void BeginLedger(ServerFacts server, CancellationToken cancellationToken) =>
        Ledger = new(
            async token => Own(await LedgerSession.OpenAsync(request.SideConnection, server, token)), cancellationToken);

    /// <summary>Begins to open the second session that carries rows, unless that was done: it takes as long as the ledger.</summary>
    public void BeginSecond(CancellationToken cancellationToken) => _second ??= new(OpenAsync, cancellationToken);

    public async Task<IServerSession> OpenLeadAsync(CancellationToken cancellationToken)
    {
        await CloseAsync();
        return _lead = await (_first?.TryTake(out var opened) == true ? opened : ConnectAsync(cancellationToken));
    }

    /// <summary>Opens a new lead and sets it up; the old one is lost or unusable.</summary>
    public async Task<ServerFacts> ReplaceLeadAsync(CancellationToken cancellationToken)
    {
        await Lead.DisposeAsync();
        (_lead, var server) = await OpenAsync(cancellationToken);
        return server;
    }

    /// <summary>The session that was opened ahead, or a new one; the caller owns it.</summary>
    public Task<ReadySession> TakeSecondAsync(CancellationToken cancellationToken) =>
        _second?.TryTake(out var opened) == true ? opened : OpenAsync(cancellationToken);

    /// <summary>A session that is set up to carry rows; the caller owns it.</summary>
    public Task<ReadySession> OpenAsync(CancellationToken cancellationToken) => OpenAsync(request.WorkConnection, cancellationToken);

    /// <inheritdoc cref="OpenAsync(CancellationToken)"/>
    public Task<ReadySession> OpenAsync(ConnectionOptions options, CancellationToken cancellationToken) =>
        ReadySession.OpenAsync(token => ConnectOwnAsync(options, token), request.Values, time, cancellationToken);

    /// <summary>A session that is not set up, such as one with a replica; the caller owns it.</summary>
    public async Task<IServerSession> ConnectAsync(ConnectionOptions options, CancellationToken cancellationToken) =>
        connect is null ? await ServerSession.ConnectAsync(options, cancellationToken) : await connect(cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await CloseAsync();
        await (_first?.DisposeAsync() ?? ValueTask.CompletedTask);
    }

    private Task<IServerSession> ConnectAsync(CancellationToken cancellationToken) =>
        ConnectOwnAsync(request.WorkConnection, cancellationToken);

    private async Task<IServerSession> ConnectOwnAsync(ConnectionOptions options, CancellationToken cancellationToken) =>
        Own(await ConnectAsync(options, cancellationToken));

    private IServerSession Own(IServerSession session)
    {
        lock (_gate)
        {
            // A closed one has buffers, and its number changes no more.
            _closed.AddRange(_open.Where(one => !one.IsUsable).Select(one => one.Server.ConnectionId));
            _open.RemoveAll(one => !one.IsUsable);
            _open.Add(session);
        }

        return session;
    }

    private async ValueTask CloseAsync()
    {
        await (_second?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (Ledger?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_lead?.DisposeAsync() ?? ValueTask.CompletedTask);
        (_lead, Ledger, _second) = (null, null, null);
    }
}
