namespace BulkLoad.Core.Input.Formats;

/// <summary>The keys of a file's objects. Expects them in the order of the line before, which makes a look-up one comparison; else a hash
/// finds them, since an input chooses how many there are and in what order they come.</summary>
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

    /// <summary>The keys, in the order of their indexes.</summary>
    public IReadOnlyList<string> Names => _names;

    /// <summary>The index of a key, unescaped; -1 where it is not known.</summary>
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

    /// <summary>The index of a key that may come out of order; -1 where it is not known.</summary>
    public int Find(ReadOnlySpan<byte> key) => _bySpan.TryGetValue(key, out var index) ? index : -1;

    /// <summary>Appends a key that is not known and gives its index.</summary>
    public int Add(string name)
    {
        var utf8 = Encoding.UTF8.GetBytes(name);
        _names.Add(name);
        _utf8.Add(utf8);
        _indexes.TryAdd(utf8, _names.Count - 1);
        return _names.Count - 1;
    }

    /// <summary>Takes back all keys but the first ones.</summary>
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

    /// <summary>Compares bytes. The hash is seeded for each run, so that no input can choose keys that share one.</summary>
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
