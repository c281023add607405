using BulkLoad.Core.Planning;

namespace BulkLoad.Core.Strategies;

/// <summary>How much goes together where INSERTs carry the rows: a batch is several of them, sent one behind the other and undone together.</summary>
internal static class InsertSizes
{
    private const int BestRows = 4000;
    private const int MostRows = 65_535;
    private const long BestBytes = 1024 * 1024;

    /// <summary>Rows of a strategy's batches.</summary>
    public static TunedSize TunedRows(string strategy) => new(strategy, "rows-per-batch", BestRows, [1000, 2000, 8000], MostRows);

    public static SizeRange Rows(TunedSize tuned, LoadFacts facts)
    {
        var best = tuned.Plan(facts.Request, "measured optimum");
        return new SizeRange(tuned.Name, best.Value, best.SetBy, MostRows, "more gain nothing, and are more to undo");
    }

    public static SizeRange Bytes(LoadFacts facts)
    {
        var packet = facts.Server.MaxAllowedPacket;
        return new SizeRange(
            "bytes-per-batch", BestBytes, "measured optimum: little to undo when a batch fails",
            packet / 2, $"half of the server's max_allowed_packet of {packet:N0}");
    }
}
