namespace BulkLoad.Core.Ledger;

/// <summary>How an input's content relates to what complete jobs have loaded.</summary>
internal enum ContentRelation
{
    /// <summary>It has no record.</summary>
    Empty,

    /// <summary>Nothing of it is known, or it is a file of rejects that such a job has written.</summary>
    New,

    /// <summary>It is what a job has loaded.</summary>
    Same,

    /// <summary>It begins with all that a job has loaded.</summary>
    Longer,

    /// <summary>It begins with at least half of what a job has loaded, and differs after it.</summary>
    Half,

    /// <summary>It has path and first record of what a job has loaded, and less than half in common with it.</summary>
    Path,

    /// <summary>It ends with all that a job has loaded.</summary>
    Ends,

    /// <summary>It has the first record of what a job has loaded, and less than half in common with it.</summary>
    First,
}

/// <summary>An input beside what a job has loaded.</summary>
/// <param name="Source">the job's input</param>
internal sealed record ContentMatch(ContentRelation Relation, FoundJob? Job = null, JobSource? Source = null)
{
    /// <summary>Whether the job has loaded it under the same name.</summary>
    public bool HasSameName { get; init; } = true;

    /// <summary>Which rule is not the same, for people; null: all are.</summary>
    public string? Difference { get; init; }

    /// <summary>What had loaded the beginning when the job did the rest; null: it did all, or that is not known any more.</summary>
    public ContentMatch? Before { get; init; }

    /// <summary>The input's bytes that are known: where they begin and where they end, from the first record on.</summary>
    public (long From, long To) Known { get; init; }
}

/// <summary>What a start has found in the ledger.</summary>
internal sealed record FoundJobs
{
    public static readonly FoundJobs None = new();

    /// <summary>The job that has the name which the user gave, or which stands for that.</summary>
    public FoundJob? Named { get; init; }

    /// <summary>Jobs that are not complete, of the same first record, path or name.</summary>
    public IReadOnlyList<FoundJob> Open { get; init; } = [];

    /// <summary>Complete jobs of the same first record, path or name.</summary>
    public IReadOnlyList<FoundJob> Complete { get; init; } = [];

    /// <summary>Complete jobs of the same paths; only those that <c>--reload</c> is about.</summary>
    public IReadOnlyList<FoundJob> OfPath { get; init; } = [];

    /// <summary>By input. Empty where complete jobs make no difference.</summary>
    public IReadOnlyList<ContentMatch> Matches { get; init; } = [];

    /// <summary>Further jobs of the family that are not complete, the first few.</summary>
    public IReadOnlyList<FoundJob> Others { get; init; } = [];
}
