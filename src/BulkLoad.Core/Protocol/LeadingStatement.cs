namespace BulkLoad.Core.Protocol;

/// <summary>
/// A statement that goes out in one piece with a command behind it. That its answer is not read before more is written cannot block the two
/// sides against each other: it is a few bytes, which the socket takes whether or not anybody reads.
/// </summary>
internal static class LeadingStatement
{
    /// <summary>Reads its answer. Where it failed, the command behind it is on its way already: a load gets nothing, an execution has
    /// run.</summary>
    /// <param name="answers">of the connection</param>
    /// <param name="toPrologue">sequence id of the answer</param>
    /// <param name="drop">takes the answer to the command behind it</param>
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
