using System.IO.Compression;
using SharpCompress.Compressors.BZip2;
using ZstdSharp;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Throws <see cref="InputException"/> if the input is cut off, damaged, followed by something else, or grows too much.</summary>
internal abstract class DecompressingStream(CompressionFormat compression, string name, int maxRatio) : ForwardStream
{
    /// <summary>A small file may grow without a limit.</summary>
    private const long FreeBytes = 16 * 1024 * 1024;

    private long _bytesOut;

    public abstract long BytesIn { get; }

    /// <summary>Bytes of the whole content; null: the input does not say.</summary>
    public virtual long? ContentLength => null;

    /// <summary>Decompressed bytes for each compressed byte so far.</summary>
    public double Growth => BytesIn == 0 ? 1 : (double)_bytesOut / BytesIn;

    /// <summary>Owns the source. Zip needs the whole file: see <see cref="ZipStream"/>.</summary>
    public static DecompressingStream Open(InputCompression kind, Stream source, string name, int maxRatio) => kind switch
    {
        InputCompression.Gzip => new GunzipStream(source, name, maxRatio),
        _ => new DecoderStream(CompressionFormat.Of(kind), source, name, maxRatio),
    };

    /// <summary>Counts decompressed bytes. Throws if there are too many.</summary>
    protected int Count(int read)
    {
        _bytesOut += read;
        if (_bytesOut > FreeBytes && Growth > maxRatio)
        {
            throw new InputException($"{name}: its first {BytesIn} bytes decompress to more than {maxRatio} times as many, " +
                "which is rare: raise --max-ratio if you trust the file");
        }

        return read;
    }

    protected InputException CutOff(Exception? cause) =>
        new($"{name}: the {compression.Word} file is cut off after {BytesIn} bytes ({_bytesOut} decompressed); fetch it again", cause);

    protected InputException Corrupt(string what, Exception? cause) =>
        new($"{name}: the {compression.Word} data is {what} before byte {BytesIn} ({_bytesOut} decompressed); fetch it again, or see " +
            $"what {compression.Tester} says", cause);

    /// <summary>Decoders throw many types for bad data.</summary>
    protected static bool IsFault(Exception fault) =>
        fault is not (BulkLoadException or OperationCanceledException or OutOfMemoryException or ObjectDisposedException);
}

/// <summary>Decompresses gzip (RFC 1952), with several members. Throws if the input is cut off or followed by something else;
/// <see cref="GZipStream"/> ignores both. Owns its source.</summary>
internal sealed class GunzipStream : DecompressingStream
{
    private readonly Feed _feed;
    private readonly GZipStream _gzip;
    private bool _hasEnded;

    /// <summary>DEFLATE (RFC 1951) reaches a ratio of 1032.</summary>
    public GunzipStream(Stream source, string name, int maxRatio) : base(CompressionFormat.Of(InputCompression.Gzip), name, maxRatio)
    {
        _feed = new Feed(source);
        _gzip = new GZipStream(_feed, CompressionMode.Decompress);
    }

    public override long BytesIn => _feed.BytesOut;

    public override int Read(Span<byte> buffer)
    {
        if (_hasEnded || buffer.Length == 0)
        {
            return 0;
        }

        int read;
        try
        {
            read = _gzip.Read(buffer);
        }
        catch (InvalidDataException e)
        {
            throw _feed.HasEnded ? CutOff(e) : Corrupt(DamageException.Damaged, e);
        }

        if (_feed.HasEnded && (read != 0 || _feed.IsAskedForMore))
        {
            throw CutOff(null);
        }

        if (read == 0)
        {
            if (!_feed.HasEnded)
            {
                throw Corrupt(DamageException.FollowedByOther, null);
            }

            _hasEnded = true;
        }

        return Count(read);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _gzip.Dispose();
        }

        base.Dispose(disposing);
    }

    /// <summary>Adds a byte that cannot begin a member. Between members the decoder leaves it. Within a member it takes it, and delivers
    /// something or asks for more.</summary>
    private sealed class Feed(Stream source) : OwningStream(new BufferedStream(source, 128 * 1024))
    {
        public long BytesOut { get; private set; }

        public bool HasEnded { get; private set; }

        public bool IsAskedForMore { get; private set; }

        public override int Read(Span<byte> buffer)
        {
            if (HasEnded)
            {
                IsAskedForMore = true;
                return 0;
            }

            var read = Source.Read(buffer);
            if (read != 0)
            {
                BytesOut += read;
                return read;
            }

            HasEnded = true;
            buffer[0] = 0;
            return 1;
        }
    }
}

/// <summary>Decompresses zstd (RFC 8878), xz and bzip2, with several frames or streams. Owns its source.</summary>
internal sealed class DecoderStream : DecompressingStream
{
    /// <summary>The decoder's message if a frame needs more than its 128 MiB.</summary>
    private const string TooMuchMemory = "too much memory";

    /// <summary>The bzip2 decoder's message if another stream does not follow, but something does.</summary>
    private const string NoOtherStream = "Not a BZIP2 marked stream";

    /// <summary>Read-ahead counts as taken, and the estimate is the ratio of both lengths.</summary>
    private const int SmallBuffer = 16 * 1024;

    /// <summary>The bzip2 decoder asks for so many bytes of another stream's header at once. If only the fourth is missing or wrong, it
    /// ends as well.</summary>
    private const int BytesAfterBzip2 = 3;

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
            _decoder ??= OpenDecoder();
            var read = _decoder.Read(buffer);
            return read == 0 && _compression.Kind == InputCompression.Bzip2 && _bytes.MissingBytes != BytesAfterBzip2
                ? throw new DamageException(DamageException.FollowedByOther)
                : Count(read);
        }
        catch (Exception e) when (IsFault(e))
        {
            throw e is UnsupportedCompressionException ? new InputException($"{_name}: {e.Message}", e)
                : e is ZstdException && e.Message.Contains(TooMuchMemory, StringComparison.Ordinal)
                ? new InputException($"{_name}: the zstd data needs more memory than 128 MiB: decompress it with zstd -dc --long=31", e)
                : _bytes.HasEnded || e is EndOfStreamException ? CutOff(e)
                : Corrupt(
                    e is DamageException ? e.Message : e.Message == NoOtherStream ? DamageException.FollowedByOther
                    : DamageException.Damaged,
                    e);
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
        InputCompression.Bzip2 => BZip2Stream.Create(
            _bytes, SharpCompress.Compressors.CompressionMode.Decompress, decompressConcatenated: true, leaveOpen: true),
        _ => new XzDecoder(_bytes),
    };
}
