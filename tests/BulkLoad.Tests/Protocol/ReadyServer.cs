namespace BulkLoad.Tests.Protocol;

/// <summary>
/// A server that lets everybody in, hears nothing, and says one answer over and over, as often as its client has room, so that what the
/// client allocates can be counted.
/// </summary>
/// <param name="answer">one packet</param>
internal sealed class ReadyServer(byte[] answer) : MemoryStream
{
    private ReadOnlyMemory<byte> _login = Peers.Login.Bytes;

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var count = Math.Min(buffer.Length, _login.Length);
        _login[..count].CopyTo(buffer);
        _login = _login[count..];
        for (; _login.IsEmpty && count + answer.Length <= buffer.Length; count += answer.Length)
        {
            answer.CopyTo(buffer[count..]);
        }

        return new(count);
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => default;
}
