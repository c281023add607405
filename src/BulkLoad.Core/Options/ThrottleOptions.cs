using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Options;

/// <summary>The most rows or bytes per second.</summary>
/// <param name="Amount">rows, or bytes of input (decompressed); at least 1</param>
/// <param name="IsBytes">whether it is bytes</param>
internal sealed record MaxRate(long Amount, bool IsBytes);

/// <summary>A bound on one of the server's status variables.</summary>
/// <param name="Name">as SHOW GLOBAL STATUS has it, in any case</param>
/// <param name="Most">the largest value that is fine</param>
internal sealed record StatusLimit(string Name, long Most);

/// <summary>When a job slows down, waits or stops for the sake of others. Nothing is asked for by default.</summary>
internal sealed record ThrottleOptions
{
    /// <summary>Nobody is waited for.</summary>
    public static ThrottleOptions None { get; } = new();

    /// <summary>How fast rows are sent at most; null: as fast as the server takes them.</summary>
    public MaxRate? MaxRate { get; init; }

    /// <summary>The job waits while one of these is exceeded.</summary>
    public IReadOnlyList<StatusLimit> MaxLoad { get; init; } = [];

    /// <summary>The job stops when one of these is exceeded.</summary>
    public IReadOnlyList<StatusLimit> CriticalLoad { get; init; } = [];

    /// <summary>The job waits while there is a file of this name; null: none does that.</summary>
    public string? PauseFile { get; init; }

    /// <summary>A query of the user's; the job waits while its first value is true. Null: none.</summary>
    public string? Query { get; init; }

    /// <summary>The job stops after so long a time; null: when it is done.</summary>
    public TimeSpan? RunTime { get; init; }

    /// <summary>The job waits while one of <see cref="Replicas"/> is behind by more; null: replicas are not asked.</summary>
    public TimeSpan? MaxLag { get; init; }

    /// <summary>Replicas; a password that is null is that of the job's connection, where the account is the same.</summary>
    public IReadOnlyList<ConnectionOptions> Replicas { get; init; } = [];

    internal bool IsAny => MaxRate is not null || RunTime is not null || PauseFile is not null || WatchesServer || MaxLag is not null;

    internal bool WatchesServer => MaxLoad.Count > 0 || CriticalLoad.Count > 0 || Query is not null;

    internal void Validate()
    {
        if (MaxRate is { Amount: < 1 })
        {
            throw new RequestException("--max-rate: the least is 1 a second; --pause-file lets a job wait");
        }

        foreach (var (option, limits) in new[] { ("--max-load", MaxLoad), ("--critical-load", CriticalLoad) })
        {
            if (limits.FirstOrDefault(limit => limit.Name.Length is 0 or > 64
                || limit.Name.Any(letter => !char.IsAsciiLetterOrDigit(letter) && letter != '_')) is { } wrong)
            {
                throw new RequestException($"{option}: '{wrong.Name}' is not the name of a status variable, such as Threads_running");
            }
        }

        RequestException.ThrowIf(PauseFile is "", "--pause-file: needs a file's name");

        RequestException.ThrowIf(Query is not null && string.IsNullOrWhiteSpace(Query), "--throttle-query: is empty");

        if (RunTime is { } runTime && runTime <= TimeSpan.Zero)
        {
            throw new RequestException("--run-time: needs a time, such as 90s, 5m, 1h");
        }

        if (MaxLag is { } lag && lag < TimeSpan.FromSeconds(1))
        {
            throw new RequestException("--max-lag: the least is 1s, since replicas count seconds");
        }

        if (MaxLag is not null != Replicas.Count > 0)
        {
            throw new RequestException(MaxLag is null ? "--check-replica: say how far it may be behind with --max-lag"
                : "--max-lag: name the replicas to ask with --check-replica");
        }
    }
}

/// <summary>How many rejects a job may have: so many records, or a share of those that were read.</summary>
internal sealed record RejectLimit
{
    /// <summary>Of fewer records a share says little.</summary>
    private const long FewestForShare = 10_000;

    private RejectLimit(long? records, decimal? percent)
    {
        Records = records;
        Percent = percent;
    }

    /// <summary>No reject at all: the default.</summary>
    public static RejectLimit None { get; } = new(0, null);

    /// <summary>Most rejects; null where <see cref="Percent"/> is given.</summary>
    public long? Records { get; }

    /// <summary>Largest share of the records read, 0 to 100; null where <see cref="Records"/> is given.</summary>
    public decimal? Percent { get; }

    /// <summary>A limit as a number of records.</summary>
    public static RejectLimit OfRecords(long records) => new(records, null);

    /// <summary>A limit as a share of the records, in percent.</summary>
    public static RejectLimit OfPercent(decimal percent) => new(null, percent);

    /// <summary>Whether one more reject than these is too many; a share is never judged here.</summary>
    public bool IsExceededBy(long rejects) => rejects > Records;

    /// <summary>Whether the share is too large.</summary>
    /// <param name="rejects">refused records so far</param>
    /// <param name="read">records so far, refused ones included</param>
    /// <param name="isEnd">whether there are no more; before, a share is judged from 10,000 records on</param>
    public bool IsShareExceeded(long rejects, long read, bool isEnd) =>
        Percent is { } percent && (isEnd || read >= FewestForShare) && rejects * 100m > percent * read;

    /// <summary>As it would be typed.</summary>
    public override string ToString() => Percent is { } percent ? $"{percent}%" : $"{Records}";
}

/// <summary>How often a chunk is sent again where the server could not take it at the moment.</summary>
/// <param name="Most">tries after the first one, without a chunk being committed in between; 0: none</param>
/// <param name="For">no more of them after so long a time</param>
internal sealed record RetryOptions(int Most, TimeSpan For)
{
    /// <summary>Ten, within five minutes.</summary>
    public static RetryOptions Usual { get; } = new(10, TimeSpan.FromMinutes(5));
}
