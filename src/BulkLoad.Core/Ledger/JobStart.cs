using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

internal static class JobStart
{
    /// <summary>Opens the job's ledger.</summary>
    /// <param name="sort">the decision about the order of its records</param>
    /// <param name="opened">the ledger's session, which stays the caller's unless it is taken; null, or taken before: another one is
    /// opened</param>
    /// <exception cref="PlanException">the job cannot be resumed, or somebody else runs it</exception>
    /// <exception cref="RequestException">there is a file of refused or repaired records already</exception>
    public static async Task<JobLedger?> TakeOverAsync(
        LoadFacts facts, SortPlan sort, IReadOnlyList<LoadSource> sources, BackgroundTask<IServerSession>? opened, RejectFile rejectFile,
        TimeProvider time, CancellationToken cancellationToken)
    {
        var identity = JobIdentity.Of(facts, sources);
        var job = Describe(facts, sort, sources, identity, time.GetUtcNow().UtcDateTime) with
        {
            RejectFile = rejectFile.RecordsPath,
            RepairsFile = rejectFile.RepairsPath,
            IdsFile = rejectFile.IdsPath,
        };
        var chooser = new JobChooser(facts, sources, identity, job, cancellationToken);
        var opening = opened?.TryTake(out var early) == true ? early : OpenAsync(cancellationToken);
        return await JobLedger.OpenAsync(identity, job, facts, OpenAsync, opening, sources, DecideAsync, cancellationToken);

        Task<IServerSession> OpenAsync(CancellationToken token) =>
            LedgerSession.OpenAsync(facts.Request.SideConnection, facts.Server, token);

        async Task<JobDecision> DecideAsync(LedgerView view, FoundJob? named)
        {
            var decision = await chooser.DecideAsync(view, named);
            if (decision.IsNothingToDo)
            {
                return decision;
            }

            decision.LeaveOut(sources);

            if ((decision.Former ?? decision.FormerFiles) is not { } former)
            {
                rejectFile.Begin();
                const string Unknown = "standard input without --job-id is not recognized later: the same command loads all of it again";
                return identity.IsLasting ? decision : decision with { Notes = [.. decision.Notes, Unknown] };
            }

            var kept = decision.Chunks.Last?.Findings ?? default;
            var notes = rejectFile.GoOn(kept, new(former.RejectFile, former.RepairsFile, former.IdsFile), decision.Chunks.RejectCount);
            return decision with { Notes = [.. decision.Notes, .. notes] };
        }
    }

    /// <summary>Finds a job of these inputs that a former start has begun, as it was committed last. Changes nothing.</summary>
    /// <returns>null: the ledger has none with committed records, or the account cannot read a ledger</returns>
    public static async Task<JobRecord?> FindAsync(
        LoadFacts facts, IReadOnlyList<LoadSource> sources, IServerSession session, CancellationToken cancellationToken)
    {
        var identity = JobIdentity.Of(facts, sources);
        try
        {
            var (view, named) = await LookAsync(facts, identity, session, cancellationToken);
            var chooser = new JobChooser(
                facts, sources, identity, Describe(facts, SortPlan.None, sources, identity, default), cancellationToken);
            return await chooser.FindBegunAsync(view, named);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            return null;
        }
    }

    /// <summary>Whether a start would resume an incomplete job, or have nothing to do. Changes nothing.</summary>
    public static async Task<bool> IsKnownAsync(
        LoadFacts facts, IReadOnlyList<LoadSource> sources, IServerSession session, CancellationToken cancellationToken) =>
        await FindAsync(facts, sources, session, cancellationToken) is not null
            || (await ForeseeAsync(facts, SortPlan.None, sources, session, cancellationToken)).Decision.IsNothingToDo;

    /// <summary>Decides what a start would do. Changes nothing.</summary>
    /// <returns>also whether there is a ledger</returns>
    /// <exception cref="PlanException">it would be refused</exception>
    /// <exception cref="ServerException">such as 1142: the account may not read the ledger</exception>
    public static async Task<(JobDecision Decision, bool HasLedger)> ForeseeAsync(
        LoadFacts facts, SortPlan sort, IReadOnlyList<LoadSource> sources, IServerSession session, CancellationToken cancellationToken)
    {
        var identity = JobIdentity.Of(facts, sources);
        var chooser = new JobChooser(facts, sources, identity, Describe(facts, sort, sources, identity, default), cancellationToken);
        LedgerView view;
        FoundJob? named;
        try
        {
            (view, named) = await LookAsync(facts, identity, session, cancellationToken);
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable && session.IsUsable)
        {
            return (chooser.DecideFirst(), false);
        }

        return (await chooser.DecideAsync(view, named), true);
    }

    public static async Task<(IReadOnlyList<string> Notes, bool Continues)> DescribePlanAsync(
        LoadFacts facts, SortPlan sort, IReadOnlyList<LoadSource> sources, IServerSession session, CancellationToken cancellationToken)
    {
        List<string> notes = [];
        try
        {
            var (decision, hasLedger) = await ForeseeAsync(facts, sort, sources, session, cancellationToken);
            if (!hasLedger)
            {
                notes.Add($"the ledger {LedgerSql.Of(facts).DisplayName} will be created: it records what is committed");
            }

            notes.AddRange(Describe(decision));
            if (decision.Empties.Count > 0)
            {
                var rows = (await session.QueryAsync(
                    RowCountSql.All(facts.Table.QuotedName), cancellationToken)).Scalar;
                notes.Add($"--truncate: {rows} rows of {facts.Table.DisplayName} would be lost");
            }

            return (notes, decision is { IsNothingToDo: false, Former.Completed: null, Chunks.Count: > 0 });
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            return ([], false);
        }
        catch (PlanException refusal)
        {
            return ([$"this run would be refused: {refusal.Message}"], false);
        }
    }

    private static IEnumerable<string> Describe(JobDecision decision)
    {
        if (decision.IsNothingToDo)
        {
            yield return decision.Headline!;
        }
        else if (decision.Former is { Completed: { } completed })
        {
            yield return $"job {decision.Id} was complete on {completed:yyyy-MM-dd HH:mm:ss} UTC: if its inputs are the same nothing "
                + "would be sent, else it would be refused";
        }
        else if (decision is { Former: { } former, Chunks.Last: { } last })
        {
            yield return decision.Job.SortedBy.Length > 0
                ? $"job {decision.Id} would resume after {Plural.First(last.LastRecord, "record")} by {former.SortedBy}, which "
                    + $"{Plural.For(last.LastRecord, "is", "are")} committed"
                : $"job {decision.Id} would resume after record {last.LastRecord:N0} of "
                    + $"{former.Sources.ElementAtOrDefault(last.LastSource)?.Name}, which is committed";
        }
        else
        {
            if (decision.Headline is { } headline)
            {
                yield return headline;
            }

            foreach (var note in decision.Notes)
            {
                yield return note;
            }
        }

        if (decision.Job.Dropped is { } dropped)
        {
            yield return $"an earlier run of job {decision.Id} has dropped {dropped.Describe()}, and not added them again: this command "
                + $"does it when it is done, 'bulkload jobs restore {decision.Id}' at once";
        }
    }

    public static JobRecord Describe(
        LoadFacts facts, SortPlan sort, IReadOnlyList<LoadSource> sources, JobIdentity identity, DateTime now) => new()
        {
            Command = JobIdentity.CommandOf(facts.Request),
            Table = facts.Table.OwnName,
            Family = identity.Family,
            Sources = Describe(sources, facts.Request),
            Runner = new JobRunner($"{Environment.UserName}@{Environment.MachineName}", Environment.ProcessId, 0, now),
            Rules = JobRules.Of(facts),
            Columns = UsedColumns.Digest(facts),
            SortedBy = sort.By,
        };

    private static JobSource[] Describe(IReadOnlyList<LoadSource> sources, LoadRequest request)
    {
        var parts = new SharedParts();
        return [.. sources.Select(source => Describe(source, request)).Select(source => source with
        {
            Mapping = parts.OfOne(source.Mapping)!,
            Rules = parts.Of(source.Rules),
        })];
    }

    private static JobSource Describe(LoadSource source, LoadRequest request) =>
        new(source.Look.Name, source.Look.Part?.FileLength ?? source.Look.Length, source.Look.Changed)
        {
            Path = source.Look.Path is { } path ? Path.GetFullPath(path) : null,
            Mapping = JobIdentity.MappingOf(source, request),
            First = source.Content?.First,
            Head = source.Content?.Head,
            Length = source.Content?.Length,
            Rules = JobRules.Of(source, request),
        };

    /// <summary>Reads the ledger, and the job that has this one's first name. Changes nothing.</summary>
    private static async Task<(LedgerView View, FoundJob? Named)> LookAsync(
        LoadFacts facts, JobIdentity identity, IServerSession session, CancellationToken cancellationToken)
    {
        var sql = LedgerSql.Of(facts);
        var rows = (await session.QueryAsync(sql.FindJob(identity.Slot, identity.Whole), cancellationToken)).Rows;
        LedgerSession.RequireShape(sql, rows is [[_, var shape], ..] ? shape : null);
        var view = new LedgerView(sql, session, holds: false, cancellationToken);
        return (view, await view.ReadNamedAsync(rows));
    }
}
