namespace BulkLoad.Core.Options;

/// <summary>What is said of a job.</summary>
/// <param name="Command">its word on the command line</param>
/// <param name="Doing">before a table's name</param>
/// <param name="Done">before a number of records</param>
/// <param name="Nothing">of a job that came to nothing</param>
internal sealed record JobVerbs(string Command, string Doing, string Done, string Nothing)
{
    /// <summary>The ways on where a job cannot be resumed.</summary>
    public const string WaysOn =
        "--reload does all of it again, and what is committed stays; --job-id NAME also does, as another job, and forgets nothing";

    public static JobVerbs Of(LoadRequest request) => request switch
    {
        { IsVerification: true } => new("verify", "Comparing with", "Compared", "nothing was compared"),
        { IsCheck: true } => new("check", "Checking for", "Checked", "nothing was checked"),
        { Kind: JobKind.Update } => new("update", "Updating", "Updated by", "nothing was updated"),
        { Kind: JobKind.Delete } => new("delete", "Deleting from", "Deleted by", "nothing was deleted"),
        _ => new("import", "Loading", "Loaded", "nothing was imported"),
    };
}
