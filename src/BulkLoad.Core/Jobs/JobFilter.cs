namespace BulkLoad.Core.Jobs;

/// <summary>Which jobs of a ledger are listed.</summary>
internal sealed record JobFilter
{
    /// <summary>All.</summary>
    public static JobFilter All { get; } = new();

    /// <summary>The table that they are about, as <c>table</c> or <c>database.table</c>; null: any.</summary>
    public string? Table { get; init; }

    /// <summary>How far they are; null: any state.</summary>
    public JobState? State { get; init; }
}

/// <summary>How far a job is.</summary>
internal enum JobState
{
    /// <summary>All of it is done.</summary>
    Complete,

    /// <summary>Somebody runs it.</summary>
    Running,

    /// <summary>It is not complete, and nobody runs it.</summary>
    Stopped,
}
