namespace BulkLoad.Core.Input.Detection;

/// <summary>Keeps parts that several inputs have in common in memory once: of ten thousand small files they are most of the memory. Only
/// the last ones of each kind are kept.</summary>
internal sealed class SharedParts
{
    private const int MaxKept = 16;

    private readonly Dictionary<Type, object> _recent = [];

    public IReadOnlyList<T> Of<T>(IReadOnlyList<T> list) =>
        list.Count == 0 ? [] : Find(list, static (one, other) => one.SequenceEqual(other));

    public byte[] Of(byte[] bytes) => Find(bytes, static (one, other) => one.AsSpan().SequenceEqual(other));

    public T? OfOne<T>(T? part)
        where T : class => part is null ? null : Find(part, static (one, other) => one.Equals(other));

    public IReadOnlyDictionary<TKey, TValue> Of<TKey, TValue>(IReadOnlyDictionary<TKey, TValue> pairs)
        where TValue : IEquatable<TValue> => Find(pairs, static (one, other) =>
        one.Count == other.Count && one.All(pair => other.TryGetValue(pair.Key, out var value) && value.Equals(pair.Value)));

    private T Find<T>(T part, Func<T, T, bool> isSame)
        where T : class
    {
        if (!_recent.TryGetValue(typeof(T), out var known))
        {
            _recent[typeof(T)] = known = new Queue<T>();
        }

        var recent = (Queue<T>)known;
        foreach (var one in recent)
        {
            if (isSame(one, part))
            {
                return one;
            }
        }

        if (recent.Count == MaxKept)
        {
            recent.Dequeue();
        }

        recent.Enqueue(part);
        return part;
    }
}
