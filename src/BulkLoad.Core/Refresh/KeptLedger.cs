using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>Lets the ledger know of a former table that stays. Before the exchange the row of the load gets a note of it: a start that is
/// killed behind the exchange leaves no table that nobody can tell. When the table has its name, it gets a job of its own.</summary>
internal sealed class KeptLedger(RefreshLead lead)
{
    private readonly LedgerSql _sql = new(lead.Request.LedgerSchema ?? lead.Table.Database);
    private JobRecord? _load;

    /// <summary>Null: nothing is noted.</summary>
    public KeptTable? Noted { get; private set; }

    /// <summary>Notes what the next exchange will leave.</summary>
    public Task NoteAsync(KeptTable kept, CancellationToken cancellationToken) => InLedgerAsync(
        async session =>
        {
            if (lead.LedgerJob is { } job && await LedgerSession.LockAsync(session, _sql, job, cancellationToken) is { } details)
            {
                _load = JobRecord.Read(details) with { Kept = kept };
                await session.ExecuteAsync(_sql.UpdateJob(job, _load.Write()), cancellationToken);
                Noted = kept;
            }
        },
        cancellationToken);

    /// <summary>Finds what an earlier start has noted that was killed behind the exchange.</summary>
    public Task FindAsync(string interim, CancellationToken cancellationToken) => InLedgerAsync(
        async session =>
        {
            try
            {
                if (lead.LedgerJob is { } job && await LedgerSession.LockAsync(session, _sql, job, cancellationToken) is { } details
                    && JobRecord.Read(details) is { Kept: { } kept } load && kept.Interim == interim)
                {
                    (_load, Noted) = (load, kept);
                }
            }
            catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
            {
                // No ledger: nothing is noted.
            }
        },
        cancellationToken);

    /// <summary>Makes what is noted a job that can be undone.</summary>
    /// <returns>its name; null: nothing is noted</returns>
    public async Task<string?> EnterAsync(CancellationToken cancellationToken)
    {
        if (Noted is not { } kept || _load is not { } load)
        {
            return null;
        }

        var id = RefreshNames.JobOfKept(kept);
        var job = new JobRecord
        {
            Command = load.Command,
            Table = $"{kept.Database}.{kept.Table}",
            Sources = load.Sources,
            Runner = load.Runner,
            Total = load.Total,
            Completed = lead.Time.GetUtcNow().UtcDateTime,
            Kept = kept,
        };
        await InLedgerAsync(
            async session =>
            {
                // An earlier start may have been killed just behind this.
                var isThere = await LedgerSession.LockAsync(session, _sql, id, cancellationToken) is not null;
                await session.ExecuteAsync(isThere ? _sql.UpdateJob(id, job.Write()) : _sql.InsertJob(id, job.Write()), cancellationToken);
            },
            cancellationToken);
        return id;
    }

    private async Task InLedgerAsync(Func<IServerSession, Task> ask, CancellationToken cancellationToken)
    {
        if (lead.LedgerJob is null)
        {
            return;
        }

        await using var session = await LedgerSession.OpenAsync(lead.Request.SideConnection, lead.Server, cancellationToken);
        await ask(session);
        await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
    }
}
