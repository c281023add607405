using System.IO.Hashing;

namespace BulkLoad.Core.Input.Streams;

/// <summary>The raw input: counts its bytes, turns errors into <see cref="InputException"/>, and stops when cancelled. Owns its
/// source.</summary>
internal sealed class RawInputStream(Stream source, string name, CancellationToken cancellation) : OwningStream(source)
{
    private long _bytesRead;

    /// <summary>Any thread may ask.</summary>
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

    private int ReadSource(Span<byte> buffer)
    {
        try
        {
            return Source.Read(buffer);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"{name}: cannot be read any further, after {_bytesRead} bytes: {e.Message}", e);
        }
    }
}

/// <summary>A stream that is read once, from start to end.</summary>
internal abstract class ForwardStream : Stream
{
    public sealed override bool CanRead => true;

    public sealed override bool CanSeek => false;

    public sealed override bool CanWrite => false;

    public sealed override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public abstract override int Read(Span<byte> buffer);

    public sealed override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public sealed override void Flush()
    {
    }

    public sealed override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public sealed override void SetLength(long value) => throw new NotSupportedException();

    public sealed override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}

/// <summary>Owns the stream that it reads from.</summary>
internal abstract class OwningStream(Stream source) : ForwardStream
{
    protected Stream Source { get; } = source;

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Source.Dispose();
        }

        base.Dispose(disposing);
    }
}

/// <summary>Length and time of a file when it was opened: notices writers.</summary>
internal sealed class FileStamp
{
    private readonly FileStream _file;
    private FileStamp(FileStream file)
    {
        _file = file;
        Length = file.Length;
        Changed = File.GetLastWriteTimeUtc(file.SafeFileHandle);
    }

    public long Length { get; }

    /// <summary>In UTC.</summary>
    public DateTime Changed { get; }

    /// <summary>Null for pipes, devices and other streams.</summary>
    public static FileStamp? Of(Stream source) => source is FileStream { CanSeek: true } file ? new FileStamp(file) : null;

    /// <summary>What has changed, for people. <paramref name="bytesRead"/> is null if the end was not reached.</summary>
    public string? Difference(long? bytesRead)
    {
        var length = RandomAccess.GetLength(_file.SafeFileHandle);
        if (length != Length)
        {
            return $"{Length} bytes when it was opened, {length} now";
        }

        if (bytesRead is { } read && read != Length)
        {
            return $"{Length} bytes when it was opened, {read} were read";
        }

        var changed = File.GetLastWriteTimeUtc(_file.SafeFileHandle);
        return changed == Changed ? null : $"written to at {changed:yyyy-MM-dd HH:mm:ss}Z";
    }
}

/// <summary>Hashes an input while it is read, from the first record on. <paramref name="start"/> is its offset in the decompressed,
/// undecoded input.</summary>
internal sealed class ContentTap(long start)
{
    private readonly XxHash128 _hash = new();
    private long _position;

    public bool HasEnded { get; set; }

    /// <summary>From the first record on, so far.</summary>
    public long Length => Math.Max(0, _position - start);

    public void Append(ReadOnlySpan<byte> bytes)
    {
        var before = (int)Math.Clamp(start - _position, 0, bytes.Length);
        _position += bytes.Length;
        _hash.Append(bytes[before..]);
    }

    /// <summary>In hexadecimal digits.</summary>
    public string Finish() => Convert.ToHexStringLower(_hash.GetCurrentHash());
}

/// <summary>Owns its source.</summary>
internal sealed class TappedStream(Stream source, ContentTap tap) : OwningStream(source)
{
    public override int Read(Span<byte> buffer)
    {
        var read = Source.Read(buffer);
        tap.Append(buffer[..read]);
        tap.HasEnded |= read == 0 && buffer.Length > 0;
        return read;
    }
}
