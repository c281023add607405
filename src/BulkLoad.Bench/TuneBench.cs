using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Bench;

/// <summary>Measures which sizes, strategies and sessions are best for imports on a server. The result is a profile for plans.</summary>
internal sealed record TuneRequest : OwnFilesRequest
{
    /// <summary>A run is long beside its start, and has chunks for several sessions.</summary>
    public const long DefaultRows = 200_000;

    public override string Bench => "tune";

    /// <summary>Bytes of two tables, one of them empty, and of a file. The user's file is checked later.</summary>
    internal override long EstimatedBytes => Load is null ? Rows * 2 * UsersTable.EstimatedBytesPerRow : 0;

    internal override IBench Create() => new TuneBench(this);
}

/// <summary>Measures whole jobs with trial profiles, as plans use them. Each result is used in the next measurement.</summary>
internal sealed class TuneBench(TuneRequest request) : IBench
{
    private const string Trial = "bench tune";
    private const string Again = "once more";

    /// <summary>With this number of chunks each session has a few.</summary>
    private const int Chunks = 16;

    private static readonly long[] TriedSessions = [1, 4];

    public async Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        using var folder = new BenchFolder(request.TempFolder);
        var (target, parallel) = await MakeAsync(folder, place, runner, cancellationToken);
        var strategies = await FindFitAsync(target, runner, cancellationToken);
        var session = await place.ConnectAsync(cancellationToken);
        var way = await BenchPlace.MeasureRoundTripAsync(session, cancellationToken);
        var runs = $"{request.Repeats} {Plural.For(request.Repeats, "run")}";
        var profile = new ServerProfile
        {
            Kind = place.Server.Kind,
            Version = place.Server.Version,
            Endpoint = place.Server.Endpoint,
            Measured = runner.Time.GetUtcNow(),
            With = $"{target.Title}, {runs} each; a round trip took {way.TotalMilliseconds:0.000} ms",
            Strategies = [.. strategies.Select(strategy => new StrategyProfile(strategy.Name, null, []))],
        };
        foreach (var size in strategies.SelectMany(strategy => strategy.TunedSizes))
        {
            profile = await TuneSizeAsync(size, target, profile, runner, cancellationToken);
        }

        profile = await MeasureCostsAsync(strategies, way, target, profile, runner, cancellationToken);
        runner.Profile = await TuneSessionsAsync(parallel, profile, runner, cancellationToken);
    }

    private async Task<(TuneTarget Target, TuneTarget Parallel)> MakeAsync(
        BenchFolder folder, BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        if (request.Load is { } load)
        {
            var own = TuneTarget.Of(await OwnCopy.MakeAsync(request, load, place, runner, cancellationToken));
            return (own, own);
        }

        runner.Report("writing files");
        await place.CreateAsync(BatchSql.Users, BatchSql.Definition, cancellationToken);
        await place.CreateAsync(BatchSql.UsersOfOwnIds, BatchSql.DefinitionOfOwnIds, cancellationToken);
        var users = BatchUser.Range(1, request.Rows, 1, isChanged: false);
        var file = folder.Write("rows.csv", BatchSql.UserColumns, users, user => user.Cells);
        return (TuneTarget.Of(place, BatchSql.Users, file, request.Rows), TuneTarget.Of(place, BatchSql.UsersOfOwnIds, file, request.Rows));
    }

    private static async Task<IReadOnlyList<ILoadStrategy>> FindFitAsync(
        TuneTarget target, BenchRunner runner, CancellationToken cancellationToken)
    {
        var plan = await PlanAsync(target.Load, cancellationToken);
        foreach (var unfit in plan.Verdicts.Where(verdict => !verdict.IsFit))
        {
            runner.Note($"{unfit.Strategy} is left out: {unfit.Reason}");
        }

        return
        [
            .. StrategyCatalog.Import.Where(strategy => plan.Verdicts.Any(verdict => verdict.IsFit && verdict.Strategy == strategy.Name)),
        ];
    }

    private static Task<LoadPlan> PlanAsync(LoadRequest load, CancellationToken cancellationToken) =>
        new LoadJob(load with { NoLedger = true }, NullLoggerFactory.Instance).PlanAsync(cancellationToken);

    private static async Task<ServerProfile> TuneSizeAsync(
        TunedSize size, TuneTarget target, ServerProfile profile, BenchRunner runner, CancellationToken cancellationToken)
    {
        runner.Begin(new BenchSection
        {
            Name = $"{size.Strategy}-{size.Name}",
            Title = $"{size.Strategy}: {size.Name}, {target.Title}",
            Unit = "rows",
            XName = size.Name,
        });
        var better = await FindBetterAsync($"{size.Name} of {size.Strategy}", size.Default, size.Tried, Case, runner, cancellationToken);
        return better is { } value ? With(profile, size, value) : profile;

        BenchCase Case(long tried) => target.Case(
            size.Strategy, tried, By(target.Load, With(profile, size, tried)) with { Strategy = size.Strategy, Threads = 1 });
    }

    /// <summary>Of many sizes one is the fastest by chance, so the best one is measured again. Null: the default stays.</summary>
    private static async Task<long?> FindBetterAsync(
        string what,
        long byDefault,
        IReadOnlyList<long> tried,
        Func<long, BenchCase> make,
        BenchRunner runner,
        CancellationToken cancellationToken)
    {
        await runner.MeasureAsync("", [.. tried.Append(byDefault).Order().Select(make)], cancellationToken);
        if (TuneChoice.FindBetter(runner.Measured, byDefault) is { X: { } place })
        {
            var known = runner.Measured.Count;
            await runner.MeasureAsync(Again, [make(byDefault), make((long)place)], cancellationToken);
            if (TuneChoice.FindBetter([.. runner.Measured.Skip(known)], byDefault) is { } better)
            {
                var factor = better.Rate!.Median / runner.Measured[known].Rate!.Median;
                runner.Note($"{what}: {place:N0}, {factor:0.00} times as fast as {byDefault:N0}");
                return (long)place;
            }
        }

        if (runner.Measured.Any(measure => measure.X == byDefault && measure.Runs > 0))
        {
            runner.Note($"{what}: {byDefault:N0} stays, since nothing was faster by more than {ServerProfile.MinGain:P0} and chance");
        }

        return null;
    }

    private static async Task<ServerProfile> MeasureCostsAsync(
        IReadOnlyList<ILoadStrategy> strategies,
        TimeSpan way,
        TuneTarget target,
        ServerProfile profile,
        BenchRunner runner,
        CancellationToken cancellationToken)
    {
        var load = By(target.Load, profile) with { Threads = 1 };
        runner.Begin(new BenchSection { Name = "start", Title = "what a job does once", Unit = "jobs" });
        await runner.MeasureAsync(
            "", [new BenchCase { Name = "a job without rows", Amount = 1, RunAsync = token => PlanAsync(load, token) }], cancellationToken);
        var once = runner.Measured[0].Seconds?.Median ?? 0;
        runner.Begin(new BenchSection
        {
            Name = "costs",
            Title = $"strategies with these sizes, {target.Title}",
            Unit = "rows",
            RatioTo = StrategyCases.UnitOf(JobKind.Import),
        });
        await runner.MeasureAsync(
            "",
            [
                .. strategies.Select(strategy => target.Case(strategy.Name, null, load with { Strategy = strategy.Name }) with
                {
                    IsRatioUnit = strategy.Name == StrategyCases.UnitOf(JobKind.Import),
                }),
            ],
            cancellationToken);
        return profile with
        {
            Strategies =
            [
                .. profile.Strategies.Select(strategy => strategy with
                {
                    MicrosecondsPerRow = MicrosecondsOf(runner.Measured.First(measure => measure.Name == strategy.Strategy)),
                }),
            ],
        };

        double? MicrosecondsOf(BenchMeasure measure) => measure.Seconds is { Median: var seconds }
            ? TuneChoice.MicrosecondsPerRow(
                seconds, once, measure.Values.First(value => value.Key == TuneTarget.Batches).Value, way, target.Records)
            : null;
    }

    /// <summary>Uses the strategy that a plan now chooses.</summary>
    private static async Task<ServerProfile> TuneSessionsAsync(
        TuneTarget target, ServerProfile profile, BenchRunner runner, CancellationToken cancellationToken)
    {
        runner.Begin(new BenchSection { Name = "sessions", Title = $"sessions, {target.Title}", Unit = "rows", XName = "sessions" });
        var bytes = InputPaths.Expand(target.Load.Files).Sum(file => new FileInfo(file).Length);
        var load = By(target.Load, profile) with { BytesPerChunk = Math.Max(1, bytes / Chunks) };
        var sessions = await FindBetterAsync("sessions", SessionPlanner.DefaultSessions, TriedSessions, Case, runner, cancellationToken);
        return profile with { Sessions = (int?)sessions };

        BenchCase Case(long tried) => target.Case("sessions", tried, load with { Threads = (int)tried }, report => Require(report, tried));
    }

    private static void Require(LoadReport report, long sessions)
    {
        if (report.Plan is { } plan && plan.Sessions != sessions)
        {
            throw new PlanException($"one session carries these rows: {plan.SessionsReason}");
        }
    }

    private static LoadRequest By(LoadRequest load, ServerProfile profile) => load with { Profile = new UsedProfile(Trial, profile) };

    private static ServerProfile With(ServerProfile profile, TunedSize size, long value) => profile with
    {
        Strategies =
        [
            .. profile.Strategies.Select(strategy => strategy.Strategy != size.Strategy ? strategy : strategy with
            {
                Sizes = [.. strategy.Sizes.Where(other => other.Key != size.Name), new(size.Name, value)],
            }),
        ],
    };
}

internal sealed record TuneTarget(
    LoadRequest Load, long Records, string Title, Func<CancellationToken, Task> Empty, Func<CancellationToken, Task> Check)
{
    public const string Batches = "batches";

    public static TuneTarget Of(OwnCopy copy) => new(copy.Load, copy.Records, copy.Title, copy.EmptyAsync, copy.CheckAsync);

    public static TuneTarget Of(BenchPlace place, string table, string file, long rows) => new(
        new LoadRequest { Files = [file], Table = table, Connection = place.Connection },
        rows,
        $"{rows:N0} rows into the bench's own table",
        token => place.ExecuteAsync(BenchSql.Empty(table), token),
        token => place.RequireRowsAsync(table, rows, token));

    /// <summary><paramref name="accept"/> throws if a run did not do what was expected.</summary>
    public BenchCase Case(string name, double? x, LoadRequest load, Action<LoadReport>? accept = null)
    {
        var batches = 0L;
        return new BenchCase
        {
            Name = name,
            X = x,
            Amount = Records,
            PrepareAsync = Empty,
            RunAsync = async token =>
            {
                var report = await StrategyCases.RunAsync(load, token);
                batches = report.Batches;
                accept?.Invoke(report);
            },
            CheckAsync = Check,
            Values = () => [new(Batches, batches)],
        };
    }
}

/// <summary>Whether a result is better than the default by more than chance. Pure.</summary>
internal static class TuneChoice
{
    /// <summary>The first of the best places of an ascending curve: its median rate is greater by <see cref="ServerProfile.MinGain"/>,
    /// and its quartiles do not overlap those of the default. Null: the default stays, or was not measured.</summary>
    public static BenchMeasure? FindBetter(IReadOnlyList<BenchMeasure> curve, long byDefault)
    {
        if (curve.FirstOrDefault(measure => measure.X == byDefault)?.Rate is not { } unit)
        {
            return null;
        }

        var better = curve.Where(measure => measure.Rate is { } rate && IsBetter(rate, unit)).ToList();
        return better.FirstOrDefault(
            measure => measure.Rate!.Median >= better.Max(one => one.Rate!.Median) * (1 - ServerProfile.MinGain));
    }

    /// <summary>Time per row, without waits and without what a job does once. Null: too little time is left.</summary>
    public static double? MicrosecondsPerRow(double seconds, double onceSeconds, double waits, TimeSpan roundTrip, long rows) =>
        (seconds - onceSeconds - (waits * roundTrip.TotalSeconds)) is > 0 and var left && left >= seconds * ServerProfile.MinGain
            ? left / rows * 1e6
            : null;

    private static bool IsBetter(BenchSpread rate, BenchSpread byDefault) =>
        rate.Median > byDefault.Median * (1 + ServerProfile.MinGain) && rate.FirstQuartile > byDefault.ThirdQuartile;
}
