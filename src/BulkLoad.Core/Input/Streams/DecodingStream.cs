namespace BulkLoad.Core.Input.Streams;

/// <summary>Turns text of any encoding into UTF-8. Bytes that are invalid in it become <see cref="InvalidBytes">marks</see>, which no rule
/// takes for text and which can be turned back. Owns its source.</summary>
internal sealed class DecodingStream : ForwardStream
{
    private const int PieceBytes = 16 * 1024;

    /// <summary>More than the rest of a character that a piece cuts off.</summary>
    private const int RestBytes = 64;

    private readonly Stream _source;
    private readonly Decoder _decoder;
    private readonly InvalidBytes _invalid = new();
    private readonly SourceOrigin _origin;
    private readonly byte[] _piece = new byte[PieceBytes + RestBytes];
    private readonly char[] _chars;
    private readonly byte[] _utf8;
    private int _start;
    private int _end;
    private long _bytesIn;
    private long _bytesOut;
    private bool _hasEnded;

    /// <param name="source">is behind the byte order mark</param>
    public DecodingStream(Stream source, InputEncoding encoding, SourceOrigin origin)
    {
        _source = source;
        _origin = origin;
        _decoder = encoding.CreateDecoder(_invalid);
        _chars = new char[encoding.GetMaxCharCount(_piece.Length)];
        _utf8 = new byte[Encoding.UTF8.GetMaxByteCount(_chars.Length)];
    }

    /// <summary>UTF-8 bytes for each byte so far.</summary>
    public double Growth => _bytesIn == 0 ? 1 : (double)_bytesOut / _bytesIn;

    public override int Read(Span<byte> buffer)
    {
        while (_start == _end && !_hasEnded)
        {
            DecodePiece();
        }

        var count = Math.Min(buffer.Length, _end - _start);
        _utf8.AsSpan(_start, count).CopyTo(buffer);
        _start += count;
        return count;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _source.Dispose();
        }

        base.Dispose(disposing);
    }

    /// <summary>Decodes a piece that ends with a whole character, so that it can be decoded again by itself.</summary>
    private void DecodePiece()
    {
        _invalid.WereFound = false;
        var length = _source.Read(_piece, 0, PieceBytes);
        _hasEnded = length == 0;

        // Flushed at the end, so that a character cut short there is invalid too.
        var chars = _decoder.GetChars(_piece.AsSpan(0, length), _chars, flush: _hasEnded);
        while (!_hasEnded && length < _piece.Length && IsWithinCharacter())
        {
            var more = _source.Read(_piece, length, 1);
            _hasEnded = more == 0;
            chars += _decoder.GetChars(_piece.AsSpan(length, more), _chars.AsSpan(chars), flush: _hasEnded);
            length += more;
        }

        var bytes = Encoding.UTF8.GetBytes(_chars.AsSpan(0, chars), _utf8);
        _start = 0;
        _end = _invalid.WereFound ? InvalidBytes.Mark(_utf8.AsSpan(0, bytes)) : bytes;
        _origin.Add(_piece.AsSpan(0, length), _end, _invalid.WereFound);
        _bytesIn += length;
        _bytesOut += _end;
    }

    private bool IsWithinCharacter()
    {
        var wereFound = _invalid.WereFound;
        var isWithin = _decoder.GetCharCount([], flush: true) > 0;
        _invalid.WereFound = wereFound;
        return isWithin;
    }
}
