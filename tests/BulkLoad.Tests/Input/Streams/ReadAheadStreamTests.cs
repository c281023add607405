using System.IO.Pipes;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Tests.Input.Streams;

public sealed class ReadAheadStreamTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(300_000)]
    [InlineData(5_000_000)]
    public void It_gives_the_bytes_of_its_source_in_order(int direct)
    {
        var random = new Random(direct);
        var bytes = new byte[3_000_000];
        random.NextBytes(bytes);
        using var ahead = new ReadAheadStream(new SmallPieces(bytes, atEnd: null), direct, CancellationToken.None);
        var read = new MemoryStream();
        var buffer = new byte[200_000];
        while (ahead.Read(buffer, 0, random.Next(1, buffer.Length)) is > 0 and var count)
        {
            read.Write(buffer, 0, count);
        }

        Assert.True(read.ToArray().AsSpan().SequenceEqual(bytes));
        Assert.Equal(0, ahead.Read(buffer));
    }

    [Fact]
    public void A_fault_comes_behind_the_bytes_before_it_and_again()
    {
        var source = new SmallPieces(new byte[1_000_000], new InputException("no more"));
        using var ahead = new ReadAheadStream(source, direct: 0, CancellationToken.None);
        var count = 0;
        var buffer = new byte[10_000];
        while (count < 1_000_000)
        {
            count += ahead.Read(buffer);
        }

        Assert.Equal(1_000_000, count);
        Assert.Equal("no more", Assert.Throws<InputException>(() => ahead.Read(buffer, 0, 1)).Message);
        Assert.Equal("no more", Assert.Throws<InputException>(() => ahead.Read(buffer, 0, 1)).Message);
    }

    [Fact]
    public void A_cancelled_read_of_a_silent_pipe_ends()
    {
        using var writer = new AnonymousPipeServerStream(PipeDirection.Out);
        using var stop = new CancellationTokenSource();
        var reader = new AnonymousPipeClientStream(PipeDirection.In, writer.GetClientHandleAsString());
        using (var ahead = InputFile.WithoutWait(reader, stop.Token))
        {
            writer.Write("id"u8);
            var buffer = new byte[100];
            Assert.Equal(2, ahead.Read(buffer));
            using var timer = new Timer(_ => stop.Cancel(), null, 20, Timeout.Infinite);
            Assert.ThrowsAny<OperationCanceledException>(() => ahead.Read(buffer));
        }
    }

    [Fact]
    public void A_pipe_without_a_writer_can_be_left()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("there are no such pipes");
        }

        var folder = Directory.CreateTempSubdirectory("bulkload-pipe-");
        try
        {
            var path = Path.Combine(folder.FullName, "rows");
            using (var made = System.Diagnostics.Process.Start("mkfifo", path))
            {
                made.WaitForExit();
            }

            using var stop = new CancellationTokenSource(20);
            Assert.ThrowsAny<OperationCanceledException>(() => InputFile.OpenFile(path, stop.Token));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1_000_000)]
    public void It_disposes_of_its_source(int direct)
    {
        var source = new SmallPieces(new byte[1_000_000], new InputException("no more"));
        using (var ahead = new ReadAheadStream(source, direct, CancellationToken.None))
        {
            Assert.Equal(10, ahead.Read(new byte[10]));
        }

        Assert.True(source.IsDisposed.Wait(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken));
    }

    [Fact]
    public void Its_position_is_that_of_what_was_read_not_of_what_is_ahead()
    {
        var source = new MemoryStream(new byte[1_000_000]);
        using var ahead = new ReadAheadStream(source, direct: 0, CancellationToken.None, () => source.Position);
        var buffer = new byte[64 * 1024];
        var positions = new List<long>();
        while (ahead.Read(buffer) > 0)
        {
            positions.Add(ahead.SourcePosition);
        }

        Assert.Equal(Enumerable.Range(1, positions.Count).Select(i => Math.Min(1_000_000, (i + 1) / 2 * 128L * 1024)), positions);
    }

    /// <summary>Gives few bytes at a time; then ends, or throws.</summary>
    private sealed class SmallPieces(byte[] bytes, Exception? atEnd) : ForwardStream
    {
        private int _at;

        public ManualResetEventSlim IsDisposed { get; } = new();

        public override int Read(Span<byte> buffer)
        {
            var count = Math.Min(Math.Min(buffer.Length, 7_001), bytes.Length - _at);
            bytes.AsSpan(_at, count).CopyTo(buffer);
            _at += count;
            return count > 0 || atEnd is null ? count : throw atEnd;
        }

        protected override void Dispose(bool disposing)
        {
            IsDisposed.Set();
            base.Dispose(disposing);
        }
    }
}
