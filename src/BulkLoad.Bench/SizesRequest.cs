using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench;

/// <summary>How many rows and bytes a statement is best given.</summary>
public sealed record SizesRequest : BenchRequest
{
    private const int MostPlaceholders = 65_535;

    /// <summary>Rows a statement.</summary>
    public IReadOnlyList<long> StatementRows { get; init; } = [1, 10, 40, 100, 1_000, 5_000, 10_000];

    /// <summary>Bytes a statement.</summary>
    public IReadOnlyList<long> StatementBytes { get; init; } = [16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20];

    /// <summary>What a round trip is made to take longer; each is measured beside the way as it is.</summary>
    public IReadOnlyList<TimeSpan> Latencies { get; init; } = [];

    /// <inheritdoc/>
    public override string Bench => "sizes";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        if (StatementRows.Concat(StatementBytes).Any(size => size is < 1 or > 1 << 30))
        {
            throw new RequestException("--statement-rows and --statement-bytes: a statement has 1 to 1Gi of each");
        }

        if (StatementRows.Count == 0 && StatementBytes.Count == 0)
        {
            throw new RequestException("--statement-rows and --statement-bytes: nothing is left to measure");
        }

        if (Latencies.Count > 0 && Connection.SslMode == SslMode.VerifyIdentity)
        {
            throw new RequestException(
                "--latency: delays come from a relay on 127.0.0.1, which no certificate names: use --ssl-mode=verify-ca or required");
        }
    }

    /// <summary>Two tables, a file, and a run's statements in memory.</summary>
    internal override long EstimatedBytes => Rows * 3 * UsersTable.EstimatedBytesPerRow;

    internal static bool CanBePrepared(long rows) => rows * BatchMethods.Types(BatchOperation.Insert).Length <= MostPlaceholders;

    internal override IEnumerable<KeyValuePair<string, string>> Settings => [Setting("rows", Rows), Setting("repeat", Repeats)];

    internal override IBench Create() => new SizesBench(this);
}
