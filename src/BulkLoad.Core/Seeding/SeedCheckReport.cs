using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Seeding;

/// <summary>What the user asked for: judge a folder by the tables that a file of SQL makes, without a server. Immutable.</summary>
public sealed record SeedCheckRequest
{
    /// <inheritdoc cref="SeedRequest.Folder"/>
    public required string Folder { get; init; }

    /// <summary>A file of statements that make the tables.</summary>
    public required string Schema { get; init; }

    /// <summary>The folder for what does not fit into memory; null: the system's.</summary>
    public string? TempFolder { get; init; }

    /// <inheritdoc cref="SeedRequest.CreateImport"/>
    public required Func<SeedEntry, LoadRequest> CreateImport { get; init; }
}

/// <summary>What became of a table's files.</summary>
/// <param name="Table">without its database</param>
/// <param name="Files">names of its files, in order</param>
public sealed record SeedCheckTable(string Table, IReadOnlyList<string> Files)
{
    /// <summary>Records that were read.</summary>
    public long Records { get; init; }

    /// <summary>Records that an import would insert into an empty table.</summary>
    public long Accepted { get; init; }

    /// <summary>Records of which only a server can tell.</summary>
    public long Undecided { get; init; }

    /// <summary>Why, for each reason that a record had.</summary>
    public IReadOnlyList<UndecidedCount> UndecidedByReason { get; init; } = [];

    /// <summary>Records that an import would refuse.</summary>
    public long Rejected { get; init; }

    /// <summary>The first hundred of these.</summary>
    public IReadOnlyList<Reject> FirstRejects { get; init; } = [];

    /// <summary>Whether so many are more than the files' own limit, <c>max-rejects</c>, allows.</summary>
    public bool IsBeyondMaxRejects { get; init; }

    /// <summary>Why its records could not be judged; null: they were.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>What needs a look, for people.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Time that it took.</summary>
    public TimeSpan Elapsed { get; init; }
}

/// <summary>What was found.</summary>
public sealed record SeedCheckReport
{
    /// <summary>How it ended.</summary>
    public required LoadOutcome Outcome { get; init; }

    /// <summary>The first thing that could not be judged; null: everything was.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>As it was named.</summary>
    public required string Folder { get; init; }

    /// <summary>As it was named.</summary>
    public required string Schema { get; init; }

    /// <summary>Whose SQL the schema was taken for: MySQL or MariaDB; null where it ended before.</summary>
    public string? Server { get; init; }

    /// <summary>Parents before children, as far as there is such an order.</summary>
    public IReadOnlyList<SeedCheckTable> Tables { get; init; } = [];

    /// <summary>For people.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Time that it took.</summary>
    public TimeSpan Elapsed { get; init; }
}
