using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Facts;

/// <param name="BytesPerBatch">bytes of values after which a batch is complete; a single row may be larger</param>
/// <param name="BytesPerChunk">bytes of input after which a chunk is complete</param>
internal sealed record BatchSizes(
    int RowsPerBatch, long BytesPerBatch, long RowsPerChunk = long.MaxValue, long BytesPerChunk = long.MaxValue)
{
    /// <summary>Rows of a full statement, where a batch is several statements. The rows after the last full statement are a batch of their
    /// own, which takes one more round trip.</summary>
    public int RowsPerStatement { get; init; } = 1;

    public long ValuesPerBlock { get; init; } = long.MaxValue;

    /// <summary>Bytes of memory of blocks that are read and not yet sent.</summary>
    public long Ahead { get; init; } = long.MaxValue;

    /// <summary>Bytes of memory of blocks that are sent and kept until they are committed.</summary>
    public long Kept { get; init; } = long.MaxValue;

    /// <param name="isShared">whether several sessions have whole chunks in memory, so that nothing can wait for them to be sent</param>
    public BatchSizes Within(MemoryPlan? memory, bool isShared) => memory is null ? this
        : this with { ValuesPerBlock = memory.ValuesPerBlock, Ahead = isShared ? long.MaxValue : memory.Ahead, Kept = memory.Kept };
}

/// <summary>A size that a strategy can choose: what is best, and what is possible.</summary>
/// <param name="Name">the option's name without dashes, such as <c>rows-per-batch</c></param>
/// <param name="Max">what no option can exceed</param>
internal sealed record SizeRange(string Name, long Best, string BestBy, long Max, string MaxBy)
{
    /// <summary>What was asked for, else the best; never more than is possible.</summary>
    public PlannedSize Choose(long? asked)
    {
        var (value, setBy) = asked is { } wanted ? (wanted, $"--{Name}") : (Best, BestBy);
        return value <= Max ? new PlannedSize(Name, value, setBy) : new PlannedSize(Name, Max, MaxBy);
    }
}

/// <summary>What a strategy would take, from things that anyone can check.</summary>
/// <param name="MicrosecondsPerRow">the server's work for one row of the measured table (docs/strategies.md)</param>
/// <param name="RoundTripsPerBatch">questions that wait for an answer, for each batch</param>
internal sealed record Cost(double MicrosecondsPerRow, double RoundTripsPerBatch, double FixedRoundTrips)
{
    /// <summary>Used if the size of the input is not known.</summary>
    private const long AssumedRecords = 1_000_000;

    public double Seconds(LoadFacts facts, BatchSizes sizes)
    {
        var records = facts.EstimatedRecords ?? AssumedRecords;
        var batches = Math.Ceiling(
            Math.Max(1, Math.Max((double)records / sizes.RowsPerBatch, records * facts.RecordBytes / sizes.BytesPerBatch)));
        return (records * MicrosecondsPerRow / 1e6)
            + (((batches * RoundTripsPerBatch) + FixedRoundTrips) * facts.Server.RoundTrip.TotalSeconds);
    }
}

/// <param name="WatchedKeys">0-based places of the columns of keys. Records of several chunks may be under way while the values of these
/// keys rise through the input, since then no two records have the same key. Empty: no key could be met twice</param>
internal sealed record SessionPlan(int Max, string Reason, IReadOnlyList<IReadOnlyList<int>> WatchedKeys)
{
    /// <summary>Whether all records of a key but one must be found, and left out, before the first record is sent.</summary>
    public bool NeedsDistinctKeys { get; init; }

    /// <summary>Whether all records after one whose watched key does not rise wait, and not only that one. A session that has met a
    /// duplicate in a secondary index locks the gap before it (InnoDB, next-key locks), and the record that waits for its turn may belong
    /// into that gap.</summary>
    public bool AllWait { get; init; }

    /// <summary>The most sessions that are tried while the job runs, if more than <see cref="Max"/>; else 0.</summary>
    public int MaxTried { get; init; }

    public bool IsMeasured { get; init; }

    public static SessionPlan One(string reason) => new(1, reason, []);
}

/// <summary>What <c>--max-memory</c> is divided into, beside what the program needs before it does anything. Pure.</summary>
internal sealed record MemoryPlan(long Bytes)
{
    /// <summary>Memory in which keys are sorted by default; what does not fit goes to temporary files.</summary>
    public const int KeySortBytes = 16 * 1024 * 1024;

    private const long FixedBytes = LoadRequest.MinMemory;

    /// <summary>How many times the largest record must fit: in the reader, in three blocks (the record and its values), in the batch under
    /// way and the next one, and in what these leave behind as they grow; measured.</summary>
    private const int TimesOfRecord = 20;

    /// <summary>While their buffers grow, sorted keys may take this many times their bytes.</summary>
    private const int ShareOfSorting = 8;

    private const int ShareOfBlocks = 4;
    private const int ShareOfBatch = 32;
    private const int ShareOfValues = 256;

    /// <summary>The statements that keep the rows of a batch name its keys twice, and a literal may be twice as long as its
    /// value.</summary>
    private const int TimesOfImages = 4;
    private const long MinBatchBytes = 64 * 1024;
    private const long MinValues = 4096;

    /// <summary>A chunk takes this many times its bytes: its records and their values, in buffers that grow.</summary>
    private const int TimesOfChunk = 4;

    /// <summary>Bytes for the origin of a row.</summary>
    private const int BytesPerRow = 32;

    private const long MiB = 1024 * 1024;

    public long BytesPerBatch(LoadFacts facts) =>
        Math.Max(MinBatchBytes, Bytes / ShareOfBatch / (facts.Images is null ? 1 : TimesOfImages));

    /// <summary>Values of a block: beside its bytes, each value takes a place of its own.</summary>
    public long ValuesPerBlock => Math.Max(MinValues, Bytes / ShareOfValues);

    public long Ahead => Bytes / ShareOfBlocks;

    public long Kept => Bytes / ShareOfBlocks;

    public static MemoryPlan? Of(LoadRequest request) => request.MaxMemory is { } max ? new(max) : null;

    public static int ForSorting(LoadRequest request, int best) =>
        (int)Math.Min(best, (request.MaxMemory ?? long.MaxValue) / ShareOfSorting);

    /// <exception cref="PlanException">it is too small; the message says what is enough</exception>
    public void Require(LoadFacts facts)
    {
        var records = ForRecords(facts);
        if (Bytes < FixedBytes + records)
        {
            throw new PlanException(
                $"--max-memory {InMiB(Bytes)} is too little: the least here is {InMiB(FixedBytes + records)}, {InMiB(records)} of them " +
                $"for records of up to {InMiB(LargestRecord(facts))} (--max-record-bytes)");
        }
    }

    public static MemoryException Exceeded(long max, Exception cause) => new(
        $"--max-memory {InMiB(max)} is too little for this job: give more, smaller sizes (--bytes-per-batch, --max-record-bytes, " +
        $"--threads 1) or fewer files at a time", cause);

    public SessionPlan Bound(LoadFacts facts, SessionPlan sessions, BatchSizes sizes)
    {
        // JSON objects may name few of the columns, so that a chunk has more values than bytes.
        var values = Math.Min((double)sizes.RowsPerChunk * facts.RowColumns.Count, facts.RecordsCanLackColumns
            || facts.Request.Source.Dirt[DirtKind.FewFields] == DirtAction.Repair ? double.MaxValue : sizes.BytesPerChunk);
        var chunk = (TimesOfChunk * (double)sizes.BytesPerChunk) + (2 * sizeof(int) * values) +
            (BytesPerRow * (double)Math.Min(sizes.RowsPerChunk, sizes.BytesPerChunk));
        var room = (Bytes - FixedBytes - ForRecords(facts)) / ((2 * chunk) + ForRecords(facts));
        return room >= sessions.Max ? sessions
            : room < 2 ? SessionPlan.One($"--max-memory leaves no room for more: each has a chunk in memory")
            : sessions
                with
            { Max = (int)room, Reason = $"--max-memory leaves no room for more: each has a chunk in memory; {sessions.Reason}" };
    }

    public PlannedSize Describe(LoadFacts facts) => new(
        "max-memory", Bytes, $"--max-memory; the least here is {InMiB(FixedBytes + ForRecords(facts))}, with {InMiB(ForRecords(facts))} " +
            $"for records of up to {InMiB(LargestRecord(facts))} (--max-record-bytes)");

    private static long ForRecords(LoadFacts facts) => TimesOfRecord * LargestRecord(facts);

    /// <summary>A record is at most as large as its file; one of UTF-16 can become twice as large.</summary>
    private static long LargestRecord(LoadFacts facts) => Math.Min(
        facts.Request.Source.MaxRecordBytes,
        facts.Sources.All(source => source is { Bytes: not null, Compression: "none" })
            ? Math.Max(1, 2 * facts.Sources.Max(source => source.Bytes!.Value)) : long.MaxValue);

    private static string InMiB(long bytes) => $"{Math.Max(1, (bytes + MiB - 1) / MiB)}Mi";
}
