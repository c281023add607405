namespace BulkLoad.Core.Schema;

internal sealed record SeedColumn(string Name, ColumnKind Kind, bool IsNullable, bool IsGenerated);

/// <summary>A foreign key. Both lists of columns have the same order. <paramref name="DeleteRule"/> is CASCADE, SET NULL, RESTRICT or NO
/// ACTION.</summary>
internal sealed record SeedReference(string Name, string Table, IReadOnlyList<string> Columns, string ToDatabase, string ToTable,
    IReadOnlyList<string> ToColumns, string DeleteRule)
{
    /// <summary>The same words as the rule of deletion.</summary>
    public string UpdateRule { get; init; } = "RESTRICT";

    public bool IsToItself => Table == ToTable;

    /// <summary>Reads foreign keys, each with the database of its table: a row for each column, in the key's order
    /// (ConstraintSql.References).</summary>
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

    public string Show() => $"{Table}.{string.Join('+', Columns)} -> {ToTable}";
}

internal sealed record SeedTable(string Database, string Name)
{
    public string? Engine { get; init; }

    /// <summary>CREATE_TIME as the server writes it.</summary>
    public string? Created { get; init; }

    /// <summary>The next generated number.</summary>
    public ulong? NextNumber { get; init; }

    /// <summary>The column that gets generated numbers.</summary>
    public string? NumberColumn { get; init; }

    public IReadOnlyList<SeedColumn> Columns { get; init; } = [];

    /// <summary>Columns of the primary key, in its order.</summary>
    public IReadOnlyList<string> Key { get; init; } = [];

    /// <summary>Without the primary key.</summary>
    public IReadOnlyList<IReadOnlyList<string>> UniqueKeys { get; init; } = [];

    public IReadOnlyList<SeedReference> References { get; init; } = [];

    public bool HasTriggers { get; init; }

    public string QuotedName => SqlName.Quote(Database, Name);

    /// <summary>Columns of a foreign key that may be NULL for a while.</summary>
    public IEnumerable<string> NullableOf(SeedReference key) =>
        key.Columns.Where(column => Find(column) is { IsNullable: true, IsGenerated: false } && !Key.Contains(column));

    /// <summary>A column of the key that shows whether a join found a row. A zero date IS NULL where the column is NOT NULL, so another
    /// column is better. Needs a key.</summary>
    public string FoundBy => Key.FirstOrDefault(name =>
        Find(name)!.Kind is not (ColumnKind.Date or ColumnKind.DateTime or ColumnKind.Timestamp)) ?? Key[0];

    public SeedColumn? Find(string column) => Columns.FirstOrDefault(one => one.Name.Equals(column, StringComparison.OrdinalIgnoreCase));
}
