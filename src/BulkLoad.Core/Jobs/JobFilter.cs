namespace BulkLoad.Core.Jobs;

internal sealed record JobFilter
{
    public static JobFilter All { get; } = new();

    /// <summary><c>table</c> or <c>database.table</c>; null: any.</summary>
    public string? Table { get; init; }

    /// <summary>Null: any state.</summary>
    public JobState? State { get; init; }
}

internal enum JobState
{
    Complete,

    /// <summary>A process runs it.</summary>
    Running,

    /// <summary>Not complete, and no process runs it.</summary>
    Stopped,
}
