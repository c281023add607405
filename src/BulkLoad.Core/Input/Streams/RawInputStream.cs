using System.IO.Hashing;

namespace BulkLoad.Core.Input.Streams;

/// <summary>The raw input: counts its bytes, turns errors into <see cref="InputException"/>, and stops when cancelled. Owns its
/// source.</summary>
internal sealed class RawInputStream(Stream source, string name, CancellationToken cancellation) : OwningStream(source)
{
    private long _bytesRead;

    /// <summary>Thread-safe.</summary>
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

/// <summary>Length and time of a file when it was opened; shows whether others write to it.</summary>
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
    /// <summary>The shortest beginning whose hash is kept. Each next one is twice as long.</summary>
    public const long FirstBeginning = 32 * 1024;

    /// <summary>Limit of the bytes that are kept of the end.</summary>
    public const int EndBytes = 4096;

    private readonly XxHash128 _hash = new();
    private readonly Dictionary<long, string> _beginnings = [];
    private readonly Lock _lock = new();
    private byte[] _end = [];
    private long _next = FirstBeginning;
    private long _position;

    public bool HasEnded { get; set; }

    /// <summary>From the first record on, so far.</summary>
    public long Length { get; private set; }

    public ReadOnlySpan<byte> End => _end;

    public void Append(ReadOnlySpan<byte> bytes)
    {
        var before = (int)Math.Clamp(start - _position, 0, bytes.Length);
        _position += bytes.Length;
        var rest = bytes[before..];
        KeepEnd(rest);
        while (rest.Length >= _next - Length)
        {
            var part = rest[..(int)(_next - Length)];
            Hash(part);
            rest = rest[part.Length..];
            lock (_lock)
            {
                _beginnings[_next] = Finish();
            }

            _next *= 2;
        }

        Hash(rest);
    }

    /// <summary>The hash of a beginning whose length is a power of two; null: the pass has not come so far, or it is too short.</summary>
    public string? FindBeginning(long length)
    {
        lock (_lock)
        {
            return _beginnings.GetValueOrDefault(length);
        }
    }

    /// <summary>In hexadecimal digits.</summary>
    public string Finish() => Convert.ToHexStringLower(_hash.GetCurrentHash());

    private void Hash(ReadOnlySpan<byte> bytes)
    {
        _hash.Append(bytes);
        Length += bytes.Length;
    }

    private void KeepEnd(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length == 0)
        {
            return;
        }

        if (bytes.Length >= EndBytes)
        {
            _end = _end.Length == EndBytes ? _end : new byte[EndBytes];
            bytes[^EndBytes..].CopyTo(_end);
            return;
        }

        var kept = Math.Min(_end.Length, EndBytes - bytes.Length);
        var end = kept + bytes.Length == _end.Length ? _end : new byte[kept + bytes.Length];
        _end.AsSpan(_end.Length - kept).CopyTo(end);
        bytes.CopyTo(end.AsSpan(kept));
        _end = end;
    }
}

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
