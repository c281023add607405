namespace BulkLoad.Core.Schema;

/// <summary>An index that values can be looked up in.</summary>
/// <param name="Name">as the server names it, such as <c>PRIMARY</c></param>
internal sealed record TableIndex(string Name, bool IsUnique, IReadOnlyList<KeyPart> Parts)
{
    /// <summary>Whether the server looks there; not in one that is INVISIBLE or IGNORED, which it keeps up to date and, where it is unique,
    /// holds rows to.</summary>
    public bool IsUsed { get; init; } = true;
}

/// <summary>A foreign key of a table whose rows refer to the target's.</summary>
/// <param name="Table"><c>database.table</c></param>
/// <param name="OnDelete">what becomes of a row when the one that it refers to goes: CASCADE, SET NULL, RESTRICT, NO ACTION</param>
/// <param name="OnUpdate">what becomes of it when the value that it refers to changes: the same words</param>
internal sealed record ReferringKey(string Table, string Name, string OnDelete, string OnUpdate = "RESTRICT")
{
    public string Database { get; init; } = "";

    /// <summary>The table's own name.</summary>
    public string TableName { get; init; } = "";
}

/// <summary>A foreign key between tables whose rows can go along with one of the target's.</summary>
/// <param name="Parent"><c>database.table</c> that it refers to: the target, or a table whose rows are deleted too by ON DELETE
/// CASCADE</param>
internal sealed record CascadingKey(string Parent, ReferringKey Key);

/// <summary>How records find their rows.</summary>
internal sealed record KeyFacts
{
    public required IReadOnlyList<TableColumn> Columns { get; init; }

    public required IReadOnlyList<TableIndex> Indexes { get; init; }

    /// <summary>Foreign keys that point to the table, as far as the account may see them.</summary>
    public required IReadOnlyList<ReferringKey> Referring { get; init; }

    /// <summary>Foreign keys that point to tables whose rows go along with the target's, as far as the account may see them; empty where
    /// nothing is deleted.</summary>
    public IReadOnlyList<CascadingKey> Cascading { get; init; } = [];

    /// <summary>Keys that the server looks up in an index when they are in one list; beyond, it reads the table.</summary>
    public required int MostListKeys { get; init; }

    /// <summary>What sets <see cref="MostListKeys"/>, for people.</summary>
    public required string MostListKeysBy { get; init; }

    /// <summary>Rows of the table, about; null: not asked for, or the server does not say.</summary>
    public long? TableRows { get; init; }

    /// <summary>What the server lets be staged; null where nobody asked.</summary>
    public StageFacts? Stage { get; init; }

    /// <summary>Why the server would not compare keys with each other in a temporary table, where nothing else tells which are one to their
    /// column; null where it would, or need not.</summary>
    public string? StagingRefusal { get; init; }

    /// <summary>The index that rows are found by: the one that most columns of the key begin; null: none.</summary>
    public TableIndex? Index => Indexes.Where(index => index.IsUsed && PrefixOf(index) > 0).OrderByDescending(index => IsUniqueOver(index))
        .ThenByDescending(PrefixOf).FirstOrDefault();

    /// <summary>An index by which rows could be found if the server looked there; null: none.</summary>
    public TableIndex? UnusedIndex => Indexes.FirstOrDefault(index => !index.IsUsed && PrefixOf(index) > 0);

    /// <summary>Whether a key finds one row at most.</summary>
    public bool IsUnique => Indexes.Any(IsUniqueOver);

    /// <summary>The key's columns at the beginning of <see cref="Index"/>, in its order; all of them where there is none.</summary>
    public IReadOnlyList<TableColumn> Leading => Index is { } index
        ? [.. index.Parts.Take(PrefixOf(index)).Select(part => Find(part.Column)!)]
        : Columns;

    private int PrefixOf(TableIndex index) => index.Parts.TakeWhile(part => Find(part.Column) is not null).Count();

    private bool IsUniqueOver(TableIndex index) =>
        index.IsUnique && index.Parts.All(part => part.Prefix is null && Find(part.Column) is { IsNullable: false });

    private TableColumn? Find(string? name) =>
        name is null ? null : Columns.FirstOrDefault(column => column.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
}

/// <summary>Whether rows can be put into a temporary table, and how.</summary>
/// <param name="Refusal">why not, for people; null: they can</param>
/// <param name="MemoryBytes">what a table in memory may grow to; 0: there can be none</param>
internal sealed record StageFacts(string? Refusal, long MemoryBytes)
{
    /// <summary>A row's number, its place in the key's index and in the table, and what rows are rounded up by.</summary>
    private const long RowOverhead = 56;

    /// <summary>InnoDB's limit with small pages, and below those of other engines (MySQL manual, "InnoDB Limits").</summary>
    private const long MostIndexBytes = 768;

    /// <summary>Whether so many rows fit into a table in memory, in which a value takes the room of the longest.</summary>
    public bool FitsMemory(IReadOnlyList<TableColumn> columns, long rows)
    {
        var bytes = RowOverhead;
        foreach (var column in columns)
        {
            if (WidthOf(column) is not { } width)
            {
                return false;
            }

            bytes += width;
        }

        return rows * bytes <= MemoryBytes;
    }

    /// <summary>Whether a temporary table of either engine can have an index over all of these values.</summary>
    public static bool CanBeIndexed(IReadOnlyList<TableColumn> columns) =>
        columns.Sum(column => WidthOf(column) ?? MostIndexBytes) < MostIndexBytes;

    /// <summary>Bytes; null: the server does not keep such values in memory.</summary>
    private static long? WidthOf(TableColumn column) => column.Kind switch
    {
        ColumnKind.Text or ColumnKind.Json or ColumnKind.Geometry => null,
        ColumnKind.Blob when !column.TypeText.StartsWith("varbinary", StringComparison.OrdinalIgnoreCase) => null,
        ColumnKind.Char or ColumnKind.Varchar or ColumnKind.Binary or ColumnKind.Blob => column.MaxBytes + sizeof(int),
        ColumnKind.Decimal => column.Precision,
        _ => 16,
    };
}
