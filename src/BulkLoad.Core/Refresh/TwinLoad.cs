using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Refresh;

/// <summary>Makes a table beside the one that is refreshed, and loads it. What an earlier start has loaded is used, if it fits.</summary>
/// <param name="way">what comes behind the load</param>
internal sealed class TwinLoad(RefreshLead lead, RefreshPlan way, ILoggerFactory loggers, IProgress<LoadProgress>? progress)
{
    /// <summary>What this start sends to make the table; empty: an earlier one has made it.</summary>
    private IReadOnlyList<string> _making = [];

    private LoadRequest Request => lead.Request;

    private bool IsPreview => Request.Mode == JobMode.Preview;

    private string Name => lead.Names.OfNew($"{(IsPreview ? "preview " : "")}{RefreshWays.Of(way.Way)} {lead.Facts.Lasting}");

    /// <summary>What a run would do. Writes nothing.</summary>
    public async Task<LoadPlan> PlanAsync(CancellationToken cancellationToken)
    {
        var name = Name;
        var plan = await new LoadJob(
            Inner(Request).AsTrial() with { Known = new KnownTable(name, lead.Table.Name) }, loggers).PlanAsync(cancellationToken);
        if (await FindBegunAsync(name, cancellationToken) is null)
        {
            _making = [.. (await FindMakingAsync(name, cancellationToken)).SelectMany(step => step.Statements)];
        }

        return Tell(plan, name);
    }

    /// <summary>The request that the load itself has, but for its table.</summary>
    private static LoadRequest Inner(LoadRequest request) => request with
    {
        Refresh = null,
        Mode = JobMode.Write,
        Verify = request.Verify == VerifyMode.None ? VerifyMode.Checksum : request.Verify,
        VerifiesIfPossible = true,
        RebuildIndexes = request.RebuildIndexes && request.KeepsLedger,
        RebuildsIfFaster = !request.RebuildIndexes && request.KeepsLedger,
    };

    /// <returns>the table's name, and the report of its load; where that is not complete, it says what stays</returns>
    public async Task<(string Name, LoadReport Report)> RunAsync(CancellationToken cancellationToken)
    {
        var name = Name;
        var begun = await FindBegunAsync(name, cancellationToken);
        if (begun is null)
        {
            await MakeAsync(name, cancellationToken);
        }

        var report = await LoadAsync(name, isLoaded: begun?.Completed is not null, cancellationToken);
        if (begun is not null && report.Failure is PlanException { Message: var reason } && report.Chunks == report.EarlierChunks)
        {
            // Another file, or other options.
            lead.Notes.Add($"what an earlier start had loaded does not fit, and all was loaded again: {reason}");
            begun = null;
            await MakeAsync(name, cancellationToken);
            report = await LoadAsync(name, isLoaded: false, cancellationToken);
        }

        if (report.Outcome == LoadOutcome.AlreadyComplete)
        {
            var counts = new LoadCounts { Read = begun!.Taken + begun.Rejected, Inserted = begun.Taken, Rejected = begun.Rejected };
            lead.Notes.Add("the rows were loaded by an earlier start, which was killed or stopped before the last step");
            report = report with
            {
                Outcome = LoadOutcome.Complete,
                Headline = null,
                Notes = report.Plan?.Notes ?? [],
                Counts = counts,
                EarlierCounts = counts,
                Chunks = begun.Chunks,
                EarlierChunks = begun.Chunks,
            };
        }
        else if (report.Outcome != LoadOutcome.Complete)
        {
            await LeaveAsync(name, report);
        }

        return (name, report with { Plan = report.Plan is null ? null : Tell(report.Plan, name) });
    }

    /// <summary>A plan of the load, told as one of the whole.</summary>
    private LoadPlan Tell(LoadPlan plan, string name) => plan with
    {
        Table = lead.Table.DisplayName,
        Sql = [.. _making, .. plan.Sql, .. RefreshSteps.Behind(lead, way, name)],
        Notes = [$"full refresh by {RefreshWays.Of(way.Way)}: {way.Reason}", .. plan.Notes],
    };

    /// <summary>The job's rows in the ledger are of a table that is gone, or will be.</summary>
    public async Task ForgetAsync(CancellationToken cancellationToken)
    {
        if (IsPreview || lead.LedgerJob is not { } job)
        {
            return;
        }

        try
        {
            await lead.Jobs.ForgetAsync([job], cancellationToken);
        }
        catch (BulkLoadException)
        {
            // There is none; or it stays, and the next start forgets it.
        }
    }

    /// <summary>Where the table is gone, another start has nothing to use.</summary>
    public async Task ForgetUnlessThereAsync(string name)
    {
        try
        {
            if (lead.Session.IsUsable && !(await lead.FindTablesAsync(CancellationToken.None)).Contains(name))
            {
                await ForgetAsync(CancellationToken.None);
            }
        }
        catch (BulkLoadException)
        {
            // The report has the failure that ended the job.
        }
    }

    /// <param name="isLoaded">whether the table has all rows of the earlier start's input: another one must not come to them</param>
    private async Task<LoadReport> LoadAsync(string name, bool isLoaded, CancellationToken cancellationToken)
    {
        var request = IsPreview ? Inner(Request).AsTrial()
            : Inner(Request) with { JobId = lead.LedgerJob, ReplacesKnownContent = isLoaded };
        return await new LoadJob(request with
        {
            Connection = request.Connection with { Database = lead.Table.Database },
            Table = SqlName.Quote(name),
            Known = await BesideStatements.KnowAsync(lead.Session, lead.Table, lead.Facts.Definition, name, cancellationToken),
        }, loggers, progress).RunAsync(cancellationToken);
    }

    /// <summary>What was loaded stays for the same command.</summary>
    private async Task LeaveAsync(string name, LoadReport report)
    {
        var keeps = report.Chunks > 0 && lead.IsContinued;
        lead.Notes.Add($"{lead.Table.DisplayName} is as it was" + (keeps
            ? $"; what was loaded is in {lead.Table.Database}.{name}, and the same command continues from there" : ""));
        if (!keeps)
        {
            await DropAsync(name);
        }
    }

    /// <summary>Drops the table, so that nothing of this start is used by another.</summary>
    public async Task DropAsync(string name)
    {
        await ForgetAsync(CancellationToken.None);
        await lead.DropAsync(name);
    }

    /// <returns>the job of an earlier start that has loaded rows into the table, if this one can use them; null: there is none</returns>
    private async Task<JobSummary?> FindBegunAsync(string name, CancellationToken cancellationToken)
    {
        if (IsPreview || lead.LedgerJob is not { } id || !(await lead.FindTablesAsync(cancellationToken)).Contains(name))
        {
            return null;
        }

        try
        {
            var (job, _, chunks) = await lead.Jobs.ShowAsync(id, 1, cancellationToken);
            if (chunks > 0 && lead.ReadOnce is { } input)
            {
                lead.Notes.Add($"what an earlier start had loaded was not used, since {input} can be read only once: all was loaded again");
                return null;
            }

            return chunks > 0 ? job : null;
        }
        catch (Exception fault) when (fault is PlanException or ServerException { Error: ServerError.NoSuchTable })
        {
            return null;
        }
    }

    /// <summary>Makes an empty table, in place of those that earlier starts have left.</summary>
    private async Task MakeAsync(string name, CancellationToken cancellationToken)
    {
        var sql = lead.Sql;
        foreach (var left in (await lead.FindTablesAsync(cancellationToken)).Where(
            one => IsPreview ? one == name : lead.Names.IsNew(one)))
        {
            await lead.Session.ExecuteAsync(sql.Drop(left), cancellationToken);
        }

        await ForgetAsync(cancellationToken);
        var steps = await FindMakingAsync(name, cancellationToken);
        foreach (var (statements, refusal) in steps)
        {
            await BesideStatements.RunAsync(lead.Session, lead.Table.Database, statements,
                $"--full-refresh: {lead.Table.DisplayName}: {refusal}", cancellationToken);
        }

        _making = [.. steps.SelectMany(step => step.Statements)];
    }

    /// <returns>the statements that make the empty table, in order, and what is said where the server refuses some</returns>
    private async Task<IReadOnlyList<(string[] Statements, string Refusal)>> FindMakingAsync(
        string name, CancellationToken cancellationToken)
    {
        var sql = lead.Sql;
        var used = (await lead.Session.QueryAsync(sql.Constraints, cancellationToken)).Rows.Select(row => row[0]!);
        var twin = new TwinText(lead.Table.Name, name, lead.Session.Server.IsMariaDb);
        var create = twin.Create(lead.Facts.Definition, used, sql.Name(name), keepsOwn: way.Way != RefreshWay.Diff);
        var other = lead.Names.OfNew("renamed");
        (string[], string) made = ([create], "the server does not make a table beside it");
        return way.Way switch
        {
            RefreshWay.Partition =>
                [made, ([sql.RemovePartitions(name)], "the server does not make a table that can be exchanged for it")],

            // Better now than when everything is loaded.
            RefreshWay.Swap => [made, ([sql.Rename((name, other)), sql.Rename((other, name))],
                "the server does not rename the table beside it, and so would not exchange the two")],
            _ => [made],
        };
    }
}
