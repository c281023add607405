namespace BulkLoad.Core.Input.Formats;

/// <summary>What of a JSON object is delivered.</summary>
/// <param name="Keys">in this order, paths too; null: all keys that come, by first appearance</param>
/// <param name="Paths">what is found within values</param>
internal readonly record struct JsonFieldNames(IReadOnlyList<string>? Keys, IReadOnlyList<JsonPath> Paths)
{
    /// <summary>Keys alone.</summary>
    public static JsonFieldNames Of(IReadOnlyList<string>? keys) => new(keys, []);
}

/// <summary>A way to a value within nested objects and arrays, such as <c>address.city</c> or <c>tags[0].name</c>.</summary>
/// <param name="Text">as it was typed</param>
/// <param name="Steps">names of keys, and places in arrays; at least two, the first is a name</param>
internal sealed record JsonPath(string Text, IReadOnlyList<JsonStep> Steps)
{
    /// <summary>The key of the object that the path goes through first.</summary>
    public string Head => Steps[0].Name!;

    /// <summary>Null where a text is no path: a name without a point or bracket, or one that is not well formed.</summary>
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

/// <summary>One step of a path.</summary>
/// <param name="Name">of a key; null: a place in an array</param>
/// <param name="Place">0-based; -1: a key</param>
internal readonly record struct JsonStep(string? Name, int Place);

/// <summary>All paths of an input, as one tree.</summary>
internal sealed class JsonPaths
{
    private readonly List<JsonPathNode> _ends = [];

    /// <param name="keys">where paths have their fields; those that are not there come up as they are found</param>
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

    /// <summary>Above the first keys.</summary>
    public JsonPathNode Root { get; } = new(new JsonStep("", -1));

    /// <summary>Takes back the fields of all but the first keys.</summary>
    public void Forget(int kept)
    {
        foreach (var end in _ends)
        {
            end.Field = end.Field >= kept ? -1 : end.Field;
        }
    }
}

/// <summary>A key or place that paths go through or end at.</summary>
internal sealed class JsonPathNode(JsonStep step)
{
    private readonly byte[]? _name = step.Name is { } name ? Encoding.UTF8.GetBytes(name) : null;

    public JsonPathNode[] Children { get; private set; } = [];

    /// <summary>Whether a path ends here.</summary>
    public bool IsEnd { get; private set; }

    /// <summary>The path that ends here, or the last step's name.</summary>
    public string Text { get; private set; } = step.Name ?? $"[{step.Place}]";

    /// <summary><see cref="Text"/> of a path.</summary>
    public byte[] Utf8 { get; private set; } = [];

    /// <summary>The path's field; -1: it has none so far.</summary>
    public int Field { get; set; } = -1;

    /// <summary>The last record that had it.</summary>
    public long Seen { get; set; }

    public void End(string text, int field) => (IsEnd, Text, Utf8, Field) = (true, text, Encoding.UTF8.GetBytes(text), field);

    /// <summary>The child for a step, made where it is not there.</summary>
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

    /// <summary>The child for a key; null: no path goes there.</summary>
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

    /// <summary>The child for a place in an array; null: no path goes there.</summary>
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
