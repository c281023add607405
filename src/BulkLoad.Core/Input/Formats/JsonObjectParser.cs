using System.Text.Json;
using System.Text.Unicode;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Finds the values of JSON objects (RFC 8259). Strings are unescaped; the rest is delivered as text, with all digits.</summary>
internal sealed class JsonObjectParser
{
    /// <summary>Both servers allow 100, and so they decide.</summary>
    private const int MaxDepth = 256;

    private static readonly JsonReaderState InitialState = new(new JsonReaderOptions { MaxDepth = MaxDepth });

    private readonly bool _ignoresUnknown;
    private readonly bool _areLines;
    private readonly JsonKeys _keys;
    private readonly JsonPaths _paths;
    private readonly bool _learnsKeys;
    private readonly List<int> _taken = [];
    private Value[] _values;
    private bool[] _hasCome;
    private byte[] _unescaped = [];
    private int _length;
    private long _record;

    public JsonObjectParser(JsonFieldNames keys, Dialect dialect, bool areLines)
    {
        _ignoresUnknown = dialect.IgnoreUnknown;
        _areLines = areLines;
        _keys = new JsonKeys(keys.Keys ?? []);
        _learnsKeys = keys.Keys is null;
        _paths = new JsonPaths(keys.Paths, _keys);
        _values = new Value[_keys.Names.Count];
        _hasCome = new bool[_values.Length];
        _values.AsSpan().Fill(Value.Missing);
    }

    public IReadOnlyList<string> Names => _keys.Names;

    /// <summary>Whether each key has its field before it comes, the same in any order of records.</summary>
    public bool KnowsAllFields => !_learnsKeys && _keys.AreDistinct && _paths.HaveFields;

    public bool HasCome(int field) => field < _hasCome.Length && _hasCome[field];

    /// <summary>Takes up which fields have come elsewhere, with the same keys.</summary>
    public void TakeUp(IRecord other)
    {
        for (var field = 0; field < _hasCome.Length; field++)
        {
            _hasCome[field] |= other.HasCome(field);
        }
    }

    /// <summary>The text must be the one parsed last.</summary>
    public FieldKind GetField(int index, ReadOnlySpan<byte> text, out ReadOnlySpan<byte> value)
    {
        ref readonly var found = ref _values[index];
        value = (found.IsUnescaped ? _unescaped : text).Slice(found.Start, found.Length);
        return found.Kind;
    }

    /// <summary>Resets only the keys that the last object had: there may be many more.</summary>
    public void Forget()
    {
        foreach (var field in _taken)
        {
            _values[field] = Value.Missing;
        }

        _taken.Clear();
    }

    /// <summary><paramref name="line"/> is where the text begins. Returns the fault, if any.</summary>
    public RecordFault? Parse(ReadOnlySpan<byte> text, long line)
    {
        Forget();
        if (!Utf8.IsValid(text))
        {
            return JsonFaults.InvalidUtf8;
        }

        _length = text.Length;
        _record++;
        var known = _keys.Names.Count;
        RecordFault? fault;
        try
        {
            var json = new Utf8JsonReader(text, isFinalBlock: true, InitialState);
            fault = ReadObject(ref json, text);
        }
        catch (JsonException e)
        {
            fault = _areLines && IsCutOff(text) ? JsonFaults.NotComplete : JsonFaults.Invalid(text, e, _areLines, line);
        }
        catch (InvalidOperationException)
        {
            // The exception of Utf8JsonReader.CopyString for half a surrogate pair.
            fault = JsonFaults.LoneSurrogate;
        }

        if (fault is not null && _learnsKeys)
        {
            Forget();
            _keys.Forget(known);
            _paths.Forget(known);
        }

        return fault;
    }

    /// <summary>Whether the only fault is a missing end.</summary>
    public static bool IsCutOff(ReadOnlySpan<byte> text)
    {
        var json = new Utf8JsonReader(text, isFinalBlock: false, InitialState);
        try
        {
            while (json.Read())
            {
            }

            return json.TokenType != JsonTokenType.None
                && (json.CurrentDepth > 0 || json.TokenType is not (JsonTokenType.EndObject or JsonTokenType.EndArray));
        }
        catch (JsonException)
        {
            return false;
        }
    }

    public static bool IsList(ReadOnlySpan<byte> text)
    {
        var json = new Utf8JsonReader(text, isFinalBlock: true, InitialState);
        try
        {
            var commas = text.Contains((byte)',');
            while (json.Read())
            {
            }

            return commas && json.TokenType == JsonTokenType.EndArray;
        }
        catch (JsonException)
        {
            return false;
        }
    }

    private RecordFault? ReadObject(ref Utf8JsonReader json, ReadOnlySpan<byte> text)
    {
        json.Read();
        if (json.TokenType != JsonTokenType.StartObject)
        {
            var isList = json.TokenType == JsonTokenType.StartArray
                && text[(int)json.BytesConsumed..].TrimStart(" \t\r\n"u8) is [not ((byte)'{' or (byte)']'), ..];
            return isList ? _areLines ? JsonFaults.ArrayOfALine : JsonFaults.Array
                : _areLines ? JsonFaults.NotAnObjectOfALine : JsonFaults.NotAnObject;
        }

        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            var key = json.ValueIsEscaped ? Unescape(ref json) : json.ValueSpan;
            var path = _paths.Root.Find(key);
            var field = FieldOf(key);
            if (field < 0 && path is null)
            {
                if (!_ignoresUnknown)
                {
                    return JsonFaults.UnknownKey(json.GetString()!, _keys.Names);
                }

                json.Skip();
                continue;
            }

            if (field >= 0 && _values[field] is { Kind: not FieldKind.Missing, IsOfPath: false })
            {
                return JsonFaults.DuplicateKey(_keys.Names[field], field);
            }

            json.Read();
            if (ReadValue(ref json, path, out var value) is { } fault)
            {
                return fault;
            }

            if (field >= 0)
            {
                // A key with the path's own name comes before the path.
                Take(field, value);
            }
        }

        // Throws if something follows the object.
        json.Read();
        return null;
    }

    /// <summary>Also takes the nested values of paths.</summary>
    private RecordFault? ReadValue(ref Utf8JsonReader json, JsonPathNode? node, out Value value)
    {
        if (node is not { Children.Length: > 0 } || json.TokenType is not (JsonTokenType.StartObject or JsonTokenType.StartArray))
        {
            value = ReadValue(ref json);
            return null;
        }

        var start = (int)json.TokenStartIndex;
        var fault = ReadWithin(ref json, node);
        value = new Value(start, (int)json.BytesConsumed - start, FieldKind.Quoted, IsUnescaped: false);
        return fault;
    }

    private RecordFault? ReadWithin(ref Utf8JsonReader json, JsonPathNode node)
    {
        var isObject = json.TokenType == JsonTokenType.StartObject;
        for (var element = 0; json.Read() && json.TokenType is not (JsonTokenType.EndObject or JsonTokenType.EndArray); element++)
        {
            JsonPathNode? child;
            if (isObject)
            {
                child = node.Find(json.ValueIsEscaped ? Unescape(ref json) : json.ValueSpan);
                json.Read();
            }
            else
            {
                child = node.Find(element);
            }

            if (child is null)
            {
                json.Skip();
                continue;
            }

            if (child.Seen == _record)
            {
                return JsonFaults.DuplicateKey(child.Text, child.Field);
            }

            child.Seen = _record;
            if (ReadValue(ref json, child, out var value) is { } fault)
            {
                return fault;
            }

            if (child.IsEnd)
            {
                TakeOfPath(child, value);
            }
        }

        return null;
    }

    private void TakeOfPath(JsonPathNode node, Value value)
    {
        if (node.Field < 0)
        {
            node.Field = _keys.Find(node.Utf8) is >= 0 and var known ? known : AddKey(node.Text);
        }

        if (_values[node.Field].Kind == FieldKind.Missing)
        {
            Take(node.Field, value with { IsOfPath = true });
        }
    }

    private void Take(int field, Value value)
    {
        _hasCome[field] = true;
        _taken.Add(field);
        _values[field] = value;
    }

    private int FieldOf(ReadOnlySpan<byte> key) =>
        _keys.IndexOf(key) is var field && (field >= 0 || !_learnsKeys) ? field : AddKey(Encoding.UTF8.GetString(key));

    private int AddKey(string key)
    {
        var field = _keys.Add(key);
        if (field >= _values.Length)
        {
            Array.Resize(ref _values, Math.Max(16, 2 * field));
            Array.Resize(ref _hasCome, _values.Length);
            _values.AsSpan(field).Fill(Value.Missing);
        }

        return field;
    }

    private Value ReadValue(ref Utf8JsonReader json)
    {
        var start = (int)json.TokenStartIndex;
        switch (json.TokenType)
        {
            case JsonTokenType.String:
                return json.ValueIsEscaped
                    ? new Value(start + 1, Unescape(ref json).Length, FieldKind.JsonString, IsUnescaped: true)
                    : new Value(start + 1, json.ValueSpan.Length, FieldKind.JsonString, IsUnescaped: false);
            case JsonTokenType.Null:
                return new Value(0, 0, FieldKind.Null, IsUnescaped: false);
            case JsonTokenType.StartObject or JsonTokenType.StartArray:
                json.Skip();
                return new Value(start, (int)json.BytesConsumed - start, FieldKind.Quoted, IsUnescaped: false);
            default:
                return new Value(start, json.ValueSpan.Length, FieldKind.Quoted, IsUnescaped: false);
        }
    }

    /// <summary>Writes to the same place as in the text: unescaped text is never longer.</summary>
    private ReadOnlySpan<byte> Unescape(ref Utf8JsonReader json)
    {
        if (_unescaped.Length < _length)
        {
            Array.Resize(ref _unescaped, Math.Max(_length, 2 * _unescaped.Length));
        }

        var start = (int)json.TokenStartIndex + 1;
        return _unescaped.AsSpan(start, json.CopyString(_unescaped.AsSpan(start)));
    }

    /// <summary>Places are in the text, or in the buffer for unescaped strings.</summary>
    private readonly record struct Value(int Start, int Length, FieldKind Kind, bool IsUnescaped)
    {
        public static readonly Value Missing = new(0, 0, FieldKind.Missing, IsUnescaped: false);

        /// <summary>A key with the path's name replaces it.</summary>
        public bool IsOfPath { get; init; }
    }
}

internal static class JsonFaults
{
    private const int NamesShown = 20;

    private const string FromArray = " (of arrays, one a line, jq -c '{id: .[0], name: .[1]}' makes objects)";

    public static RecordFault NotAnObjectOfALine { get; } = new(
        "not-an-object", "not a JSON object; each line must be one (--format json reads an array of objects)");

    public static RecordFault NotAnObject { get; } = new("not-an-object", "not a JSON object; each element of the array must be one");

    public static RecordFault ArrayOfALine { get; } = new(
        "not-an-object", $"not a JSON object, but an array, whose values have no names{FromArray}");

    public static RecordFault Array { get; } = new(
        "not-an-object", $"not a JSON object, but an array; each element of the array must be one{FromArray}");

    public static RecordFault InvalidUtf8 { get; } = new(
        "invalid-utf-8", "the object is not valid UTF-8; name the file's encoding with --encoding");

    public static RecordFault LoneSurrogate { get; } = new(
        "lone-surrogate", "a \\u escape is half of a surrogate pair, which is no character");

    public static RecordFault NotComplete { get; } = new(
        "invalid-json",
        "a JSON value begins here and is not complete on its line; each line must be one object (--format json reads objects of several " +
        "lines)");

    public static RecordFault DuplicateKey(string key, int field) => new("duplicate-name", $"the key '{key}' appears twice", field);

    public static RecordFault UnknownKey(string key, IReadOnlyList<string> known) => new(
        "unknown-key",
        $"the key '{key}' is not among the expected ones: " +
        $"{string.Join(", ", known.Take(NamesShown))}{(known.Count > NamesShown ? ", ..." : "")} (--ignore-unknown ignores it, " +
        "--columns names all keys)");

    /// <summary><paramref name="line"/> is where the record begins.</summary>
    public static RecordFault Invalid(ReadOnlySpan<byte> text, JsonException cause, bool isLine, long line)
    {
        // The reader counts from 0, in lines too.
        var lines = cause.LineNumber ?? 0;
        var place = isLine ? "the line" : lines == 0 ? "the object" : $"line {line + lines}";
        var at = 0;
        for (var i = 0; i < lines; i++)
        {
            at += text[at..].IndexOf((byte)'\n') + 1;
        }

        at = (int)Math.Min(at + (cause.BytePositionInLine ?? 0), text.Length);
        return new RecordFault(
            "invalid-json", $"not valid JSON at byte {cause.BytePositionInLine + 1} of {place}: {JsonErrorText.Why(text, at)}");
    }
}
