using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

/// <summary>A server that says anything at all. BULKLOAD_TEST_FUZZ says how many random conversations there are, BULKLOAD_TEST_SEED
/// which.</summary>
public sealed class HostileServerTests
{
    private const int UsualCases = 5_000;
    private const long MostBytesACase = 4 * 1024 * 1024;

    [Fact]
    public async Task The_whole_conversation_succeeds()
    {
        foreach (var script in Conversation.All)
        {
            Assert.Null(await Conversation.RunAsync(new ScriptedPeer(script)));
            Assert.Null(await Conversation.RunAsync(new ScriptedPeer(script, mostBytesARead: 1)));
        }
    }

    [Fact]
    public async Task A_conversation_cut_at_any_byte_ends_in_an_exception_for_the_user()
    {
        foreach (var script in Conversation.All)
        {
            var bytes = script.Bytes;
            for (var length = 0; length < bytes.Length; length++)
            {
                Assert.NotNull(await Conversation.RunAsync(new ScriptedPeer(script.WithBytes(bytes.AsSpan(0, length)))));
            }
        }
    }

    [Fact]
    public async Task A_conversation_with_any_byte_changed_ends_in_nothing_worse()
    {
        byte[] values = [0, 1, 2, 0x7f, 0x80, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff];
        foreach (var script in Conversation.All)
        {
            var bytes = script.Bytes;
            for (var i = 0; i < bytes.Length; i++)
            {
                var original = bytes[i];
                foreach (var value in (byte[])[.. values, (byte)(original + 1), (byte)(original ^ 0x80)])
                {
                    bytes[i] = value;
                    await RunBoundedAsync(script.WithBytes(bytes), $"byte {i} = {value}");
                }

                bytes[i] = original;
            }
        }
    }

    [Fact]
    public async Task Garbage_ends_in_nothing_worse()
    {
        var seed = Environment.GetEnvironmentVariable("BULKLOAD_TEST_SEED") is { } asked
            ? int.Parse(asked, CultureInfo.InvariantCulture) : Environment.TickCount;
        var cases = int.Parse(Environment.GetEnvironmentVariable("BULKLOAD_TEST_FUZZ") ?? $"{UsualCases}", CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed}");
        var scripts = Conversation.All.ToArray();
        for (var i = 0; i < cases; i++)
        {
            var random = new Random(unchecked((seed * 397) ^ i));
            var script = scripts[random.Next(scripts.Length)];
            await RunBoundedAsync(Spoil(script, random), $"seed {seed}, case {i}");
        }
    }

    [Theory]
    [InlineData(250)]
    [InlineData(0xfffffe)]
    [InlineData(0xffffff)]
    public async Task A_header_that_claims_more_than_comes_ends_the_session(int length)
    {
        byte[] header = [(byte)length, (byte)(length >> 8), (byte)(length >> 16), 1, 0];
        var (session, _) = await Peers.ConnectAsync(Peers.Login.Then(new Script(new Turn(1, header))));
        await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAsync("x", default));
        Assert.False(session.IsUsable);
    }

    [Theory]
    [InlineData(ulong.MaxValue)]
    [InlineData(1ul << 63)]
    [InlineData((1ul << 63) - 1)]
    [InlineData(int.MaxValue)]
    [InlineData(0xffffffff)]
    public async Task A_length_that_claims_more_than_its_packet_ends_the_session(ulong length)
    {
        var claim = LengthEncoded(length);
        foreach (var answer in (byte[][][])
            [
                [claim],
                [ColumnCount(1), [.. claim, 1]],
                [ColumnCount(1), [.. Text("def"), .. claim, 1]],
                [ColumnCount(2), Column("a"), Column("b"), [.. Text("x"), .. claim, 1]],
                [ColumnCount(1), Column("a"), Row("1"), [0xfe, .. claim, .. claim]],
            ])
        {
            var (session, _) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(answer));
            await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAsync("x", default));
            Assert.False(session.IsUsable);
        }
    }

    [Theory]
    [InlineData(0x00)]
    [InlineData(0x01)]
    [InlineData(0xfe)]
    [InlineData(0xff)]
    public async Task An_answer_of_one_odd_byte_ends_the_session(byte value)
    {
        foreach (var payload in (byte[][])[[value], []])
        {
            var (session, _) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(payload));
            var fault = await Assert.ThrowsAsync<ServerException>(async () => await session.ExecuteAsync("x", default));
            Assert.Equal(FaultKind.Protocol, fault.Kind);
            Assert.False(session.IsUsable);
        }
    }

    [Fact]
    public async Task An_answer_without_end_is_cut_off()
    {
        byte[] more = Ok(status: 0x000a);
        byte[] moreRows = OkAtEnd(0x000a);
        foreach (var (start, repeated) in (IEnumerable<(byte[][], byte[])>)
            [
                ([ColumnCount(1), Column("a")], Row(new string('x', 100_000))),
                ([ColumnCount(1), Column("a")], Row((string?)null)),
                ([ColumnCount(1000), .. Enumerable.Repeat(Column("a"), 1000)], Row(new string?[1000])),
                ([ColumnCount(ushort.MaxValue)], [.. Column("a"), .. new byte[10_000]]),
                ([], more),
                ([ColumnCount(1), Column("a"), moreRows], more),
            ])
        {
            var session = await ConnectAsync(new EndlessServer(Peers.Login, start, repeated));
            var fault = await Assert.ThrowsAsync<ServerException>(async () => await session.QueryAsync("x", default));
            Assert.Equal(FaultKind.Protocol, fault.Kind);
        }

        var executing = await ConnectAsync(new EndlessServer(Peers.Login, [], more));
        await Assert.ThrowsAsync<ServerException>(async () => await executing.ExecuteAsync("x", default));
    }

    private static Task<ServerSession> ConnectAsync(Stream server) =>
        ServerSession.ConnectAsync(Peers.Options, _ => Task.FromResult(new PacketConnection(server, Peers.Remote)), default);

    private static async Task RunBoundedAsync(Script script, string what)
    {
        var (thread, before) = (Environment.CurrentManagedThreadId, GC.GetAllocatedBytesForCurrentThread());
        try
        {
            await Conversation.RunAsync(new ScriptedPeer(script));
        }
        catch (Exception fault)
        {
            Assert.Fail($"{what}: {fault}");
        }

        // A changed greeting can lead to TLS, which goes on in other threads.
        if (thread == Environment.CurrentManagedThreadId)
        {
            Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < MostBytesACase, $"{what}: took too much memory");
        }
    }

    private static Script Spoil(Script script, Random random)
    {
        var bytes = script.Bytes;
        switch (random.Next(4))
        {
            case 0:
                random.NextBytes(bytes);
                break;
            case 1:
                random.NextBytes(bytes.AsSpan(random.Next(bytes.Length)));
                break;
            case 2:
                for (var count = random.Next(1, 6); count > 0; count--)
                {
                    bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
                }

                break;
            default:
                return new Script(
                    [.. script.Turns.Select(turn => random.Next(4) > 0 ? turn : turn with { Says = Frames(random, turn.Says[3]) })]);
        }

        return script.WithBytes(bytes);
    }

    /// <summary>Random payloads in well-formed packets.</summary>
    private static byte[] Frames(Random random, int sequence)
    {
        byte[] heads = [0x00, 0x01, 0x02, 0xfb, 0xfc, 0xfd, 0xfe, 0xff];
        var payloads = new byte[random.Next(1, 5)][];
        for (var i = 0; i < payloads.Length; i++)
        {
            payloads[i] = new byte[random.Next(0, 40)];
            random.NextBytes(payloads[i]);
            if (payloads[i].Length > 0)
            {
                payloads[i][0] = heads[random.Next(heads.Length)];
            }
        }

        return Script.Packets(sequence, payloads);
    }
}
