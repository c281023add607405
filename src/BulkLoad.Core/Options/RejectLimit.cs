namespace BulkLoad.Core.Options;

/// <summary>How many rejects a job may have: so many records, or a share of those that were read.</summary>
public sealed record RejectLimit
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

    /// <summary>So many records at most.</summary>
    public static RejectLimit OfRecords(long records) => new(records, null);

    /// <summary>So many of a hundred records at most.</summary>
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
public sealed record RetryOptions(int Most, TimeSpan For)
{
    /// <summary>Ten, within five minutes.</summary>
    public static RetryOptions Usual { get; } = new(10, TimeSpan.FromMinutes(5));
}
