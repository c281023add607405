using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

/// <summary>A session's whole life, with every kind of answer, and the client's side of it.</summary>
internal static class Conversation
{
    // More would take memory of the client's own will.
    private const int MostParameters = 1000;

    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(20);

    public static IEnumerable<Script> All =>
    [
        Of(Peers.Login, new Script(), true),
        Of(Peers.OldLogin, new Script(), false),
        Of(Peers.MariaDbLogin, new Script().ThenAnswer(Ok(2, info: "Records: 2  Duplicates: 0  Warnings: 0")), true),
    ];

    /// <summary>Plays the client against any server; returns what ended it, or null where all went well.</summary>
    /// <exception cref="Exception">anything that a server must not be able to cause, or a hang</exception>
    public static async Task<BulkLoadException?> RunAsync(Stream server)
    {
        var talking = TalkAsync(server);
        if (!talking.IsCompleted && server is ScriptedPeer peer)
        {
            peer.End();
        }

        try
        {
            await talking.WaitAsync(Hang);
            return null;
        }
        catch (ServerException fault)
        {
            return fault;
        }
        catch (ConnectException fault)
        {
            return fault;
        }
    }

    /// <param name="login">lets everybody in</param>
    /// <param name="bulk">the answer to a bulk execution, where it takes one</param>
    /// <param name="deprecatesEof">whether results end with an OK packet</param>
    private static Script Of(Script login, Script bulk, bool deprecatesEof)
    {
        byte[][] eof = deprecatesEof ? [] : [Eof()];
        var end = deprecatesEof ? OkAtEnd() : Eof();
        return login
            .ThenAnswer(Ok(3, 300, warnings: 1, info: "Records: 3  Duplicates: 0  Warnings: 1"))
            .ThenAnswer(Error(1062, "Duplicate entry", "23000"))
            .ThenAnswer([ColumnCount(2), Column("a"), Column("b"), .. eof, Row("1", null), Row("", new string('x', 300)), end])
            .ThenAnswer([Prepared(7, 1, 2), Column("?"), Column("?"), .. eof, Column("a"), .. eof])
            .ThenAnswer(Ok(1))
            .Then(bulk)
            .Then(3, 1, Ok(1, info: "Rows matched: 1  Changed: 1  Warnings: 0")).Then(
                0, 1, Error(1213, "Deadlock", "40001")).Then(0, 1, Ok(2))
            .ThenAnswer(LocalRequest("f"))
            .Then(4, 4, Ok(5, info: "Records: 5  Deleted: 0  Skipped: 0  Warnings: 0"))
            .Then(0, 1, Ok()).Then(0, 1, LocalRequest("f"))
            .Then(4, 4, Ok(5))
            .Then(0, 1, Ok()).Then(0, 1, LocalRequest("f"))
            .Then(1, 3, Ok())
            .ThenAnswer(Ok());
    }

    private static async Task TalkAsync(Stream server)
    {
        await using var session = await ServerSession.ConnectAsync(
            Peers.Options, _ => Task.FromResult(new PacketConnection(server, Peers.Remote)), default);
        await session.ExecuteAsync("INSERT", default);
        try
        {
            await session.ExecuteAsync("INSERT", default);
        }
        catch (ServerException fault) when (fault.Code == 1062)
        {
            // The one error of the script.
        }

        await session.QueryAsync("SELECT", default);
        var statement = await session.PrepareAsync("INSERT", default);
        if (statement.ParameterCount > MostParameters)
        {
            return;
        }

        var parameters = new BinaryParameters(Enumerable.Repeat(ParameterType.Int64, statement.ParameterCount).ToArray());
        for (var i = 0; i < statement.ParameterCount; i++)
        {
            parameters.AddInt64(i);
        }

        await session.ExecuteAsync(null, statement, parameters, default);
        if (session.Server.TakesBulkExecutions && statement.ParameterCount > 0)
        {
            var bulk = new BulkParameters(Enumerable.Repeat(ParameterType.Int64, statement.ParameterCount).ToArray());
            for (var i = 0; i < 2 * statement.ParameterCount; i++)
            {
                bulk.AddInt64(i);
            }

            await session.ExecuteAsync(null, statement, bulk, default);
        }

        var pipeline = new Pipeline();
        pipeline.Add(statement, parameters);
        pipeline.Add("UPDATE"u8);
        pipeline.Add(statement, parameters);
        await session.RunAsync(pipeline, default);
        var next = new LocalLoad("SAVEPOINT", "LOAD", "f");
        await session.LoadLocalAsync(new LocalLoad(null, "LOAD", "f"), "1\t2\n"u8.ToArray(), next, null, default);
        await session.LoadLocalAsync(next, "1\t2\n"u8.ToArray(), next, null, default);
        await session.ExecuteAsync("COMMIT", default);
    }
}
