namespace BulkLoad.Tests.Protocol;

/// <summary>Lets what is written through in small pieces, each by itself.</summary>
/// <param name="inner">owned</param>
/// <param name="maxBytes">of a piece; they are from 1 on</param>
internal sealed class DribblingStream(Stream inner, int maxBytes) : Stream
{
    private int _pieces;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        inner.ReadAsync(buffer, cancellationToken);

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        while (!buffer.IsEmpty)
        {
            var piece = Math.Min(buffer.Length, 1 + (_pieces++ % maxBytes));
            await inner.WriteAsync(buffer[..piece], cancellationToken);
            await Task.Delay(1, cancellationToken);
            buffer = buffer[piece..];
        }
    }

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Flush()
    {
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        inner.Dispose();
        base.Dispose(disposing);
    }
}
