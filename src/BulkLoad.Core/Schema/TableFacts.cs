namespace BulkLoad.Core.Schema;

internal sealed record TableFacts
{
    public required string Database { get; init; }

    public required string Name { get; init; }

    /// <summary>The table that this is a temporary copy of, in the same database; null: it is none.</summary>
    public string? CopyOf { get; init; }

    /// <summary>Storage engine, such as <c>InnoDB</c>.</summary>
    public required string Engine { get; init; }

    public required bool IsTransactional { get; init; }

    public required IReadOnlyList<TableColumn> Columns { get; init; }

    /// <summary>How many of the last columns are to be added, and are not there yet.</summary>
    public int NewColumns { get; init; }

    public required IReadOnlyList<string> InsertTriggers { get; init; }

    /// <summary>Whether one of them runs before the row is stored, and so may change it.</summary>
    public bool HasBeforeTrigger => InsertTriggers.Any(RunsBefore);

    /// <summary>Whether one of <see cref="InsertTriggers"/> does.</summary>
    public static bool RunsBefore(string trigger) => trigger.EndsWith("(BEFORE INSERT)", StringComparison.Ordinal);

    public IReadOnlyList<string> UpdateTriggers { get; init; } = [];

    public IReadOnlyList<string> DeleteTriggers { get; init; } = [];

    /// <summary>Those of all triggers that may call a stored function, as far as is known.</summary>
    public IReadOnlyList<string> CallingTriggers { get; init; } = [];

    /// <summary>The primary key and the unique keys, in this order.</summary>
    public IReadOnlyList<UniqueKey> UniqueKeys { get; init; } = [];

    /// <summary>The first unique key that tells every row from all others: of whole columns that are not NULL; null: there is
    /// none.</summary>
    public UniqueKey? RowKey =>
        UniqueKeys.FirstOrDefault(
            key => key.Parts.All(part => part is { Column: { } name, Prefix: null } && Find(name) is { IsNullable: false }));

    /// <summary>Tables whose foreign keys point here, as far as the account may see them.</summary>
    public IReadOnlyList<string> Referencing { get; init; } = [];

    /// <summary>Whether a foreign key of the table points to the table itself. Asked for only where several sessions are
    /// possible.</summary>
    public bool RefersToItself { get; init; }

    /// <summary>Whether CHECKs, partitions or foreign keys can refuse a row. Asked for only where nothing can be undone.</summary>
    public bool HasConstraints { get; init; }

    /// <summary>Whether the server keeps what rows were before (MariaDB's system-versioned tables).</summary>
    public bool IsVersioned { get; init; }

    /// <summary><c>database.table</c>, for people.</summary>
    public string DisplayName => $"{Database}.{CopyOf ?? Name}";

    /// <summary>As other sessions find it too: of a temporary copy the table itself.</summary>
    public TableFacts Lasting => CopyOf is null ? this : this with { Name = CopyOf, CopyOf = null };

    /// <summary>The column of that name without regard to case, as the server compares column names; or null.</summary>
    public TableColumn? Find(string column) =>
        Columns.FirstOrDefault(candidate => candidate.Name.Equals(column, StringComparison.OrdinalIgnoreCase));
}

internal sealed record ForeignKey(string Name, IReadOnlyList<string> Columns);

/// <summary>What a row must agree with, beside its columns' types and the table's keys.</summary>
internal sealed record TableConstraints
{
    public required IReadOnlyList<ForeignKey> ForeignKeys { get; init; }

    /// <summary>Whether there are enforced CHECK constraints.</summary>
    public required bool HasChecks { get; init; }

    /// <summary>Whether it has partitions that need not have room for every row: those by range or list.</summary>
    public required bool CanLackPartition { get; init; }

    /// <summary>Whether the table has rows; null: the account may not look.</summary>
    public required bool? HasRows { get; init; }
}

/// <param name="Column">its name; null: an expression</param>
/// <param name="Prefix">only so many of its characters or bytes count; null: all</param>
internal sealed record KeyPart(string? Column, int? Prefix = null);

internal sealed record UniqueKey(string Name, IReadOnlyList<KeyPart> Parts)
{
    /// <summary>The columns that are in it by themselves.</summary>
    public IEnumerable<string> Columns => Parts.Select(part => part.Column).OfType<string>();
}

/// <summary>A unique or secondary index, as the server writes it.</summary>
/// <param name="Name">as the server has it, without quotes</param>
/// <param name="Kind">the word before KEY, such as <c>UNIQUE</c>; empty: an ordinary one</param>
/// <param name="Text">its line of SHOW CREATE TABLE without the comma</param>
internal sealed record IndexDefinition(string Name, string Kind, string Text);

/// <summary>An index that stays where others are dropped before a load.</summary>
/// <param name="Name">as the server has it</param>
/// <param name="Reason">for people</param>
public sealed record KeptIndex(string Name, string Reason);

/// <summary>What can be dropped of a table's indexes before a load, and added again just as it was.</summary>
/// <param name="Kept">all others but the primary key</param>
internal sealed record IndexFacts(IReadOnlyList<IndexDefinition> Dropped, IReadOnlyList<KeptIndex> Kept)
{
    /// <summary>Rows of the table, about, as the server estimates them; null: it does not say.</summary>
    public long? Rows { get; init; }

    /// <summary>Whether the table has an index of that name; the server does not tell apart capitals.</summary>
    public bool Has(string name) =>
        Dropped.Select(index => index.Name).Concat(Kept.Select(index => index.Name)).Contains(name, StringComparer.OrdinalIgnoreCase);
}
