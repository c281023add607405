using System.IO.Compression;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Decompresses gzip (RFC 1952), of several members too. Unlike <see cref="GZipStream"/>, which takes both in silence, it ends
/// with <see cref="InputException"/> where the input is cut off or continues with something that is not gzip, and where it grows more than
/// data does. Owns its source.</summary>
internal sealed class GunzipStream : ForwardStream
{
    /// <summary>So much may come of nothing: a small file harms nobody.</summary>
    private const long FreeBytes = 16 * 1024 * 1024;

    private readonly Feed _feed;
    private readonly GZipStream _gzip;
    private readonly string _name;
    private readonly int _maxRatio;
    private long _bytesOut;
    private bool _hasEnded;

    /// <param name="maxRatio">most decompressed bytes for each compressed one (DEFLATE, RFC 1951, comes to 1032)</param>
    public GunzipStream(Stream source, string name, int maxRatio)
    {
        (_name, _maxRatio) = (name, maxRatio);
        _feed = new Feed(source);
        _gzip = new GZipStream(_feed, CompressionMode.Decompress);
    }

    /// <summary>Decompressed bytes for each compressed byte so far.</summary>
    public double Growth => _feed.BytesOut == 0 ? 1 : (double)_bytesOut / _feed.BytesOut;

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

        _bytesOut += read;
        if (_bytesOut > FreeBytes && Growth > _maxRatio)
        {
            throw new InputException($"{_name}: its first {_feed.BytesOut} bytes decompress to more than {_maxRatio} times as many, " +
                "which is rare: raise --max-ratio if you trust the file");
        }

        return read;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _gzip.Dispose();
        }

        base.Dispose(disposing);
    }

    private InputException CutOff(Exception? cause) =>
        new($"{_name}: the gzip file is cut off after {_feed.BytesOut} bytes ({_bytesOut} decompressed); fetch it again", cause);

    private InputException Corrupt(string what, Exception? cause) =>
        new($"{_name}: the gzip data is {what} before byte {_feed.BytesOut} ({_bytesOut} decompressed); fetch it again, or see what " +
            "gzip -t says", cause);

    /// <summary>Gives the compressed bytes and then one byte that cannot start a member. A decoder that is between two members leaves that
    /// byte alone; one that is within a member takes it, and either delivers something or asks for more.</summary>
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
