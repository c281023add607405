namespace BulkLoad.Core.Schema;

/// <summary>A column as the catalogue tells of it.</summary>
internal sealed record SeedColumn(string Name, ColumnKind Kind, bool IsNullable, bool IsGenerated);

/// <summary>A foreign key.</summary>
/// <param name="Columns">of the table that has it</param>
/// <param name="ToColumns">of the table that it refers to, in the same order</param>
/// <param name="DeleteRule">CASCADE, SET NULL, RESTRICT, NO ACTION</param>
internal sealed record SeedReference(string Name, string Table, IReadOnlyList<string> Columns, string ToDatabase, string ToTable,
    IReadOnlyList<string> ToColumns, string DeleteRule)
{
    /// <summary>What becomes of a row when the value that it refers to changes: the same words.</summary>
    public string UpdateRule { get; init; } = "RESTRICT";

    public bool IsToItself => Table == ToTable;

    /// <summary>Foreign keys, each with the database of its table, from rows as the catalogue is asked for them.</summary>
    /// <param name="rows">a row a column, those of a key in its order (ConstraintSql.References)</param>
    public static IReadOnlyList<(string Database, SeedReference Reference)> Read(IEnumerable<string?[]> rows) =>
    [
        .. rows.GroupBy(row => (Database: row[0]!, Table: row[1]!, Name: row[2]!)).Select(key =>
        {
            var first = key.First();
            var (columns, toColumns) = (key.Select(row => row[3]!).ToList(), key.Select(row => row[6]!).ToList());
            var reference = new SeedReference(key.Key.Name, key.Key.Table, columns, first[4]!, first[5]!, toColumns, first[7]!);
            return (key.Key.Database, reference with { UpdateRule = first[8]! });
        }),
    ];

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

    /// <summary>
    /// The column of the key that tells whether a row was found by a join. A date of zero IS NULL where the column is NOT NULL, so another
    /// column is better. Only where there is a key.
    /// </summary>
    public string FoundBy => Key.FirstOrDefault(name =>
        Find(name)!.Kind is not (ColumnKind.Date or ColumnKind.DateTime or ColumnKind.Timestamp)) ?? Key[0];

    public SeedColumn? Find(string column) => Columns.FirstOrDefault(one => one.Name.Equals(column, StringComparison.OrdinalIgnoreCase));
}
