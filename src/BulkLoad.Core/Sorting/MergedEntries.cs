namespace BulkLoad.Core.Sorting;

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
