using BulkLoad.Core.Planning;

namespace BulkLoad.Core.Strategies;

/// <summary>How much goes together where INSERTs carry the rows: a batch is several of them, sent one behind the other and undone together.</summary>
internal static class InsertSizes
{
    private const int BestRows = 4000;
    private const int MostRows = 65_535;
    private const long BestBytes = 1024 * 1024;

    public static SizeRange Rows { get; } =
        new("rows-per-batch", BestRows, "measured optimum", MostRows, "more gain nothing, and are more to undo");

    public static SizeRange Bytes(LoadFacts facts)
    {
        var packet = facts.Server.MaxAllowedPacket;
        return new SizeRange(
            "bytes-per-batch", BestBytes, "measured optimum: little to undo when a batch fails",
            packet / 2, $"half of the server's max_allowed_packet of {packet:N0}");
    }
}
