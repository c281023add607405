namespace BulkLoad.Core.Protocol;

/// <summary>A statement that is sent in one piece with the command behind it. This cannot deadlock: it is a few bytes, which the socket
/// takes even if nobody reads.</summary>
internal static class LeadingStatement
{
    /// <summary>If the statement failed, the command behind it is already on its way: a load gets nothing, an execution has run.
    /// <paramref name="drop"/> takes the command's answer then.</summary>
    public static async ValueTask ReadAnswerAsync(
        PacketConnection wire, AnswerReader answers, byte toPrologue, Func<CancellationToken, ValueTask<OkResult>> drop,
        CancellationToken cancellationToken)
    {
        wire.Reader.BeginAnswer(toPrologue);
        try
        {
            await answers.ReadAsync(cancellationToken);
        }
        catch (ServerException fault) when (ServerSession.LeavesUsable(fault))
        {
            try
            {
                await drop(cancellationToken);
            }
            catch (Exception other) when (other is ServerException or IOException)
            {
                // The prologue's fault is the one to tell.
                if (!ServerSession.LeavesUsable(other))
                {
                    wire.Close();
                }
            }

            throw;
        }
    }
}
