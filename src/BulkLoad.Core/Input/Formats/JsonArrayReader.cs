using System.Buffers;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Reads one JSON array of objects, or objects one after the other, over any lines. Holds one object at a time. An invalid object
/// whose end is clear is a fault; an array that is broken between objects is an error.</summary>
internal sealed class JsonArrayReader : IRecordReader
{
    private readonly RecordBuffer _buffer;
    private readonly JsonElementScanner _scanner = new();
    private readonly JsonObjectParser _parser;
    private readonly string _name;
    private readonly byte[][] _path;
    private readonly int _maxRecordBytes;
    private Part _part = Part.Start;
    private long _arrayLine;
    private long _line;
    private byte[]? _cut;
    private bool _isCut;
    private bool _isFirstKey;
    private int _length;
    private int _consumed;

    public JsonArrayReader(Stream content, ReaderStart start, Dialect dialect, JsonFieldNames keys)
    {
        if (dialect.Comment is not null)
        {
            throw new RequestException("--comment: the json format has no comments");
        }

        _buffer = new RecordBuffer(content, start.ByteOffset, start.Origin);
        _maxRecordBytes = dialect.MaxRecordBytes;
        _parser = new JsonObjectParser(keys, dialect, areLines: false);
        _name = start.Name;
        _path = [.. dialect.JsonPath.Select(Encoding.UTF8.GetBytes)];
        _line = start.LineNumber;
    }

    private enum Part
    {
        Start,
        FirstElement,
        LaterElement,
        Sequence,
        End,
    }

    public IReadOnlyList<string> FieldNames => _parser.Names;

    public RecordFault? Fault { get; private set; }

    public int FieldCount => _parser.Names.Count;

    public long RecordNumber { get; private set; }

    public long LineNumber { get; private set; }

    public long ByteOffset { get; private set; }

    public ReadOnlySpan<byte> RawRecord => _isCut ? _cut : _buffer.Unread[.._length];

    public bool Read()
    {
        Skip(_consumed);
        _consumed = _length = 0;
        _isCut = false;
        Fault = null;
        do
        {
            if (_part == Part.Start)
            {
                Begin();
            }

            if (FindElement())
            {
                return Take();
            }
        }
        while (_part == Part.Start);

        return false;
    }

    private bool Take()
    {

        (ByteOffset, LineNumber) = (_buffer.Offset, _line);
        TakeElement();
        RecordNumber++;
        if (_isCut)
        {
            _parser.Forget();
            Fault = RecordFaults.TooLarge(_maxRecordBytes, RawRecord.Length);
        }
        else
        {
            Fault = _parser.Parse(RawRecord, LineNumber);
        }

        return true;
    }

    public bool HasCome(int field) => _parser.HasCome(field);

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value) => _parser.GetField(index, _buffer.Unread, out value);

    private void Begin()
    {
        _part = Part.Sequence;
        if (_path.Length > 0)
        {
            Enter();
        }
        else if (SkipBlanks() && _buffer.Unread[0] == '[')
        {
            _arrayLine = _line;
            _part = Part.FirstElement;
            Skip(1);
        }
    }

    /// <summary>False: there is no further element.</summary>
    private bool FindElement()
    {
        var hasMore = SkipBlanks();
        if (_part is Part.Sequence or Part.End)
        {
            return hasMore && _part == Part.Sequence;
        }

        if (!hasMore)
        {
            throw CutOff($"the array that begins in line {_arrayLine} does not end: ']' is missing {AfterLast}");
        }

        var next = _buffer.Unread[0];
        if (next == ']')
        {
            End();
            return false;
        }

        if (_part == Part.LaterElement)
        {
            if (next != ',')
            {
                throw Broken($"{Show(next)} follows {Last}: a comma or ']' is missing");
            }

            Skip(1);
            if (!SkipBlanks())
            {
                throw CutOff($"the array that begins in line {_arrayLine} does not end: ']' is missing {AfterLast}");
            }

            next = _buffer.Unread[0];
        }

        _part = Part.LaterElement;
        return next is (byte)',' or (byte)']' or (byte)'}' or (byte)':'
            ? throw Broken($"{Show(next)} is where an object should be, {AfterLast}")
            : true;
    }

    private void End()
    {
        Skip(1);
        _part = Part.End;
        for (var left = _path.Length; left > 0; left--)
        {
            while (FindKey() is { } key)
            {
                SkipValue(key);
            }
        }

        if (_path.Length > 0 && SkipBlanks() && _buffer.Unread[0] == '{')
        {
            // Another page of the same form follows.
            _part = Part.Start;
        }
        else if (SkipBlanks())
        {
            throw Broken($"{Show(_buffer.Unread[0])} follows the array's end: an input is one array");
        }
    }

    /// <summary>Goes to the list that <c>--json-path</c> names. Without an object, there is no record.</summary>
    private void Enter()
    {
        if (!SkipBlanks())
        {
            _part = Part.End;
            return;
        }

        foreach (var step in _path)
        {
            if (_buffer.Unread[0] != '{')
            {
                throw NoList($"{Show(_buffer.Unread[0])} is where an object with the key '{Encoding.UTF8.GetString(step)}' should be");
            }

            Skip(1);
            _isFirstKey = true;
            while (true)
            {
                var key = FindKey() ?? throw NoList($"the object has no key '{Encoding.UTF8.GetString(step)}'");
                if (key.AsSpan().SequenceEqual(step))
                {
                    break;
                }

                SkipValue(key);
            }

            RequireMore(SkipBlanks());
        }

        if (_buffer.Unread[0] != '[')
        {
            throw NoList("it is no list");
        }

        _arrayLine = _line;
        _part = Part.FirstElement;
        Skip(1);
    }

    private InputException NoList(string why) =>
        new($"{_name}:{_line}: --json-path {string.Join('.', _path.Select(Encoding.UTF8.GetString))}: {why}");

    /// <summary>The next key of the object, behind its colon; null: the object ends.</summary>
    private byte[]? FindKey()
    {
        RequireMore(SkipBlanks());
        if (_buffer.Unread[0] == '}')
        {
            Skip(1);
            _isFirstKey = false;
            return null;
        }

        if (!_isFirstKey)
        {
            RequireNext((byte)',');
            RequireMore(SkipBlanks());
        }

        _isFirstKey = false;
        if (_buffer.Unread[0] != '"')
        {
            throw Broken($"{Show(_buffer.Unread[0])} is where a key should be");
        }

        _scanner.Begin((byte)'"', toLineEnd: false);
        while (!_scanner.Scan(_buffer.Unread))
        {
            RequireMore(_scanner.Position <= _maxRecordBytes && _buffer.Fill());
        }

        var key = KeyOf(_buffer.Unread[.._scanner.Position]);
        Skip(_scanner.Position);
        RequireMore(SkipBlanks());
        RequireNext((byte)':');
        RequireMore(SkipBlanks());
        return key;
    }

    private byte[] KeyOf(ReadOnlySpan<byte> text)
    {
        var json = new System.Text.Json.Utf8JsonReader(text);
        try
        {
            json.Read();
            return Encoding.UTF8.GetBytes(json.GetString()!);
        }
        catch (Exception e) when (e is System.Text.Json.JsonException or InvalidOperationException)
        {
            throw Broken($"{FieldText.Show(text)} is no key");
        }
    }

    /// <summary>Skips a value of any size, without keeping it in memory.</summary>
    private void SkipValue(byte[] key)
    {
        if (_buffer.Unread[0] is (byte)',' or (byte)'}' or (byte)']' or (byte)':')
        {
            throw Broken($"the key {FieldText.Show(key)} has no value");
        }

        _scanner.Begin(_buffer.Unread[0], toLineEnd: false);
        while (!_scanner.Scan(_buffer.Unread))
        {
            Skip(_scanner.Position);
            _scanner.Continue();
            RequireMore(_buffer.Fill());
        }

        Skip(_scanner.Position);
    }

    private void RequireNext(byte sign)
    {
        if (_buffer.Unread[0] != sign)
        {
            throw Broken($"{Show(_buffer.Unread[0])} is where {Show(sign)} should be");
        }

        Skip(1);
    }

    private void RequireMore(bool hasMore)
    {
        if (!hasMore)
        {
            throw CutOff("the input ends within an object: a brace or quote is not closed");
        }
    }

    /// <summary>Keeps only the beginning of a large element.</summary>
    private void TakeElement()
    {
        _scanner.Begin(_buffer.Unread[0], _part == Part.Sequence);
        while (!_scanner.Scan(_buffer.Unread))
        {
            if (_scanner.Position > _maxRecordBytes)
            {
                SkipLarge();
                return;
            }

            if (HasEnded())
            {
                break;
            }
        }

        if (_scanner.Position > _maxRecordBytes)
        {
            Cut();
            Skip(_scanner.Position);
            return;
        }

        _length = _consumed = _scanner.Position;
    }

    /// <summary>Throws if the input ends within the element.</summary>
    private bool HasEnded() => !_buffer.Fill() && (_scanner.IsOpen
        ? throw CutOff("the object that begins here does not end: a quote or brace is not closed", LineNumber)
        : true);

    private void SkipLarge()
    {
        Cut();
        var isWhole = false;
        while (!isWhole)
        {
            Skip(_scanner.Position);
            _scanner.Continue();
            isWhole = _scanner.Scan(_buffer.Unread) || HasEnded();
        }

        Skip(_scanner.Position);
    }

    private void Cut()
    {
        _buffer.RecordPlace();
        _cut ??= GC.AllocateUninitializedArray<byte>(Math.Min(RecordFaults.LargestCut, _maxRecordBytes));
        _buffer.Unread[.._cut.Length].CopyTo(_cut);
        _isCut = true;
    }

    /// <summary>False at the end of the input.</summary>
    private bool SkipBlanks()
    {
        while (true)
        {
            var unread = _buffer.Unread;
            var at = unread.IndexOfAnyExcept(" \t\r\n"u8);
            Skip(at < 0 ? unread.Length : at);
            if (at >= 0)
            {
                return true;
            }

            if (!_buffer.Fill())
            {
                return false;
            }
        }
    }

    private void Skip(int bytes)
    {
        _line += _buffer.Unread[..bytes].Count((byte)'\n');
        _buffer.Consume(bytes);
    }

    private string Last => RecordNumber == 0 ? "the array's beginning" : $"record {RecordNumber}, of line {LineNumber}";

    private string AfterLast => $"after {Last}";

    private static string Show(byte next) => FieldText.Show([next]);

    private InputException Broken(string what) => new($"{_name}:{_line}: {what}");

    private InputException CutOff(string what, long? line = null) => new($"{_name}:{line ?? _line}: {what}") { IsCutOff = true };
}

/// <summary>Finds the end of a JSON value by braces and quotes. Continues where it stopped.</summary>
internal sealed class JsonElementScanner
{
    private static readonly SearchValues<byte> Structure = SearchValues.Create("\"{}[]"u8);
    private static readonly SearchValues<byte> WordEnds = SearchValues.Create(",]} \t\r\n"u8);
    private static readonly SearchValues<byte> LineEnd = SearchValues.Create("\n"u8);

    private SearchValues<byte>? _wordEnds;
    private int _depth;
    private bool _isInText;

    /// <summary>Number of scanned bytes.</summary>
    public int Position { get; private set; }

    public bool IsOpen => _wordEnds is null && (_depth > 0 || _isInText);

    /// <summary>With <paramref name="toLineEnd"/>, something that is no value ends with the line.</summary>
    public void Begin(byte first, bool toLineEnd)
    {
        (Position, _depth, _isInText) = (0, 0, false);
        _wordEnds = first is (byte)'{' or (byte)'[' or (byte)'"' ? null : toLineEnd ? LineEnd : WordEnds;
    }

    /// <summary>Called when the scanned bytes are removed from the buffer.</summary>
    public void Continue() => Position = 0;

    /// <summary>True: the value is complete. The bytes begin where the value began or was continued.</summary>
    public bool Scan(ReadOnlySpan<byte> bytes)
    {
        if (_wordEnds is { } ends)
        {
            var end = bytes[Position..].IndexOfAny(ends);
            Position = end < 0 ? bytes.Length : Position + end;
            return end >= 0;
        }

        while (Position < bytes.Length)
        {
            var rest = bytes[Position..];
            var found = _isInText ? rest.IndexOfAny((byte)'"', (byte)'\\') : rest.IndexOfAny(Structure);
            if (found < 0)
            {
                Position = bytes.Length;
                break;
            }

            Position += found;
            if (rest[found] == '\\')
            {
                if (Position + 1 == bytes.Length)
                {
                    break;
                }

                Position += 2;
                continue;
            }

            Position++;
            Take(rest[found]);
            if (!IsOpen)
            {
                return true;
            }
        }

        return false;
    }

    private void Take(byte mark)
    {
        if (mark == '"')
        {
            _isInText = !_isInText;
        }
        else
        {
            _depth += mark is (byte)'{' or (byte)'[' ? 1 : -1;
        }
    }
}
