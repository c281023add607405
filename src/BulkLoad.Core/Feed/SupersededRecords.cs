using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Feed;

/// <summary>The records of an update that a later one with the same key stands for, or of a delete that an earlier one does, found out
/// before anything is sent, since what is committed cannot be taken back. A first pass over the keys alone tells the usual file, whose keys
/// rise; else the keys of all records that rules take are sorted, or compared by the server.</summary>
/// <param name="connect">opens its own session, where the server has to compare keys</param>
internal sealed class SupersededRecords(
    IReadOnlyList<LoadSource> sources, LoadFacts facts, BatchSizes sizes, Func<CancellationToken, Task<IServerSession>> connect)
{
    private readonly LoadFacts _keys = facts with { Columns = facts.Key!.Columns, SetFields = [], Assignments = [] };

    /// <returns>null: there are none, or every record is sent</returns>
    public async Task<RepeatedKeys?> FindAsync(CancellationToken cancellationToken)
    {
        var lastCounts = facts.Request.Kind == JobKind.Update;
        if (lastCounts && UpdateRules.FindOrder(facts) is not null)
        {
            return null;
        }

        var key = ComparedKey.OfFound(_keys);
        if (RisingKeys.CanTell(_keys.Columns) && await RiseAsync(cancellationToken))
        {
            return null;
        }

        // Of the other columns too: a record that is refused supersedes nothing.
        var reading = Reading(judgesAll: true);
        if (!key.IsExact && facts.Key!.StagingRefusal is null)
        {
            await using var session = await connect(cancellationToken);
            return await StagedKeys.FindAsync(session, _keys, reading, lastCounts, cancellationToken);
        }

        using var collector = new KeyCollector(
            [key], facts.Request.TempFolder, MemoryPlan.ForSorting(facts.Request, MemoryPlan.KeySortBytes));
        await collector.AddAsync(reading.ReadAsync(cancellationToken));
        return collector.FindRepeated(lastCounts);
    }

    private async Task<bool> RiseAsync(CancellationToken cancellationToken)
    {
        var reading = Reading(judgesAll: false);
        var keys = new RisingKeys([.. _keys.Columns.Select((column, place) => (column, place))]);
        await foreach (var block in reading.ReadAsync(cancellationToken))
        {
            keys.Take(block);
            if (!keys.Rise)
            {
                return false;
            }
        }

        return true;
    }

    private InputReader Reading(bool judgesAll) => new(
        [.. sources.Select(source => source with { Mapping = source.Mapping.ToKeys(judgesAll) })], facts.Request, _keys, sizes);
}
