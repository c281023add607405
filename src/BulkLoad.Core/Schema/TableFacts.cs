namespace BulkLoad.Core.Schema;

/// <summary>What the catalogue says of the target table.</summary>
internal sealed record TableFacts
{
    public required string Database { get; init; }

    public required string Name { get; init; }

    /// <summary>Storage engine, such as <c>InnoDB</c>.</summary>
    public required string Engine { get; init; }

    /// <summary>Whether the engine can roll back.</summary>
    public required bool IsTransactional { get; init; }

    public required IReadOnlyList<TableColumn> Columns { get; init; }

    /// <summary>Triggers that an insert fires.</summary>
    public required IReadOnlyList<string> InsertTriggers { get; init; }

    /// <summary>Whether one of them runs before the row is stored, and so may change it.</summary>
    public bool HasBeforeTrigger => InsertTriggers.Any(RunsBefore);

    /// <summary>Whether one of <see cref="InsertTriggers"/> does.</summary>
    public static bool RunsBefore(string trigger) => trigger.EndsWith("(BEFORE INSERT)", StringComparison.Ordinal);

    /// <summary>Triggers that an update fires.</summary>
    public IReadOnlyList<string> UpdateTriggers { get; init; } = [];

    /// <summary>Triggers that a delete fires.</summary>
    public IReadOnlyList<string> DeleteTriggers { get; init; } = [];

    /// <summary>Those of all triggers that may call a stored function, as far as can be told.</summary>
    public IReadOnlyList<string> CallingTriggers { get; init; } = [];

    /// <summary>The primary key and the unique keys, in this order.</summary>
    public IReadOnlyList<UniqueKey> UniqueKeys { get; init; } = [];

    /// <summary>Tables whose foreign keys point here, as far as the account may see them.</summary>
    public IReadOnlyList<string> Referencing { get; init; } = [];

    /// <summary>Whether a foreign key of the table points to the table itself. Asked for only where several sessions are possible.</summary>
    public bool RefersToItself { get; init; }

    /// <summary>Whether CHECKs, partitions or foreign keys can refuse a row. Asked for only where nothing can be undone.</summary>
    public bool HasConstraints { get; init; }

    /// <summary>Whether the server keeps what rows were before (MariaDB's system-versioned tables).</summary>
    public bool IsVersioned { get; init; }

    /// <summary><c>database.table</c>, for people.</summary>
    public string DisplayName => $"{Database}.{Name}";

    /// <summary>The column of that name without regard to case, as the server compares column names; or null.</summary>
    public TableColumn? Find(string column) =>
        Columns.FirstOrDefault(candidate => candidate.Name.Equals(column, StringComparison.OrdinalIgnoreCase));
}
