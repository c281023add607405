using System.Text;

namespace BulkLoad.Core.Reading;

/// <summary>The keys of a file's objects. Expects them in the order of the line before, which makes a look-up one comparison.</summary>
internal sealed class JsonKeys
{
    private readonly List<string> _names;
    private readonly List<byte[]> _utf8 = [];
    private int _expected;

    public JsonKeys(IEnumerable<string> names)
    {
        _names = [.. names];
        _utf8.AddRange(_names.Select(Encoding.UTF8.GetBytes));
    }

    /// <summary>The keys, in the order of their indexes.</summary>
    public IReadOnlyList<string> Names => _names;

    /// <summary>The index of a key, unescaped; -1 where it is not known.</summary>
    public int IndexOf(ReadOnlySpan<byte> key)
    {
        var candidate = _expected;
        for (var tried = 0; tried < _utf8.Count; tried++, candidate++)
        {
            candidate = candidate < _utf8.Count ? candidate : 0;
            if (key.SequenceEqual(_utf8[candidate]))
            {
                _expected = candidate + 1;
                return candidate;
            }
        }

        return -1;
    }

    /// <summary>Appends a key and gives its index.</summary>
    public int Add(string name)
    {
        _names.Add(name);
        _utf8.Add(Encoding.UTF8.GetBytes(name));
        return _names.Count - 1;
    }

    /// <summary>Takes back all keys but the first ones.</summary>
    public void Forget(int kept)
    {
        _names.RemoveRange(kept, _names.Count - kept);
        _utf8.RemoveRange(kept, _utf8.Count - kept);
    }
}
