namespace BulkLoad.Core.Input.Streams;

/// <summary>The compressed bytes, with a position for decoders; some of them rely on complete reads. Owns its source.</summary>
internal sealed class CompressedBytes(Stream source, bool isExact) : OwningStream(source)
{
    private readonly byte[] _buffer = new byte[128 * 1024];
    private int _start;
    private int _end;

    public long BytesOut { get; private set; }

    /// <summary>Whether more was asked for than there is.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Single bytes that were asked for behind the end.</summary>
    public int MissingBytes { get; private set; }

    public override long Position
    {
        get => BytesOut;
        set => throw new NotSupportedException();
    }

    public override int Read(Span<byte> buffer)
    {
        var length = 0;
        while (length < buffer.Length && (isExact || length == 0) && Fill())
        {
            var count = Math.Min(buffer.Length - length, _end - _start);
            _buffer.AsSpan(_start, count).CopyTo(buffer[length..]);
            _start += count;
            length += count;
        }

        BytesOut += length;
        return length;
    }

    public override int ReadByte()
    {
        if (!Fill())
        {
            MissingBytes++;
            return -1;
        }

        BytesOut++;
        return _buffer[_start++];
    }

    /// <summary>-1: there is none.</summary>
    public int Peek() => Fill() ? _buffer[_start] : -1;

    private bool Fill()
    {
        if (_start == _end)
        {
            (_start, _end) = (0, Source.Read(_buffer));
            HasEnded = _end == 0;
        }

        return _start < _end;
    }
}

/// <summary>The data is valid, but cannot be read here. The message follows the name of the file.</summary>
internal sealed class UnsupportedCompressionException(string message) : Exception(message);

/// <summary>The data is invalid: it is <paramref name="what"/>.</summary>
internal sealed class DamageException(string what) : Exception(what)
{
    public const string Damaged = "damaged";

    public const string FollowedByOther = "followed by something else";

    public static void Require(bool isSo, string what = Damaged)
    {
        if (!isSo)
        {
            throw new DamageException(what);
        }
    }
}
