namespace BulkLoad.Core.Sorting;

/// <summary>Entries in order: by key, byte by byte, a key before those that it begins; equal keys by number. Read one by one.</summary>
internal abstract class SortedEntries : IDisposable
{
    /// <summary>The current entry's key; valid until the next <see cref="Read"/>.</summary>
    public abstract ReadOnlySpan<byte> Key { get; }

    public abstract long Number { get; }

    /// <summary>Goes to the next entry.</summary>
    /// <exception cref="TempFileException">what was put aside cannot be read</exception>
    public abstract bool Read();

    public abstract void Dispose();

    public static int Compare(SortedEntries one, SortedEntries other)
    {
        var order = one.Key.SequenceCompareTo(other.Key);
        return order != 0 ? order : one.Number.CompareTo(other.Number);
    }
}

/// <summary>Several sorted inputs as one.</summary>
/// <param name="inputs">stay the caller's</param>
internal sealed class MergedEntries(IReadOnlyList<SortedEntries> inputs) : SortedEntries
{
    private static readonly Comparer<SortedEntries> Order = Comparer<SortedEntries>.Create(Compare);

    private readonly PriorityQueue<SortedEntries, SortedEntries> _waiting = new(inputs.Count, Order);
    private SortedEntries? _current;
    private bool _isBegun;

    public override ReadOnlySpan<byte> Key => _current!.Key;

    public override long Number => _current!.Number;

    public override bool Read()
    {
        if (!_isBegun)
        {
            _isBegun = true;
            foreach (var input in inputs.Where(input => input.Read()))
            {
                _waiting.Enqueue(input, input);
            }
        }
        else if (_current?.Read() == true)
        {
            _current = _waiting.EnqueueDequeue(_current, _current);
            return true;
        }

        return _waiting.TryDequeue(out _current, out _);
    }

    public override void Dispose()
    {
    }
}
