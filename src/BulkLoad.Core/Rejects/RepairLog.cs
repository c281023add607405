using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Rejects;

/// <summary>Counts repairs by kind, without those of chunks that are rolled back.</summary>
internal sealed class RepairLog(RejectFile? file)
{
    private readonly SortedDictionary<string, long> _open = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, long> _committed = new(StringComparer.Ordinal);

    /// <summary>Of committed chunks.</summary>
    public IReadOnlyDictionary<string, long> CountsByKind => _committed;

    /// <summary>Of the open chunk.</summary>
    public IReadOnlyDictionary<string, long> OpenByKind => _open;

    public void Add(Repair repair)
    {
        _open[repair.Code] = _open.GetValueOrDefault(repair.Code) + 1;
        file?.Add(repair);
    }

    /// <summary>The chunk is committed.</summary>
    public void Keep()
    {
        foreach (var (kind, count) in _open)
        {
            _committed[kind] = _committed.GetValueOrDefault(kind) + count;
        }

        _open.Clear();
    }

    /// <summary>Of chunks that an earlier run has committed.</summary>
    public void AddCommitted(IReadOnlyDictionary<string, long> countsByKind)
    {
        foreach (var (kind, count) in countsByKind)
        {
            _committed[kind] = _committed.GetValueOrDefault(kind) + count;
        }
    }

    /// <summary>Only these repairs are committed.</summary>
    public void GoBack(IEnumerable<IReadOnlyDictionary<string, long>> countsByKind)
    {
        _open.Clear();
        _committed.Clear();
        foreach (var counts in countsByKind)
        {
            AddCommitted(counts);
        }
    }

    /// <summary>The chunk is rolled back and will be sent again.</summary>
    public void Forget() => _open.Clear();
}
