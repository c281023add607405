namespace BulkLoad.Core.Values;

/// <summary>What is wrong with the columns of an input: an input can have more faults than anybody reads, so that the first ones are kept
/// and the others counted.</summary>
internal sealed class FaultList
{
    /// <summary>Faults, and names in lists, that are shown.</summary>
    public const int Most = 10;

    /// <summary>Names are shown whole up to this many.</summary>
    private const int MostNames = 20;

    private readonly List<string> _first = [];

    /// <summary>All of them.</summary>
    public int Count { get; private set; }

    /// <summary>The first ones, and how many more there are.</summary>
    public IEnumerable<string> Lines => Count <= Most ? _first : _first.Append($"and {Count - Most:N0} more");

    public void Add(string fault)
    {
        Count++;
        if (_first.Count < Most)
        {
            _first.Add(fault);
        }
    }

    /// <summary>Adds a fault whose text takes work, which is only done where it is shown.</summary>
    public void Add(Func<string> fault) => Add(_first.Count < Most ? fault() : "");

    public void AddRange(IEnumerable<string> faults)
    {
        foreach (var fault in faults)
        {
            Add(fault);
        }
    }

    /// <summary>Names between commas, of many only the first ones.</summary>
    public static string Join(IReadOnlyCollection<string> names) => names.Count <= MostNames
        ? string.Join(", ", names)
        : $"{string.Join(", ", names.Take(Most))} and {names.Count - Most:N0} more";
}
