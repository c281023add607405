using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

/// <summary>A server that lets a session in, and then says nothing.</summary>
public sealed class AnswerBoundTests
{
    private static readonly ConnectionOptions Impatient =
        Peers.Options with { ConnectTimeout = TimeSpan.FromSeconds(1), ReadTimeout = TimeSpan.FromMilliseconds(30) };

    [Fact]
    public async Task A_look_up_ends_as_a_connect_does_that_is_not_answered()
    {
        var fault = await AskAsync<ConnectException>(AnswerBound.LookUp);
        Assert.Equal("db.example:3306 has accepted the login and then gave no answer within 1 s (--connect-timeout; is there a proxy whose "
            + "server is gone?)", fault.Message);
        Assert.True(fault.IsNobodyThere);
    }

    [Fact]
    public async Task A_statement_of_a_job_ends_with_its_session()
    {
        var fault = await AskAsync<ServerException>(AnswerBound.Statement);
        Assert.Equal((FaultKind.SessionLost, "db.example:3306 gave no answer within 0 s (--read-timeout)"), (fault.Kind, fault.Message));
    }

    private static async Task<TFault> AskAsync<TFault>(AnswerBound bound)
        where TFault : Exception
    {
        // It would say something if it heard a packet more than it does.
        var peer = new ScriptedPeer(Peers.Login.Then(2, 1, ServerPayloads.Ok()));
        await using var session = await Peers.ConnectAsync(peer, options: Impatient);
        session.Bound(bound);
        var fault = await Assert.ThrowsAsync<TFault>(async () => await session.ExecuteAsync("DO 0", CancellationToken.None));
        Assert.False(session.IsUsable);
        return fault;
    }
}
