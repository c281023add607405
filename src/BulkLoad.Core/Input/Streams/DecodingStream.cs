using System.Buffers;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Decodes any encoding to UTF-8. Invalid bytes become <see cref="InvalidBytes">marks</see>, which every rule refuses, and which
/// can be turned back. Owns its source.</summary>
internal sealed class DecodingStream : OwningStream
{
    private const int PieceBytes = 16 * 1024;

    /// <summary>More than the rest of a cut character.</summary>
    private const int RestBytes = 64;

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
    public DecodingStream(Stream source, InputEncoding encoding, SourceOrigin origin) : base(source)
    {
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

    /// <summary>A piece ends with a whole character, so it can be decoded again alone.</summary>
    private void DecodePiece()
    {
        _invalid.WereFound = false;
        var length = Source.Read(_piece, 0, PieceBytes);
        _hasEnded = length == 0;

        // Flushed at the end, so that a character cut short there is invalid too.
        var chars = _decoder.GetChars(_piece.AsSpan(0, length), _chars, flush: _hasEnded);
        while (!_hasEnded && length < _piece.Length && IsWithinCharacter())
        {
            var more = Source.Read(_piece, length, 1);
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

/// <summary>Carries invalid bytes through decoded text, as two bytes that UTF-8 never has (RFC 3629, section 3: F8 to FB). So every rule
/// refuses the value, and the bytes can be turned back. A decoder cannot give such bytes: it gives two noncharacters, which are replaced
/// afterwards. (Text with these noncharacters and invalid bytes within the same 16 KiB is taken as invalid too.)</summary>
internal sealed class InvalidBytes : DecoderFallback
{
    /// <summary>A mark is <c>{First | b >> 6, 0x80 | b &amp; 0x3F}</c>.</summary>
    private const byte First = 0xF8;

    private const char High = '\uFDD0';
    private const char Low = '\uFDE0';

    /// <summary>No encoding has longer characters.</summary>
    private const int LongestRun = 4;

    /// <summary>Whether a decoder found one since this was reset.</summary>
    public bool WereFound { get; set; }

    public override int MaxCharCount => 2 * LongestRun;

    public override DecoderFallbackBuffer CreateFallbackBuffer() => new Buffer(this);

    /// <summary>Replaces the noncharacters in place, and returns the new length.</summary>
    public static int Mark(Span<byte> utf8)
    {
        var length = 0;
        for (var i = 0; i < utf8.Length; i++)
        {
            if (utf8[i] == 0xEF && IsPair(utf8[i..]))
            {
                var value = ((utf8[i + 2] & 0x0F) << 4) | (utf8[i + 5] & 0x0F);
                utf8[length++] = (byte)(First | (value >> 6));
                utf8[length++] = (byte)(0x80 | (value & 0x3F));
                i += 5;
            }
            else
            {
                utf8[length++] = utf8[i];
            }
        }

        return length;
    }

    /// <summary>UTF-8 bytes of the characters, after <see cref="Mark"/>.</summary>
    public static int MarkedLength(ReadOnlySpan<char> chars) => Encoding.UTF8.GetByteCount(chars) - (2 * chars.CountAny(Noncharacters));

    /// <summary>The first mark, or -1.</summary>
    public static int IndexOf(ReadOnlySpan<byte> decoded) => decoded.IndexOfAnyInRange(First, (byte)(First + 3));

    /// <summary>Whether all invalid bytes there are marks.</summary>
    public static bool AreIn(ReadOnlySpan<byte> decoded) =>
        IndexOf(decoded) is >= 0 and var at && at + 1 < decoded.Length && (decoded[at + 1] & 0xC0) == 0x80;

    /// <summary>The byte of a mark, and the mark's length. An invalid byte that is no mark is itself.</summary>
    public static byte Original(ReadOnlySpan<byte> mark, out int length)
    {
        var isMark = mark.Length > 1 && (mark[1] & 0xC0) == 0x80;
        length = isMark ? 2 : 1;
        return isMark ? (byte)((mark[0] << 6) | (mark[1] & 0x3F)) : mark[0];
    }

    private static readonly SearchValues<char> Noncharacters =
        SearchValues.Create([.. Enumerable.Range(High, 32).Select(code => (char)code)]);

    private static bool IsPair(ReadOnlySpan<byte> bytes) =>
        bytes.Length >= 6 && bytes[1] == 0xB7 && bytes[2] is >= 0x90 and <= 0x9F
        && bytes[3] == 0xEF && bytes[4] == 0xB7 && bytes[5] is >= 0xA0 and <= 0xAF;

    private sealed class Buffer(InvalidBytes owner) : DecoderFallbackBuffer
    {
        private readonly char[] _chars = new char[2 * LongestRun];
        private int _length;
        private int _next;

        public override int Remaining => _length - _next;

        public override bool Fallback(byte[] bytesUnknown, int index)
        {
            owner.WereFound = true;
            _length = _next = 0;
            foreach (var value in bytesUnknown)
            {
                _chars[_length++] = (char)(High + (value >> 4));
                _chars[_length++] = (char)(Low + (value & 0x0F));
            }

            return _length > 0;
        }

        public override char GetNextChar() => _next < _length ? _chars[_next++] : '\0';

        public override bool MovePrevious()
        {
            if (_next == 0)
            {
                return false;
            }

            _next--;
            return true;
        }

        public override void Reset() => _length = _next = 0;
    }
}

internal static class OriginalText
{
    /// <summary>Writes UTF-8 with <see cref="InvalidBytes">marks</see> as the original bytes.</summary>
    public static void Write(ReadOnlySpan<byte> decoded, Encoding encoding, IBufferWriter<byte> output)
    {
        while (!decoded.IsEmpty)
        {
            var mark = InvalidBytes.IndexOf(decoded);
            var text = mark < 0 ? decoded : decoded[..mark];
            if (!text.IsEmpty)
            {
                encoding.GetBytes(Encoding.UTF8.GetString(text), output);
            }

            decoded = decoded[text.Length..];
            if (!decoded.IsEmpty)
            {
                output.Write([InvalidBytes.Original(decoded, out var length)]);
                decoded = decoded[length..];
            }
        }
    }
}
