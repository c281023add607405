using SharpCompress.Compressors;
using SharpCompress.Compressors.BZip2;
using SharpCompress.Compressors.Xz;
using ZstdSharp;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Decompresses zstd (RFC 8878), xz and bzip2, with several frames or streams. Owns its source.</summary>
internal sealed class DecoderStream : DecompressingStream
{
    /// <summary>The decoder's message if a frame needs more than its 128 MiB.</summary>
    private const string TooMuchMemory = "too much memory";

    /// <summary>Read-ahead counts as taken, and the ratio of both lengths is the estimate.</summary>
    private const int SmallBuffer = 16 * 1024;

    private readonly CompressionFormat _compression;
    private readonly CompressedBytes _bytes;
    private readonly string _name;
    private Stream? _decoder;

    public DecoderStream(CompressionFormat compression, Stream source, string name, int maxRatio) : base(compression, name, maxRatio)
    {
        (_compression, _name) = (compression, name);
        _bytes = new CompressedBytes(source, isExact: compression.Kind == InputCompression.Xz);
    }

    public override long BytesIn => _bytes.BytesOut;

    public override int Read(Span<byte> buffer)
    {
        if (buffer.Length == 0)
        {
            return 0;
        }

        try
        {
            while (true)
            {
                _decoder ??= OpenDecoder();
                if (_decoder.Read(buffer) is > 0 and var read)
                {
                    return Count(read);
                }

                if (_compression.Kind != InputCompression.Xz || !StartsAgain())
                {
                    return 0;
                }
            }
        }
        catch (Exception e) when (IsFault(e))
        {
            throw e is ZstdException && e.Message.Contains(TooMuchMemory, StringComparison.Ordinal)
                ? new InputException($"{_name}: the zstd data needs more memory than 128 MiB: decompress it with zstd -dc --long=31", e)
                : _bytes.HasEnded || e is EndOfStreamException ? CutOff(e)
                : Corrupt("damaged", e);
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _decoder?.Dispose();
            _bytes.Dispose();
        }

        base.Dispose(disposing);
    }

    private Stream OpenDecoder() => _compression.Kind switch
    {
        InputCompression.Zstd => new DecompressionStream(_bytes, SmallBuffer, checkEndOfStream: true, leaveOpen: true),
        InputCompression.Bzip2 => BZip2Stream.Create(_bytes, CompressionMode.Decompress, decompressConcatenated: true, leaveOpen: true),
        _ => new XZStream(_bytes),
    };

    /// <summary>Whether another xz stream follows, behind zeros in fours. The decoder reads only one.</summary>
    private bool StartsAgain()
    {
        var zeros = 0;
        while (_bytes.Peek() == 0)
        {
            _bytes.ReadByte();
            zeros++;
        }

        var hasMore = _bytes.Peek() >= 0;
        if (zeros % 4 != 0 || (hasMore && _bytes.Peek() != 0xFD))
        {
            throw Corrupt("followed by something else", null);
        }

        // A stream has ended; the decoder looks at the whole mark itself.
        _decoder = hasMore ? null : _decoder;
        return hasMore;
    }

    /// <summary>The compressed bytes, with a position for the xz decoder, which takes it that a read is always complete.</summary>
    private sealed class CompressedBytes(Stream source, bool isExact) : ForwardStream
    {
        private readonly byte[] _buffer = new byte[128 * 1024];
        private int _start;
        private int _end;

        /// <summary>Bytes taken.</summary>
        public long BytesOut { get; private set; }

        /// <summary>More was asked for than there is.</summary>
        public bool HasEnded { get; private set; }

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
                return -1;
            }

            BytesOut++;
            return _buffer[_start++];
        }

        /// <summary>-1: there is none.</summary>
        public int Peek() => Fill() ? _buffer[_start] : -1;

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                source.Dispose();
            }

            base.Dispose(disposing);
        }

        private bool Fill()
        {
            if (_start == _end)
            {
                (_start, _end) = (0, source.Read(_buffer));
                HasEnded = _end == 0;
            }

            return _start < _end;
        }
    }
}
