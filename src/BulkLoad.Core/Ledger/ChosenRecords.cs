using BulkLoad.Core.Feed;

namespace BulkLoad.Core.Ledger;

/// <summary>Lets only the records through that a job has committed, and requires that they are the same. A pass asks for each record in
/// order.</summary>
/// <param name="chunks">in the order in which the records were sent</param>
internal sealed class ChosenRecords(string job, ChunkList chunks, IReadOnlyList<string> names) : ICommittedRecords
{
    private readonly ChunkHash _hash = new();
    private readonly IEnumerator<LedgerChunk> _chunks = chunks.GetEnumerator();
    private readonly Dictionary<int, long> _first = [];
    private LedgerChunk? _next;
    private bool _isBegun;

    public long Rejects => 0;

    public long LastPlace => 0;

    /// <summary>Number of records that were not let through.</summary>
    public long Skipped { get; private set; }

    /// <summary>Number of an input's records before the first one that the job has committed: another job had loaded them.</summary>
    public long FindSkippedBefore(int source)
    {
        if (_first.Count == 0)
        {
            foreach (var chunk in chunks)
            {
                _first.TryAdd(chunk.Source, chunk.FirstRecord);
                _first.TryAdd(chunk.LastSource, 1);
            }
        }

        return _first.GetValueOrDefault(source, 1) - 1;
    }

    /// <returns>false: the job has committed it</returns>
    public bool Has(int source, long record, long offset, ReadOnlySpan<byte> bytes)
    {
        if (Next is not { } chunk || (source, record).CompareTo((chunk.Source, chunk.FirstRecord)) < 0)
        {
            Skipped++;
            return true;
        }

        _hash.Add(offset, bytes);
        var order = (source, record).CompareTo((chunk.LastSource, chunk.LastRecord));
        if (order > 0 || (order == 0 && _hash.Finish() != chunk.Content))
        {
            throw Changed(chunk);
        }

        if (order == 0)
        {
            Move();
        }

        return false;
    }

    public void EndSource(int source)
    {
        if (Next is { } chunk && chunk.LastSource <= source)
        {
            throw Changed(chunk);
        }
    }

    private LedgerChunk? Next
    {
        get
        {
            if (!_isBegun)
            {
                _isBegun = true;
                Move();
            }

            return _next;
        }
    }

    private void Move() => _next = _chunks.MoveNext() ? _chunks.Current : null;

    private PlanException Changed(LedgerChunk chunk) => new(
        $"{Plural.Names([.. names.Skip(chunk.Source).Take(chunk.LastSource - chunk.Source + 1)])}: is not what job {job} has loaded: "
            + $"records {chunk.FirstRecord:N0}-{chunk.LastRecord:N0} differ");
}
