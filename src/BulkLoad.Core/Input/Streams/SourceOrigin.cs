namespace BulkLoad.Core.Input.Streams;

/// <summary>Maps offsets of decoded text to the encoded input. Keeps the source of what readers have not passed, and decodes it again when
/// asked (all of it, if the encoding has modes). <paramref name="contentOffset"/> is the offset of the first decoded byte, and
/// <paramref name="sourceOffset"/> that of the byte which it came from.</summary>
internal sealed class SourceOrigin(InputEncoding encoding, long contentOffset, long sourceOffset)
{
    /// <summary>A smaller piece could be less than what a decoder may need.</summary>
    private const int ShortWalk = 64;

    private readonly Queue<Piece> _pieces = new();
    private readonly Stack<byte[]> _spare = new();
    private readonly char[] _chars = new char[4096];
    private long _sourceEnd = sourceOffset;
    private long _decodedEnd = contentOffset;
    private Piece? _walked;
    private Decoder? _decoder;
    private int _walkedSource;
    private long _walkedDecoded;
    private (long Decoded, long Source) _last = (-1, -1);

    /// <summary>Adds the next piece of whole characters. Copies the source.</summary>
    public void Add(ReadOnlySpan<byte> source, int decodedLength, bool hasInvalid)
    {
        if (!_spare.TryPop(out var bytes) || bytes.Length < source.Length)
        {
            bytes = new byte[source.Length];
        }

        source.CopyTo(bytes);
        _pieces.Enqueue(new Piece(bytes, source.Length, _sourceEnd, _decodedEnd, _decodedEnd + decodedLength, hasInvalid));
        _sourceEnd += source.Length;
        _decodedEnd += decodedLength;
    }

    /// <summary>Forgets what is before an offset. Only the last one asked for may come again.</summary>
    public void Forget(long decodedOffset)
    {
        while (_pieces.TryPeek(out var piece) && piece.DecodedEnd <= decodedOffset)
        {
            if (encoding.HasModes)
            {
                Enter(piece);
                Walk(piece, long.MaxValue);
            }

            _spare.Push(_pieces.Dequeue().Source);
        }
    }

    /// <summary>The offset in the source, with its byte order mark. Offsets must not go back.</summary>
    public long OffsetOf(long decodedOffset)
    {
        if (decodedOffset != _last.Decoded)
        {
            _last = (decodedOffset, Find(decodedOffset));
        }

        return _last.Source;
    }

    private long Find(long decodedOffset)
    {
        foreach (var piece in _pieces)
        {
            if (decodedOffset < piece.DecodedEnd)
            {
                Enter(piece);
                return piece.SourceStart + Walk(piece, decodedOffset);
            }

            if (encoding.HasModes)
            {
                Enter(piece);
                Walk(piece, long.MaxValue);
            }
        }

        return _sourceEnd;
    }

    /// <summary>Moves to the start of a piece. The decoder is kept if a piece can begin within a mode.</summary>
    private void Enter(Piece piece)
    {
        if (_walked == piece)
        {
            return;
        }

        _decoder = encoding.HasModes && _decoder is not null ? _decoder : encoding.CreateDecoder(new InvalidBytes());
        _walked = piece;
        _walkedSource = 0;
        _walkedDecoded = piece.DecodedStart;
    }

    private int Walk(Piece piece, long decodedOffset)
    {
        while (decodedOffset - _walkedDecoded is > 0 and var rest && _walkedSource < piece.Length)
        {
            // A character has at most three bytes, and a pair of them four: fewer than a third never lead beyond.
            var source = piece.Source.AsSpan(_walkedSource, piece.Length - _walkedSource);
            int used, chars;
            if (rest > ShortWalk)
            {
                _decoder!.Convert(
                    source, _chars.AsSpan(0, (int)Math.Min((rest - 1) / 3, _chars.Length)), flush: false, out used, out chars, out _);
            }
            else
            {
                used = 1;
                chars = _decoder!.GetChars(source[..1], _chars, flush: false);
            }

            _walkedSource += used;
            _walkedDecoded += piece.HasInvalid
                ? InvalidBytes.MarkedLength(_chars.AsSpan(0, chars))
                : Encoding.UTF8.GetByteCount(_chars.AsSpan(0, chars));
        }

        return _walkedSource;
    }

    private sealed record Piece(byte[] Source, int Length, long SourceStart, long DecodedStart, long DecodedEnd, bool HasInvalid);
}
