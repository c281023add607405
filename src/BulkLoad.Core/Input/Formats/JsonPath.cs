namespace BulkLoad.Core.Input.Formats;

/// <summary>The delivered values. <paramref name="Keys"/>: keys and paths in order; null: all keys, in order of appearance.</summary>
internal readonly record struct JsonFieldNames(IReadOnlyList<string>? Keys, IReadOnlyList<JsonPath> Paths)
{
    public static JsonFieldNames Of(IReadOnlyList<string>? keys) => new(keys, []);
}

/// <summary>The path to a nested value, such as <c>address.city</c> or <c>tags[0].name</c>: at least two steps, the first a name.</summary>
internal sealed record JsonPath(string Text, IReadOnlyList<JsonStep> Steps)
{
    public string Head => Steps[0].Name!;

    /// <summary>Null: not a path.</summary>
    public static JsonPath? Find(string text)
    {
        var steps = new List<JsonStep>();
        var at = 0;
        while (at < text.Length)
        {
            if (text[at] == '[')
            {
                var close = text.IndexOf(']', at);
                if (close < 0 || steps.Count == 0
                    || !int.TryParse(text.AsSpan(at + 1, close - at - 1), NumberStyles.None, CultureInfo.InvariantCulture, out var place))
                {
                    return null;
                }

                steps.Add(new JsonStep(null, place));
                at = close + 1;
                continue;
            }

            if (steps.Count > 0 && text[at++] != '.')
            {
                return null;
            }

            var end = text.AsSpan(at).IndexOfAny('.', '[');
            var name = end < 0 ? text[at..] : text.Substring(at, end);
            if (name.Length == 0)
            {
                return null;
            }

            steps.Add(new JsonStep(name, -1));
            at += name.Length;
        }

        return steps.Count > 1 ? new JsonPath(text, steps) : null;
    }
}

/// <summary>A key, or a 0-based place in an array (-1: a key).</summary>
internal readonly record struct JsonStep(string? Name, int Place);

internal sealed class JsonPaths
{
    private readonly List<JsonPathNode> _ends = [];

    /// <summary>Paths without a key get one when they are found.</summary>
    public JsonPaths(IReadOnlyList<JsonPath> paths, JsonKeys keys)
    {
        foreach (var path in paths)
        {
            var node = path.Steps.Aggregate(Root, (parent, step) => parent.Get(step));
            if (!node.IsEnd)
            {
                node.End(path.Text, keys.Find(Encoding.UTF8.GetBytes(path.Text)));
                _ends.Add(node);
            }
        }
    }

    public JsonPathNode Root { get; } = new(new JsonStep("", -1));

    public bool HaveFields => _ends.TrueForAll(end => end.Field >= 0);

    /// <summary>Resets the fields of all but the first keys.</summary>
    public void Forget(int kept)
    {
        foreach (var end in _ends)
        {
            end.Field = end.Field >= kept ? -1 : end.Field;
        }
    }
}

/// <summary>A step of one or more paths.</summary>
internal sealed class JsonPathNode(JsonStep step)
{
    private readonly byte[]? _name = step.Name is { } name ? Encoding.UTF8.GetBytes(name) : null;

    public JsonPathNode[] Children { get; private set; } = [];

    public bool IsEnd { get; private set; }

    /// <summary>The path that ends here, or the step's name.</summary>
    public string Text { get; private set; } = step.Name ?? $"[{step.Place}]";

    /// <summary><see cref="Text"/> of a path.</summary>
    public byte[] Utf8 { get; private set; } = [];

    /// <summary>-1: it has no field yet.</summary>
    public int Field { get; set; } = -1;

    /// <summary>The last record with this step.</summary>
    public long Seen { get; set; }

    public void End(string text, int field) => (IsEnd, Text, Utf8, Field) = (true, text, Encoding.UTF8.GetBytes(text), field);

    public JsonPathNode Get(JsonStep next)
    {
        var known = next.Name is { } key ? Find(Encoding.UTF8.GetBytes(key)) : Find(next.Place);
        if (known is null)
        {
            known = new JsonPathNode(next);
            Children = [.. Children, known];
        }

        return known;
    }

    public JsonPathNode? Find(ReadOnlySpan<byte> key)
    {
        foreach (var child in Children)
        {
            if (child._name is { } name && key.SequenceEqual(name))
            {
                return child;
            }
        }

        return null;
    }

    public JsonPathNode? Find(int place)
    {
        foreach (var child in Children)
        {
            if (child._name is null && child.Place == place)
            {
                return child;
            }
        }

        return null;
    }

    private int Place => step.Place;
}

/// <summary>The keys of objects. If they come in the order of the last object, a look-up is one comparison. Otherwise a hash finds them,
/// since an input may have many keys in any order.</summary>
internal sealed class JsonKeys
{
    private readonly List<string> _names;
    private readonly List<byte[]> _utf8 = [];
    private readonly Dictionary<byte[], int> _indexes = new(Utf8Comparer.Instance);
    private readonly Dictionary<byte[], int>.AlternateLookup<ReadOnlySpan<byte>> _bySpan;

    /// <summary>Each name as objects write it, with quotes and colon; empty: it is written in another way.</summary>
    private readonly List<byte[]> _written = [];

    public JsonKeys(IEnumerable<string> names)
    {
        _names = [.. names];
        _utf8.AddRange(_names.Select(Encoding.UTF8.GetBytes));
        _written.AddRange(_utf8.Select(Write));
        for (var i = 0; i < _utf8.Count; i++)
        {
            _indexes.TryAdd(_utf8[i], i);
        }

        _bySpan = _indexes.GetAlternateLookup<ReadOnlySpan<byte>>();
    }

    public IReadOnlyList<string> Names => _names;

    /// <summary>Of equal names, the order of keys would decide which one is found.</summary>
    public bool AreDistinct => _indexes.Count == _names.Count;

    /// <summary>The name that is expected next.</summary>
    public int Place { get; set; }

    /// <summary>Takes the expected name, if the text begins with it, its quotes and a colon.</summary>
    /// <param name="length">of all of these</param>
    public bool TryTakeNext(ReadOnlySpan<byte> text, out int index, out int length)
    {
        index = Place < _written.Count ? Place : 0;
        length = _written.Count == 0 ? 0 : _written[index].Length;
        if (length == 0 || !text.StartsWith(_written[index]))
        {
            return false;
        }

        Place = index + 1;
        return true;
    }

    /// <summary>-1: unknown.</summary>
    public int IndexOf(ReadOnlySpan<byte> key)
    {
        if (_utf8.Count == 0)
        {
            return -1;
        }

        var expected = Place < _utf8.Count ? Place : 0;
        if (!key.SequenceEqual(_utf8[expected]) && !_bySpan.TryGetValue(key, out expected))
        {
            return -1;
        }

        Place = expected + 1;
        return expected;
    }

    /// <summary>For keys in any order; -1: unknown.</summary>
    public int Find(ReadOnlySpan<byte> key) => _bySpan.TryGetValue(key, out var index) ? index : -1;

    public int Add(string name)
    {
        var utf8 = Encoding.UTF8.GetBytes(name);
        _names.Add(name);
        _utf8.Add(utf8);
        _written.Add(Write(utf8));
        _indexes.TryAdd(utf8, _names.Count - 1);
        return _names.Count - 1;
    }

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
        _written.RemoveRange(kept, _written.Count - kept);
    }

    private static byte[] Write(byte[] name) =>
        JsonSyntax.IndexOfSpecial(name, 0) < name.Length ? [] : [(byte)'"', .. name, (byte)'"', (byte)':'];

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
