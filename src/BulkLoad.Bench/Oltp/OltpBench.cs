namespace BulkLoad.Bench.Oltp;

internal enum OltpStep
{
    All,

    /// <summary>Tables are created and filled, and stay.</summary>
    Prepare,

    Run,

    CleanUp,
}

/// <summary>Short transactions of many sessions, as in sysbench's OLTP tests. Rows are those of one table.</summary>
internal sealed record OltpRequest : BenchRequest
{
    public OltpStep Step { get; init; }

    /// <summary>At least one.</summary>
    public IReadOnlyList<OltpWorkload> Workloads { get; init; } = [OltpWorkload.All[0]];

    public int Tables { get; init; } = 1;

    /// <summary>Numbers of concurrent sessions; each number is measured.</summary>
    public IReadOnlyList<long> Threads { get; init; } = [1];

    /// <summary>Length of a run.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Transactions after which a run ends; 0: no limit.</summary>
    public long Events { get; init; }

    /// <summary>Zero: a run is reported only at its end.</summary>
    public TimeSpan ReportInterval { get; init; }

    /// <summary>Transactions that begin per second; 0: no limit.</summary>
    public long Rate { get; init; }

    public int Percentile { get; init; } = 95;

    public override string Bench => "oltp";

    public override void Validate()
    {
        base.Validate();
        RequestException.ThrowIf(Tables is < 1 or > 1_000, "--tables: there are 1 to 1000 tables");

        RequestException.ThrowIf(
            Threads.Count == 0 || Threads.Any(threads => threads is < 1 or > 4_096),
            "--threads: 1 to 4096 sessions work at a time");

        RequestException.ThrowIf(Time <= TimeSpan.Zero, "--time: needs a time, such as 10s or 1m");

        RequestException.ThrowIf(Rows > int.MaxValue, $"--table-size: a table has {int.MaxValue} rows at most");
    }

    internal override long EstimatedBytes => Step is OltpStep.All or OltpStep.Prepare ? Rows * Tables * 260 : 0;

    internal override IEnumerable<KeyValuePair<string, string>> Settings => Step is OltpStep.Prepare or OltpStep.CleanUp
        ? [Setting("tables", Tables), Setting("table-size", Rows)]
        :
        [
            Setting("tables", Tables), Setting("table-size", Rows), Setting("repeat", Repeats),
            new("time", Time.TotalSeconds.ToString("0.###")),
            Setting("events", Events), Setting("rate", Rate), Setting("percentile", Percentile),
        ];

    /// <summary>Each session has a thread, as in other tools that measure this, unless a rate makes it wait.</summary>
    internal bool RunsKeepThread => Rate == 0;

    internal override bool KeepsThread => Step == OltpStep.Run && RunsKeepThread;

    internal override IBench Create() => new OltpBench(this);
}

internal sealed class OltpBench(OltpRequest request) : IBench
{
    /// <summary>With a rate, the time of so many transactions is reported.</summary>
    private const int TransactionsOfAmount = 1_000;

    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromSeconds(1);

    private readonly List<(string Name, OltpRun Run)> _runs = [];

    public async Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        var tables = new OltpTables(request, place);
        switch (request.Step)
        {
            case OltpStep.Prepare:
                await tables.PrepareAsync(runner, cancellationToken);
                tables.Keep();
                var tablesAre = Plural.For(request.Tables, "table is", "tables are");
                runner.Note($"{request.Tables} {tablesAre} there for 'bulkload bench oltp run', until 'bulkload bench oltp cleanup'");
                break;
            case OltpStep.CleanUp:
                var dropped = await place.DropTransactionTablesAsync(cancellationToken);
                runner.Note($"{dropped} {Plural.For(dropped, "table")} dropped");
                foreach (var table in await place.FindOthersTransactionTablesAsync(cancellationToken))
                {
                    runner.Note($"{table} stays: it has a bench's name, and no bench has made it");
                }

                break;
            case OltpStep.Run:
                await tables.RequireAsync(cancellationToken);
                await MeasureAsync(place, runner, cancellationToken);
                break;
            default:
                await tables.PrepareAsync(runner, cancellationToken);
                await MeasureAsync(place, runner, cancellationToken);
                break;
        }
    }

    private async Task MeasureAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        runner.Begin(new BenchSection
        {
            Name = "transactions",
            Title = "transactions",
            Unit = "transactions",
            XName = request.Threads.Count > 1 ? "threads" : null,
        });
        try
        {
            await runner.MeasureAsync(
                "",
                [
                    .. request.Workloads.SelectMany(
                        workload => request.Threads.Select(threads => Case(place, runner, workload, (int)threads))),
                ],
                cancellationToken);
            if (request.Threads.Count > 1)
            {
                runner.MarkBest();
            }
        }
        finally
        {
            AddIntervals(runner);
        }
    }

    private void AddIntervals(BenchRunner runner)
    {
        runner.Begin(new BenchSection { Name = "intervals", Title = "the pace of each last run", Unit = "transactions", XName = "second" });
        foreach (var (name, run) in _runs.GroupBy(run => run.Name).Select(runs => runs.Last()))
        {
            AddIntervals(runner, name, run);
        }
    }

    private BenchCase Case(BenchPlace place, BenchRunner runner, OltpWorkload workload, int threads)
    {
        var isWarm = false;
        OltpRun? run = null;
        var name = $"{workload.Name}, {threads} {Plural.For(threads, "thread")}";
        return new BenchCase
        {
            Name = workload.Name,
            X = request.Threads.Count > 1 ? threads : null,
            Amount = TransactionsOfAmount,
            RunAsync = async token =>
            {
                var longest = isWarm || request.Time < MaxWarmUp ? request.Time : MaxWarmUp;
                run = new OltpRun(request, workload, place.Connection, runner.Time, runner.IsFollowed ? Report : null);
                if (isWarm)
                {
                    _runs.Add((name, run));
                }

                isWarm = true;
                await run.RunAsync(threads, longest, token);
                if (run.Transactions == 0)
                {
                    throw new ReconciliationException("no transaction has ended in time");
                }
            },
            Time = () => run is { Transactions: > 0 } ? run.Elapsed * TransactionsOfAmount / run.Transactions : TimeSpan.Zero,
            CountsWhenStopped = true,
            Values = () => run!.Values,
        };

        void Report(long transactions, TimeSpan elapsed) =>
            runner.Report($"{name}: {transactions:N0} transactions, {transactions / elapsed.TotalSeconds:N0}/s");
    }

    private static void AddIntervals(BenchRunner runner, string name, OltpRun run)
    {
        var (before, done) = (TimeSpan.Zero, 0L);
        foreach (var (at, transactions) in run.Marks)
        {
            runner.Add(new BenchMeasure
            {
                Name = name,
                X = Math.Round(at.TotalSeconds, 3),
                Amount = transactions - done,
                Runs = 1,
                Seconds = BenchSpread.Of([(at - before).TotalSeconds]),
            });
            (before, done) = (at, transactions);
        }
    }
}
