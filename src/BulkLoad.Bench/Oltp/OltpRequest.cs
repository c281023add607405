namespace BulkLoad.Bench.Oltp;

/// <summary>What is done with the tables for transactions.</summary>
public enum OltpStep
{
    /// <summary>Made, measured with, and dropped.</summary>
    All,

    /// <summary>Made and filled; they stay.</summary>
    Prepare,

    /// <summary>Measured with.</summary>
    Run,

    /// <summary>Dropped.</summary>
    CleanUp,
}

/// <summary>Short transactions of many sessions, as sysbench's OLTP tests have them. Rows are those of one table.</summary>
public sealed record OltpRequest : BenchRequest
{
    /// <summary>What is done.</summary>
    public OltpStep Step { get; init; }

    /// <summary>What is measured; at least one.</summary>
    public IReadOnlyList<OltpWorkload> Workloads { get; init; } = [OltpWorkload.All[0]];

    /// <summary>Tables.</summary>
    public int Tables { get; init; } = 1;

    /// <summary>Sessions that work at a time; each number is measured.</summary>
    public IReadOnlyList<long> Threads { get; init; } = [1];

    /// <summary>How long a run is.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Transactions after which a run ends; 0: as many as there is time for.</summary>
    public long Events { get; init; }

    /// <summary>How often a run's pace is reported; zero: at its end only.</summary>
    public TimeSpan ReportInterval { get; init; }

    /// <summary>Transactions a second that begin; 0: as many as can be.</summary>
    public long Rate { get; init; }

    /// <summary>The percentile of latencies that is reported.</summary>
    public int Percentile { get; init; } = 95;

    /// <inheritdoc/>
    public override string Bench => "oltp";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        if (Tables is < 1 or > 1_000)
        {
            throw new RequestException("--tables: there are 1 to 1000 tables");
        }

        if (Threads.Count == 0 || Threads.Any(threads => threads is < 1 or > 4_096))
        {
            throw new RequestException("--threads: 1 to 4096 sessions work at a time");
        }

        if (Time <= TimeSpan.Zero)
        {
            throw new RequestException("--time: needs a time, such as 10s or 1m");
        }

        if (Rows > int.MaxValue)
        {
            throw new RequestException($"--table-size: a table has {int.MaxValue} rows at most");
        }
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

    /// <summary>Each session has a thread, as usual in such measurements, unless a rate makes it wait.</summary>
    internal bool RunsKeepThread => Rate == 0;

    internal override bool KeepsThread => Step == OltpStep.Run && RunsKeepThread;

    internal override IBench Create() => new OltpBench(this);
}
