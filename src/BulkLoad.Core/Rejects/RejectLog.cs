using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Rejects;

/// <summary>The rejects of a run, in the input's order: counts them, keeps the first for the report, and writes them to the file. Those of
/// a chunk that is rolled back are removed from the file.</summary>
internal sealed class RejectLog(RejectLimit limit, RejectFile? file)
{
    /// <summary>Limit of <see cref="First"/>.</summary>
    public const int MaxKept = 100;

    /// <summary>Bytes of records in <see cref="First"/>. The text of further ones is only in the file.</summary>
    public const int MaxTextKept = 8 * 1024 * 1024;

    private readonly SortedDictionary<string, long> _countsByCode = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> _openByCode = new(StringComparer.Ordinal);
    private readonly List<Reject> _first = [];

    /// <summary>For each reject of <see cref="First"/>, its 1-based number among all.</summary>
    private readonly List<long> _firstPlaces = [];
    private readonly Queue<Reject> _untold = new();
    private int _openFirst;
    private long _count;

    /// <summary>Number of the rejects that <see cref="OnReject"/> need not hear of: those of chunks that the server has lost come again.
    /// </summary>
    private long _told;

    /// <summary>Includes rejects of chunks that were rolled back. Thread-safe.</summary>
    public long Count => Interlocked.Read(ref _count);

    public long Committed { get; private set; }

    /// <summary>Rejects of a chunk that was rolled back because there were too many. They are reported, and kept as not
    /// committed.</summary>
    public long Left { get; private set; }

    public IReadOnlyList<Reject> First => _first;

    public IReadOnlyDictionary<string, long> OpenByCode => _openByCode;

    public IssuePositions Positions => file?.Positions ?? default;

    public bool HasFile => file?.HasRecords == true;

    public IReadOnlyDictionary<string, long> CountsByCode => _countsByCode;

    /// <summary>Without new rejects there are never too many: the others were allowed before.</summary>
    public bool CannotTake(int more) => more > 0 && limit.IsExceededBy(Count + more);

    /// <summary>Gets each reject of this run once, in order, when it cannot be undone any more; null: nobody asks.</summary>
    public Action<Reject>? OnReject { private get; init; }

    /// <summary>Null: the run is no preview.</summary>
    public RejectWatch? Watch { get; set; }

    /// <summary>Whether the command would send no row of a block with this number of rejects.</summary>
    public bool WouldStop(int more) => more > 0 && Watch?.Limit.IsExceededBy(Count + more) == true;

    public void Add(Reject reject)
    {
        reject = Watch?.Reword(reject) ?? reject;
        Interlocked.Increment(ref _count);
        _countsByCode[reject.Code] = _countsByCode.GetValueOrDefault(reject.Code) + 1;
        _openByCode[reject.Code] = _openByCode.GetValueOrDefault(reject.Code) + 1;
        if (_first.Count < MaxKept)
        {
            _first.Add(
                _first.Sum(kept => (long)kept.Text.Length) + reject.Text.Length <= MaxTextKept ? reject : reject with { Text = default });
            _firstPlaces.Add(Count);
            _openFirst++;
        }

        if (OnReject is not null && Count > _told)
        {
            _untold.Enqueue(reject);
        }

        file?.Add(reject);
        Watch?.OnAdded(reject);
        if (limit.IsExceededBy(Count))
        {
            throw new RefusedRecordException(reject);
        }
    }

    /// <summary>Before a commit: writes rejects to the disk. Throws if their share is too large.</summary>
    public void Settle(long read, bool isEnd)
    {
        if (limit.IsShareExceeded(Count, read, isEnd))
        {
            throw new RefusedRecordException(_first is [.., var last] ? last : null);
        }

        file?.Flush();
    }

    public void Keep()
    {
        Committed = Count;
        _openByCode.Clear();
        _openFirst = 0;
        file?.Keep();
        Tell();
    }

    public void AddCommitted(IReadOnlyDictionary<string, long> countsByCode)
    {
        foreach (var (code, count) in countsByCode)
        {
            _countsByCode[code] = _countsByCode.GetValueOrDefault(code) + count;
            Interlocked.Add(ref _count, count);
        }

        Committed = Count;
        _told = Math.Max(_told, Count);
    }

    /// <summary>The chunk is rolled back and will be sent again, so its rejects do not count.</summary>
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
        _untold.Clear();
        file?.Drop();
    }

    /// <summary>The chunk is rolled back because of too many rejects. They stay in the file, marked as not committed.</summary>
    public void Leave()
    {
        Left = Count - Committed;
        Tell();
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

    /// <summary>Only these rejects are committed; later ones are found again. <paramref name="kept"/>: the files' length at the last of
    /// them. <paramref name="isEarlier"/>: an earlier run has written so far.</summary>
    public void GoBack(IReadOnlyDictionary<string, long> countsByCode, IssuePositions kept, bool isEarlier)
    {
        _countsByCode.Clear();
        _openByCode.Clear();
        Interlocked.Exchange(ref _count, 0);
        _untold.Clear();
        Committed = 0;
        AddCommitted(countsByCode);
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
    public void Drop()
    {
        _untold.Clear();
        file?.Drop();
    }

    private void Tell()
    {
        _told = Math.Max(_told, Count);
        while (_untold.TryDequeue(out var reject))
        {
            OnReject!(reject);
        }
    }
}

/// <summary>Ends a run at one reject too many. The run turns it into a message about what is committed. Null: earlier runs had too
/// many.</summary>
internal sealed class RefusedRecordException(Reject? reject) : Exception(reject?.Describe() ?? "too many records were refused")
{
    public Reject? Reject { get; } = reject;
}

/// <summary>Full paths of the files of an earlier start; null: it had none.</summary>
internal readonly record struct IssuePaths(string? Records, string? Repairs, string? Ids);

/// <summary>In bytes.</summary>
internal readonly record struct IssuePositions(long Records, long Reasons, long Repairs, long Ids);

/// <summary>Counts repairs by kind, without those of chunks that are rolled back.</summary>
internal sealed class RepairLog(RejectFile? file)
{
    private readonly SortedDictionary<string, long> _open = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, long> _committed = new(StringComparer.Ordinal);

    public IReadOnlyDictionary<string, long> CountsByKind => _committed;

    public IReadOnlyDictionary<string, long> OpenByKind => _open;

    public void Add(Repair repair)
    {
        _open[repair.Code] = _open.GetValueOrDefault(repair.Code) + 1;
        file?.Add(repair);
    }

    public void Keep()
    {
        foreach (var (kind, count) in _open)
        {
            _committed[kind] = _committed.GetValueOrDefault(kind) + count;
        }

        _open.Clear();
    }

    public void AddCommitted(IReadOnlyDictionary<string, long> countsByKind)
    {
        foreach (var (kind, count) in countsByKind)
        {
            _committed[kind] = _committed.GetValueOrDefault(kind) + count;
        }
    }

    public void GoBack(IReadOnlyDictionary<string, long> countsByKind)
    {
        _open.Clear();
        _committed.Clear();
        AddCommitted(countsByKind);
    }

    /// <summary>The chunk is rolled back and will be sent again.</summary>
    public void Forget() => _open.Clear();
}

/// <summary>How a preview watches rejects. <paramref name="Limit"/> is the command's. <paramref name="Reword"/> replaces the server's error
/// about a copy of the table. <paramref name="OnAdded"/> gets each counted reject. <paramref name="OnBlock"/> gets the reader's rejects of
/// a block, in order, if they exceed the limit.</summary>
internal sealed record RejectWatch(
    RejectLimit Limit, Func<Reject, Reject> Reword, Action<Reject> OnAdded, Action<IReadOnlyList<Reject>> OnBlock)
{
    /// <summary>Whether the command ignores a row that the server refused with a message, sent alone; asked before the next row is sent.
    /// Null: no row is ignored.</summary>
    public Func<RowBlock, int, string, CancellationToken, ValueTask<bool>>? IsIgnoredAsync { get; init; }
}
