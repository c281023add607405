namespace BulkLoad.Tests.Strategies;

/// <summary>The status flags of answers: a transaction is open, unless it was laid down otherwise for a step.</summary>
internal sealed class StatusScript
{
    private const ushort InTransaction = 1;

    private readonly List<(string Step, int Time, ushort Status)> _said = [];
    private readonly Dictionary<string, int> _seen = [];

    public void Add(string step, int time, ushort status) => _said.Add((step, time, status));

    /// <summary>The flags of the next answer to a step; null: its answer has none.</summary>
    public ushort? Next(string step)
    {
        if (step is "prepare" or "close")
        {
            return null;
        }

        var status = InTransaction;
        foreach (var start in _said.Select(entry => entry.Step).Distinct().Where(start => step.StartsWith(start, StringComparison.Ordinal)))
        {
            var time = _seen[start] = _seen.GetValueOrDefault(start) + 1;
            foreach (var (_, _, other) in _said.Where(entry => entry.Step == start && entry.Time == time))
            {
                status = other;
            }
        }

        return status;
    }
}
