using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Facts;

/// <summary>How many rows and bytes go together.</summary>
/// <param name="BytesPerBatch">bytes of values after which a batch is complete; a single row may be larger</param>
/// <param name="BytesPerChunk">bytes of input after which a chunk is complete</param>
internal sealed record BatchSizes(
    int RowsPerBatch, long BytesPerBatch, long RowsPerChunk = long.MaxValue, long BytesPerChunk = long.MaxValue)
{
    /// <summary>Rows of a full statement, where a batch is several of them: what is left over behind the last is its own batch, and a wait
    /// more.</summary>
    public int RowsPerStatement { get; init; } = 1;

    public long ValuesPerBlock { get; init; } = long.MaxValue;

    /// <summary>Bytes of memory of blocks that are read and not yet sent.</summary>
    public long Ahead { get; init; } = long.MaxValue;

    /// <summary>Bytes of memory of blocks that are sent and kept until they are committed.</summary>
    public long Kept { get; init; } = long.MaxValue;

    /// <summary>The sizes that fit into a bound of memory.</summary>
    /// <param name="isShared">whether several sessions have whole chunks in memory, so that nothing can wait for them to be sent</param>
    public BatchSizes Within(MemoryPlan? memory, bool isShared) => memory is null ? this
        : this with { ValuesPerBlock = memory.ValuesPerBlock, Ahead = isShared ? long.MaxValue : memory.Ahead, Kept = memory.Kept };
}

/// <summary>A size that a strategy can choose: what is best, and what is possible.</summary>
/// <param name="Name">the option's name without dashes, such as <c>rows-per-batch</c></param>
/// <param name="Most">what no option can exceed</param>
internal sealed record SizeRange(string Name, long Best, string BestBy, long Most, string MostBy)
{
    /// <summary>What was asked for, else the best; never more than is possible.</summary>
    public PlannedSize Choose(long? asked)
    {
        var (value, setBy) = asked is { } wanted ? (wanted, $"--{Name}") : (Best, BestBy);
        return value <= Most ? new PlannedSize(Name, value, setBy) : new PlannedSize(Name, Most, MostBy);
    }
}

/// <summary>What a strategy would take, from things that anyone can check.</summary>
/// <param name="MicrosecondsPerRow">the server's work for one row of the measured table (docs/strategies.md)</param>
/// <param name="RoundTripsPerBatch">questions that wait for an answer, for each batch</param>
internal sealed record Cost(double MicrosecondsPerRow, double RoundTripsPerBatch, double FixedRoundTrips)
{
    /// <summary>For comparing strategies where the size of the input is not known.</summary>
    public const long AssumedRecords = 1_000_000;

    /// <summary>Seconds for all records of an input.</summary>
    public double Seconds(long records, double recordBytes, BatchSizes sizes, TimeSpan roundTrip)
    {
        var batches = Math.Ceiling(
            Math.Max(1, Math.Max((double)records / sizes.RowsPerBatch, records * recordBytes / sizes.BytesPerBatch)));
        return (records * MicrosecondsPerRow / 1e6) + (((batches * RoundTripsPerBatch) + FixedRoundTrips) * roundTrip.TotalSeconds);
    }
}

/// <summary>How many sessions carry rows, and why.</summary>
/// <param name="WatchedKeys">keys, as 0-based places of their columns in the rows, that must rise through the input for records of several
/// chunks to be under way at a time, since no two of them can have the same key then; none where no key could be met twice</param>
internal sealed record SessionPlan(int Most, string Reason, IReadOnlyList<IReadOnlyList<int>> WatchedKeys)
{
    /// <summary>Whether of records with the same key all but one must be known, and not be sent, before the first one is.</summary>
    public bool NeedsDistinctKeys { get; init; }

    /// <summary>Whether behind a record whose watched key does not rise all wait, and not it alone: a session that has run into a duplicate
    /// in a secondary index keeps others out of the gap before it (InnoDB, next-key locks), for which a record that waits for its turn may
    /// be meant.</summary>
    public bool AllWait { get; init; }

    /// <summary>As many as may be tried while it runs, where more than <see cref="Most"/> may be; else 0.</summary>
    public int MostTried { get; init; }

    /// <summary>Whether a profile says how many.</summary>
    public bool IsMeasured { get; init; }

    public static SessionPlan One(string reason) => new(1, reason, []);
}
