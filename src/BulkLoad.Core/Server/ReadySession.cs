using BulkLoad.Core.Input;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Server;

/// <summary>A session that is set up to carry rows.</summary>
/// <param name="Session">owned</param>
internal sealed record ReadySession(IServerSession Session, ServerFacts Server) : IAsyncDisposable
{
    /// <summary>Opens a session, and sets it up.</summary>
    /// <exception cref="PlanException">the server does not keep a setting that the promises rest on</exception>
    public static async Task<ReadySession> OpenAsync(
        Func<CancellationToken, Task<IServerSession>> connect, ValueOptions values, TimeProvider time, CancellationToken cancellationToken)
    {
        var session = await connect(cancellationToken);
        try
        {
            var server = await ServerProbe.LookAsync(session, values, time, cancellationToken);
            session.Bound(AnswerBound.Statement);
            return new ReadySession(session, server);
        }
        catch
        {
            await session.DisposeAsync();
            throw;
        }
    }

    public ValueTask DisposeAsync() => Session.DisposeAsync();
}
