using BulkLoad.Core.Feed;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>In the place of the sending side: judges each record, in the input's order, and sends nothing.</summary>
/// <param name="conflicts">who conflicts in them; null: nobody can</param>
/// <param name="judge">tells what only the server can</param>
/// <param name="log">told of the first rejects</param>
internal sealed class CheckRunner(
    IReadOnlyList<LoadSource> sources, IReadOnlyList<ComparedKey> keys, KeyConflicts? conflicts, RowJudge judge, RejectLog rejects,
    RepairLog repairs, ILogger log)
{
    /// <inheritdoc cref="CheckRun.References"/>
    public IRowReferences? References { get; init; }

    /// <summary>Records that an import would insert.</summary>
    public long Accepted { get; private set; }

    /// <summary>Records that an import might insert.</summary>
    public long Undecided { get; private set; }

    public UndecidedTally Reasons { get; } = new();

    public long Judged => Accepted + Undecided + rejects.Count;

    /// <summary>Judges all blocks of a pass.</summary>
    /// <param name="input">the blocks, in the input's order</param>
    /// <exception cref="RefusedRecordException">a reject is one too many</exception>
    public async Task RunAsync(IAsyncEnumerable<RowBlock> input, Action<long> onJudged)
    {
        try
        {
            await foreach (var block in input)
            {
                Judge(block);
                if (block.EndsChunk)
                {
                    rejects.Settle(Judged, block.EndsJob);
                }

                rejects.Keep();
                repairs.Keep();
                onJudged(block.RecordCount);
            }
        }
        catch (RefusedRecordException)
        {
            // There is nothing to roll back: what was found stays found.
            rejects.Keep();
            throw;
        }
    }

    private void Judge(RowBlock block)
    {
        var next = 0;
        for (var row = 0; row < block.RowCount; row++)
        {
            for (; next < block.Rejects.Count && block.Rejects[next].Record < block.Record(row); next++)
            {
                Refuse(block.Rejects[next]);
            }

            Judge(block, row);
        }

        for (; next < block.Rejects.Count; next++)
        {
            Refuse(block.Rejects[next]);
        }

        foreach (var repair in block.Repairs)
        {
            repairs.Add(repair);
        }
    }

    private void Judge(RowBlock block, int row)
    {
        if (conflicts?.Find(RecordId.Of(block.Source, block.Record(row))) is >= 0 and var taken)
        {
            if (conflicts.Refuse())
            {
                // It may yet be in the way of later ones.
                judge.Judge(block, row);
            }

            Refuse(Duplicate(keys[taken], block, row));
            return;
        }

        var isUnsureOfParent = false;
        if (References?.FindMissing(block, row, out isUnsureOfParent) is { } missing)
        {
            Refuse(Reject(block, row, missing.Column, "foreign-key", missing.Message));
            return;
        }

        var reasons = judge.Judge(block, row) | (isUnsureOfParent ? UndecidedReasons.ForeignKey : UndecidedReasons.None) | (
            conflicts is { IsUnsure: true } ? UndecidedReasons.KeyComparison : UndecidedReasons.None);
        conflicts?.Take(isSure: reasons == UndecidedReasons.None);
        if (reasons == UndecidedReasons.None)
        {
            Accepted++;
            return;
        }

        Undecided++;
        Reasons.Add(reasons);
    }

    private void Refuse(Reject reject)
    {
        if (rejects.First.Count < RejectLog.MostKept)
        {
            log.Rejected(reject.Describe(), reject.Code);
        }

        rejects.Add(reject);
    }

    private Reject Duplicate(ComparedKey key, RowBlock block, int row) =>
        Reject(block, row, key.Column, "duplicate-key", $"{key.Show(block, row)} is in an earlier record (key '{key.Name}')");

    private Reject Reject(RowBlock block, int row, string? column, string code, string message) => new()
    {
        Source = sources[block.Source].Look.Name,
        Record = block.Record(row),
        Line = block.Line(row),
        Offset = block.Offset(row),
        Column = column,
        Code = code,
        Message = message,
        Text = block.Original(row).ToArray(),
    };
}

/// <summary>Finds the rows that foreign keys of a record refer to.</summary>
internal interface IRowReferences
{
    /// <summary>A foreign key of the row that refers to no row there is.</summary>
    /// <param name="block">the rows</param>
    /// <param name="row">0-based</param>
    /// <param name="isUnsure">whether only the server can tell of one</param>
    /// <returns>the column, where there is only one, and what is wrong, for people; null: none is missing</returns>
    (string? Column, string Message)? FindMissing(RowBlock block, int row, out bool isUnsure);
}
