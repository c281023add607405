using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

/// <summary>A server at its own pace, behind buffers that a test makes small.</summary>
/// <param name="bufferBytes">what each direction takes before the other side reads</param>
internal sealed class PipelineServer(int bufferBytes)
{
    private readonly PipeStreamPair _pair = new(bufferBytes);

    /// <summary>Lets a client in.</summary>
    public async Task<ServerSession> LetInAsync()
    {
        var connecting = ServerSession.ConnectAsync(Peers.Options, _ => Task.FromResult(new Wire(_pair.Client, Peers.Remote)), default);
        await SayAsync(0, ServerPayloads.Greeting());
        await HearAsync();
        await SayAsync(2, ServerPayloads.More(3));
        await SayAsync(3, ServerPayloads.Ok());
        return await connecting;
    }

    /// <summary>One packet of the client's.</summary>
    public async Task<byte[]> HearAsync()
    {
        var header = new byte[4];
        await _pair.Server.ReadExactlyAsync(header);
        var payload = new byte[header[0] | (header[1] << 8) | (header[2] << 16)];
        await _pair.Server.ReadExactlyAsync(payload);
        return payload;
    }

    /// <summary>Waits until the client has taken enough of it.</summary>
    public async Task SayAsync(int sequence, params byte[][] payloads) => await _pair.Server.WriteAsync(Script.Packets(sequence, payloads));

    public void Close() => _pair.Server.Dispose();
}
