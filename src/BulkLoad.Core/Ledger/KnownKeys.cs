using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Checks by some keys whether the rows that a job has loaded are still there.</summary>
internal sealed class KnownKeys(LoadFacts facts, IReadOnlyList<LoadSource> sources, LedgerView view, CancellationToken cancellationToken)
{
    private const int MaxKeys = 200;

    /// <summary>Bytes of an input that are read to find the keys.</summary>
    private const long MaxBytes = 64L << 20;

    /// <summary>Jobs of which each has loaded what was new in one file.</summary>
    private const int MaxParts = 8;

    private readonly UniqueKey? _key = FindKey(facts);

    /// <summary>Whether the input's own fields fill a unique key without NULL, so that no record can make a second row.</summary>
    public bool FillsKey => _key is not null;

    /// <summary>Looks for some keys, the same ones each time.</summary>
    /// <param name="place">number of the input</param>
    /// <returns>how many were looked for, and how many of them no row has; null: which records the server took is not known</returns>
    public async Task<(long Looked, long Gone)?> FindAsync(int place, ContentMatch match)
    {
        (long Looked, long Gone)? sum = null;
        for (var (part, parts) = (match, 0); part is not null && parts < MaxParts; (part, parts) = (part.Before, parts + 1))
        {
            if (await FindPartAsync(place, part) is var (looked, gone))
            {
                sum = ((sum?.Looked ?? 0) + looked, (sum?.Gone ?? 0) + gone);
            }
        }

        return sum;
    }

    private async Task<(long Looked, long Gone)?> FindPartAsync(int place, ContentMatch match)
    {
        if (await FindRecordsAsync(match) is not { } taken)
        {
            return null;
        }

        TableColumn[] columns = [.. _key!.Columns.Select(name => facts.Table.Find(name)!)];
        int[] fields = [.. columns.Select(column => facts.IndexOf(column))];
        var keys = Read(place, match, taken, fields);
        if (keys.Count == 0)
        {
            return null;
        }

        var text = new ArrayBufferWriter<byte>();
        new KeySql(facts.Table, columns, columns, where: null).WriteCount(keys.Count, (key, column) => keys[key][column], text);
        var found = await CommittedTable.AskAsync(facts, view, Encoding.UTF8.GetString(text.WrittenSpan), cancellationToken);
        return (keys.Count, keys.Count - found);
    }

    private static UniqueKey? FindKey(LoadFacts facts) => facts.Table.HasBeforeTrigger ? null
        : facts.Table.UniqueKeys.FirstOrDefault(key => RepeatRules.IsFilled(facts, key) && key.Parts.All(part => part.Prefix is null
            && facts.Table.Find(part.Column!) is { Behaviour.KeyUse: KeyUse.Exact, Kind: not ColumnKind.Timestamp }));

    /// <summary>The records that the server certainly took: all, or some ranges of the input; null: not known.</summary>
    private async Task<IReadOnlyList<(long First, long Last)>?> FindRecordsAsync(ContentMatch match)
    {
        var job = match.Job!.Job;
        if (job.Total!.Rejected == 0)
        {
            return [];
        }

        if (job.SourceCount > 1 || job.SortedBy.Length > 0 || match.Relation == ContentRelation.Ends)
        {
            return null;
        }

        (long, long)[] pieces = [.. (await view.Session.QueryAsync(view.IndexSql.WholeChunks(match.Job.Id), cancellationToken)).Rows
            .Select(row => (long.Parse(row[0]!, CultureInfo.InvariantCulture), long.Parse(row[1]!, CultureInfo.InvariantCulture)))];
        return pieces.Length == 0 ? null : pieces;
    }

    /// <summary>The keys of records that are spread evenly over the known part of an input.</summary>
    private List<byte[][]> Read(int place, ContentMatch match, IReadOnlyList<(long First, long Last)> taken, int[] fields)
    {
        var source = sources[place];
        var start = source.Content!.Start;
        var (from, to) = (match.Known.From + match.Source!.LoadedUpTo,
            Math.Min(match.Known.To, match.Source.LoadedFrom is { } until ? match.Known.From + until : long.MaxValue));
        using var input = source.Open(facts.Request.Source, cancellationToken);
        using var reader = source.CreateReader(input, facts.Request.Source);
        var mapper = source.CreateMapper(facts.Request.Values, facts.Server.Zone);
        List<byte[][]> keys = [];
        var block = new RowBlock(facts.RowColumns.Count, 4096);
        var (seen, step, piece) = (0L, 1L, 0);
        while (reader.Read())
        {
            var offset = input.SourceOffset(reader.ByteOffset) - start;
            if (offset >= to || offset >= Math.Max(from, 0) + MaxBytes)
            {
                break;
            }

            while (piece < taken.Count && taken[piece].Last < reader.RecordNumber)
            {
                piece++;
            }

            if (offset < from || (taken.Count > 0 && (piece == taken.Count || reader.RecordNumber < taken[piece].First))
                || seen++ % step != 0)
            {
                continue;
            }

            block.Clear();
            if (mapper.Add(reader, offset, block) is null && block.RowCount == 1 && KeyOf(block, fields) is { } key)
            {
                keys.Add(key);
            }

            if (keys.Count == 2 * MaxKeys)
            {
                // Keeps every second key whenever the list is full.
                keys = [.. keys.Where((_, i) => i % 2 == 0)];
                step *= 2;
            }
        }

        return keys.Count <= MaxKeys ? keys : [.. Enumerable.Range(0, MaxKeys).Select(i => keys[i * keys.Count / MaxKeys])];
    }

    private static byte[][]? KeyOf(RowBlock block, int[] fields)
    {
        var key = new byte[fields.Length][];
        for (var i = 0; i < fields.Length; i++)
        {
            if (block.Get(0, fields[i], out var value) != CellState.Value)
            {
                return null;
            }

            key[i] = value.ToArray();
        }

        return key;
    }
}
