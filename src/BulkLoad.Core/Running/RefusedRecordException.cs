using BulkLoad.Core.Rejects;

namespace BulkLoad.Core.Running;

/// <summary>Carries a refused record from where it was found to where the chunk is rolled back; never leaves this room.</summary>
internal sealed class RefusedRecordException(Reject reject) : Exception(reject.Describe())
{
    public Reject Reject { get; } = reject;
}
