using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Ledger;

/// <summary>
/// The ledger as a start sees it that is about to take a job over: what it looks at stays as it is until it has registered.
/// </summary>
/// <param name="session">holds what was looked at</param>
/// <param name="lockAsync">a job's details, locked from then on; null where it is gone</param>
/// <param name="readChunksAsync">its committed chunks</param>
internal sealed class HeldLedgerView(
    IServerSession session, Func<string, Task<string?>> lockAsync, Func<FoundJob, Task<IReadOnlyList<LedgerChunk>>> readChunksAsync)
    : ILedgerView
{
    public IServerSession Session => session;

    public async Task<JobRecord?> ReadAsync(FoundJob job) => await lockAsync(job.Id) is { } details ? JobRecord.Read(details) : null;

    public Task<IReadOnlyList<LedgerChunk>> ReadChunksAsync(FoundJob job) => readChunksAsync(job);
}
