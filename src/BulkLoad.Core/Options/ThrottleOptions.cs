using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Options;

/// <summary>So much a second at most.</summary>
/// <param name="Amount">rows, or bytes of input (decompressed); at least 1</param>
/// <param name="IsBytes">whether it is bytes</param>
public sealed record MaxRate(long Amount, bool IsBytes);

/// <summary>A bound on one of the server's status variables.</summary>
/// <param name="Name">as SHOW GLOBAL STATUS has it, in any case</param>
/// <param name="Most">the largest value that is fine</param>
public sealed record StatusLimit(string Name, long Most);

/// <summary>When a job slows down, waits or stops for the sake of others. Nothing is asked for by default.</summary>
public sealed record ThrottleOptions
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

        if (PauseFile is "")
        {
            throw new RequestException("--pause-file: needs a file's name");
        }

        if (Query is not null && string.IsNullOrWhiteSpace(Query))
        {
            throw new RequestException("--throttle-query: is empty");
        }

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
