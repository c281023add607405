using System.IO.Hashing;

namespace BulkLoad.Core.Input.Streams;

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
internal sealed class TappedStream(Stream source, ContentTap tap) : ForwardStream
{
    public override int Read(Span<byte> buffer)
    {
        var read = source.Read(buffer);
        tap.Append(buffer[..read]);
        tap.HasEnded |= read == 0 && buffer.Length > 0;
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
}
