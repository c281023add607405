namespace BulkLoad.Tests.Protocol;

/// <summary>A server that hears nothing, and whose answer to the first command repeats one packet for ever.</summary>
internal sealed class EndlessServer(Script login, byte[][] start, byte[] repeated) : MemoryStream
{
    private ReadOnlyMemory<byte> _saying = (byte[])[.. login.Bytes, .. Script.Packets(1, start)];
    private int _sequence = 1 + start.Length;

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_saying.IsEmpty)
        {
            _saying = Script.Packets(_sequence++, repeated);
        }

        var count = Math.Min(buffer.Length, _saying.Length);
        _saying[..count].CopyTo(buffer);
        _saying = _saying[count..];
        return new(count);
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => default;
}
