namespace BulkLoad.Core.Reports;

/// <summary>Time that a job has waited for others, by reason.</summary>
internal sealed class WaitTimes
{
    private readonly SortedDictionary<string, TimeSpan> _times = new(StringComparer.Ordinal);

    /// <summary>In alphabetical order.</summary>
    public IReadOnlyList<WaitReport> Reports => [.. _times.Select(entry => new WaitReport(entry.Key, entry.Value))];

    public void Add(string reason, TimeSpan time) => _times[reason] = _times.GetValueOrDefault(reason) + time;
}
