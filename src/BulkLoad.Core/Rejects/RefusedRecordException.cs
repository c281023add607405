namespace BulkLoad.Core.Rejects;

/// <summary>Ends a run at a reject that is one too many. Never leaves the library: the run turns it into a message that says what is committed.</summary>
internal sealed class RefusedRecordException(Reject reject) : Exception(reject.Describe())
{
    public Reject Reject { get; } = reject;
}
