using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench;

/// <summary>What is to be measured, and within which limits.</summary>
public abstract record BenchRequest
{
    /// <summary>Where; its database gets the bench's tables.</summary>
    public required ConnectionOptions Connection { get; init; }

    /// <summary>Rows of the table that is measured with.</summary>
    public long Rows { get; init; } = 100_000;

    /// <summary>Runs of each case that are measured, after one that warms up.</summary>
    public int Repeats { get; init; } = 5;

    /// <summary>After so long it ends with what was measured by then.</summary>
    public TimeSpan RunTime { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>Bytes that the bench's tables and files may take at most, as estimated beforehand.</summary>
    public long MaxBytes { get; init; } = 1L << 30;

    /// <summary>The folder for the bench's files.</summary>
    public string TempFolder { get; init; } = Path.GetTempPath();

    /// <summary>The bench's name.</summary>
    public abstract string Bench { get; }

    /// <summary>Checks what needs neither files nor server.</summary>
    /// <exception cref="RequestException">the first thing that cannot be meant</exception>
    public virtual void Validate()
    {
        if (Connection.Database is null)
        {
            throw new RequestException(
                "no database: name with --database the one that bench may make its tables in (bulkload_bench_..., dropped at the end)");
        }

        if (Rows < LeastRows || Repeats < 1)
        {
            throw new RequestException(Repeats < 1 ? "--repeat: the least is 1" : $"--rows: the least is {LeastRows}");
        }

        RequireRoom(EstimatedBytes, "--rows");
    }

    private protected virtual long LeastRows => 1;

    /// <summary>The most that tables and files take at a time.</summary>
    internal abstract long EstimatedBytes { get; }

    /// <summary>Options that influence the figures.</summary>
    internal abstract IEnumerable<KeyValuePair<string, string>> Settings { get; }

    /// <summary>Whether each session blocks its own thread. Such sessions cannot load.</summary>
    internal virtual bool KeepsThread => false;

    internal abstract IBench Create();

    internal void RequireRoom(long bytes, string option)
    {
        if (bytes > MaxBytes)
        {
            throw new RequestException($"{option}: this takes about {bytes / 1e6:N0} MB, and --max-size allows {MaxBytes / 1e6:#,##0.###} "
                + "MB: ask for less, or allow more");
        }
    }

    private protected static KeyValuePair<string, string> Setting(string name, long value) => new(name, value.ToString());
}

internal interface IBench
{
    Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken);
}
