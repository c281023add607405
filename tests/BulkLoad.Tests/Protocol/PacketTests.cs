using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

public sealed class PacketTests
{
    private const int Full = PacketReader.MaxPacketPayload;

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(32 * 1024, 1)]
    [InlineData((32 * 1024) - 4, 1)]
    [InlineData((32 * 1024) - 3, 1)]
    [InlineData(200_000, 1)]
    [InlineData(Full - 1, 1)]
    [InlineData(Full, 2)]
    [InlineData(Full + 1, 2)]
    [InlineData(2 * Full, 3)]
    [InlineData((2 * Full) + 5, 3)]
    public async Task A_payload_of_any_length_is_written_and_read_whole(int length, int packets)
    {
        var payload = new byte[length];
        new Random(length).NextBytes(payload);
        var stream = new MemoryStream();
        var writer = new PacketWriter(stream) { Sequence = 254 };
        await writer.WriteAsync(payload, default);
        Assert.Equal(length + (4 * packets), stream.Length);
        Assert.Equal((byte)(254 + packets), writer.Sequence);

        stream.Position = 0;
        var reader = new PacketReader(stream);
        reader.BeginAnswer(254);
        var read = await reader.ReadAsync(int.MaxValue, default);
        Assert.True(read.Span.SequenceEqual(payload));
        Assert.Equal(writer.Sequence, reader.Sequence);
    }

    [Fact]
    public async Task A_payload_of_several_parts_is_written_as_one()
    {
        var stream = new MemoryStream();
        var writer = new PacketWriter(stream);
        int[] lengths = [10, 0, 32 * 1024, 1, 100_000, Full - 132_778, 3];
        ReadOnlyMemory<byte>[] parts = [.. lengths.Select((length, index) => Enumerable.Repeat((byte)(index + 1), length).ToArray())];
        await writer.WriteAsync(parts, default);
        stream.Position = 0;
        var read = await new PacketReader(stream).ReadAsync(int.MaxValue, default);
        Assert.True(read.Span.SequenceEqual(parts.SelectMany(part => part.ToArray()).ToArray()));
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(16 * 1024, 3)]
    [InlineData(40_000, 5)]
    [InlineData(Full / 2, 4)]
    public async Task Payloads_that_wait_in_the_buffer_go_out_in_order_with_what_is_flushed(int length, int payloads)
    {
        var stream = new MemoryStream();
        var writer = new PacketWriter(stream);
        var expected = Enumerable.Range(1, payloads).Select(number => Enumerable.Repeat((byte)number, length).ToArray()).ToArray();
        foreach (var payload in expected)
        {
            await writer.PutAsync([payload.AsMemory(0, length / 2), payload.AsMemory(length / 2)], default);
        }

        await writer.FlushAsync(default);
        stream.Position = 0;
        var reader = new PacketReader(stream);
        foreach (var payload in expected)
        {
            Assert.True((await reader.ReadAsync(int.MaxValue, default)).Span.SequenceEqual(payload));
        }

        Assert.Equal(stream.Length, stream.Position);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(7)]
    public async Task Packets_are_read_however_they_are_cut(int bytesARead)
    {
        var random = new Random(bytesARead);
        var payloads = new[] { 0, 1, 5, 40_000, 32_764, 32_765, 3, 100_000 }.Select(length =>
        {
            var payload = new byte[length];
            random.NextBytes(payload);
            return payload;
        }).ToArray();
        var peer = new ScriptedPeer(new Script().Then(0, 0, payloads), bytesARead);
        var reader = new PacketReader(peer);
        foreach (var payload in payloads)
        {
            Assert.True((await reader.ReadAsync(1_000_000, default)).Span.SequenceEqual(payload));
        }

        var fault = await Assert.ThrowsAsync<ServerException>(async () => await reader.ReadAsync(1_000_000, default));
        Assert.Equal(FaultKind.SessionLost, fault.Kind);
    }

    [Fact]
    public async Task A_wrong_sequence_id_is_refused()
    {
        var reader = new PacketReader(new MemoryStream([1, 0, 0, 2, 0]));
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await reader.ReadAsync(100, default));
        Assert.Equal(FaultKind.Protocol, fault.Kind);
        Assert.Contains("packet 2 came where 0 was due", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_payload_longer_than_the_limit_is_refused_before_it_is_read()
    {
        var stream = new MemoryStream([101, 0, 0, 0, .. new byte[101]]);
        await Assert.ThrowsAsync<ServerException>(async () => await new PacketReader(stream).ReadAsync(100, default));

        var joined = new List<byte>();
        joined.AddRange([0xff, 0xff, 0xff, 0, .. new byte[Full], 1, 0, 0, 1, 0]);
        await Assert.ThrowsAsync<ServerException>(
            async () => await new PacketReader(new MemoryStream([.. joined])).ReadAsync(Full, default));
        Assert.Equal(Full + 1, (await new PacketReader(new MemoryStream([.. joined])).ReadAsync(Full + 1, default)).Length);
    }

    [Fact]
    public async Task The_limit_that_is_told_is_the_whole_one_not_what_was_left_of_it()
    {
        byte[] joined = [0xff, 0xff, 0xff, 0, .. new byte[Full], 11, 0, 0, 1, 0];
        var fault = await Assert.ThrowsAsync<ServerException>(
            async () => await new PacketReader(new MemoryStream(joined)).ReadAsync(Full + 10, default));
        Assert.Contains("longer than the 16777225 bytes", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_read_ahead_under_way_did_not_end_with_the_token_of_the_one_who_waits()
    {
        var reader = new PacketReader(new ScriptedPeer(new Script().Then(1, 0, [1])));
        Assert.False(reader.WatchAsync(CancellationToken.None).IsCompleted);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await reader.ReadAsync(100, new CancellationToken(canceled: true)));
    }

    [Fact]
    public async Task A_claimed_length_takes_no_memory()
    {
        byte[] claim = [0xff, 0xff, 0xff, 0, 1, 2, 3];
        await ReadAsync();
        var before = GC.GetAllocatedBytesForCurrentThread();
        await ReadAsync();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 256 * 1024);

        async Task ReadAsync()
        {
            var reader = new PacketReader(new MemoryStream(claim));
            var fault = await Assert.ThrowsAsync<ServerException>(async () => await reader.ReadAsync(int.MaxValue, default));
            Assert.Equal("the server closed the connection", fault.Message);
        }
    }
}
