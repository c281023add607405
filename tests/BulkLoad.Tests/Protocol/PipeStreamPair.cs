using System.IO.Pipelines;

namespace BulkLoad.Tests.Protocol;

/// <summary>Both ends of a connection in memory.</summary>
internal sealed class PipeStreamPair
{
    private readonly Pipe _toServer;
    private readonly Pipe _toClient;

    /// <param name="bufferBytes">what each direction takes before somebody reads</param>
    public PipeStreamPair(int bufferBytes = 64 * 1024)
    {
        var options = new PipeOptions(
            pauseWriterThreshold: bufferBytes, resumeWriterThreshold: Math.Max(1, bufferBytes / 2), useSynchronizationContext: false);
        (_toServer, _toClient) = (new Pipe(options), new Pipe(options));
        Client = new TwoWayStream(_toClient.Reader.AsStream(), _toServer.Writer.AsStream());
        Server = new TwoWayStream(_toServer.Reader.AsStream(), _toClient.Writer.AsStream());
    }

    public Stream Client { get; }

    public Stream Server { get; }
}
