using System.Buffers;
using System.Buffers.Binary;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sorting;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Feed;

/// <summary>Finds the records of an update that a later one with the same key replaces, or of a delete that an earlier one does, before
/// anything is sent, since a commit cannot be undone. For most files, whose keys rise, a first pass over the keys alone is enough;
/// otherwise the keys of all accepted records are sorted, or compared by the server.</summary>
internal sealed class SupersededRecords(
    IReadOnlyList<LoadSource> sources, LoadFacts facts, BatchSizes sizes, Func<CancellationToken, Task<IServerSession>> connect,
    PassProgress progress)
{
    private readonly LoadFacts _keys = facts with
    {
        Columns = facts.Key!.Columns,
        SetFields = [],
        Assignments = [],

        // The job names the same record as its first bad one, wherever it then stops.
        Request = facts.Request with { GoesOnBeyondMaxRejects = true },
    };

    /// <returns>null: there are none, or every record is sent</returns>
    public async Task<RepeatedKeys?> FindAsync(CancellationToken cancellationToken)
    {
        var lastCounts = facts.Request.Kind == JobKind.Update;
        if (lastCounts && UpdateRules.FindOrder(facts) is not null)
        {
            return null;
        }

        var key = ComparedKey.OfFound(_keys);
        if (await KeyWatch.AreDistinctAsync(key, Reading(judgesAll: false).ReadAsync(cancellationToken)))
        {
            return null;
        }

        // Other columns count too: a refused record replaces nothing.
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

    private InputReader Reading(bool judgesAll)
    {
        var reading = new InputReader(
            [.. sources.Select(source => source with { Mapping = source.Mapping.ToKeys(judgesAll) })], _keys, sizes);
        reading.OnBlock = () => progress.At(reading.Read.Bytes);
        progress.At(0);
        return reading;
    }
}

/// <summary>Has the server compare the keys of all records by their columns' collations, on a session of its own.</summary>
internal static class StagedKeys
{
    private const long BytesPerInsert = 1024 * 1024;
    private const int RecordsPerPage = 100_000;

    /// <summary>Finds the records that have the key of an earlier one, or of a later one.</summary>
    /// <param name="session">with the settings of one that carries rows</param>
    /// <param name="lastCounts">whether the last record of each key counts, and those before it are found; otherwise the first one</param>
    /// <exception cref="ServerException">such as 1044: the account may not create temporary tables</exception>
    public static async Task<RepeatedKeys> FindAsync(
        IServerSession session, LoadFacts facts, InputReader reading, bool lastCounts, CancellationToken cancellationToken)
    {
        var sql = new StagedKeySql(facts.Table.Lasting, facts.Columns);
        await FillAsync(session, sql, facts, reading, cancellationToken);
        var repeated = new ExternalSort(facts.Request.TempFolder, MemoryPlan.ForSorting(facts.Request, MemoryPlan.KeySortBytes));
        try
        {
            await CollectAsync(session, sql, repeated, lastCounts, cancellationToken);
            return new RepeatedKeys(repeated);
        }
        catch
        {
            repeated.Dispose();
            throw;
        }
    }

    public static async Task FillAsync(
        IServerSession session, StagedKeySql sql, LoadFacts facts, InputReader reading, CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(sql.Create, cancellationToken);
        var most = Math.Min(BytesPerInsert, facts.Server.MaxAllowedPacket / 4);
        var text = new ArrayBufferWriter<byte>();
        await foreach (var block in reading.ReadAsync(cancellationToken))
        {
            for (var from = 0; from < block.RowCount;)
            {
                text.ResetWrittenCount();
                from += sql.WriteInsert(
                    text, block, static row => row, row => RecordId.Of(block.Source, block.Record(row)), from, block.RowCount, most);
                await session.ExecuteAsync(null, text.WrittenMemory, cancellationToken);
            }
        }
    }

    private static async Task CollectAsync(
        IServerSession session, StagedKeySql sql, ExternalSort repeated, bool lastCounts, CancellationToken cancellationToken)
    {
        var entry = new byte[sizeof(long)];
        for (var (last, count) = (0L, RecordsPerPage); count == RecordsPerPage;)
        {
            var rows = (await session.QueryAsync(sql.Repeated(last, RecordsPerPage, lastCounts), cancellationToken)).Rows;
            foreach (var row in rows)
            {
                last = long.Parse(row[0]!, CultureInfo.InvariantCulture);
                BinaryPrimitives.WriteInt64BigEndian(entry, last);
                repeated.Add(entry, 0);
            }

            count = rows.Count;
        }
    }
}
