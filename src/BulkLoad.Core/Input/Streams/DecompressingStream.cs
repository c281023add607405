namespace BulkLoad.Core.Input.Streams;

/// <summary>Decompresses an input. Ends with <see cref="InputException"/> where the input is cut off, damaged, or continues with something
/// else, and where it grows more than data does.</summary>
/// <param name="maxRatio">most decompressed bytes for each compressed one</param>
internal abstract class DecompressingStream(CompressionFormat compression, string name, int maxRatio) : ForwardStream
{
    /// <summary>So much may come of nothing: a small file harms nobody.</summary>
    private const long FreeBytes = 16 * 1024 * 1024;

    private long _bytesOut;

    /// <summary>Compressed bytes taken so far.</summary>
    public abstract long BytesIn { get; }

    /// <summary>Bytes of the whole content, where the input says so.</summary>
    public virtual long? ContentLength => null;

    /// <summary>Decompressed bytes for each compressed byte so far.</summary>
    public double Growth => BytesIn == 0 ? 1 : (double)_bytesOut / BytesIn;

    /// <summary>Opens the decoder of a compression.</summary>
    /// <param name="source">is owned by the stream</param>
    /// <param name="kind">not zip, which needs the whole file at hand: see <see cref="ZipStream"/></param>
    public static DecompressingStream Open(InputCompression kind, Stream source, string name, int maxRatio) => kind switch
    {
        InputCompression.Gzip => new GunzipStream(source, name, maxRatio),
        _ => new DecoderStream(CompressionFormat.Of(kind), source, name, maxRatio),
    };

    /// <summary>Counts what was decompressed.</summary>
    /// <exception cref="InputException">it grows too much</exception>
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
        new($"{name}: the {compression.Word} data is {what} before byte {BytesIn} ({_bytesOut} decompressed); fetch it again, or see what " +
            $"{compression.Tester} says", cause);

    /// <summary>Whether an exception is a decoder's, on data that it cannot read: they throw what they happen to meet.</summary>
    protected static bool IsFault(Exception fault) =>
        fault is not (BulkLoadException or OperationCanceledException or OutOfMemoryException or ObjectDisposedException);
}
