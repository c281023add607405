namespace BulkLoad.Core.Input.Streams;

/// <summary>Decodes any encoding to UTF-8. Invalid bytes become <see cref="InvalidBytes">marks</see>, which every rule refuses, and which
/// can be turned back. Owns its source.</summary>
internal sealed class DecodingStream : ForwardStream
{
    private const int PieceBytes = 16 * 1024;

    /// <summary>More than the rest of a cut character.</summary>
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

    /// <summary>The source is behind the byte order mark.</summary>
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

    /// <summary>A piece ends with a whole character, so it can be decoded again alone.</summary>
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
