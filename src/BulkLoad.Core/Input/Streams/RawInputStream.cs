namespace BulkLoad.Core.Input.Streams;

/// <summary>The input's bytes as they are on disk or come through a pipe: counts them, turns the system's errors into
/// <see cref="InputException"/>, and is where a cancelled read ends. Owns its source.</summary>
internal sealed class RawInputStream(Stream source, string name, CancellationToken cancellation) : ForwardStream
{
    private long _bytesRead;

    /// <summary>Bytes read so far; may be asked for from any thread.</summary>
    public long BytesRead => Volatile.Read(ref _bytesRead);

    public bool HasEnded { get; private set; }

    public override int Read(Span<byte> buffer)
    {
        cancellation.ThrowIfCancellationRequested();
        if (HasEnded)
        {
            // A terminal would ask for more after its end was typed.
            return 0;
        }

        var read = ReadSource(buffer);
        HasEnded = read == 0 && buffer.Length != 0;
        Volatile.Write(ref _bytesRead, _bytesRead + read);
        return read;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            source.Dispose();
        }

        base.Dispose(disposing);
    }

    private int ReadSource(Span<byte> buffer)
    {
        try
        {
            return source.Read(buffer);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"{name}: cannot be read any further, after {_bytesRead} bytes: {e.Message}", e);
        }
    }
}
