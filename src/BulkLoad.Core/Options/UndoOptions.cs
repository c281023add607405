namespace BulkLoad.Core.Options;

/// <summary>That what a job has done to rows is taken back. The inputs may be left out: the ledger has their paths.</summary>
/// <param name="Job">its name in the ledger</param>
internal sealed record UndoOptions(string Job)
{
    /// <summary>Whether nothing of the table changes, and only the counts are wanted.</summary>
    public bool Preview { get; init; }

    /// <summary>Has the ids that the server has generated for the job's rows, as <see cref="LoadRequest.IdsFile"/> got them; null: the
    /// input has all keys.</summary>
    public string? IdsFile { get; init; }

    /// <summary>Asks the user before the first row is deleted; null: nobody is asked.</summary>
    public Func<UndoQuestion, bool>? Confirm { get; init; }
}

/// <param name="Table"><c>database.table</c></param>
/// <param name="Endpoint">of the server</param>
/// <param name="Rows">that the job has inserted or changed</param>
/// <param name="Change">what it has done to them, such as <c>inserted</c></param>
internal sealed record UndoQuestion(string Job, string Table, string Endpoint, long Rows, string Change)
{
    /// <summary>Of a full refresh: counts of rows, for people; <see cref="Rows"/> are the table's then.</summary>
    public string? Changes { get; init; }
}
