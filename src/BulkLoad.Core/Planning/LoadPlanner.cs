using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Planning;

/// <summary>All decisions about a job, made once from the facts by <see cref="LoadPlanner"/>.</summary>
internal sealed record LoadDecision(LoadPlan Plan, BatchSizes Sizes)
{
    /// <summary>Null: nothing is sent.</summary>
    public ILoadStrategy? Strategy { get; init; }

    public SessionPlan Sessions { get; init; } = SessionPlan.One("");

    public bool HasSeveralSessions => Strategy is not null && Sessions.Max > 1;

    public SortPlan Sort { get; init; } = SortPlan.None;

    /// <summary>Whether a chunk's records stay in memory until it is committed (<see cref="ChunkSizes.AreKept"/>).</summary>
    public bool KeepsChunks { get; init; }
}

/// <summary>Makes a decision from facts. Pure: no I/O, no clock.</summary>
internal static class LoadPlanner
{
    private const string PaceText = "--max-rate: no more than a second of it";
    private const string LagText = "--max-lag: a slow replica applies it in half of that time";

    /// <summary>Rows of a chunk for each second of <c>--max-lag</c>: a tenth to a fortieth of a second of work.</summary>
    private const long ImportedRowsPerLag = 5000, ChangedRowsPerLag = 1000;

    /// <summary>Where several sessions have batches in memory, larger batches cost more than they save; measured.</summary>
    private const long SharedBatchBytes = 1024 * 1024;
    private const int RowsPerCheckedBlock = 2000;
    private const long BytesPerCheckedBlock = 1024 * 1024;

    /// <exception cref="PlanException">no strategy is fit, or nothing can be verified</exception>
    /// <exception cref="RequestException">no strategy has the given name</exception>
    public static LoadDecision Decide(LoadFacts facts) =>
        facts.Request.Mode == JobMode.Verify ? DecideVerification(facts)
        : facts.Constraints is not null ? DecideCheck(facts)
        : Decide(facts, StrategyCatalog.Of(facts.Request.Kind));

    /// <summary>Lets every strategy assess the facts, and takes the cheapest that is fit, or the one that the user has named.</summary>
    /// <exception cref="PlanException">none is fit, or the named one is not; the message has all verdicts</exception>
    /// <exception cref="RequestException">no strategy has the given name</exception>
    public static LoadDecision Decide(LoadFacts facts, IReadOnlyList<ILoadStrategy> candidates)
    {
        var memory = MemoryPlan.Of(facts.Request);
        memory?.Require(facts);
        TransactionRoom.RequireForOneChunk(facts);
        var profile = ProfilePlan.Of(facts);
        var sort = SortPlanner.Plan(facts);
        var sessions = SessionPlanner.Plan(facts, sort);
        var areKept = ChunkSizes.AreKept(facts, sort, sessions);
        var judged = candidates.Select(strategy => Judge(strategy, facts, profile, sessions, areKept)).ToArray();
        var chosen = facts.Request.Strategy is { } name ? TakeNamed(name, judged) : TakeCheapest(judged, facts);
        var (sizes, planned) = chosen.Sizes;

        // The profile comes last, so that chunks are cut as they are without one.
        sessions = profile?.Bound(sessions) ?? sessions;
        sessions = memory?.Bound(facts, sessions, sizes) ?? sessions;
        sizes = sizes.Within(memory, isShared: sessions.Max > 1);
        var plan = Describe(facts, chosen, judged, sizes, sessions, sort, planned);
        plan = profile is null ? plan : Describe(plan, facts, profile, chosen, judged, sessions);
        return new LoadDecision(plan, sizes) { Strategy = chosen.Strategy, Sessions = sessions, Sort = sort, KeepsChunks = areKept };
    }

    /// <summary>A check sends nothing, and has no strategy. Chunks are an import's: shares of rejects are judged at their ends.</summary>
    public static LoadDecision DecideCheck(LoadFacts facts)
    {
        var memory = MemoryPlan.Of(facts.Request);
        memory?.Require(facts);
        var block = new BatchSizes(RowsPerCheckedBlock, Math.Min(BytesPerCheckedBlock, memory?.BytesPerBatch(facts) ?? long.MaxValue))
            .Within(memory, isShared: false);
        var sort = SortPlanner.Plan(facts);
        var sizes = ChunkSizes.With(block, facts.Request, ChunkSizes.AreKept(facts, sort, SessionPlanner.Plan(facts, sort)), sessions: 1);
        var plan = Describe(facts, PlanNotes.OfCheck(facts)) with
        {
            Sizes = memory is null ? [] : [memory.Describe(facts)],
            Transactions = "none: nothing is sent, and what only the server can judge is counted as undecided (--on-server asks it)",
        };
        return new LoadDecision(plan, sizes);
    }

    /// <summary>A verification writes nothing: there is no strategy to choose.</summary>
    /// <exception cref="PlanException">no key finds the rows</exception>
    private static LoadDecision DecideVerification(LoadFacts facts)
    {
        if (facts.Verify is { Unverifiable: { } reason })
        {
            throw new PlanException($"nothing can be verified: {reason}; name columns of the file that distinguish its records with --key");
        }

        var sizes = ChunkSizes.With(new BatchSizes(RowsPerCheckedBlock, BytesPerCheckedBlock), facts.Request, areKept: false, sessions: 1);
        return new LoadDecision(
            Describe(facts, facts.Guesses) with { Transactions = "none: nothing is written", Sql = [Sample(facts)] }, sizes);
    }

    private static string Sample(LoadFacts facts)
    {
        var rules = facts.Verify!;
        return new CompareSql(facts.Table, [.. rules.Key.Select(place => facts.Columns[place])], facts.Columns)
            .Sample(rules.Mode == VerifyMode.Count)
            + $" (with up to {Math.Min(facts.MaxVerifiedKeys, VerifyRules.MaxKeys)} keys at once)";
    }

    private static Judged Judge(ILoadStrategy strategy, LoadFacts facts, ProfilePlan? profile, SessionPlan sessions, bool areKept)
    {
        if (strategy.FindObstacle(facts) is { } obstacle)
        {
            return new Judged(strategy, new Verdict(strategy.Name, false, obstacle, null), default, double.PositiveInfinity);
        }

        var assessed = strategy.Assess(facts);
        var sizes = Size(assessed, facts, sessions, areKept);
        var seconds = assessed.Cost.Seconds(facts, sizes.Sizes);
        var measured = profile?.MicrosecondsOf(strategy) is { } microseconds
            ? (assessed.Cost with { MicrosecondsPerRow = microseconds }).Seconds(facts, sizes.Sizes)
            : (double?)null;
        return new Judged(strategy,
            new Verdict(strategy.Name, true, assessed.Reason, facts.EstimatedRecords is null ? null : measured ?? seconds), sizes, seconds,
            measured);
    }

    private static Judged TakeNamed(string name, Judged[] judged)
    {
        var named = judged.FirstOrDefault(candidate => candidate.Strategy.Name == name)
            ?? throw new RequestException(
                $"--strategy {name}: there is no such "
                    + $"strategy{Names.DidYouMean(name, judged.Select(candidate => candidate.Strategy.Name))}; known are "
                    + $"{string.Join(", ", judged.Select(candidate => candidate.Strategy.Name))}, and auto");
        return named.Verdict.IsFit ? named : throw new PlanException(
            $"--strategy {name} is not fit here: "
                + $"{named.Verdict.Reason}\n{string.Join('\n', judged.Where(other => other != named).Select(Line))}");
    }

    private static Judged TakeCheapest(Judged[] judged, LoadFacts facts)
    {
        var cheapest = TakeByDefaultCosts(judged);
        if (!cheapest.Verdict.IsFit)
        {
            throw new PlanException($"no strategy is fit for {facts.Table.DisplayName}\n{string.Join('\n', judged.Select(Line))}")
            {
                WaysOn = facts is { Request: { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Update }, Table.IsVersioned: true }
                    ? UpsertOfVersions
                    : [],
            };
        }

        return AreMeasured(judged)
            && judged.Where(candidate => candidate.Verdict.IsFit).MinBy(candidate => candidate.MeasuredSeconds) is { } fastest
            && fastest.MeasuredSeconds < cheapest.MeasuredSeconds * (1 - ServerProfile.MinGain)
            ? fastest
            : cheapest;
    }

    /// <summary>Replaces an upsert in a table that keeps versions of its rows.</summary>
    private static readonly WayOn[] UpsertOfVersions =
    [
        new("to insert new rows, and replace those that are there") { Words = ["--on-duplicate", "replace"] },
        new("to change only rows that are there: 'bulkload update' with --table and --ignore-missing"),
    ];

    private static Judged TakeByDefaultCosts(Judged[] judged) => judged.MinBy(candidate => candidate.Seconds)!;

    /// <summary>Whether a profile can decide: measured costs cannot be compared with others.</summary>
    private static bool AreMeasured(Judged[] judged) =>
        judged.Where(candidate => candidate.Verdict.IsFit).All(candidate => candidate.MeasuredSeconds is not null);

    private static string Line(Judged judged) => $"  {judged.Verdict.Strategy}: {judged.Verdict.Reason}";

    private static (BatchSizes Sizes, IReadOnlyList<PlannedSize> Planned) Size(
        Assessment assessed, LoadFacts facts, SessionPlan sessions, bool areKept)
    {
        var request = facts.Request;
        var (rowRange, byteRange) = assessed.Sizes;
        var (maxRows, maxRowsBy, maxBytes) = Pace(request.Throttle, request.Kind);
        var rows = Bound(rowRange.Choose(request.RowsPerBatch), request.RowsPerBatch, maxRows, maxRowsBy);
        var bytes = Bound(byteRange.Choose(request.BytesPerBatch), request.BytesPerBatch, maxBytes, PaceText);
        bytes = sessions.Max == 1 ? bytes : Bound(bytes, request.BytesPerBatch, SharedBatchBytes, "each session has batches in memory");
        var memory = MemoryPlan.Of(request);
        bytes = memory is null ? bytes : Bound(bytes, request.BytesPerBatch, memory.BytesPerBatch(facts), "--max-memory");
        var sharesChanges = sessions.Max > 1 && request is { Kind: not JobKind.Import, RowsPerChunk: null };
        rows = sharesChanges ? Bound(rows, request.RowsPerBatch, ChunkSizes.SharedChanges, "no more than a chunk") : rows;
        var room = TransactionRoom.Of(facts);
        var most = new BatchSizes((int)rows.Value, bytes.Value, Math.Min(maxRows, room.Rows), Math.Min(maxBytes, room.Bytes));
        var sizes = ChunkSizes.With(most, request, areKept, sessions.Max);
        sizes = request.RowsPerBatch is null
            ? sizes with { RowsPerStatement = Math.Min(sizes.RowsPerBatch, assessed.RowsPerStatement) }
            : sizes;
        var planned = new List<PlannedSize> { rows, bytes };
        if (memory is not null)
        {
            planned.Add(memory.Describe(facts));
        }

        if (request.IsOneChunk)
        {
            return (sizes, planned);
        }

        if (request.RowsPerChunk is not null || sizes.RowsPerChunk == most.RowsPerChunk || sharesChanges)
        {
            planned.Add(new PlannedSize("rows-per-chunk", sizes.RowsPerChunk, request.RowsPerChunk is not null
                ? "--rows-per-chunk"
                : sizes.RowsPerChunk == room.Rows
                ? room.RowsBy
                : sizes.RowsPerChunk == maxRows
                ? maxRowsBy
                : "the sessions then end at about the same time"));
        }

        planned.Add(new PlannedSize(
            "bytes-per-chunk", sizes.BytesPerChunk,
            request.BytesPerChunk is null && sizes.BytesPerChunk == room.Bytes ? room.BytesBy
                : request.BytesPerChunk is null && sizes.BytesPerChunk == maxBytes ? PaceText
                : ChunkSizes.Reason(request, areKept, sessions.Max)));
        return (sizes, planned);
    }

    /// <summary>Limit of a batch and a chunk if the user gives a rate or a lag but no sizes: transactions and waits stay short.</summary>
    private static (long Rows, string RowsBy, long Bytes) Pace(ThrottleOptions throttle, JobKind kind)
    {
        var ofRate = throttle.MaxRate is { IsBytes: false, Amount: var amount } ? amount : long.MaxValue;
        var ofLag = throttle.MaxLag is { } lag
            ? Math.Max(1, (long)(lag.TotalSeconds * (kind == JobKind.Import ? ImportedRowsPerLag : ChangedRowsPerLag)))
            : long.MaxValue;
        return (Math.Min(ofRate, ofLag), ofLag < ofRate ? LagText : PaceText,
            throttle.MaxRate is { IsBytes: true, Amount: var bytes } ? bytes : long.MaxValue);
    }

    private static PlannedSize Bound(PlannedSize size, long? asked, long max, string reason) =>
        asked is null && size.Value > max ? size with { Value = max, SetBy = reason } : size;

    private static LoadPlan Describe(
        LoadFacts facts, Judged chosen, Judged[] judged, BatchSizes sizes, SessionPlan sessions, SortPlan sort,
        IReadOnlyList<PlannedSize> planned)
    {
        return Describe(facts, PlanNotes.Of(facts, chosen.Strategy.Name)) with
        {
            OnDuplicate = facts.Request.OnDuplicate,
            Strategy = chosen.Strategy.Name,
            Verdicts = [chosen.Verdict, .. judged.Where(other => other != chosen).Select(other => other.Verdict)],
            Sizes = planned,
            Sessions = sessions.Max,
            SessionsReason = $"{sessions.Reason}{(sessions.MaxTried > 0 ? $"; up to {sessions.MaxTried} are tried if it is long" : "")}",
            Order = sort.Reason.Length == 0 ? null : new PlannedOrder(sort.IsSorted ? sort.By : null, sort.Reason),
            Transactions = facts.Request.Mode == JobMode.ServerCheck
                ? "one transaction for everything, rolled back at the end; until then its rows stay locked"
                : facts.Request.IsOneChunk ? $"one transaction for everything ({(facts.Request.Atomic ? "--atomic" : "--expect")})"
                : facts.Table.IsTransactional ? "a commit after each chunk" : NonTransactionalRules.Describe(facts.Table),
            Rebuild = RebuildRules.Describe(facts),
            Sql = [.. StatementsBefore(facts), .. RebuildRules.SqlBeforeRows(facts),
                .. chosen.Strategy.Statements(facts, sizes)
                .Where(statement => facts.Table.UndoesBatches || statement != TransactionSql.Savepoint(0)),
                .. facts.Verify is { Unverifiable: null } ? [Sample(facts)] : Array.Empty<string>(), .. RebuildRules.SqlAfterCommit(facts)],
        };
    }

    private static LoadPlan Describe(
        LoadPlan plan, LoadFacts facts, ProfilePlan profile, Judged chosen, Judged[] judged, SessionPlan sessions)
    {
        var isMeasured = facts.Request.Strategy is null && AreMeasured(judged);
        PlannedSize[] sizes = [.. plan.Sizes, .. profile.OtherSizes(chosen.Strategy, plan.Sizes)];
        var byDefault = TakeByDefaultCosts(judged);
        return plan with
        {
            Sizes = sizes,
            Profile = profile.Describe(isMeasured, sizes, sessions),
            Notes =
            [
                .. plan.Notes, .. profile.Notes(),
                .. isMeasured && byDefault != chosen
                    ? [profile.Explain(
                        chosen.Verdict.Strategy, chosen.MeasuredSeconds!.Value, byDefault.Verdict.Strategy,
                        byDefault.MeasuredSeconds!.Value)]
                    : Array.Empty<string>(),
            ],
        };
    }

    private static LoadPlan Describe(LoadFacts facts, IReadOnlyList<string> notes) => new()
    {
        Command = JobVerbs.Of(facts.Request).Command,
        Kind = facts.Request.Kind,
        Key = [.. facts.Key?.Columns.Select(column => column.Name) ?? []],
        Mode = facts.Request.Mode,
        Verification = facts.Verify?.Describe(facts),
        Table = facts.Table.DisplayName,
        NewTable = facts.NewTable,
        AddedColumns = facts.AddedColumns,
        Server = PlannedServer.Of(facts.Server),
        Sources = facts.Sources,
        Columns =
        [
            .. facts.Fields,
            .. facts.Assignments.Select(assignment => new PlannedColumn(
                null, assignment.Column, facts.Table.Find(assignment.Column)?.TypeText, assignment.Expression)),
        ],
        Strategy = null,
        Verdicts = [],
        Sizes = [],
        Sessions = 0,
        Readers = ReaderRules.Plan(facts),
        Transactions = "",
        TimeZone = facts.Server.Zone.Name,
        Sql = [],
        Notes = notes,
        Choices = [.. facts.Guesses, .. PlanNotes.OfNew(facts)],
    };

    private static string[] StatementsBefore(LoadFacts facts) =>
        (facts.NewTable?.Statement ?? facts.AddedColumns?.Statement) is { } statement ? [statement] : [];

    /// <param name="Sizes">its sizes, and how they are reported; empty: it is unfit</param>
    /// <param name="Seconds">by the default costs; infinite: it is unfit</param>
    /// <param name="MeasuredSeconds">by a profile; null: the profile does not have the strategy</param>
    private sealed record Judged(ILoadStrategy Strategy, Verdict Verdict, (BatchSizes Sizes, IReadOnlyList<PlannedSize> Planned) Sizes,
        double Seconds, double? MeasuredSeconds = null);
}
