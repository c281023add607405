namespace BulkLoad.Core.Planning;

/// <summary>One column of a key.</summary>
/// <param name="Column">its name; null: an expression</param>
/// <param name="Prefix">only so many of its characters or bytes count; null: all</param>
/// <param name="Collation">by which its values are compared; null: it has none</param>
internal sealed record KeyPart(string? Column, int? Prefix, string? Collation);

/// <summary>The primary key or a unique key.</summary>
internal sealed record KeyConstraint(string Name, IReadOnlyList<KeyPart> Parts);

/// <summary>A foreign key of the table.</summary>
internal sealed record ForeignKey(string Name, IReadOnlyList<string> Columns);

/// <summary>What a row must agree with, beside its columns' types.</summary>
internal sealed record TableConstraints
{
    /// <summary>The primary key first.</summary>
    public required IReadOnlyList<KeyConstraint> UniqueKeys { get; init; }

    public required IReadOnlyList<ForeignKey> ForeignKeys { get; init; }

    /// <summary>Whether there are enforced CHECK constraints.</summary>
    public required bool HasChecks { get; init; }

    /// <summary>Whether it has partitions that need not have room for every row: those by range or list.</summary>
    public required bool CanLackPartition { get; init; }

    /// <summary>Whether rows stand in the table; null: the account may not look.</summary>
    public required bool? HasRows { get; init; }
}
