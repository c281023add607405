using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.Bench;

/// <summary>What imports are best given on a server: sizes, strategies, sessions; as a profile that they are planned with.</summary>
public sealed record TuneRequest : BenchRequest
{
    /// <summary>Where nobody says: enough that a run is long beside its start, and has chunks for several sessions.</summary>
    public const long UsualRows = 200_000;

    /// <summary>The user's own job: its files, form and mapping, into a copy of its table. Null: the bench's own table.</summary>
    public LoadRequest? Load { get; init; }

    /// <inheritdoc/>
    public override string Bench => "tune";

    /// <inheritdoc/>
    public override void Validate()
    {
        base.Validate();
        Load?.Validate();
        if (Load?.Files.Contains(InputPaths.StandardInput) == true)
        {
            throw new RequestException("standard input can be read only once, and a bench reads its files again and again: name files");
        }
    }

    /// <summary>Two tables, one of them empty, and a file. The user's file is checked later.</summary>
    internal override long EstimatedBytes => Load is null ? Rows * 2 * UsersTable.EstimatedBytesPerRow : 0;

    internal override IEnumerable<KeyValuePair<string, string>> Settings =>
    [
        Load is null ? Setting("rows", Rows) : new("files", string.Join(", ", Load.Files)), Setting("repeat", Repeats),
    ];

    internal override IBench Create() => new TuneBench(this);
}
