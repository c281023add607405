using BulkLoad.Core.Jobs;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Refresh;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Undo;

/// <summary>Takes a full refresh back that has kept the former table: that takes its place again, by the same exchange. Which tables are
/// there, and their rows, tell each start how far the one before came.</summary>
/// <param name="request">its <see cref="LoadRequest.Undo"/> is not null</param>
/// <param name="held">its <see cref="JobRecord.Kept"/> is not null</param>
/// <param name="notes">for the report</param>
internal sealed class KeptUndo(LoadRequest request, HeldJob held, TimeProvider time, List<string> notes)
{
    private readonly KeptTable _kept = held.Job.Kept!;

    /// <summary>Null: nothing has changed.</summary>
    public UndoReport? Report { get; private set; }

    private string Target => $"{_kept.Database}.{_kept.Table}";

    private string State => _kept.Partition is null ? "is" : "has the former rows of";

    /// <exception cref="PlanException">the former table cannot come back</exception>
    /// <exception cref="ReconciliationException">others have written to the table while it came: both stay</exception>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        RequireFit();
        var (isPreview, confirm) = (request.Undo!.Preview, request.Undo.Confirm);
        await using var lead = new RefreshLead(
            request with { Undo = null, Refresh = new RefreshOptions(RefreshWay.Auto) { Partition = _kept.Partition } }, time)
        {
            Meanwhile = "while it was being undone",
            TakenName = _kept.Name,
        };
        await lead.OpenAsync(cancellationToken);
        await lead.LookAsync(_kept.Database, _kept.Table, cancellationToken);
        await lead.RequireAloneAsync(cancellationToken);
        ExchangeEnd back = _kept.Partition is null ? new TableBack(lead) : new PartitionBack(lead, _kept);
        var now = await RefreshProbe.TakeAsync(lead.Session, lead.Facts, locks: false, cancellationToken);
        var former = await FindFormerAsync(lead, cancellationToken);
        if (held.Job.Undo is { } mark && await IsExchangedAsync(lead, now, former, cancellationToken))
        {
            await EndEarlierAsync(lead, back, mark, cancellationToken);
            return;
        }

        if (isPreview && held.Job.Undo is not null)
        {
            throw new PlanException($"job {held.Id} is being undone already: the same command without --preview continues that");
        }

        RequireUnchanged(lead, now, former);
        var result = await CompareAsync(lead, now, former!, cancellationToken);
        if (isPreview)
        {
            Report = ReportOf(result) with { Preview = true };
            return;
        }

        var question = new UndoQuestion(held.Id, lead.Table.DisplayName, lead.Server.Endpoint, result.RowsBefore, "exchanged")
        {
            Changes = RefreshText.Rows(result),
        };
        await Confirmation.RequireAsync(confirm, question, $"{lead.Table.DisplayName} is as it was", cancellationToken);
        var aside = _kept.Partition is null ? lead.Names.OfOld($"{now}") : _kept.Name;
        await held.MarkAsync(new UndoMark(aside), cancellationToken);
        try
        {
            var (took, _) = await back.RunAsync(_kept.Name, now, cancellationToken);
            Report = ReportOf(result with { Exchange = took });
        }
        catch (Exception fault) when (lead.Session.IsUsable && fault is BulkLoadException or OperationCanceledException)
        {
            await EndFailedAsync(lead, result);
            throw;
        }

        await ForgetAsync(cancellationToken);
    }

    private void RequireFit()
    {
        if (UndoneJob.InputOf(request) is { } file)
        {
            throw new RequestException($"job {held.Id} is a full refresh, whose undo reads no file: leave {file} out");
        }

        if (request.Table is { } typed && TableName.Parse(typed) is var name
            && ((name.Database ?? request.Connection.Database ?? _kept.Database) != _kept.Database || name.Table != _kept.Table))
        {
            throw new PlanException($"job {held.Id} has loaded {Target}, not {typed}: leave --table out");
        }

        if (held.Job.Completed is null)
        {
            throw new PlanException($"the full refresh of {Target} was killed at its last step: the same import command ends that first");
        }
    }

    /// <returns>null: it is gone</returns>
    private async Task<(RefreshFacts Facts, Fingerprint Print)?> FindFormerAsync(RefreshLead lead, CancellationToken cancellationToken)
    {
        if (!await lead.HasTableAsync(_kept.Name, cancellationToken))
        {
            return null;
        }

        var former = await lead.TakeAsync(_kept.Name, cancellationToken);
        await lead.Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return former;
    }

    /// <summary>Whether an earlier start that was killed had exchanged the two.</summary>
    private async Task<bool> IsExchangedAsync(RefreshLead lead, Fingerprint now, (RefreshFacts Facts, Fingerprint Print)? former,
        CancellationToken cancellationToken) => former switch
        {
            // Nobody knows what the user has dropped, unless the table is what the input had made.
            null => now.State != _kept.New || _kept.New.Sum == _kept.Old.Sum
                || await lead.HasTableAsync(held.Job.Undo!.Table, cancellationToken),
            var (_, print) => _kept.Partition is not null && print.Sum != _kept.Old.Sum,
        };

    private async Task EndEarlierAsync(RefreshLead lead, ExchangeEnd back, UndoMark mark, CancellationToken cancellationToken)
    {
        Report = ReportOf(null);
        try
        {
            if (await lead.HasTableAsync(mark.Table, cancellationToken))
            {
                await back.EndAsync(mark.Table, cancellationToken);
            }
        }
        catch (ReconciliationException) when (lead.Session.IsUsable)
        {
            await ForgetAsync(cancellationToken);
            throw;
        }

        notes.Add("an earlier start had exchanged the tables, and was killed");
        await ForgetAsync(cancellationToken);
    }

    /// <exception cref="PlanException">something is not as the refresh has left it</exception>
    private void RequireUnchanged(RefreshLead lead, Fingerprint now, (RefreshFacts Facts, Fingerprint Print)? former)
    {
        if (FindChange(now.State, _kept.New) is { } change)
        {
            throw new PlanException($"{lead.Table.DisplayName} was {change} since job {held.Id}, and that would be lost: "
                + $"{_kept.DisplayName} {State} the former table: move what you need, and exchange them by RENAME TABLE");
        }

        var facts = lead.Facts;
        if ((_kept.Partition is null ? RefreshRules.FindSwapObstacle(facts) : RefreshRules.FindPartitionObstacle(facts)) is { } why)
        {
            throw new PlanException($"{lead.Table.DisplayName} was altered since job {held.Id}, and cannot be exchanged: {why}");
        }

        if (former is not { } there)
        {
            throw new PlanException($"{_kept.DisplayName}, which {State} the former table, is not there any more: "
                + $"'bulkload jobs forget {held.Id}' forgets the job");
        }

        if (FindChange(there.Print.State, _kept.Old) is { } other)
        {
            throw new PlanException($"{_kept.DisplayName}, which {State} the former table, was {other} since job {held.Id}: it is not what "
                + $"{Target} was; look at it, and exchange them by RENAME TABLE");
        }

        if (RefreshRules.FindSwapObstacle(there.Facts with { HasStatistics = false }) is { } obstacle)
        {
            throw new PlanException($"{_kept.DisplayName}, which {State} the former table, was altered since job {held.Id}: {obstacle}");
        }
    }

    private static string? FindChange(TableState now, TableState then) =>
        now.Definition != then.Definition ? "altered" : now.Sum != then.Sum ? "written to" : null;

    private async Task<RefreshReport> CompareAsync(RefreshLead lead, Fingerprint now, (RefreshFacts Facts, Fingerprint Print)? former,
        CancellationToken cancellationToken)
    {
        var way = RefreshWays.Of(_kept.Partition is null ? RefreshWay.Swap : RefreshWay.Partition);
        var result = new RefreshReport(way, "the former table was kept") { RowsBefore = now.Rows, RowsAfter = former!.Value.Print.Rows };
        result = await new TableSync(lead.Session, lead.Facts, _kept.Name).CompareAsync(result, cancellationToken);
        await lead.Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return result;
    }

    private UndoReport ReportOf(RefreshReport? result) => new()
    {
        Job = held.Id,
        Table = held.Job.Table,
        Preview = false,
        Complete = true,
        FormerTable = _kept.DisplayName,
        Partition = _kept.Partition,
        Exchange = result,
    };

    /// <summary>Others have written to the table, or it could not be exchanged.</summary>
    private async Task EndFailedAsync(RefreshLead lead, RefreshReport result)
    {
        var former = await FindFormerAsync(lead, CancellationToken.None);
        if (former is null || (_kept.Partition is not null && former.Value.Print.Sum != _kept.Old.Sum))
        {
            Report = ReportOf(result);
            await ForgetAsync(CancellationToken.None);
        }
        else
        {
            await held.MarkAsync(null, CancellationToken.None);
        }
    }

    private async Task ForgetAsync(CancellationToken cancellationToken)
    {
        await held.ForgetAsync(cancellationToken);
        notes.Add($"job {held.Id} is forgotten");
    }
}
