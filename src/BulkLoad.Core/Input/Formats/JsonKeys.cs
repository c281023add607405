namespace BulkLoad.Core.Input.Formats;

/// <summary>The keys of objects. If they come in the order of the last object, a look-up is one comparison. Otherwise a hash finds them,
/// since an input may have many keys in any order.</summary>
internal sealed class JsonKeys
{
    private readonly List<string> _names;
    private readonly List<byte[]> _utf8 = [];
    private readonly Dictionary<byte[], int> _indexes = new(Utf8Comparer.Instance);
    private readonly Dictionary<byte[], int>.AlternateLookup<ReadOnlySpan<byte>> _bySpan;
    private int _expected;

    public JsonKeys(IEnumerable<string> names)
    {
        _names = [.. names];
        _utf8.AddRange(_names.Select(Encoding.UTF8.GetBytes));
        for (var i = 0; i < _utf8.Count; i++)
        {
            _indexes.TryAdd(_utf8[i], i);
        }

        _bySpan = _indexes.GetAlternateLookup<ReadOnlySpan<byte>>();
    }

    public IReadOnlyList<string> Names => _names;

    /// <summary>-1: unknown.</summary>
    public int IndexOf(ReadOnlySpan<byte> key)
    {
        if (_utf8.Count == 0)
        {
            return -1;
        }

        var expected = _expected < _utf8.Count ? _expected : 0;
        if (!key.SequenceEqual(_utf8[expected]) && !_bySpan.TryGetValue(key, out expected))
        {
            return -1;
        }

        _expected = expected + 1;
        return expected;
    }

    /// <summary>For keys in any order; -1: unknown.</summary>
    public int Find(ReadOnlySpan<byte> key) => _bySpan.TryGetValue(key, out var index) ? index : -1;

    /// <summary>Adds an unknown key, and returns its index.</summary>
    public int Add(string name)
    {
        var utf8 = Encoding.UTF8.GetBytes(name);
        _names.Add(name);
        _utf8.Add(utf8);
        _indexes.TryAdd(utf8, _names.Count - 1);
        return _names.Count - 1;
    }

    /// <summary>Removes all but the first keys.</summary>
    public void Forget(int kept)
    {
        for (var i = kept; i < _utf8.Count; i++)
        {
            if (_indexes.TryGetValue(_utf8[i], out var index) && index == i)
            {
                _indexes.Remove(_utf8[i]);
            }
        }

        _names.RemoveRange(kept, _names.Count - kept);
        _utf8.RemoveRange(kept, _utf8.Count - kept);
    }

    /// <summary>A random seed: no input can choose keys with the same hash.</summary>
    private sealed class Utf8Comparer : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
    {
        public static readonly Utf8Comparer Instance = new();

        public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

        public int GetHashCode(byte[] obj) => GetHashCode(obj.AsSpan());

        public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

        public int GetHashCode(ReadOnlySpan<byte> alternate)
        {
            var hash = new HashCode();
            hash.AddBytes(alternate);
            return hash.ToHashCode();
        }

        public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
    }
}
