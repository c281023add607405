using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

/// <summary>A pipeline's answers over real connections, in pieces: the system wakes the program for several of them at a time.</summary>
public sealed class PipelineWakingTests
{
    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(20);

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(50)]
    public async Task Answers_that_come_over_a_connection_in_any_pieces_are_all_heard(int commands)
    {
        var server = await PipelineServer.ListenAsync();
        var session = await server.LetInAsync();
        var serving = ServeAsync();
        await HearAllAsync(session, PipelineTests.Texts(commands), serving);
        server.Close();

        async Task ServeAsync()
        {
            var answers = new List<byte>();
            for (var i = 0; i < commands; i++)
            {
                await server.HearAsync();
                answers.AddRange(Script.Packets(1, Ok((ulong)(i % 3))));
            }

            for (var (at, piece) = (0, 0); at < answers.Count; at += 1 + (piece++ % 25))
            {
                await server.SayAsync(answers.Skip(at).Take(1 + (piece % 25)).ToArray());
                await Task.Delay(1);
            }

            await server.HearAsync();
            await server.SayAsync(1, Ok(8));
        }
    }

    /// <summary>Under TLS, too: a record that is not whole holds answers that are due and have left the socket.</summary>
    [Theory]
    [InlineData(1, 1, 25)]
    [InlineData(50, 1, 25)]
    [InlineData(50, 7, 25)]
    [InlineData(50, 50, 25)]
    [InlineData(50, 50, 300)]
    [InlineData(5000, 5000, 30_000)]
    [InlineData(5000, 1400, 17_000)]
    [InlineData(20_000, 20_000, 40_000)]
    public async Task Answers_that_come_under_TLS_in_any_records_and_pieces_are_all_heard(int commands, int answersARecord, int maxBytes)
    {
        using var certificates = new TestCertificates();
        using var certificate = TestCertificates.Sign(certificates.Root);
        var server = await PipelineServer.ListenAsync();
        var session = await server.LetInAsync(certificate, stream => new DribblingStream(stream, maxBytes));
        Assert.True(session.Server.IsEncrypted);
        var serving = ServeAsync();
        await HearAllAsync(session, PipelineTests.Texts(commands, maxStatements: 100_000), serving);
        server.Close();

        async Task ServeAsync()
        {
            for (var i = 0; i < commands; i++)
            {
                await server.HearAsync();
            }

            foreach (var answers in Enumerable.Range(0, commands).Chunk(answersARecord))
            {
                await server.SayAsync(answers.SelectMany(i => Script.Packets(1, Ok((ulong)(i % 3)))).ToArray());
            }

            await server.HearAsync();
            await server.SayAsync(1, Ok(8));
        }
    }

    /// <summary>Each answer belongs to its command, and the session goes on with the next one.</summary>
    private static async Task HearAllAsync(ServerSession session, Pipeline pipeline, Task serving)
    {
        await session.RunAsync(pipeline, default).AsTask().WaitAsync(Hang);
        Assert.Equal(Enumerable.Range(0, pipeline.Count).Select(i => (ulong)(i % 3)),
            pipeline.Answers.ToArray().Select(answer => answer.AffectedRows));
        Assert.Equal(8ul, (await session.ExecuteAsync("x", default).AsTask().WaitAsync(Hang)).AffectedRows);
        await serving.WaitAsync(Hang);
    }
}
