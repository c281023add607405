using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Diagnosis;

/// <summary>What is to be looked at.</summary>
public sealed record DoctorRequest
{
    /// <summary>Where and how to connect.</summary>
    public required ConnectionOptions Connection { get; init; }

    /// <summary><c>table</c> or <c>database.table</c>; null: what holds for any table.</summary>
    public string? Table { get; init; }

    /// <summary>The schema that has the ledger; null: the table's, or the connection's default database.</summary>
    public string? LedgerSchema { get; init; }
}
