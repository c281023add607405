namespace BulkLoad.Core.Schema;

/// <summary><paramref name="Name"/> is the server's, such as <c>PRIMARY</c>.</summary>
internal sealed record TableIndex(string Name, bool IsUnique, IReadOnlyList<KeyPart> Parts)
{
    /// <summary>False: INVISIBLE or IGNORED. The server still keeps it up to date, and enforces it if it is unique.</summary>
    public bool IsUsed { get; init; } = true;
}

/// <summary>A foreign key of another table to the target. <paramref name="Table"/> is <c>database.table</c>. The rules are CASCADE, SET
/// NULL, RESTRICT or NO ACTION.</summary>
internal sealed record ReferringKey(string Table, string Name, string OnDelete, string OnUpdate = "RESTRICT")
{
    public string Database { get; init; } = "";

    public string TableName { get; init; } = "";
}

/// <summary>A foreign key of a table whose rows may be deleted with the target's. It refers to <paramref name="Parent"/>
/// (<c>database.table</c>): the target, or a table that ON DELETE CASCADE reaches.</summary>
internal sealed record CascadingKey(string Parent, ReferringKey Key);

internal sealed record KeyFacts
{
    public required IReadOnlyList<TableColumn> Columns { get; init; }

    public required IReadOnlyList<TableIndex> Indexes { get; init; }

    /// <summary>Foreign keys to the table that the account may see.</summary>
    public required IReadOnlyList<ReferringKey> Referring { get; init; }

    /// <summary>Foreign keys to tables that a delete reaches, as far as the account may see them. Empty unless rows are deleted.</summary>
    public IReadOnlyList<CascadingKey> Cascading { get; init; } = [];

    /// <summary>With more keys in one list, the server reads the whole table.</summary>
    public required int MaxListKeys { get; init; }

    /// <summary>What sets <see cref="MaxListKeys"/>, for people.</summary>
    public required string MaxListKeysBy { get; init; }

    /// <summary>An estimate. Null: not asked for, or unknown.</summary>
    public long? TableRows { get; init; }

    /// <summary>Null: nobody asked.</summary>
    public StageFacts? Stage { get; init; }

    /// <summary>Why the server would not compare keys in a temporary table, where only it knows which are equal. Null: it would, or need
    /// not.</summary>
    public string? StagingRefusal { get; init; }

    /// <summary>The index that finds rows: the one with the most columns of the key at its beginning.</summary>
    public TableIndex? Index => Indexes.Where(index => index.IsUsed && PrefixOf(index) > 0).OrderByDescending(index => IsUniqueOver(index))
        .ThenByDescending(PrefixOf).FirstOrDefault();

    public TableIndex? UnusedIndex => Indexes.FirstOrDefault(index => !index.IsUsed && PrefixOf(index) > 0);

    public bool IsUnique => Indexes.Any(IsUniqueOver);

    /// <summary>The columns of the key at the beginning of <see cref="Index"/>, in its order. All of them if there is none.</summary>
    public IReadOnlyList<TableColumn> Leading => Index is { } index
        ? [.. index.Parts.Take(PrefixOf(index)).Select(part => Find(part.Column)!)]
        : Columns;

    private int PrefixOf(TableIndex index) => index.Parts.TakeWhile(part => Find(part.Column) is not null).Count();

    private bool IsUniqueOver(TableIndex index) =>
        index.IsUnique && index.Parts.All(part => part.Prefix is null && Find(part.Column) is { IsNullable: false });

    private TableColumn? Find(string? name) =>
        name is null ? null : Columns.FirstOrDefault(column => column.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
}

/// <summary>Whether rows can go to a temporary table. <paramref name="Refusal"/>: why not, for people. <paramref name="MemoryBytes"/>: the
/// limit of a table in memory; 0: none.</summary>
internal sealed record StageFacts(string? Refusal, long MemoryBytes)
{
    /// <summary>A row's number, its entries in index and table, and the rounding.</summary>
    private const long RowOverhead = 56;

    /// <summary>InnoDB's limit with pages of 16 KiB, and that of MEMORY (MySQL manual, "InnoDB Limits").</summary>
    private const long MaxIndexBytes = 3072;

    public bool FitsMemory(IReadOnlyList<TableColumn> columns, long rows)
    {
        var bytes = RowOverhead;
        foreach (var column in columns)
        {
            if (column.Behaviour.MemoryBytes(column) is not { } width)
            {
                return false;
            }

            bytes += width;
        }

        return rows * bytes <= MemoryBytes;
    }

    /// <summary>Whether a temporary table of either engine can have an index over all columns.</summary>
    public static bool CanBeIndexed(IReadOnlyList<TableColumn> columns) =>
        columns.Sum(column => column.Behaviour.MemoryBytes(column) ?? MaxIndexBytes) < MaxIndexBytes;
}
