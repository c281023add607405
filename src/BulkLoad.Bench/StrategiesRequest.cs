using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.Bench;

/// <summary>Every way to bring a batch in, and every strategy of the catalogue.</summary>
public sealed record StrategiesRequest : BenchRequest
{
    /// <summary>The user's own job: its files, form and mapping, into a copy of its table. Null: the bench's own table.</summary>
    public LoadRequest? Load { get; init; }

    /// <summary>Rows of the batches that every method sends; empty: methods are not measured.</summary>
    public IReadOnlyList<long> BatchRows { get; init; } = [100, 1_000, 10_000];

    /// <inheritdoc/>
    public override string Bench => "strategies";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        Load?.Validate();
        if (Load?.Files.Contains(InputPaths.StandardInput) == true)
        {
            throw new RequestException("standard input can be read only once, and a bench reads its files again and again: name files");
        }

        if (BatchRows.Any(rows => rows is < 1 or > 100_000))
        {
            throw new RequestException("--batch-rows: batches have 1 to 100000 rows");
        }
    }

    /// <summary>Without rows there are only batches.</summary>
    private protected override long LeastRows => Load is null && BatchRows.Count == 0 ? 1 : 0;

    /// <summary>Two tables and a file, or a table of twice a batch. The user's file is checked later.</summary>
    internal override long EstimatedBytes =>
        Load is null ? Math.Max(Rows * 3, BatchRows.DefaultIfEmpty().Max() * 2) * UsersTable.EstimatedBytesPerRow : 0;

    internal override IEnumerable<KeyValuePair<string, string>> Settings =>
    [
        Load is null ? Setting("rows", Rows) : new("files", string.Join(", ", Load.Files)), Setting("repeat", Repeats),
    ];

    internal override IBench Create() => Load is null ? new StrategiesBench(this) : new OwnFileBench(this, Load);
}
