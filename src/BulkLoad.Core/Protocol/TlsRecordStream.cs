using System.Runtime.CompilerServices;

namespace BulkLoad.Core.Protocol;

/// <summary>Between TLS and the socket: knows how much of an incomplete record has come (RFC 8446, 5.1: five bytes of header, the last two
/// are the length). TLS delivers complete records before it reads more, so nothing else can be missing. <paramref name="onRead"/> gets that
/// number before each read.</summary>
internal sealed class TlsRecordStream(Stream transport, Action<int> onRead) : Stream
{
    private const int HeaderBytes = 5;

    private int _headerBytes;
    private int _bodyLeft;
    private int _length;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    private int Begun => _headerBytes < HeaderBytes ? _headerBytes : HeaderBytes + _length - _bodyLeft;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        onRead(Begun);
        var count = await transport.ReadAsync(buffer, cancellationToken);
        Pass(buffer.Span[..count]);
        return count;
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        transport.WriteAsync(buffer, cancellationToken);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        transport.WriteAsync(buffer, offset, count, cancellationToken);

    public override void Write(byte[] buffer, int offset, int count) => transport.Write(buffer, offset, count);

    public override void Flush() => transport.Flush();

    public override Task FlushAsync(CancellationToken cancellationToken) => transport.FlushAsync(cancellationToken);

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    private void Pass(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_headerBytes < HeaderBytes)
            {
                _length = _headerBytes < HeaderBytes - 2 ? 0 : (_length << 8) | bytes[0];
                _headerBytes++;
                _bodyLeft = _length;
                bytes = bytes[1..];
            }
            else
            {
                var passed = Math.Min(_bodyLeft, bytes.Length);
                _bodyLeft -= passed;
                bytes = bytes[passed..];
            }

            _headerBytes = _headerBytes == HeaderBytes && _bodyLeft == 0 ? 0 : _headerBytes;
        }
    }
}
