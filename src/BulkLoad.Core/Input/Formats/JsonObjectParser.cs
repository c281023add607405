using System.Runtime.InteropServices;
using System.Text.Json;
using System.Text.Unicode;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Finds the values of JSON objects (RFC 8259). Strings are unescaped; the rest is delivered as text, with all digits.
/// <para>Most objects are read by <see cref="TryReadPlain"/>. Utf8JsonReader reads all others, and finds all faults: the former only takes
/// what the latter would take in the same way.</para></summary>
internal sealed class JsonObjectParser
{
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
        foreach (var field in CollectionsMarshal.AsSpan(_taken))
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
        var place = _keys.Place;
        if (TryReadPlain(text))
        {
            foreach (var field in CollectionsMarshal.AsSpan(_taken))
            {
                _hasCome[field] = true;
            }

            return null;
        }

        Forget();
        _keys.Place = place;
        return ParseAny(text, line);
    }

    private RecordFault? ParseAny(ReadOnlySpan<byte> text, long line)
    {
        _record++;
        var known = _keys.Names.Count;
        RecordFault? fault;
        try
        {
            var json = new Utf8JsonReader(text, isFinalBlock: true, JsonSyntax.ObjectState);
            fault = ReadObject(ref json, text);
        }
        catch (JsonException e)
        {
            fault = _areLines && JsonSyntax.IsCutOff(text) ? JsonFaults.NotComplete : JsonFaults.Invalid(text, e, _areLines, line);
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

    /// <summary>Reads an object whose keys are known and have no escapes, and of whose nested values no path is looked up. False: it is
    /// another one, or has a fault.</summary>
    private bool TryReadPlain(ReadOnlySpan<byte> text)
    {
        var at = JsonSyntax.SkipBlanks(text, 0);
        if (at == text.Length || text[at] != '{')
        {
            return false;
        }

        at = JsonSyntax.SkipBlanks(text, at + 1);
        for (var isFirst = true; at < text.Length && !(isFirst && text[at] == '}'); isFirst = false)
        {
            if (!TryReadKey(text, ref at, out var key, out var field) || !TryReadValue(text, ref at, key, out var value))
            {
                return false;
            }

            if (field >= 0)
            {
                ref var present = ref _values[field];
                if (present.Kind != FieldKind.Missing)
                {
                    return false;
                }

                present = value;
                _taken.Add(field);
            }

            at = JsonSyntax.SkipBlanks(text, at);
            if (at == text.Length || text[at] != ',')
            {
                break;
            }

            at = JsonSyntax.SkipBlanks(text, at + 1);
        }

        return at < text.Length && text[at] == '}' && JsonSyntax.SkipBlanks(text, at + 1) == text.Length;
    }

    /// <summary>Up to the value.</summary>
    /// <param name="field">-1: the value is not read</param>
    private bool TryReadKey(ReadOnlySpan<byte> text, ref int at, out ReadOnlySpan<byte> key, out int field)
    {
        if (_keys.TryTakeNext(text[at..], out field, out var length))
        {
            key = text.Slice(at + 1, length - 3);
            at += length;
        }
        else
        {
            var start = at + 1;
            var end = text[at] == '"' ? JsonSyntax.IndexOfSpecial(text, start) : text.Length;
            if (end == text.Length || text[end] != '"')
            {
                key = default;
                return false;
            }

            key = text[start..end];
            field = _keys.IndexOf(key);
            at = JsonSyntax.SkipBlanks(text, end + 1);
            if (at == text.Length || text[at++] != ':'
                || (field < 0 && (_learnsKeys || !_ignoresUnknown || _paths.Root.Find(key) is not null)))
            {
                return false;
            }
        }

        at = JsonSyntax.SkipBlanks(text, at);
        return at < text.Length;
    }

    private bool TryReadValue(ReadOnlySpan<byte> text, ref int at, ReadOnlySpan<byte> key, out Value value)
    {
        var start = at;
        switch (text[at])
        {
            case (byte)'"':
                at = JsonSyntax.IndexOfSpecial(text, start + 1);
                if (at < text.Length && text[at] == '\\')
                {
                    return TryReadEscaped(text, ref at, start, out value);
                }

                value = new Value(start + 1, at - start - 1, FieldKind.JsonString, IsUnescaped: false);
                return at < text.Length && text[at++] == '"';
            case (byte)'n':
                at += 4;
                value = new Value(0, 0, FieldKind.Null, IsUnescaped: false);
                return text[start..].StartsWith("null"u8);
            case (byte)'{' or (byte)'[':
                value = default;
                return _paths.Root.Find(key) is not { Children.Length: > 0 } && TryReadNested(text, ref at, out value);
            case (byte)'t' or (byte)'f':
                at += text[at] == 't' ? 4 : 5;
                value = new Value(start, at - start, FieldKind.Quoted, IsUnescaped: false);
                return text[start..].StartsWith("true"u8) || text[start..].StartsWith("false"u8);
            default:
                at = JsonSyntax.EndOfNumber(text, start);
                value = new Value(start, at - start, FieldKind.Quoted, IsUnescaped: false);
                return at > start;
        }
    }

    /// <param name="at">the first escape</param>
    /// <param name="start">the quote</param>
    private bool TryReadEscaped(ReadOnlySpan<byte> text, ref int at, int start, out Value value)
    {
        value = default;
        while (at < text.Length && text[at] == '\\')
        {
            at = JsonSyntax.IndexOfSpecial(text, Math.Min(at + 2, text.Length));
        }

        if (at == text.Length)
        {
            return false;
        }

        at++;
        try
        {
            var json = new Utf8JsonReader(text[start..at], isFinalBlock: true, JsonSyntax.ValueState);
            json.Read();
            value = new Value(start + 1, Unescape(ref json, start).Length, FieldKind.JsonString, IsUnescaped: true);
            return true;
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            return false;
        }
    }

    private static bool TryReadNested(ReadOnlySpan<byte> text, ref int at, out Value value)
    {
        value = default;
        try
        {
            var json = new Utf8JsonReader(text[at..], isFinalBlock: true, JsonSyntax.ValueState);
            json.Read();
            json.Skip();
            value = new Value(at, (int)json.BytesConsumed, FieldKind.Quoted, IsUnescaped: false);
            at += value.Length;
            return true;
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
    /// <param name="offset">of the reader's first byte in the text</param>
    private ReadOnlySpan<byte> Unescape(ref Utf8JsonReader json, int offset = 0)
    {
        if (_unescaped.Length < _length)
        {
            Array.Resize(ref _unescaped, Math.Max(_length, 2 * _unescaped.Length));
        }

        var start = offset + (int)json.TokenStartIndex + 1;
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
