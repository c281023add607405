namespace BulkLoad.Core.Values;

/// <summary>The keys of the objects that are open in a JSON document, to find doubled ones. Reused without allocating.</summary>
internal sealed class JsonKeyStack
{
    /// <summary>Up to so many keys are compared one with another; more are sorted first.</summary>
    private const int FewKeys = 16;

    private readonly Comparison<int> _compare;
    private byte[] _bytes = new byte[1024];
    private int[] _starts = new int[64];
    private int[] _firstKeys = new int[16];
    private int[] _sorted = [];
    private int _keys;
    private int _objects;

    public JsonKeyStack() => _compare = (left, right) => Key(left).SequenceCompareTo(Key(right));

    public void Clear() => _keys = _objects = 0;

    public void PushObject()
    {
        if (_objects == _firstKeys.Length)
        {
            Array.Resize(ref _firstKeys, _objects * 2);
        }

        _firstKeys[_objects++] = _keys;
    }

    /// <param name="key">unescaped</param>
    public void Push(ReadOnlySpan<byte> key)
    {
        if (_keys + 1 >= _starts.Length)
        {
            Array.Resize(ref _starts, _starts.Length * 2);
        }

        var start = _starts[_keys];
        if (_bytes.Length - start < key.Length)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, start + key.Length));
        }

        key.CopyTo(_bytes.AsSpan(start));
        _starts[++_keys] = start + key.Length;
    }

    /// <summary>Forgets the innermost object; false where two of its keys are the same.</summary>
    public bool PopObject()
    {
        var first = _firstKeys[--_objects];
        var isGood = _keys - first <= FewKeys ? AreDifferent(first) : AreDifferentSorted(first);
        _keys = first;
        return isGood;
    }

    private ReadOnlySpan<byte> Key(int key) => _bytes.AsSpan(_starts[key].._starts[key + 1]);

    private bool AreDifferent(int first)
    {
        for (var i = first + 1; i < _keys; i++)
        {
            for (var j = first; j < i; j++)
            {
                if (Key(i).SequenceEqual(Key(j)))
                {
                    return false;
                }
            }
        }

        return true;
    }

    private bool AreDifferentSorted(int first)
    {
        var count = _keys - first;
        if (_sorted.Length < count)
        {
            _sorted = new int[count * 2];
        }

        var sorted = _sorted.AsSpan(0, count);
        for (var i = 0; i < count; i++)
        {
            sorted[i] = first + i;
        }

        sorted.Sort(_compare);
        for (var i = 1; i < count; i++)
        {
            if (Key(sorted[i]).SequenceEqual(Key(sorted[i - 1])))
            {
                return false;
            }
        }

        return true;
    }
}
