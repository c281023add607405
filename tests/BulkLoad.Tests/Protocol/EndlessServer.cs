namespace BulkLoad.Tests.Protocol;

/// <summary>A server that hears nothing, and whose answer to the first command repeats one packet for ever.</summary>
internal sealed class EndlessServer(Script login, byte[][] start, byte[] repeated) : MemoryStream
{
    private readonly byte[] _packet = Script.Packets(start.Length, repeated);
    private ReadOnlyMemory<byte> _saying = (byte[])[.. login.Bytes, .. Script.Packets(1, start)];

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_saying.IsEmpty)
        {
            _packet[3]++;
            _saying = _packet;
        }

        var count = Math.Min(buffer.Length, _saying.Length);
        _saying[..count].CopyTo(buffer);
        _saying = _saying[count..];
        return new(count);
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => default;
}
