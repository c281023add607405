using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Facts;

/// <summary>What <c>--max-memory</c> is divided into, beside what the program needs before it does anything. Pure.</summary>
/// <param name="Most">bytes</param>
internal sealed record MemoryPlan(long Most)
{
    /// <summary>What keys are sorted in where nobody says; more goes to temporary files.</summary>
    public const int KeySortBytes = 16 * 1024 * 1024;

    private const long FixedBytes = LoadRequest.LeastMemory;

    /// <summary>How often the largest record must fit: in the reader, three blocks as it is and as values, the batch under way and the next
    /// one, and what these leave behind as they grow; measured.</summary>
    private const int TimesOfRecord = 20;

    /// <summary>Sorted keys may need so many times their bytes while their buffers grow.</summary>
    private const int ShareOfSorting = 8;

    private const int ShareOfBlocks = 4;
    private const int ShareOfBatch = 32;
    private const int ShareOfValues = 256;
    private const long LeastBatchBytes = 64 * 1024;
    private const long LeastValues = 4096;

    /// <summary>A chunk in memory: as values and as it is, in buffers that grow.</summary>
    private const int TimesOfChunk = 4;

    /// <summary>Where a row comes from.</summary>
    private const int BytesPerRow = 32;

    private const long MiB = 1024 * 1024;

    /// <summary>Bytes of a batch, where nobody says.</summary>
    public long BytesPerBatch => Math.Max(LeastBatchBytes, Most / ShareOfBatch);

    /// <summary>Values of a block, each of which has its own place beside its bytes.</summary>
    public long ValuesPerBlock => Math.Max(LeastValues, Most / ShareOfValues);

    /// <summary>Blocks that are read and not yet sent.</summary>
    public long Ahead => Most / ShareOfBlocks;

    /// <summary>Blocks that are sent and kept until they are committed.</summary>
    public long Kept => Most / ShareOfBlocks;

    public static MemoryPlan? Of(LoadRequest request) => request.MaxMemory is { } most ? new(most) : null;

    /// <summary>Memory for sorting: the one place that tells it.</summary>
    public static int ForSorting(LoadRequest request, int best) =>
        (int)Math.Min(best, (request.MaxMemory ?? long.MaxValue) / ShareOfSorting);

    /// <exception cref="PlanException">it is too small; says what would do</exception>
    public void Require(LoadFacts facts)
    {
        var records = ForRecords(facts);
        if (Most < FixedBytes + records)
        {
            throw new PlanException(
                $"--max-memory {InMiB(Most)} is too little: the least here is {InMiB(FixedBytes + records)}, {InMiB(records)} of them " +
                $"for records of up to {InMiB(LargestRecord(facts))} (--max-record-bytes)");
        }
    }

    /// <param name="ending">what stays, in brackets</param>
    public static MemoryException Exceeded(long most, string ending, Exception cause) => new(
        $"--max-memory {InMiB(most)} is too little for this job: give more, smaller sizes (--bytes-per-batch, --max-record-bytes, " +
        $"--threads 1) or fewer files at a time {ending}", cause);

    public SessionPlan Bound(LoadFacts facts, SessionPlan sessions, BatchSizes sizes)
    {
        // JSON objects may name few of the columns, so that a chunk has more values than bytes.
        var values = Math.Min((double)sizes.RowsPerChunk * facts.RowColumns.Count, facts.RecordsCanLackColumns
            || facts.Request.Source.Dirt[DirtKind.FewFields] == DirtAction.Repair ? double.MaxValue : sizes.BytesPerChunk);
        var chunk = (TimesOfChunk * (double)sizes.BytesPerChunk) + (2 * sizeof(int) * values) +
            (BytesPerRow * (double)Math.Min(sizes.RowsPerChunk, sizes.BytesPerChunk));
        var room = (Most - FixedBytes - ForRecords(facts)) / ((2 * chunk) + ForRecords(facts));
        return room >= sessions.Most ? sessions
            : room < 2 ? SessionPlan.One($"--max-memory leaves no room for more: each has a chunk in memory")
            : sessions
                with
            { Most = (int)room, Reason = $"--max-memory leaves no room for more: each has a chunk in memory; {sessions.Reason}" };
    }

    public PlannedSize Describe(LoadFacts facts) => new(
        "max-memory", Most, $"--max-memory; the least here is {InMiB(FixedBytes + ForRecords(facts))}, with {InMiB(ForRecords(facts))} " +
            $"for records of up to {InMiB(LargestRecord(facts))} (--max-record-bytes)");

    private static long ForRecords(LoadFacts facts) => TimesOfRecord * LargestRecord(facts);

    /// <summary>No record is larger than its file; one of UTF-16 can double.</summary>
    private static long LargestRecord(LoadFacts facts) => Math.Min(
        facts.Request.Source.MaxRecordBytes,
        facts.Sources.All(source => source is { Bytes: not null, Compression: "none" })
            ? Math.Max(1, 2 * facts.Sources.Max(source => source.Bytes!.Value)) : long.MaxValue);

    private static string InMiB(long bytes) => $"{Math.Max(1, (bytes + MiB - 1) / MiB)}Mi";
}
