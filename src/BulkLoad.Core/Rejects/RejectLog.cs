using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;

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

    /// <summary>Bytes of records that are kept with <see cref="First"/>; of further ones the text is in the file only.</summary>
    public const int MostTextKept = 8 * 1024 * 1024;

    private readonly SortedDictionary<string, long> _countsByCode = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> _openByCode = new(StringComparer.Ordinal);
    private readonly List<Reject> _first = [];

    /// <summary>Of each of <see cref="First"/>, how many there were with it.</summary>
    private readonly List<long> _firstPlaces = [];
    private int _openFirst;
    private long _count;

    /// <summary>Rejects found, those of a chunk that was rolled back included. May be asked for from any thread.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <summary>Rejects of committed chunks.</summary>
    public long Committed { get; private set; }

    /// <summary>Rejects of a chunk that was rolled back because there were too many; they are told and kept as not committed.</summary>
    public long Left { get; private set; }

    /// <summary>The first hundred.</summary>
    public IReadOnlyList<Reject> First => _first;

    /// <summary>Rejects of the open chunk by their code.</summary>
    public IReadOnlyDictionary<string, long> OpenByCode => _openByCode;

    /// <summary>How far the files of findings reach.</summary>
    public IssuePositions Positions => file?.Positions ?? default;

    /// <summary>Whether there is a file in which some of them stay.</summary>
    public bool HasFile => file?.HasRecords == true;

    /// <summary>Rejects by their code.</summary>
    public IReadOnlyDictionary<string, long> CountsByCode => _countsByCode;

    /// <summary>Whether so many more rejects would be too many; none are never, since those before were allowed when they were
    /// found.</summary>
    public bool CannotTake(int more) => more > 0 && limit.IsExceededBy(Count + more);

    /// <summary>Of a preview; null: nobody has to hear of them.</summary>
    public RejectWatch? Watch { get; set; }

    /// <summary>Whether the command would send no row of a block with so many rejects of the reading side.</summary>
    public bool WouldStop(int more) => more > 0 && Watch?.Limit.IsExceededBy(Count + more) == true;

    /// <summary>Takes a reject.</summary>
    /// <exception cref="RejectFileException">it cannot be written</exception>
    public void Add(Reject reject)
    {
        reject = Watch?.Reword(reject) ?? reject;
        Interlocked.Increment(ref _count);
        _countsByCode[reject.Code] = _countsByCode.GetValueOrDefault(reject.Code) + 1;
        _openByCode[reject.Code] = _openByCode.GetValueOrDefault(reject.Code) + 1;
        if (_first.Count < MostKept)
        {
            _first.Add(
                _first.Sum(kept => (long)kept.Text.Length) + reject.Text.Length <= MostTextKept ? reject : reject with { Text = default });
            _firstPlaces.Add(Count);
            _openFirst++;
        }

        file?.Add(reject);
        Watch?.OnAdded(reject);
        if (limit.IsExceededBy(Count))
        {
            throw new RefusedRecordException(reject);
        }
    }

    /// <summary>Before a chunk is committed: its rejects are with the disk then.</summary>
    /// <param name="isEnd">whether there are no more</param>
    /// <exception cref="RefusedRecordException">the share of rejects is too large</exception>
    /// <exception cref="RejectFileException">what was written cannot be brought to the disk</exception>
    public void Settle(long read, bool isEnd)
    {
        if (limit.IsShareExceeded(Count, read, isEnd))
        {
            throw new RefusedRecordException(_first is [.., var last] ? last : null);
        }

        file?.Flush();
    }

    /// <summary>The chunk is committed: its rejects stay.</summary>
    public void Keep()
    {
        Committed = Count;
        _openByCode.Clear();
        _openFirst = 0;
        file?.Keep();
    }

    /// <summary>Rejects of chunks that a former start of the job has committed.</summary>
    public void AddCommitted(IReadOnlyDictionary<string, long> countsByCode)
    {
        foreach (var (code, count) in countsByCode)
        {
            _countsByCode[code] = _countsByCode.GetValueOrDefault(code) + count;
            Interlocked.Add(ref _count, count);
        }

        Committed = Count;
    }

    /// <summary>The chunk is rolled back and will be sent again: it is as if its rejects had not been found.</summary>
    public void Forget()
    {
        foreach (var (code, count) in _openByCode)
        {
            _countsByCode[code] -= count;
            if (_countsByCode[code] == 0)
            {
                _countsByCode.Remove(code);
            }
        }

        _openByCode.Clear();
        KeepFirst(_first.Count - _openFirst);
        Interlocked.Exchange(ref _count, Committed);
        file?.Drop();
    }

    /// <summary>The chunk is rolled back since there are too many rejects: those of the chunk stay in the file, marked as not
    /// committed.</summary>
    /// <exception cref="RejectFileException">they cannot be marked, and leave the file</exception>
    public void Leave()
    {
        Left = Count - Committed;
        try
        {
            file?.Leave();
        }
        catch (RejectFileException)
        {
            file?.Drop();
            throw;
        }
    }

    /// <summary>Just these are rejects of committed chunks; what was found behind them is found again.</summary>
    /// <param name="kept">how far the files of findings reached behind the last of them</param>
    /// <param name="isEarlier">whether a former start of the job has written so far</param>
    /// <exception cref="RejectFileException">the others cannot be taken out of the file</exception>
    public void GoBack(IEnumerable<IReadOnlyDictionary<string, long>> countsByCode, IssuePositions kept, bool isEarlier)
    {
        _countsByCode.Clear();
        _openByCode.Clear();
        Interlocked.Exchange(ref _count, 0);
        Committed = 0;
        foreach (var counts in countsByCode)
        {
            AddCommitted(counts);
        }

        KeepFirst(_firstPlaces.Count(place => place <= Committed));
        file?.GoBack(kept, isEarlier);
    }

    private void KeepFirst(int count)
    {
        _first.RemoveRange(count, _first.Count - count);
        _firstPlaces.RemoveRange(count, _firstPlaces.Count - count);
        _openFirst = 0;
    }

    /// <summary>The chunk is rolled back: its rejects leave the file.</summary>
    public void Drop() => file?.Drop();
}

/// <summary>Ends a run at a reject that is one too many. Never leaves the library: the run turns it into a message that says what is
/// committed.</summary>
/// <param name="reject">null: of this start of the job there is none, and those of former ones are too many</param>
internal sealed class RefusedRecordException(Reject? reject) : Exception(reject?.Describe() ?? "too many records were refused")
{
    public Reject? Reject { get; } = reject;
}

/// <summary>How many bytes of each file of findings are there to stay.</summary>
internal readonly record struct IssuePositions(long Records, long Reasons, long Repairs);
