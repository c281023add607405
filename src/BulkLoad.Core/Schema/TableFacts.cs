namespace BulkLoad.Core.Schema;

internal sealed record TableFacts
{
    public required string Database { get; init; }

    public required string Name { get; init; }

    /// <summary>The table of the same database that this is a temporary copy of.</summary>
    public string? CopyOf { get; init; }

    public required string Engine { get; init; }

    public required bool IsTransactional { get; init; }

    public required IReadOnlyList<TableColumn> Columns { get; init; }

    /// <summary>So many of the last columns are still to be added.</summary>
    public int NewColumns { get; init; }

    public required IReadOnlyList<string> InsertTriggers { get; init; }

    /// <summary>Such a trigger may change the row before it is stored.</summary>
    public bool HasBeforeTrigger => InsertTriggers.Any(RunsBefore);

    public static bool RunsBefore(string trigger) => trigger.EndsWith("(BEFORE INSERT)", StringComparison.Ordinal);

    public IReadOnlyList<string> UpdateTriggers { get; init; } = [];

    public IReadOnlyList<string> DeleteTriggers { get; init; } = [];

    /// <summary>Triggers that may call a stored function.</summary>
    public IReadOnlyList<string> CallingTriggers { get; init; } = [];

    /// <summary>The primary key first.</summary>
    public IReadOnlyList<UniqueKey> UniqueKeys { get; init; } = [];

    /// <summary>The first unique key that identifies every row: of whole columns that are not NULL.</summary>
    public UniqueKey? RowKey =>
        UniqueKeys.FirstOrDefault(
            key => key.Parts.All(part => part is { Column: { } name, Prefix: null } && Find(name) is { IsNullable: false }));

    /// <summary>Tables with foreign keys to this one that the account may see.</summary>
    public IReadOnlyList<string> Referencing { get; init; } = [];

    /// <summary>Set only if several sessions are possible.</summary>
    public bool RefersToItself { get; init; }

    /// <summary>Whether CHECKs, partitions or foreign keys can refuse a row. Set only if nothing can be undone.</summary>
    public bool HasConstraints { get; init; }

    /// <summary>MariaDB's system-versioned tables keep old rows.</summary>
    public bool IsVersioned { get; init; }

    /// <summary><c>database.table</c>, for people.</summary>
    public string DisplayName => $"{Database}.{CopyOf ?? Name}";

    /// <summary>The table that other sessions see: for a temporary copy, the original.</summary>
    public TableFacts Lasting => CopyOf is null ? this : this with { Name = CopyOf, CopyOf = null };

    /// <summary>Ignores case, as the server does.</summary>
    public TableColumn? Find(string column) =>
        Columns.FirstOrDefault(candidate => candidate.Name.Equals(column, StringComparison.OrdinalIgnoreCase));
}

internal sealed record ForeignKey(string Name, IReadOnlyList<string> Columns);

/// <summary>What a row must agree with, apart from types and keys.</summary>
internal sealed record TableConstraints
{
    public required IReadOnlyList<ForeignKey> ForeignKeys { get; init; }

    /// <summary>Only enforced ones.</summary>
    public required bool HasChecks { get; init; }

    /// <summary>Partitions by range or list need not have room for every row.</summary>
    public required bool CanLackPartition { get; init; }

    /// <summary>Null: the account may not look.</summary>
    public required bool? HasRows { get; init; }
}

/// <summary>A null column is an expression. <paramref name="Prefix"/> is how many characters or bytes count; null: all.</summary>
internal sealed record KeyPart(string? Column, int? Prefix = null);

internal sealed record UniqueKey(string Name, IReadOnlyList<KeyPart> Parts)
{
    /// <summary>Without expressions.</summary>
    public IEnumerable<string> Columns => Parts.Select(part => part.Column).OfType<string>();
}

/// <summary>An index that is not the primary key. <paramref name="Kind"/> is the word before KEY, such as <c>UNIQUE</c>.
/// <paramref name="Text"/> is its line of SHOW CREATE TABLE, without the comma.</summary>
internal sealed record IndexDefinition(string Name, string Kind, string Text);

/// <summary>An index that stays where others are dropped before a load.</summary>
/// <param name="Name">as the server has it</param>
/// <param name="Reason">for people</param>
public sealed record KeptIndex(string Name, string Reason);

/// <summary>What can be dropped before a load and added again. <paramref name="Kept"/> are the others without the primary key.</summary>
internal sealed record IndexFacts(IReadOnlyList<IndexDefinition> Dropped, IReadOnlyList<KeptIndex> Kept)
{
    /// <summary>The server's estimate.</summary>
    public long? Rows { get; init; }

    /// <summary>Ignores case, as the server does.</summary>
    public bool Has(string name) =>
        Dropped.Select(index => index.Name).Concat(Kept.Select(index => index.Name)).Contains(name, StringComparer.OrdinalIgnoreCase);
}
