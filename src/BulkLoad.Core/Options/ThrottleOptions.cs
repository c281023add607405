namespace BulkLoad;

/// <summary>How fast a job may be.</summary>
/// <param name="Amount">rows, or bytes of input (decompressed), per second; at least 1</param>
public sealed record MaxRate(long Amount, bool IsBytes);

/// <summary>A limit of one of the server's status variables.</summary>
/// <param name="Name">as in SHOW GLOBAL STATUS, in any case</param>
/// <param name="Max">the largest allowed value</param>
public sealed record StatusLimit(string Name, long Max);

/// <summary>When a job slows down, waits or stops for the sake of others; by default never.</summary>
public sealed record ThrottleOptions
{
    /// <summary>Never.</summary>
    public static ThrottleOptions None { get; } = new();

    /// <summary>Null: as fast as the server takes rows.</summary>
    public MaxRate? MaxRate { get; init; }

    /// <summary>The job waits while one of them is exceeded.</summary>
    public IReadOnlyList<StatusLimit> MaxLoad { get; init; } = [];

    /// <summary>The job stops when one of them is exceeded.</summary>
    public IReadOnlyList<StatusLimit> CriticalLoad { get; init; } = [];

    /// <summary>The job waits while this file exists; null: none.</summary>
    public string? PauseFile { get; init; }

    /// <summary>The user's query; the job waits while its first value is true. Null: none.</summary>
    public string? Query { get; init; }

    /// <summary>The job stops after this time; null: when it is complete.</summary>
    public TimeSpan? RunTime { get; init; }

    /// <summary>How far a replica may be behind, which is the age of the oldest commit that it lacks; the job waits before that. Null:
    /// replicas are not asked.</summary>
    public TimeSpan? MaxLag { get; init; }

    /// <summary>Those to ask; none: those that the server knows. A null password is that of the job's connection, if the account is the
    /// same.</summary>
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

        RequestException.ThrowIf(
            MaxLag is null && Replicas.Count > 0, "--check-replica: say how far it may be behind with --max-lag");
    }
}

/// <summary>How many rejects a job may have: a number, or a share of the records that were read.</summary>
public sealed record RejectLimit
{
    /// <summary>A share of fewer records says little.</summary>
    private const long MinForShare = 10_000;

    private RejectLimit(long? records, decimal? percent)
    {
        Records = records;
        Percent = percent;
    }

    /// <summary>Not one.</summary>
    public static RejectLimit None { get; } = new(0, null);

    /// <summary>Null: see <see cref="Percent"/>.</summary>
    public long? Records { get; }

    /// <summary>Of the records that were read, 0 to 100; null: see <see cref="Records"/>.</summary>
    public decimal? Percent { get; }

    /// <summary>A number of records.</summary>
    public static RejectLimit OfRecords(long records) => new(records, null);

    /// <summary>A share of the records that were read, 0 to 100.</summary>
    public static RejectLimit OfPercent(decimal percent) => new(null, percent);

    /// <summary>Never judges a share.</summary>
    internal bool IsExceededBy(long rejects) => rejects > Records;

    /// <param name="rejects">refused records so far</param>
    /// <param name="read">records so far, refused ones included</param>
    /// <param name="isEnd">whether there are no more; before, a share is judged from 10,000 records on</param>
    internal bool IsShareExceeded(long rejects, long read, bool isEnd) =>
        Percent is { } percent && (isEnd || read >= MinForShare) && rejects * 100m > percent * read;

    /// <summary>A number of records.</summary>
    public static implicit operator RejectLimit(long records) => OfRecords(records);

    /// <summary>Such as <c>5</c> or <c>1%</c>.</summary>
    public override string ToString() => Percent is { } percent ? $"{percent}%" : $"{Records}";
}

/// <summary>How often a chunk is sent again that the server could not take at the moment.</summary>
/// <param name="MaxRetries">number of retries without a commit in between; 0: none</param>
/// <param name="For">no retry begins after this time</param>
public sealed record RetryOptions(int MaxRetries, TimeSpan For)
{
    /// <summary>Ten times within five minutes.</summary>
    public static RetryOptions Default { get; } = new(10, TimeSpan.FromMinutes(5));
}
