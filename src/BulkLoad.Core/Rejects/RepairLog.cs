using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Rejects;

/// <summary>Repairs of a run by their kind. Those of a chunk that is rolled back do not count.</summary>
internal sealed class RepairLog(RejectFile? file)
{
    private readonly SortedDictionary<string, long> _open = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, long> _committed = new(StringComparer.Ordinal);

    /// <summary>Repairs of committed chunks.</summary>
    public IReadOnlyDictionary<string, long> CountsByKind => _committed;

    /// <summary>Repairs of the open chunk.</summary>
    public IReadOnlyDictionary<string, long> OpenByKind => _open;

    /// <exception cref="RejectFileException">it cannot be written</exception>
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

    /// <summary>Repairs of chunks that a former start of the job has committed.</summary>
    public void AddCommitted(IReadOnlyDictionary<string, long> countsByKind)
    {
        foreach (var (kind, count) in countsByKind)
        {
            _committed[kind] = _committed.GetValueOrDefault(kind) + count;
        }
    }

    /// <summary>Just these are repairs of committed chunks.</summary>
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
