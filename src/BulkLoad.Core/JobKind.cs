namespace BulkLoad.Core;

/// <summary>What a job does with the records of its inputs.</summary>
public enum JobKind
{
    /// <summary>Each becomes a row.</summary>
    Import,

    /// <summary>The row that has its key gets its values.</summary>
    Update,

    /// <summary>The row that has its key goes.</summary>
    Delete,
}

/// <summary>What is said of a kind of job.</summary>
/// <param name="Command">its word on the command line</param>
/// <param name="Doing">before a table's name</param>
/// <param name="Done">before a number of records</param>
/// <param name="Nothing">of a job that came to nothing</param>
internal sealed record JobWords(string Command, string Doing, string Done, string Nothing)
{
    public static JobWords Of(JobKind kind) => kind switch
    {
        JobKind.Update => new("update", "Updating", "Updated by", "nothing was updated"),
        JobKind.Delete => new("delete", "Deleting from", "Deleted by", "nothing was deleted"),
        _ => new("import", "Loading", "Loaded", "nothing was imported"),
    };
}
