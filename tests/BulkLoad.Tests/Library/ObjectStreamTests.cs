using System.Threading.Channels;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Library;

namespace BulkLoad.Tests.Library;

public sealed class ObjectStreamTests
{
    private static readonly string[] Columns = ["id", "name"];

    private static void Write(BulkRowWriter writer, int number)
    {
        writer.Write(number);
        writer.Write(new string('x', number % 300));
    }

    /// <summary>Their first bytes say how many records come before, and may be those of a byte order mark.</summary>
    [Theory]
    [InlineData(0xFEFF), InlineData(0xFFFE), InlineData(0xBFBBEF), InlineData(0x8B1F)]
    public void Records_are_as_they_were_written_wherever_the_stream_begins(long before)
    {
        using var stream = new SequenceStream<int>("numbers", Columns, true, before, Enumerable.Range(0, 3), Write, null);
        using var input = InputFile.Open(stream, "numbers", new SourceOptions
        {
            Format = InputFormat.Objects,
            Compression = InputCompression.None,
            Encoding = "utf-8",
        }, TestContext.Current.CancellationToken);
        using var reader = BulkRowWriterTests.Reader(input.Content);

        Assert.True(reader.Read());
        Assert.Equal(before + 1, reader.RecordNumber);
    }

    [Theory]
    [InlineData(0), InlineData(1), InlineData(70_000)]
    public void Records_have_names_numbers_and_all_values(int count)
    {
        using var stream = new SequenceStream<int>("numbers", Columns, true, 0, Enumerable.Range(0, count), Write, null);
        using var reader = BulkRowWriterTests.Reader(stream);

        Assert.Equal(Columns, reader.FieldNames);
        for (var i = 0; i < count; i++)
        {
            Assert.True(reader.Read());
            Assert.Null(reader.Fault);
            Assert.Equal(i + 1, reader.RecordNumber);
            Assert.Equal(FieldKind.Quoted, reader.GetField(0, out var id));
            Assert.Equal($"{i}", Encoding.UTF8.GetString(id));
            reader.GetField(1, out var name);
            Assert.Equal(i % 300, name.Length);
        }

        Assert.False(reader.Read());
        Assert.Equal(count, reader.RecordNumber);
    }

    [Fact]
    public void Records_are_numbered_behind_those_that_come_before()
    {
        using var stream = new SequenceStream<int>("numbers", Columns, true, 41, [7], Write, null);
        using var reader = BulkRowWriterTests.Reader(stream);

        Assert.True(reader.Read());

        Assert.Equal(42, reader.RecordNumber);
    }

    [Fact]
    public void Keys_have_no_name()
    {
        using var stream = new SequenceStream<int>("keys", [null!], false, 0, [7], (writer, key) => writer.WriteKey(key), null);
        using var reader = BulkRowWriterTests.Reader(stream);

        Assert.Null(reader.FieldNames);
        Assert.Equal(1, reader.FieldCount);
    }

    [Fact]
    public void An_object_that_is_too_large_is_a_fault_and_the_next_one_is_read()
    {
        using var stream = new SequenceStream<int>(
            "texts", ["text"], true, 0, [3, 200_000, 4], (writer, length) => writer.Write(new string('x', length)), null);
        using var reader = RecordReaders.Create(
            new LookAheadStream(stream), new ReaderStart("texts"),
            Dialect.Of(new SourceOptions { MaxRecordBytes = 1000 }, InputFormat.Objects), keys: null);

        List<string?> faults = [];
        while (reader.Read())
        {
            faults.Add(reader.Fault?.Code);
        }

        Assert.Equal([null, "record-too-large", null], faults);
    }

    [Fact]
    public void A_sequence_that_fails_is_a_fault_of_the_input_and_keeps_its_own_exception()
    {
        var own = new IOException("the wire broke");
        using var stream = new SequenceStream<int>("numbers", Columns, true, 0, Failing(own), Write, null);

        var fault = Assert.Throws<InputException>(() => stream.CopyTo(Stream.Null));

        Assert.Equal("numbers: the sequence has failed: the wire broke", fault.Message);
        Assert.Same(own, stream.Fault);
    }

    [Fact]
    public void What_is_there_does_not_wait_for_what_is_not()
    {
        var channel = Channel.CreateUnbounded<int>();
        channel.Writer.TryWrite(1);
        using var stream = new AsyncSequenceStream<int>(
            "numbers", Columns, true, 0, channel.Reader.ReadAllAsync(TestContext.Current.CancellationToken), Write, null,
            CancellationToken.None);
        var buffer = new byte[100_000];

        var read = stream.Read(buffer);
        Assert.True(read > 0);

        channel.Writer.TryWrite(2);
        channel.Writer.Complete();
        Assert.True(stream.Read(buffer) > 0);
        Assert.Equal(0, stream.Read(buffer));
    }

    [Fact]
    public void A_sequence_is_ended_once_whoever_ends_it()
    {
        var ends = 0;
        var read = new SequenceStream<int>("numbers", Columns, true, 0, Counting(() => ends++), Write, null);
        _ = read.Read(new byte[4096]);
        _ = read.Read(new byte[4096]);
        read.Abandon();
        Assert.False(read.Ended.IsCompleted);

        read.Dispose();
        read.Dispose();

        Assert.True(read.Ended.IsCompleted);
        Assert.Equal(1, ends);
    }

    [Fact]
    public void A_sequence_that_was_never_read_ends_when_it_is_abandoned()
    {
        var stream = new SequenceStream<int>("numbers", Columns, true, 0, Enumerable.Range(0, 3), Write, null);

        stream.Abandon();

        Assert.True(stream.Ended.IsCompleted);
        Assert.Equal(0, stream.Read(new byte[10]));
    }

    [Fact]
    public void A_window_has_the_objects_that_are_not_settled()
    {
        var window = new ObjectWindow<string>(before: 10);
        for (var i = 11; i <= 5_000; i++)
        {
            window.Add($"{i}");
        }

        window.Release(4_990);
        for (var i = 5_001; i <= 9_000; i++)
        {
            window.Add($"{i}");
        }

        Assert.Null(window.Find(4_989));
        Assert.Equal("4990", window.Find(4_990));
        Assert.Equal("5001", window.Find(5_001));
        Assert.Equal("9000", window.Find(9_000));
        Assert.Null(window.Find(9_001));
    }

    private static IEnumerable<int> Failing(Exception fault)
    {
        yield return 1;
        throw fault;
    }

    private static IEnumerable<int> Counting(Action onEnd)
    {
        try
        {
            yield return 1;
            yield return 2;
        }
        finally
        {
            onEnd();
        }
    }
}
