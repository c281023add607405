using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

public sealed class PipelineTests
{
    private const string Updated = "Rows matched: 1  Changed: 1  Warnings: 0";

    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(20);

    /// <summary>Statements as text, each its own number.</summary>
    internal static Pipeline Texts(int count, int maxStatements = 1000, int maxBytes = 1 << 20)
    {
        var pipeline = new Pipeline(maxStatements, maxBytes);
        for (var i = 0; i < count; i++)
        {
            pipeline.Add(Encoding.UTF8.GetBytes($"{i}"));
        }

        return pipeline;
    }

    private static async Task<ServerException> FailsAsync(ValueTask run) =>
        await Assert.ThrowsAsync<ServerException>(async () => await run.AsTask().WaitAsync(Hang));

    [Fact]
    public async Task Commands_go_out_before_anything_is_answered_and_each_answer_is_its_own_commands()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .Then(3, 1, Ok(1, info: Updated))
            .Then(0, 1, Ok(2, 7, warnings: 3))
            .Then(0, 1, Ok(0, info: "Rows matched: 1  Changed: 0  Warnings: 0"))
            .ThenAnswer(Ok(9)));
        var pipeline = Texts(3);
        await session.RunAsync(pipeline, default);
        Assert.Equal((3, 3, 3), (pipeline.Count, pipeline.Sent, pipeline.Answered));
        Assert.Empty(pipeline.Faults);
        Assert.Equal(
            [(1ul, 0), (2ul, 3), (0ul, 0)], pipeline.Answers.ToArray().Select(answer => (answer.AffectedRows, (int)answer.Warnings)));
        Assert.Equal([Updated, "", "Rows matched: 1  Changed: 0  Warnings: 0"], pipeline.Answers.ToArray().Select(answer => answer.Info));
        Assert.Equal(["\u00030", "\u00031", "\u00032"], peer.Heard.Skip(1).Select(Encoding.UTF8.GetString));
        Assert.Equal([0, 0, 0], peer.HeardSequences[1..]);
        Assert.Equal(9ul, (await session.ExecuteAsync("x", default)).AffectedRows);
    }

    [Fact]
    public void A_pipeline_that_was_not_sent_as_a_whole_is_not_complete() =>
        Assert.Contains("3 commands ended with 0 sent and 0 answered", Assert.Throws<InvalidOperationException>(Texts(3).Complete).Message,
            StringComparison.Ordinal);

    [Fact]
    public async Task That_everything_is_on_its_way_is_told_once_before_it_is_answered()
    {
        var (session, _) = await Peers.ConnectAsync(Peers.Login.Then(3, 1, Ok(1)).Then(0, 1, Ok(1)).Then(0, 1, Ok(1)));
        var told = new List<int>();
        var pipeline = Texts(3);
        pipeline.OnSent = () => told.Add(pipeline.Answered);
        await session.RunAsync(pipeline, default);
        Assert.Equal([0], told);
    }

    [Fact]
    public async Task Nothing_is_told_where_a_command_failed_before_all_were_sent()
    {
        var (session, _) = await Peers.ConnectAsync(Peers.Login.Then(2, 1, Error(1062, "Duplicate entry")).Then(0, 1, Ok(1)));
        var isTold = false;
        var pipeline = Texts(5, maxStatements: 2);
        pipeline.OnSent = () => isTold = true;
        await session.RunAsync(pipeline, default);
        Assert.Equal((2, 2), (pipeline.Sent, pipeline.Answered));
        Assert.False(isTold);
    }

    [Fact]
    public async Task An_empty_one_says_nothing()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Ok()));
        var pipeline = new Pipeline();
        await session.RunAsync(pipeline, default);
        Assert.Equal(0, pipeline.Answers.Length);
        Assert.Single(peer.Heard);
        await session.ExecuteAsync("x", default);
    }

    [Fact]
    public async Task Types_go_with_the_first_execution_of_each_statement_and_are_known_afterwards()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(Prepared(7, 0, 1), Column("?")).ThenAnswer(Prepared(8, 0, 0))
            .Then(4, 1, Ok(1)).Then(0, 1, Ok(2)).Then(0, 1, Ok(3)).Then(0, 1, Ok(4))
            .ThenAnswer(Ok(5))
            .Then(1, 1, Ok()));
        var statement = await session.PrepareAsync("UPDATE", default);
        var other = await session.PrepareAsync("COMMIT", default);
        var numbers = new BinaryParameters([ParameterType.Int64]);
        var pipeline = new Pipeline();
        foreach (var number in (long[])[1, -1])
        {
            numbers.Reset();
            numbers.AddInt64(number);
            pipeline.Add(statement, numbers);
        }

        pipeline.Add(other, new BinaryParameters([]));
        var text = new BinaryParameters([ParameterType.Text]);
        text.AddNull();
        pipeline.Add(statement, text);
        await session.RunAsync(pipeline, default);
        Assert.Equal([1ul, 2ul, 3ul, 4ul], pipeline.Answers.ToArray().Select(answer => answer.AffectedRows));

        await session.ExecuteAsync(null, statement, text, default);
        await session.ExecuteAsync(null, statement, numbers, default);
        Assert.Equal(
            [
                "17" + "07000000" + "00" + "01000000" + "00" + "01" + "0800" + "0100000000000000",
                "17" + "07000000" + "00" + "01000000" + "00" + "00" + "FFFFFFFFFFFFFFFF",
                "17" + "08000000" + "00" + "01000000",
                "17" + "07000000" + "00" + "01000000" + "01" + "01" + "FD00",
                "17" + "07000000" + "00" + "01000000" + "01" + "00",
                "17" + "07000000" + "00" + "01000000" + "00" + "01" + "0800" + "FFFFFFFFFFFFFFFF",
            ],
            peer.Heard.Skip(3).Select(Convert.ToHexString));
    }

    [Fact]
    public async Task After_a_fault_nobody_knows_which_types_the_server_has_heard()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .ThenAnswer(Prepared(7, 0, 1), Column("?"))
            .ThenAnswer(Ok()).ThenAnswer(Error(1062, "Duplicate entry")).ThenAnswer(Ok()));
        var statement = await session.PrepareAsync("INSERT", default);
        var parameters = new BinaryParameters([ParameterType.Int64]);
        parameters.AddInt64(1);
        await session.ExecuteAsync(null, statement, parameters, default);
        var pipeline = new Pipeline();
        pipeline.Add(statement, parameters);
        await session.RunAsync(pipeline, default);
        await session.ExecuteAsync(null, statement, parameters, default);
        Assert.All(peer.Heard.Skip(2), packet => Assert.Equal("0108000100000000000000", Convert.ToHexString(packet.AsSpan(11))));
    }

    [Fact]
    public async Task Parameters_that_are_not_filled_or_of_another_sessions_statement_are_never_sent()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.ThenAnswer(Prepared(7, 0, 1), Column("?")));
        var (other, otherPeer) = await Peers.ConnectAsync(Peers.Login);
        var statement = await session.PrepareAsync("UPDATE", default);
        var pipeline = new Pipeline();
        var parameters = new BinaryParameters([ParameterType.Int64]);
        Assert.Throws<ArgumentException>(() => pipeline.Add(statement, parameters));
        Assert.Throws<ArgumentException>(() => pipeline.Add(statement, new BinaryParameters([])));
        parameters.AddInt64(1);
        pipeline.Add(statement, parameters);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await other.RunAsync(pipeline, default));
        Assert.Equal((2, 1), (peer.Heard.Count, otherPeer.Heard.Count));
    }

    [Fact]
    public async Task Many_small_commands_go_out_in_one_write()
    {
        var peer = new ScriptedPeer(new Script(
            [.. Peers.Login.Turns, .. Enumerable.Range(0, 1000).Select(i => new Turn(i == 0 ? 1000 : 0, Script.Packets(1, Ok(1))))]));
        var session = await Peers.ConnectAsync(peer);
        var writes = peer.Writes;
        await session.RunAsync(Texts(1000), default);
        Assert.Equal(1, peer.Writes - writes);
    }

    [Theory]
    [InlineData(0xffffff - 2, 1)]
    [InlineData(0xffffff - 1, 2)]
    [InlineData(0xffffff, 2)]
    [InlineData((2 * 0xffffff) - 1, 3)]
    public async Task A_long_command_is_split_and_answered_by_its_own_sequence(int length, int packets)
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(packets + 2, 1, Ok(1)).Then(0, packets, Ok(2)).Then(0, 1, Ok(3)));
        var pipeline = new Pipeline(1000, 64 * 1024 * 1024);
        var statement = new byte[length];
        new Random(length).NextBytes(statement);
        pipeline.Add("a"u8);
        pipeline.Add(statement);
        pipeline.Add("b"u8);
        await session.RunAsync(pipeline, default);
        Assert.Equal([1ul, 2ul, 3ul], pipeline.Answers.ToArray().Select(answer => answer.AffectedRows));
        Assert.Equal([0, .. Enumerable.Range(0, packets), 0], peer.HeardSequences[1..].Select(sequence => (int)sequence));
        byte[] heard = [.. peer.Heard.Skip(2).Take(packets).SelectMany(packet => packet)];
        Assert.True(heard.AsSpan(1).SequenceEqual(statement));
    }

    [Fact]
    public async Task No_more_is_under_way_than_the_window_and_it_is_filled_again_when_half_of_it_is_answered()
    {
        const int window = 8;
        var server = new PipelineServer(1 << 16);
        var session = await server.LetInAsync();
        var pipeline = Texts(20, maxStatements: window);
        var running = session.RunAsync(pipeline, default).AsTask();
        await HearAsync(window);
        Assert.Equal(window, pipeline.Sent);
        await AnswerAsync(window / 2);
        await HearAsync(window / 2);
        Assert.Equal(window + (window / 2), pipeline.Sent);
        await AnswerAsync(window);
        await HearAsync(window);
        await AnswerAsync(window);
        await running.WaitAsync(Hang);
        Assert.Equal(20, pipeline.Answered);

        async Task HearAsync(int commands)
        {
            for (var i = 0; i < commands; i++)
            {
                await server.HearAsync().WaitAsync(Hang);
            }
        }

        async Task AnswerAsync(int commands)
        {
            for (var i = 0; i < commands; i++)
            {
                await server.SayAsync(1, Ok());
            }
        }
    }

    [Fact]
    public async Task Two_commands_are_under_way_however_long_they_are()
    {
        var server = new PipelineServer(1 << 16);
        var session = await server.LetInAsync();
        var pipeline = new Pipeline(1000, 10);
        for (var i = 0; i < 3; i++)
        {
            pipeline.Add(new byte[1000]);
        }

        var running = session.RunAsync(pipeline, default).AsTask();
        await server.HearAsync().WaitAsync(Hang);
        await server.HearAsync().WaitAsync(Hang);
        Assert.Equal(2, pipeline.Sent);
        await server.SayAsync(1, Ok());
        await server.HearAsync().WaitAsync(Hang);
        await server.SayAsync(1, Ok());
        await server.SayAsync(1, Ok());
        await running.WaitAsync(Hang);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    [InlineData(5000)]
    public async Task Full_buffers_on_both_sides_never_block_them_against_each_other(int bufferBytes)
    {
        // A byte at a time takes long, and is full at once.
        var commands = bufferBytes == 1 ? 300 : 3000;
        var server = new PipelineServer(bufferBytes);
        var session = await server.LetInAsync();
        var serving = ServeAsync();
        var pipeline = Texts(commands);
        await session.RunAsync(pipeline, default).AsTask().WaitAsync(Hang);
        await serving.WaitAsync(Hang);
        Assert.Equal(Enumerable.Range(0, commands).Select(i => (ulong)i), pipeline.Answers.ToArray().Select(answer => answer.AffectedRows));

        // It reads no further before its answer is taken, and answers are longer than commands.
        async Task ServeAsync()
        {
            for (var i = 0; i < commands; i++)
            {
                Assert.Equal($"\u0003{i}", Encoding.UTF8.GetString(await server.HearAsync()));
                await server.SayAsync(1, Ok((ulong)i, info: new string('x', 150)));
            }
        }
    }

    [Fact]
    public async Task The_last_answer_came_before_its_write_was_seen_to_be_done_and_the_rest_was_never_sent()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(2, 1, Ok(1)).Then(0, 1, Ok(2)).Then(1, 1, Ok(3)));
        var notices = new List<TaskCompletionSource>();
        peer.Notice = () =>
        {
            notices.Add(new TaskCompletionSource());
            return notices[^1].Task;
        };
        var told = 0;
        var pipeline = Texts(3, maxStatements: 2);
        pipeline.OnSent = () => told++;
        var running = session.RunAsync(pipeline, default).AsTask();
        Assert.Equal((2, 2, 1), (pipeline.Sent, pipeline.Answered, notices.Count));
        notices[0].SetResult();
        Assert.Equal((3, 3, 2), (pipeline.Sent, pipeline.Answered, notices.Count));
        Assert.Equal((false, 0), (running.IsCompleted, told));
        notices[1].SetResult();
        await running.WaitAsync(Hang);
        Assert.Equal(1, told);
        Assert.Equal([1ul, 2ul, 3ul], pipeline.Answers.ToArray().Select(answer => answer.AffectedRows));
    }

    [Fact]
    public async Task After_an_error_nothing_more_is_sent_and_what_is_under_way_is_answered()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .Then(4, 1, Ok(1)).Then(0, 1, Error(1062, "Duplicate entry")).Then(0, 1, Ok(3)).Then(0, 1, Error(1213, "Deadlock"))
            .ThenAnswer(Ok(9)));
        var pipeline = Texts(10, maxStatements: 4);
        await session.RunAsync(pipeline, default);
        Assert.Equal((10, 4, 4), (pipeline.Count, pipeline.Sent, pipeline.Answered));
        Assert.Equal([(1, 1062), (3, 1213)], pipeline.Faults.Select(fault => (fault.Command, fault.Error.Code)));
        Assert.Equal([1ul, 0ul, 3ul, 0ul], pipeline.Answers.ToArray().Select(answer => answer.AffectedRows));
        Assert.Equal(5, peer.Heard.Count);
        Assert.Equal(9ul, (await session.ExecuteAsync("x", default)).AffectedRows);
    }

    [Fact]
    public async Task It_can_be_run_again_from_its_first_command()
    {
        var (session, peer) = await Peers.ConnectAsync(Peers.Login
            .Then(2, 1, Error(1213, "Deadlock")).Then(0, 1, Ok(2)).Then(2, 1, Ok(3)).Then(0, 1, Ok(4)));
        var pipeline = Texts(2);
        await session.RunAsync(pipeline, default);
        Assert.Single(pipeline.Faults);
        await session.RunAsync(pipeline, default);
        Assert.Empty(pipeline.Faults);
        Assert.Equal([3ul, 4ul], pipeline.Answers.ToArray().Select(answer => answer.AffectedRows));
        pipeline.Clear();
        Assert.Equal((0, 0, 0, 0), (pipeline.Count, pipeline.ByteCount, pipeline.Sent, pipeline.Answered));
        Assert.Equal(5, peer.Heard.Count);
    }

    [Fact]
    public async Task A_server_that_goes_away_leaves_the_answers_that_came()
    {
        foreach (var (script, kind) in (IEnumerable<(Script, FaultKind)>)
            [
                (new Script(), FaultKind.SessionLost),
                (new Script().Then(0, 0, Error(1927, "Connection was killed")), FaultKind.SessionLost),
                (new Script().Then(0, 1, Error(1053, "Server shutdown in progress")), FaultKind.SessionLost),
                (new Script(new Turn(0, [1, 2, 3])), FaultKind.SessionLost),
                (new Script(new Turn(0, [.. Enumerable.Repeat((byte)0x55, 1000)])), FaultKind.Protocol),
                (new Script().Then(0, 2, Ok()), FaultKind.Protocol),
                (new Script().Then(0, 1, LocalRequest("f")).Then(1, 3, Ok()), FaultKind.Protocol),
                (new Script().Then(0, 1, ColumnCount(1)), FaultKind.Protocol),
                (new Script(new Turn(0, [0, 0, 0, 1])), FaultKind.Protocol),
            ])
        {
            var (session, peer) = await Peers.ConnectAsync(Peers.Login.Then(3, 1, Ok(1)).Then(script));
            var pipeline = Texts(3);
            Assert.Equal(kind, (await FailsAsync(session.RunAsync(pipeline, default))).Kind);
            Assert.Equal((3, 1), (pipeline.Sent, pipeline.Answered));
            Assert.False(session.IsUsable);
            Assert.True(peer.IsClosed);
        }
    }

    [Fact]
    public async Task The_last_words_of_a_server_that_hung_up_are_heard_behind_answers()
    {
        var isReset = false;
        var peer = new ScriptedPeer(
            Peers.Login.Then(0, 1, Ok()).Then(0, 1, Ok()).Then(0, 5, Error(1153, "Got a packet bigger than 'max_allowed_packet' bytes")))
        {
            WritesFail = () => isReset,
        };
        var session = await Peers.ConnectAsync(peer);
        isReset = true;
        Assert.Equal(1153, (await FailsAsync(session.RunAsync(Texts(3), default))).Code);
        Assert.False(session.IsUsable);
    }

    [Theory]
    [InlineData(1153, FaultKind.Packet, "Got a packet bigger than allowed (error 1153, SQLSTATE HY000)")]
    [InlineData(1290, FaultKind.SessionLost, "the server ended the session: Got a packet bigger than allowed (error 1290, SQLSTATE HY000)")]
    [InlineData(0, FaultKind.SessionLost, "the connection to db.example:3306 broke: connection reset by peer")]
    public async Task A_write_that_fails_while_an_answer_is_awaited_ends_with_the_servers_reason(int code, object kind, string message)
    {
        var room = new TaskCompletionSource();
        var peer = new ScriptedPeer(Peers.Login.Then(99, 1, Ok()));
        var session = await Peers.ConnectAsync(peer);
        var writes = 0;
        peer.Room = () => ++writes == 2 ? room.Task : Task.CompletedTask;
        var pipeline = new Pipeline();
        pipeline.Add(new byte[600_000]);
        pipeline.Add(new byte[600_000]);
        var running = session.RunAsync(pipeline, default);
        Assert.False(running.IsCompleted);

        room.SetException(new IOException("connection reset by peer"));
        if (code > 0)
        {
            peer.Say(Script.Packets(5, Error(code, "Got a packet bigger than allowed")));
        }
        else
        {
            peer.End();
        }

        var fault = await FailsAsync(running);
        Assert.Equal((code is 1153 ? code : 0, kind, message), (fault.Code, fault.Kind, fault.Message));
        Assert.False(session.IsUsable);
    }

    [Fact]
    public async Task Cancelling_closes_the_session_though_a_write_waits_for_room()
    {
        var peer = new ScriptedPeer(Peers.Login.Then(99, 1, Ok()));
        var session = await Peers.ConnectAsync(peer);
        peer.Room = () => new TaskCompletionSource().Task;
        using var cancel = new CancellationTokenSource();
        var running = session.RunAsync(Texts(3), cancel.Token).AsTask();
        Assert.False(running.IsCompleted);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running.WaitAsync(Hang));
        Assert.True(peer.IsClosed);
        Assert.False(session.IsUsable);
    }

    [Fact]
    public async Task Nothing_is_allocated_for_a_command_or_its_answer()
    {
        const int commands = 5000;
        var server = new ReadyServer(Script.Packets(1, Ok(1, info: Updated)));
        var session =
            await ServerSession.ConnectAsync(Peers.Options, _ => Task.FromResult(new PacketConnection(server, Peers.Remote)), default);
        var pipeline = new Pipeline();
        await RunAsync();
        var before = GC.GetAllocatedBytesForCurrentThread();
        await RunAsync();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 4 * commands);
        Assert.Equal(commands, pipeline.Answered);

        async Task RunAsync()
        {
            pipeline.Clear();
            for (var i = 0; i < commands; i++)
            {
                pipeline.Add("UPDATE"u8);
            }

            await session.RunAsync(pipeline, default);
        }
    }
}
