namespace BulkLoad.Core.Ledger;

/// <summary>How an input's content relates to what complete jobs have loaded.</summary>
internal enum ContentRelation
{
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

/// <summary>Compares an input with what a job has loaded.</summary>
/// <param name="Source">the job's input</param>
internal sealed record ContentMatch(ContentRelation Relation, FoundJob? Job = null, JobSource? Source = null)
{
    public bool HasSameName { get; init; } = true;

    /// <summary>Which rule differs, for people; null: none.</summary>
    public string? Difference { get; init; }

    /// <summary>What had loaded the beginning when the job loaded the rest; null: the job loaded all, or that is not known any
    /// more.</summary>
    public ContentMatch? Before { get; init; }

    /// <summary>The known bytes of the input, counted from the first record.</summary>
    public (long From, long To) Known { get; init; }
}

internal sealed record FoundJobs
{
    public static readonly FoundJobs None = new();

    /// <summary>The job that has the name which the user gave, or which replaces that job.</summary>
    public FoundJob? Named { get; init; }

    /// <summary>Incomplete jobs of the same first record, path or name.</summary>
    public IReadOnlyList<FoundJob> Open { get; init; } = [];

    /// <summary>Complete jobs of the same first record, path or name.</summary>
    public IReadOnlyList<FoundJob> Complete { get; init; } = [];

    /// <summary>Complete jobs of the same paths; only for <c>--reload</c>.</summary>
    public IReadOnlyList<FoundJob> OfPath { get; init; } = [];

    /// <summary>By input. Empty: complete jobs make no difference.</summary>
    public IReadOnlyList<ContentMatch> Matches { get; init; } = [];

    /// <summary>The first few other incomplete jobs of the family.</summary>
    public IReadOnlyList<FoundJob> Others { get; init; } = [];
}
