using BulkLoad.Core.Facts;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>How much goes together where INSERTs carry the rows: a batch is several of them, sent one behind the other and undone
/// together.</summary>
internal static class InsertSizes
{
    private const int BestRows = 4000;
    private const int MostRows = 65_535;
    private const long BestBytes = 1024 * 1024;

    /// <summary>
    /// The server has work for so many round trips in each batch, since a session waits for one behind it. Measured: with work for one and
    /// a half an import took 1.7 times as long as without the route.
    /// </summary>
    private const int RoundTripsOfWork = 8;

    /// <summary>What a server takes for a small row, about.</summary>
    private const double MicrosecondsPerRow = 3;

    /// <summary>By a long route more bytes are worth their memory.</summary>
    private const long BestBytesFarAway = 2 * 1024 * 1024;

    /// <summary>Rows of a strategy's batches.</summary>
    public static TunedSize TunedRows(string strategy) => new(strategy, "rows-per-batch", BestRows, [1000, 2000, 8000], MostRows);

    public static SizeRange Rows(TunedSize tuned, LoadFacts facts)
    {
        var worth = (long)(RoundTripsOfWork * facts.Server.RoundTrip.TotalMicroseconds / MicrosecondsPerRow);
        var best = tuned.Plan(facts.Request, "measured optimum");
        if (facts.Server.IsFar && worth > best.Value && tuned.FindMeasured(facts.Request) is null)
        {
            best = best with
            {
                Value = Math.Min(
                worth, MostRows),
                SetBy = $"the server works on them for as long as {RoundTripsOfWork} round trips take"
            };
        }

        return new SizeRange(tuned.Name, best.Value, best.SetBy, MostRows, "more gain nothing, and are more to undo");
    }

    public static SizeRange Bytes(LoadFacts facts)
    {
        var packet = facts.Server.MaxAllowedPacket;
        var (best, reason) = facts.Server.IsFar
            ? (BestBytesFarAway, "few waits for an answer, each of which takes long here")
            : (BestBytes, "measured optimum: little to undo when a batch fails");
        return new SizeRange("bytes-per-batch", best, reason, packet / 2, $"half of the server's max_allowed_packet of {packet:N0}");
    }
}
