using System.Globalization;
using System.Text;

namespace BulkLoad.Core.Reading;

/// <summary>Turns text of any encoding into UTF-8. Bytes that are invalid in it end the pass: they are never replaced. Owns its source.</summary>
internal sealed class DecodingStream : ForwardStream
{
    private const int PieceBytes = 64 * 1024;

    private readonly Stream _source;
    private readonly string _name;
    private readonly InputEncoding _encoding;
    private readonly Decoder _decoder;
    private readonly Encoder _encoder = Encoding.UTF8.GetEncoder();
    private readonly byte[] _piece = new byte[PieceBytes];
    private readonly char[] _chars;
    private readonly byte[] _utf8;
    private int _start;
    private int _end;
    private long _bytesIn;
    private long _bytesOut;
    private bool _hasEnded;

    /// <param name="source">stands behind the byte order mark</param>
    /// <param name="encoding">what the source is written in</param>
    /// <param name="name">the input's name, for messages</param>
    public DecodingStream(Stream source, InputEncoding encoding, string name)
    {
        _source = source;
        _name = name;
        _encoding = encoding;
        _decoder = encoding.Encoding.GetDecoder();
        _chars = new char[encoding.Encoding.GetMaxCharCount(PieceBytes)];
        _utf8 = new byte[Encoding.UTF8.GetMaxByteCount(_chars.Length)];
    }

    /// <summary>UTF-8 bytes for each byte so far.</summary>
    public double Growth => _bytesIn == 0 ? 1 : (double)_bytesOut / _bytesIn;

    public override int Read(Span<byte> buffer)
    {
        while (_start == _end && !_hasEnded)
        {
            Decode(_source.Read(_piece));
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

    private void Decode(int length)
    {
        _hasEnded = length == 0;
        try
        {
            // Flushed at the end, so that a character cut short there is an error too.
            var chars = _decoder.GetChars(_piece.AsSpan(0, length), _chars, flush: _hasEnded);
            _start = 0;
            _end = _encoder.GetBytes(_chars.AsSpan(0, chars), _utf8, flush: _hasEnded);
        }
        catch (DecoderFallbackException e)
        {
            var bytes = Convert.ToHexString(e.BytesUnknown ?? []);
            var offset = (_encoding.Mark.Length + _bytesIn + Math.Max(e.Index, 0)).ToString(CultureInfo.InvariantCulture);
            throw new InputException(
                $"{_name}: is not {_encoding.Name}: invalid bytes 0x{bytes} near byte {offset}; name the right one with --encoding",
                e);
        }

        _bytesIn += length;
        _bytesOut += _end;
    }
}
