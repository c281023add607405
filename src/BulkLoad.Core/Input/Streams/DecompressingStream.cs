namespace BulkLoad.Core.Input.Streams;

/// <summary>Throws <see cref="InputException"/> if the input is cut off, damaged, followed by something else, or grows too much.</summary>
internal abstract class DecompressingStream(CompressionFormat compression, string name, int maxRatio) : ForwardStream
{
    /// <summary>A small file harms nobody.</summary>
    private const long FreeBytes = 16 * 1024 * 1024;

    private long _bytesOut;

    public abstract long BytesIn { get; }

    /// <summary>Bytes of the whole content, if the input says so.</summary>
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
