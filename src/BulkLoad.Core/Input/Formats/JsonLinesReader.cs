using System.Text.Json;
using System.Text.Unicode;
using BulkLoad.Core.Input.Repairing;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Reads one JSON object (RFC 8259) a line; a line ends with LF or CRLF, blank lines are skipped. Strings are delivered unescaped,
/// everything else (numbers to the last digit, nested values too) as its text.</summary>
internal sealed class JsonLinesReader : IRecordReader
{
    /// <summary>Beyond what either server takes for a JSON document (100), so that the depth is judged there.</summary>
    private const int MaxDepth = 256;

    private static readonly JsonReaderState InitialState = new(new JsonReaderOptions { MaxDepth = MaxDepth });

    private static readonly LineEnds LineFeed = new("\n"u8.ToArray());

    private readonly RecordBuffer _buffer;
    private readonly int _maxRecordBytes;
    private readonly bool _ignoresUnknown;
    private readonly byte? _comment;
    private readonly JsonKeys _keys;
    private readonly bool _learnsKeys;
    private readonly List<int> _taken = [];
    private Value[] _values;
    private bool[] _hasCome;
    private byte[] _unescaped = [];
    private byte[]? _cut;
    private bool _isCut;
    private int _lineLength;
    private int _consumed;

    /// <param name="keys">what to deliver, in this order; null: all that come, by first appearance</param>
    public JsonLinesReader(Stream content, ReaderStart start, Dialect dialect, IReadOnlyList<string>? keys)
    {
        _buffer = new RecordBuffer(content, start.ByteOffset, start.Origin);
        _ignoresUnknown = dialect.IgnoreUnknown;
        _maxRecordBytes = dialect.MaxRecordBytes;
        _comment = dialect.Comment;
        _keys = new JsonKeys(keys ?? []);
        _learnsKeys = keys is null;
        _values = new Value[_keys.Names.Count];
        _hasCome = new bool[_values.Length];
        _values.AsSpan().Fill(Value.Missing);
        LineNumber = start.LineNumber - 1;
    }

    public IReadOnlyList<string> FieldNames => _keys.Names;

    public RecordFault? Fault { get; private set; }

    public int FieldCount => _keys.Names.Count;

    public long RecordNumber { get; private set; }

    public long LineNumber { get; private set; }

    public long ByteOffset { get; private set; }

    public ReadOnlySpan<byte> RawRecord => _isCut ? _cut : _buffer.Unread[.._lineLength];

    public bool Read()
    {
        while (TakeLine())
        {
            var line = RawRecord;
            if (!IsSkipped(line))
            {
                RecordNumber++;
                Fault = _isCut ? RecordFaults.TooLarge(_maxRecordBytes, line.Length) : Parse(line);
                return true;
            }
        }

        Fault = null;
        return false;
    }

    public bool HasCome(int field) => field < _hasCome.Length && _hasCome[field];

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value)
    {
        ref readonly var found = ref _values[index];
        value = found.IsUnescaped ? _unescaped.AsSpan(found.Start, found.Length) : _buffer.Unread.Slice(found.Start, found.Length);
        return found.Kind;
    }

    public void Dispose()
    {
        // Nothing of its own: the content is the caller's.
    }

    private bool IsSkipped(ReadOnlySpan<byte> line) =>
        line.IsEmpty || line[0] == _comment || (line[0] != '{' && line.IndexOfAnyExcept(" \t\r"u8) < 0);

    private bool TakeLine()
    {
        _buffer.Consume(_consumed);
        _consumed = _lineLength = 0;
        _isCut = false;
        ByteOffset = _buffer.Offset;
        LineNumber++;

        int end;
        var searched = 0;
        while ((end = _buffer.Unread[searched..].IndexOf((byte)'\n')) < 0)
        {
            searched = _buffer.Unread.Length;
            // A line end of two bytes may be on its way.
            if (searched > _maxRecordBytes + 1)
            {
                return TakeCut();
            }

            if (!_buffer.Fill())
            {
                break;
            }
        }

        var unread = _buffer.Unread;
        _consumed = end < 0 ? unread.Length : searched + end + 1;
        _lineLength = end < 0 ? unread.Length : searched + end;
        if (end >= 0 && _lineLength > 0 && unread[_lineLength - 1] == '\r')
        {
            _lineLength--;
        }

        return _lineLength > _maxRecordBytes ? TakeCut() : _consumed > 0;
    }

    /// <summary>Takes the beginning of a line that is too large, and passes over the rest of it.</summary>
    private bool TakeCut()
    {
        _cut ??= GC.AllocateUninitializedArray<byte>(Math.Min(RecordFaults.LargestCut, _maxRecordBytes));
        _buffer.Unread[.._cut.Length].CopyTo(_cut);
        _isCut = true;
        _lineLength = _consumed = 0;
        ForgetValues();
        _buffer.ConsumeLine(0, LineFeed);
        return true;
    }

    /// <summary>Only of the keys that the last object had: there may be many more.</summary>
    private void ForgetValues()
    {
        foreach (var field in _taken)
        {
            _values[field] = Value.Missing;
        }

        _taken.Clear();
    }

    private RecordFault? Parse(ReadOnlySpan<byte> line)
    {
        ForgetValues();
        if (!Utf8.IsValid(line))
        {
            return JsonFaults.InvalidUtf8;
        }

        var known = _keys.Names.Count;
        RecordFault? fault;
        try
        {
            var json = new Utf8JsonReader(line, isFinalBlock: true, InitialState);
            fault = ReadObject(ref json);
        }
        catch (JsonException e)
        {
            fault = IsCutOff(line) ? JsonFaults.NotComplete : JsonFaults.Invalid(e);
        }
        catch (InvalidOperationException)
        {
            // What Utf8JsonReader.CopyString throws for half a surrogate pair.
            fault = JsonFaults.LoneSurrogate;
        }

        if (fault is not null && _learnsKeys)
        {
            ForgetValues();
            _keys.Forget(known);
        }

        return fault;
    }

    /// <summary>Whether nothing is wrong with the line but that its value does not end on it.</summary>
    private static bool IsCutOff(ReadOnlySpan<byte> line)
    {
        var json = new Utf8JsonReader(line, isFinalBlock: false, InitialState);
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

    private RecordFault? ReadObject(ref Utf8JsonReader json)
    {
        json.Read();
        if (json.TokenType != JsonTokenType.StartObject)
        {
            return JsonFaults.NotAnObject;
        }

        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            var field = FieldOf(ref json);
            if (field < 0)
            {
                if (!_ignoresUnknown)
                {
                    return JsonFaults.UnknownKey(json.GetString()!, _keys.Names);
                }

                json.Skip();
                continue;
            }

            if (_values[field].Kind != FieldKind.Missing)
            {
                return JsonFaults.DuplicateKey(_keys.Names[field], field);
            }

            json.Read();
            _hasCome[field] = true;
            _taken.Add(field);
            _values[field] = ReadValue(ref json);
        }

        // Throws where something is behind the object.
        json.Read();
        return null;
    }

    private int FieldOf(ref Utf8JsonReader json)
    {
        var key = json.ValueIsEscaped ? Unescape(ref json) : json.ValueSpan;
        var field = _keys.IndexOf(key);
        if (field < 0 && _learnsKeys)
        {
            field = _keys.Add(Encoding.UTF8.GetString(key));
            if (field >= _values.Length)
            {
                Array.Resize(ref _values, Math.Max(16, 2 * field));
                Array.Resize(ref _hasCome, _values.Length);
                _values.AsSpan(field).Fill(Value.Missing);
            }
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

    /// <summary>Unescapes to the same place as in the line, where there is room, since text only gets shorter.</summary>
    private ReadOnlySpan<byte> Unescape(ref Utf8JsonReader json)
    {
        if (_unescaped.Length < _lineLength)
        {
            Array.Resize(ref _unescaped, Math.Max(_lineLength, 2 * _unescaped.Length));
        }

        var start = (int)json.TokenStartIndex + 1;
        return _unescaped.AsSpan(start, json.CopyString(_unescaped.AsSpan(start)));
    }

    /// <summary>Where a field's value lies: in the line, or unescaped in its own buffer.</summary>
    private readonly record struct Value(int Start, int Length, FieldKind Kind, bool IsUnescaped)
    {
        public static readonly Value Missing = new(0, 0, FieldKind.Missing, IsUnescaped: false);
    }
}

/// <summary>The faults of a line that should be one JSON object.</summary>
internal static class JsonFaults
{
    private const int NamesShown = 20;

    public static RecordFault NotAnObject { get; } = new(
        "not-an-object", "not a JSON object; each line must be one (an array becomes that with: jq -c '.[]')");

    public static RecordFault InvalidUtf8 { get; } = new(
        "invalid-utf-8", "the line is not valid UTF-8; name the file's encoding with --encoding");

    public static RecordFault LoneSurrogate { get; } = new(
        "lone-surrogate", "a \\u escape is half of a surrogate pair, which is no character");

    public static RecordFault NotComplete { get; } = new(
        "invalid-json",
        "a JSON value begins here and is not complete on its line; each line must be one object (several lines become that with: jq -c .)");

    public static RecordFault DuplicateKey(string key, int field) => new("duplicate-name", $"the key '{key}' appears twice", field);

    public static RecordFault UnknownKey(string key, IReadOnlyList<string> known) => new(
        "unknown-key",
        $"the key '{key}' is not among the expected ones: " +
        $"{string.Join(", ", known.Take(NamesShown))}{(known.Count > NamesShown ? ", ..." : "")} (--ignore-unknown ignores it, " +
        "--columns names all keys)");

    public static RecordFault Invalid(JsonException cause)
    {
        // The reader's text ends with a position that counts from 0, in lines too.
        var text = cause.Message;
        var end = text.IndexOf(" LineNumber:", StringComparison.Ordinal);
        return new RecordFault(
            "invalid-json", $"not valid JSON at byte {cause.BytePositionInLine + 1} of the line: {(end < 0 ? text : text[..end])}");
    }
}

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
