namespace BulkLoad.Core.Rejects;

/// <summary>
/// The refused records of a run in the input's order: counts them, keeps the first of them for the report, and writes them to the
/// reject file. What belongs to a chunk that is rolled back is taken out of the file again.
/// </summary>
/// <param name="limit">how many there may be</param>
/// <param name="file">where they are kept; null for nowhere</param>
internal sealed class RejectLog(RejectLimit limit, RejectFile? file)
{
    /// <summary>Rejects that are kept for the report.</summary>
    public const int MostKept = 100;

    private readonly SortedDictionary<string, long> _countsByCode = new(StringComparer.Ordinal);
    private readonly List<Reject> _first = [];
    private long _count;

    /// <summary>Rejects found, those of a chunk that was rolled back included. May be asked for from any thread.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <summary>Rejects of committed chunks.</summary>
    public long Committed { get; private set; }

    /// <summary>The first hundred.</summary>
    public IReadOnlyList<Reject> First => _first;

    /// <summary>Rejects by their code.</summary>
    public IReadOnlyDictionary<string, long> CountsByCode => _countsByCode;

    /// <summary>Whether so many more rejects would be too many.</summary>
    public bool CannotTake(int more) => limit.IsExceededBy(Count + more);

    /// <summary>Takes a reject.</summary>
    /// <exception cref="RefusedRecordException">it is one too many</exception>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Add(Reject reject)
    {
        Interlocked.Increment(ref _count);
        _countsByCode[reject.Code] = _countsByCode.GetValueOrDefault(reject.Code) + 1;
        if (_first.Count < MostKept)
        {
            _first.Add(reject);
        }

        file?.Add(reject);
        if (limit.IsExceededBy(Count))
        {
            throw new RefusedRecordException(reject);
        }
    }

    /// <summary>Before a chunk is committed: its rejects are with the disk then.</summary>
    /// <param name="read">records of the job so far</param>
    /// <param name="isEnd">whether there are no more</param>
    /// <exception cref="RefusedRecordException">the share of rejects is too large</exception>
    /// <exception cref="RejectFileException">what was written cannot be brought to the disk</exception>
    public void Settle(long read, bool isEnd)
    {
        if (limit.IsShareExceeded(Count, read, isEnd))
        {
            throw new RefusedRecordException(_first[^1]);
        }

        file?.Flush();
    }

    /// <summary>The chunk is committed: its rejects stay.</summary>
    public void Keep()
    {
        Committed = Count;
        file?.Keep();
    }

    /// <summary>The chunk is rolled back: its rejects leave the file.</summary>
    public void Drop() => file?.Drop();
}
