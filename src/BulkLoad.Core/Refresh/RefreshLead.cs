using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>The session that leads a full refresh, and what each of its steps uses.</summary>
/// <param name="request">its <see cref="LoadRequest.Refresh"/> is not null</param>
internal sealed class RefreshLead(LoadRequest request, TimeProvider time) : IAsyncDisposable
{
    private ReadySession? _ready;
    private RefreshFacts? _facts;

    public LoadRequest Request => request;

    public RefreshOptions Options => request.Refresh!;

    public TimeProvider Time => time;

    public IServerSession Session => _ready!.Session;

    public ServerFacts Server => _ready!.Server;

    /// <summary>As the first look found it.</summary>
    public RefreshFacts Facts => _facts!;

    public TableFacts Table => Facts.Table;

    public RefreshNames Names => new(Table.Name, Partition);

    public RefreshSql Sql => new(Table.Database);

    /// <summary>The job's name, in the ledger and among starts of this program.</summary>
    public string Job => RefreshNames.JobOf(Table.Database, Table.Name, Partition);

    /// <summary>Null: the job keeps no ledger.</summary>
    public string? LedgerJob => request.KeepsLedger ? request.JobId ?? Job : null;

    /// <summary>An input that can be read only once, such as a pipe, for people; null: none. What an earlier start has loaded is not used
    /// then: that another content does not fit would be seen when it is read already.</summary>
    public string? ReadOnce { get; } = request.Files.FirstOrDefault(path => path == InputPaths.StandardInput
        || (File.Exists(path) && !OutputFiles.IsRegularFile(path))) is { } one
        ? one == InputPaths.StandardInput ? request.StandardInputName : one
        : null;

    /// <summary>Whether the next start of the same command uses what this one has loaded.</summary>
    public bool IsContinued => LedgerJob is not null && ReadOnce is null;

    public JobList Jobs => new(request.SideConnection, request.LedgerSchema ?? Table.Database);

    /// <summary>As the server writes it, whatever the case that was typed.</summary>
    private string? Partition => Table.Partition ?? Options.Partition;

    /// <summary>Since when others may have written to the table, for people.</summary>
    public string Meanwhile { get; init; } = "while its new content was loaded";

    /// <summary>A name that no table gets again, since whether it is there tells how far the job has come; null: none.</summary>
    public string? TakenName { get; init; }

    /// <summary>For the report.</summary>
    public List<string> Notes { get; } = [];

    public async Task<ReadySession> OpenAsync(CancellationToken cancellationToken)
    {
        _ready = await ReadySession.OpenForTablesAsync(request.SideConnection, time, cancellationToken);
        return _ready;
    }

    /// <summary>Opens another session, since the server has ended the one before.</summary>
    public async Task OpenAgainAsync(CancellationToken cancellationToken)
    {
        await Session.DisposeAsync();
        await OpenAsync(cancellationToken);
        await UseAsync(cancellationToken);
    }

    /// <summary>The server deletes rows of a table that has an alias in a session with a database only (error 1046).</summary>
    private Task UseAsync(CancellationToken cancellationToken) =>
        Session.ExecuteAsync(SessionSql.Use(Table.Database), cancellationToken).AsTask();

    /// <exception cref="PlanException">there is no such table, or it cannot be made exactly the input</exception>
    public async Task LookAsync(CancellationToken cancellationToken)
    {
        var name = TableName.Of(request, request.Files[0]);
        var database = name.Database ?? _ready!.Server.Database
            ?? throw new PlanException($"no database named for table {name.Table}: add --database, or write --table database.{name.Table}");
        await LookAsync(database, name.Table, cancellationToken);
    }

    /// <exception cref="PlanException">there is no such table, or it cannot be made exactly the input</exception>
    public async Task LookAsync(string database, string table, CancellationToken cancellationToken)
    {
        _facts = await RefreshProbe.LookAsync(Session, database, table, Options.Partition, cancellationToken);
        await UseAsync(cancellationToken);
    }

    /// <exception cref="ReconciliationException">somebody has altered the table</exception>
    public async Task<RefreshFacts> LookAgainAsync(CancellationToken cancellationToken)
    {
        var now = await RefreshProbe.LookAsync(Session, Table.Database, Table.Name, Options.Partition, cancellationToken);
        return now.Lasting == Facts.Lasting ? now : throw new ReconciliationException(
            $"{Table.DisplayName} was altered by others {Meanwhile}: nothing of it was changed; run the same command again");
    }

    /// <summary>Holds the table's name among starts of this program until the session ends.</summary>
    /// <exception cref="PlanException">another start has it</exception>
    public async Task RequireAloneAsync(CancellationToken cancellationToken)
    {
        if ((await Session.QueryAsync(RefreshSql.Hold(Job), cancellationToken)).Scalar != "1")
        {
            throw new PlanException($"another process makes {Table.DisplayName} exactly its input at this moment: wait for it");
        }
    }

    /// <summary>The refusal of the last step by the server, with the statement that gives the right.</summary>
    public async Task<PlanException> DenyAsync(ServerException fault, CancellationToken cancellationToken) => new(
        $"{Table.DisplayName} cannot be exchanged, and is as it was: {fault.ServerText}: "
            + await AccountGrant.OfAsync(Session, RefreshSql.Rights, Table.Database, null, cancellationToken), fault);

    /// <summary>Tables of the schema that may belong to a full refresh.</summary>
    public async Task<IReadOnlyList<string>> FindTablesAsync(CancellationToken cancellationToken) =>
        [.. (await Session.QueryAsync(Sql.Tables(RefreshNames.Pattern), cancellationToken)).Rows.Select(row => row[0]!)];

    public Task<bool> HasTableAsync(string name, CancellationToken cancellationToken) =>
        TableProbe.IsThereAsync(Session, Table.Database, name, cancellationToken);

    /// <summary>Looks at another table of the schema, and sums its rows.</summary>
    public async Task<(RefreshFacts Facts, Fingerprint Print)> TakeAsync(string table, CancellationToken cancellationToken)
    {
        var facts = await RefreshProbe.LookAsync(Session, Table.Database, table, partition: null, cancellationToken);
        return (facts, await RefreshProbe.TakeAsync(Session, facts, locks: false, cancellationToken));
    }

    /// <summary>A name for the former table that stays: nobody has it, also where another one got one within this second.</summary>
    public async Task<string> FindKeptNameAsync(CancellationToken cancellationToken)
    {
        for (var at = time.GetUtcNow().UtcDateTime; ; at = at.AddSeconds(1))
        {
            if (Names.OfKept(at) is var name && name != TakenName && !await HasTableAsync(name, cancellationToken))
            {
                return name;
            }
        }
    }

    public async Task<long> CountRowsAsync(string table, CancellationToken cancellationToken) =>
        long.Parse((await Session.QueryAsync(Sql.Count(table), cancellationToken)).Scalar!, CultureInfo.InvariantCulture);

    /// <summary>Drops a table of the job, or leaves it to the next start.</summary>
    public async Task DropAsync(string table)
    {
        try
        {
            await Session.ExecuteAsync(Sql.Drop(table), CancellationToken.None);
        }
        catch (BulkLoadException)
        {
            // The next start drops it.
        }
    }

    public ValueTask DisposeAsync() => _ready?.DisposeAsync() ?? ValueTask.CompletedTask;
}
