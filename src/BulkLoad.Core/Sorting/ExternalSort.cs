namespace BulkLoad.Core.Sorting;

/// <summary>Sorts byte strings, each with a number, in about so much memory. What does not fit is written to sorted runs, which are merged
/// at the end, and whenever there are too many. A key may have any length.</summary>
internal sealed class ExternalSort(string folder, int memoryBytes, CancellationToken cancellationToken = default) : IDisposable
{
    /// <summary>Each open run has a buffer.</summary>
    private const int MostRuns = 64;

    private readonly SortBuffer _buffer = new(memoryBytes);
    private readonly List<List<SortedRun>> _levels = [];
    private readonly int _mostRuns = Math.Clamp(memoryBytes / TempFile.BufferBytes, 2, MostRuns);

    /// <summary>Whether a run was written.</summary>
    public bool HasSpilled => _levels.Count > 0;

    public void Add(ReadOnlySpan<byte> key, long number)
    {
        if (!_buffer.TryAdd(key, number))
        {
            AddRun(SortedRun.Write(folder, _buffer.Sort(), cancellationToken), level: 0);
            _buffer.Clear();
            _buffer.TryAdd(key, number);
        }
    }

    /// <summary>All entries in order, to be read once before this is disposed of. Nothing can be added any more.</summary>
    public SortedEntries Sort() => new MergedEntries([.. _levels.SelectMany(level => level), _buffer.Sort()]);

    public void Dispose()
    {
        foreach (var run in _levels.SelectMany(level => level))
        {
            run.Dispose();
        }
    }

    /// <summary>Runs of one level become one of the next, so an entry is written at most once for each level.</summary>
    private void AddRun(SortedRun run, int level)
    {
        if (level == _levels.Count)
        {
            _levels.Add([]);
        }

        var runs = _levels[level];
        runs.Add(run);
        if (runs.Count == _mostRuns)
        {
            var merged = SortedRun.Write(folder, new MergedEntries(runs), cancellationToken);
            runs.ForEach(old => old.Dispose());
            runs.Clear();
            AddRun(merged, level + 1);
        }
    }
}
