namespace BulkLoad.Bench;

/// <summary>Inserts, selects, updates and deletes through the driver core: row by row, and as a batch in one transaction.</summary>
public sealed record DriversRequest : BenchRequest
{
    private const long MostRows = 100_000;

    /// <summary>Rows that are inserted, read, changed or deleted in one run.</summary>
    public IReadOnlyList<long> BatchRows { get; init; } = [100, 1_000, 10_000];

    /// <inheritdoc/>
    public override string Bench => "drivers";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        if (BatchRows.Count == 0 || BatchRows.Any(rows => rows is < 1 or > MostRows))
        {
            throw new RequestException($"--batch-rows: batches have 1 to {MostRows} rows");
        }
    }

    internal override long EstimatedBytes => BatchRows.DefaultIfEmpty().Max() * 2 * UsersTable.EstimatedBytesPerRow;

    internal override IEnumerable<KeyValuePair<string, string>> Settings => [Setting("repeat", Repeats)];

    internal override IBench Create() => new DriversBench(this);
}
