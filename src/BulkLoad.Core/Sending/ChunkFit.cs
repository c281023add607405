using BulkLoad.Core.Facts;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

/// <summary>Halves the chunks of a run when the server refuses one for its size, so that none of that size is sent again.</summary>
internal sealed class ChunkFit(LoadFacts facts, ILogger log)
{
    /// <summary>What a record takes in a transaction may be more than expected by this factor.</summary>
    private const int MaxError = 8;

    private readonly IReadOnlyList<TransactionLimit> _limits = facts.Server.TransactionLimits;
    private readonly double _bytesOfRecord = Math.Max(1, TransactionRoom.BytesOfRecord(facts));
    private long _refused = long.MaxValue;
    private (long Refused, string By)? _first;

    /// <summary>Of a chunk.</summary>
    public long MaxRecords { get; private set; } = long.MaxValue;

    /// <summary>For people; null: no chunk was too large.</summary>
    public string? Note => _first is not var (refused, by) ? null
        : $"chunks have {MaxRecords:N0} records at most, since the server refused one of {refused:N0} for its size: {by}";

    /// <summary>Whether a chunk has more than the server takes as one transaction, so that it would be refused again.</summary>
    /// <param name="records">of the chunk</param>
    public bool IsOfSize(ServerException fault, long records) => records > 0
        && (fault.Kind == FaultKind.TransactionTooLarge
            || (fault.Error == ServerError.RunHookError
                && _limits.FirstOrDefault(limit => limit.Of.Fault == ServerError.RunHookError) is { } limit
                && records * _bytesOfRecord * MaxError > limit.Most));

    /// <summary>Whether chunks can be smaller; then they are from now on.</summary>
    /// <param name="records">of the refused chunk, as far as the server has got it</param>
    public bool TryHalve(ServerException fault, long records)
    {
        if (records < 2 || records >= _refused)
        {
            return false;
        }

        (_refused, MaxRecords) = (records, records / 2);
        _first ??= (records, TransactionLimit.Describe(fault.Error, _limits));
        log.ChunksHalved(records, MaxRecords, fault.Message);
        return true;
    }

    /// <summary>The fault with what helps, for a chunk that cannot be smaller.</summary>
    public ServerException Explain(ServerException fault, long records)
    {
        var help = facts.Request.Atomic ? "leave out --atomic, so that it is committed chunk by chunk"
            : facts.Request.IsOneChunk ? "it cannot be divided"
            : records > 1 ? $"--rows-per-chunk {records / 2} or a smaller --bytes-per-chunk"
            : "the server has to allow more";
        return new ServerException(
            $"{fault.Message}; {Plural.Count(records, "record")} {Plural.For(records, "is", "are")} too much for one transaction: "
                + $"{TransactionLimit.Describe(fault.Error, _limits)}; {help}", fault, FaultKind.TransactionTooLarge);
    }
}
