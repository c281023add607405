using System.IO.Compression;

namespace BulkLoad.Core.Input.Streams;

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
            throw _feed.HasEnded ? CutOff(e) : Corrupt("damaged", e);
        }

        if (_feed.HasEnded && (read != 0 || _feed.IsAskedForMore))
        {
            throw CutOff(null);
        }

        if (read == 0)
        {
            if (!_feed.HasEnded)
            {
                throw Corrupt("followed by something else", null);
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
    private sealed class Feed(Stream source) : ForwardStream
    {
        private readonly BufferedStream _source = new(source, 128 * 1024);

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

            var read = _source.Read(buffer);
            if (read != 0)
            {
                BytesOut += read;
                return read;
            }

            HasEnded = true;
            buffer[0] = 0;
            return 1;
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                _source.Dispose();
            }

            base.Dispose(disposing);
        }
    }
}
