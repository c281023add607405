using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Rejects;

/// <summary>Ends a run at a reject that is one too many. Never leaves the library: the run turns it into a message that says what is committed.</summary>
/// <param name="reject">null: of this start of the job there is none, and those of former ones are too many</param>
internal sealed class RefusedRecordException(Reject? reject) : Exception(reject?.Describe() ?? "too many records were refused")
{
    public Reject? Reject { get; } = reject;
}
