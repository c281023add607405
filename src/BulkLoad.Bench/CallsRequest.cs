namespace BulkLoad.Bench;

/// <summary>What one call through the driver core costs.</summary>
public sealed record CallsRequest : BenchRequest
{
    /// <summary>Most rows of a result as text in memory.</summary>
    private const long MostRows = 100_000;

    /// <summary>The shortest calls of one run; of longer ones there are fewer.</summary>
    public int Calls { get; init; } = 2_000;

    /// <inheritdoc/>
    public override string Bench => "calls";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        if (Rows is < CallsBench.RowsOfMany or > MostRows)
        {
            throw new RequestException($"--rows: calls are measured on a table of {CallsBench.RowsOfMany} to {MostRows} rows");
        }
    }

    internal override long EstimatedBytes => (Rows * UsersTable.EstimatedBytesPerRow) + (4 << 20);

    internal override IEnumerable<KeyValuePair<string, string>> Settings =>
        [Setting("rows", Rows), Setting("repeat", Repeats), Setting("calls", Calls)];

    internal override IBench Create() => new CallsBench(this);
}
