namespace BulkLoad.Core.Schema;

/// <summary>A column as the catalogue tells of it.</summary>
internal sealed record SeedColumn(string Name, ColumnKind Kind, bool IsNullable, bool IsGenerated);

/// <summary>A foreign key.</summary>
/// <param name="Columns">of the table that has it</param>
/// <param name="ToColumns">of the table that it refers to, in the same order</param>
/// <param name="DeleteRule">CASCADE, SET NULL, RESTRICT, NO ACTION</param>
internal sealed record SeedReference(string Name, string Table, IReadOnlyList<string> Columns, string ToDatabase, string ToTable, IReadOnlyList<string> ToColumns, string DeleteRule)
{
    public bool IsToItself => Table == ToTable;

    /// <summary>As people write it.</summary>
    public string Show() => $"{Table}.{string.Join('+', Columns)} -> {ToTable}";
}

/// <summary>A base table.</summary>
internal sealed record SeedTable(string Database, string Name)
{
    public string? Engine { get; init; }

    /// <summary>CREATE_TIME as the server writes it.</summary>
    public string? Created { get; init; }

    /// <summary>The next generated number; null: it has none.</summary>
    public ulong? NextNumber { get; init; }

    /// <summary>The column that gets generated numbers; null: none.</summary>
    public string? NumberColumn { get; init; }

    public IReadOnlyList<SeedColumn> Columns { get; init; } = [];

    /// <summary>Columns of the primary key in its order; empty: none.</summary>
    public IReadOnlyList<string> Key { get; init; } = [];

    /// <summary>Columns of each unique index but the primary key.</summary>
    public IReadOnlyList<IReadOnlyList<string>> UniqueKeys { get; init; } = [];

    public IReadOnlyList<SeedReference> References { get; init; } = [];

    public bool HasTriggers { get; init; }

    public string QuotedName => SqlName.Quote(Database, Name);

    /// <summary>Columns of a foreign key that may be NULL for a while.</summary>
    public IEnumerable<string> NullableOf(SeedReference key) =>
        key.Columns.Where(column => Find(column) is { IsNullable: true, IsGenerated: false } && !Key.Contains(column));

    public SeedColumn? Find(string column) => Columns.FirstOrDefault(one => one.Name.Equals(column, StringComparison.OrdinalIgnoreCase));
}
