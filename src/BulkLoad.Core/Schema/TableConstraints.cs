namespace BulkLoad.Core.Schema;

/// <summary>A foreign key of the table.</summary>
internal sealed record ForeignKey(string Name, IReadOnlyList<string> Columns);

/// <summary>What a row must agree with, beside its columns' types and the table's keys.</summary>
internal sealed record TableConstraints
{
    public required IReadOnlyList<ForeignKey> ForeignKeys { get; init; }

    /// <summary>Whether there are enforced CHECK constraints.</summary>
    public required bool HasChecks { get; init; }

    /// <summary>Whether it has partitions that need not have room for every row: those by range or list.</summary>
    public required bool CanLackPartition { get; init; }

    /// <summary>Whether rows stand in the table; null: the account may not look.</summary>
    public required bool? HasRows { get; init; }
}
