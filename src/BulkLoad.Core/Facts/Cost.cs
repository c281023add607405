namespace BulkLoad.Core.Facts;

/// <summary>What a strategy would take, from things that anyone can check.</summary>
/// <param name="MicrosecondsPerRow">the server's work for one row of the measured table (docs/strategies.md)</param>
/// <param name="RoundTripsPerBatch">questions that wait for an answer, for each batch</param>
/// <param name="FixedRoundTrips">questions asked once</param>
internal sealed record Cost(double MicrosecondsPerRow, double RoundTripsPerBatch, double FixedRoundTrips)
{
    /// <summary>For comparing strategies where the size of the input is not known.</summary>
    public const long AssumedRecords = 1_000_000;

    /// <summary>Seconds for all records of an input.</summary>
    public double Seconds(long records, double recordBytes, BatchSizes sizes, TimeSpan roundTrip)
    {
        var batches = Math.Ceiling(Math.Max(1, Math.Max((double)records / sizes.RowsPerBatch, records * recordBytes / sizes.BytesPerBatch)));
        return (records * MicrosecondsPerRow / 1e6) + (((batches * RoundTripsPerBatch) + FixedRoundTrips) * roundTrip.TotalSeconds);
    }
}
