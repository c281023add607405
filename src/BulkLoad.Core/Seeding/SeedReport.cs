using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Seeding;

/// <summary>What is to be done with a table.</summary>
/// <param name="Table">without its database</param>
/// <param name="Files">names of its files, in order</param>
/// <param name="After">tables that are filled before it</param>
/// <param name="Notes">what is special about it, for people</param>
internal sealed record SeedPlanTable(string Table, IReadOnlyList<string> Files, IReadOnlyList<string> After, IReadOnlyList<string> Notes)
{
    /// <summary>Rows that are in the table; null: not counted.</summary>
    public long? Rows { get; init; }

    /// <summary>Whether files and table are as the last seed has left them, and nothing is to be done.</summary>
    public bool IsKnown { get; init; }
}

/// <summary>What a seed will do; made before anything is written.</summary>
internal sealed record SeedPlan
{
    /// <summary>The folder as it was named.</summary>
    public required string Folder { get; init; }

    /// <summary>The database that is filled.</summary>
    public required string Database { get; init; }

    /// <summary>The server.</summary>
    public required PlannedServer Server { get; init; }

    /// <inheritdoc cref="SeedRequest.Mode"/>
    public required SeedMode Mode { get; init; }

    /// <summary>Whether all tables are one transaction.</summary>
    public bool Atomic { get; init; }

    /// <summary>Tables in the order in which they are filled.</summary>
    public required IReadOnlyList<SeedPlanTable> Tables { get; init; }

    /// <summary>Statements of the schema file that are run first; 0: none.</summary>
    public int SchemaStatements { get; init; }

    /// <summary>What to know before it is done, for people: what would be lost first.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

/// <summary>How a table's seed ended.</summary>
internal enum SeedOutcome
{
    /// <summary>It was not its turn.</summary>
    NotStarted,

    /// <summary>All of its records are in the table.</summary>
    Loaded,

    /// <summary>Files and table are as an earlier seed has left them: nothing was done.</summary>
    Known,

    /// <summary>Its files were loaded before, and are not loaded again. Its rows may have changed since then.</summary>
    LoadedBefore,

    /// <summary>It was stopped by an error, or by the user.</summary>
    Failed,

    /// <summary>Its work was undone, since another table's failed.</summary>
    Undone,
}

/// <summary>What became of a table.</summary>
/// <param name="Table">without its database</param>
/// <param name="Files">names of its files, in order</param>
internal sealed record SeedTableReport(string Table, IReadOnlyList<string> Files)
{
    /// <summary>How it ended.</summary>
    public SeedOutcome Outcome { get; init; }

    /// <summary>Records that became rows.</summary>
    public long Inserted { get; init; }

    /// <summary>Records whose rows got other values.</summary>
    public long Updated { get; init; }

    /// <summary>Records whose rows had their values already.</summary>
    public long Unchanged { get; init; }

    /// <summary>Rows that no record has, and that are gone; of <c>--mode truncate</c>, all that were there.</summary>
    public long Deleted { get; init; }

    /// <summary>Records that were refused.</summary>
    public long Rejected { get; init; }

    /// <summary>The first hundred of these.</summary>
    public IReadOnlyList<Reject> FirstRejects { get; init; } = [];

    /// <summary>Of a preview: the first changes.</summary>
    public IReadOnlyList<RowChange> Changes { get; init; } = [];

    /// <summary>What needs a look, for people.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Time that it took.</summary>
    public TimeSpan Elapsed { get; init; }
}

/// <summary>What happened.</summary>
internal sealed record SeedReport
{
    /// <summary>How it ended; <see cref="LoadOutcome.AlreadyComplete"/>: there was nothing to do.</summary>
    public required LoadOutcome Outcome { get; init; }

    /// <summary>Why it failed; null unless it did.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>The table that failed; null: none did.</summary>
    public string? FailedTable { get; init; }

    /// <summary>What was decided; null where it ended before.</summary>
    public SeedPlan? Plan { get; init; }

    /// <summary>Whether only a preview was asked for, and nothing was changed.</summary>
    public bool IsPreview { get; init; }

    /// <summary>In the order in which tables were filled.</summary>
    public IReadOnlyList<SeedTableReport> Tables { get; init; } = [];

    /// <summary>For people.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Time that it took.</summary>
    public TimeSpan Elapsed { get; init; }
}

/// <summary>How far a running seed is.</summary>
/// <param name="Done">tables that are filled</param>
/// <param name="Tables">all of them</param>
/// <param name="Running">names of the tables that are being filled</param>
/// <param name="Records">that the server has taken so far</param>
internal readonly record struct SeedProgress(int Done, int Tables, string Running, long Records);
