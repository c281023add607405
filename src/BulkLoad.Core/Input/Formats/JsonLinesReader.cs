using BulkLoad.Core.Input.Repairing;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Reads one JSON object a line. Lines end with LF or CRLF; blank ones are skipped.</summary>
internal sealed class JsonLinesReader : IRecordReader
{
    private static readonly LineEnds LineFeed = new("\n"u8.ToArray());

    private readonly RecordBuffer _buffer;
    private readonly int _maxRecordBytes;
    private readonly byte? _comment;
    private readonly JsonObjectParser _parser;
    private byte[]? _cut;
    private bool _isCut;
    private int _lineLength;
    private int _consumed;

    public JsonLinesReader(Stream content, ReaderStart start, Dialect dialect, JsonFieldNames keys)
    {
        _buffer = new RecordBuffer(content, start.ByteOffset, start.Origin);
        _maxRecordBytes = dialect.MaxRecordBytes;
        _comment = dialect.Comment;
        _parser = new JsonObjectParser(keys, dialect, areLines: true);
        LineNumber = start.LineNumber - 1;
    }

    public IReadOnlyList<string> FieldNames => _parser.Names;

    public RecordFault? Fault { get; private set; }

    public int FieldCount => _parser.Names.Count;

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
                Fault = _isCut ? RecordFaults.TooLarge(_maxRecordBytes, line.Length) : _parser.Parse(line, LineNumber);
                return true;
            }
        }

        Fault = null;
        return false;
    }

    public bool HasCome(int field) => _parser.HasCome(field);

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value) => _parser.GetField(index, _buffer.Unread, out value);

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

    /// <summary>Keeps the beginning of a line that is too large, and skips the rest.</summary>
    private bool TakeCut()
    {
        _cut ??= GC.AllocateUninitializedArray<byte>(Math.Min(RecordFaults.LargestCut, _maxRecordBytes));
        _buffer.Unread[.._cut.Length].CopyTo(_cut);
        _isCut = true;
        _lineLength = _consumed = 0;
        _parser.Forget();
        _buffer.ConsumeLine(0, LineFeed);
        return true;
    }
}
