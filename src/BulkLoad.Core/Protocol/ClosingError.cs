namespace BulkLoad.Core.Protocol;

/// <summary>The error that a server sent before it closed a connection, which is often the reason.</summary>
internal static class ClosingError
{
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(1);

    // A pipeline's answers may stand before them.
    private const int MostPackets = 4096;
    private const int LongestPacket = 64 * 1024;

    /// <summary>The error as the end of the session, whatever its number means for a statement.</summary>
    public static ServerException Of(ServerException error) => error switch
    {
        { Kind: FaultKind.Packet } or { Kind: FaultKind.SessionLost, Error: not ServerError.QueryInterrupted } => error,
        _ => new ServerException(FaultKind.SessionLost, $"the server ended the session: {error.Message}", error),
    };

    /// <summary>Null: the server left none.</summary>
    public static async Task<ServerException?> ReadAsync(PacketReader reader)
    {
        reader.ChecksSequence = false;
        using var limit = new CancellationTokenSource(Limit);
        try
        {
            for (var count = 0; count < MostPackets; count++)
            {
                var payload = await reader.ReadAsync(LongestPacket, limit.Token);
                if (payload.Span is [ErrorPacket.Header, ..])
                {
                    return Of(ErrorPacket.Parse(payload.Span));
                }
            }
        }
        catch (Exception fault) when (fault is IOException or OperationCanceledException or ObjectDisposedException or ServerException)
        {
            // The connection is broken anyway; its own fault is the one to report.
        }

        return null;
    }
}
