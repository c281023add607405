using System.Numerics;
using System.Text.Json;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Library;

namespace BulkLoad.Tests.Library;

/// <summary>What the writer makes of a value, as the reading side gets it.</summary>
public sealed class BulkRowWriterTests
{
    private static readonly TimeSpan TwoHours = TimeSpan.FromHours(2);

    public static TheoryData<string, string?> Values()
    {
        var data = new TheoryData<string, string?>();
        foreach (var (name, _, text) in All)
        {
            data.Add(name, text);
        }

        return data;
    }

    private static readonly (string Name, Action<BulkRowWriter> Write, string? Text)[] All =
    [
        ("NULL", writer => writer.WriteNull(), null),
        ("no text", writer => writer.Write((string?)null), null),
        ("no bytes", writer => writer.Write((byte[]?)null), null),
        ("empty text", writer => writer.Write(""), ""),
        ("text", writer => writer.Write("Zoë, 日本 🚀"), "Zoë, 日本 🚀"),
        ("text of 126 bytes", writer => writer.Write(new string('a', 126)), new string('a', 126)),
        ("text of 127 bytes", writer => writer.Write(new string('a', 127)), new string('a', 127)),
        ("text of 64 letters of 2 bytes", writer => writer.Write(new string('ë', 64)), new string('ë', 64)),
        ("text of 63 letters of 3 bytes", writer => writer.Write(new string('日', 63)), new string('日', 63)),
        ("long text", writer => writer.Write(new string('日', 200_000)), new string('日', 200_000)),
        ("letter", writer => writer.Write('é'), "é"),
        ("true", writer => writer.Write(true), "1"),
        ("false", writer => writer.Write(false), "0"),
        ("int", writer => writer.Write(int.MinValue), "-2147483648"),
        ("long", writer => writer.Write(long.MinValue), "-9223372036854775808"),
        ("ulong", writer => writer.Write(ulong.MaxValue), "18446744073709551615"),
        ("decimal", writer => writer.Write(-79228162514264337593543950335m), "-79228162514264337593543950335"),
        ("decimal with zeros", writer => writer.Write(1.500m), "1.500"),
        ("double", writer => writer.Write(0.1), "0.1"),
        ("small double", writer => writer.Write(-5e-324), "-5E-324"),
        ("float", writer => writer.Write(0.1f), "0.1"),
        ("huge number", writer => writer.WriteFormatted(BigInteger.Pow(10, 200)), "1" + new string('0', 200)),
        ("Guid", writer => writer.Write(new Guid("123e4567-e89b-12d3-a456-426655440000")), "123e4567-e89b-12d3-a456-426655440000"),
        ("DateOnly", writer => writer.Write(new DateOnly(33, 2, 1)), "0033-02-01"),
        ("TimeOnly", writer => writer.Write(new TimeOnly(1, 2, 3)), "01:02:03"),
        ("TimeOnly with a fraction", writer => writer.Write(new TimeOnly(1, 2, 3, 40)), "01:02:03.04"),
        ("TimeOnly with ticks", writer => writer.Write(new TimeOnly(1)), "00:00:00.0000001"),
        ("TimeSpan", writer => writer.Write(new TimeSpan(0, 9, 8, 7)), "09:08:07"),
        ("TimeSpan below zero", writer => writer.Write(-new TimeSpan(34, 22, 59, 59, 500)), "-838:59:59.5"),
        ("smallest TimeSpan", writer => writer.Write(TimeSpan.MinValue), "-256204778:48:05.4775808"),
        ("DateTime", writer => writer.Write(new DateTime(2024, 2, 29, 23, 59, 59, 999)), "2024-02-29 23:59:59.999"),
        ("DateTime in UTC", writer => writer.Write(new DateTime(2024, 2, 29, 0, 0, 0, DateTimeKind.Utc)), "2024-02-29 00:00:00Z"),
        ("DateTimeOffset", writer => writer.Write(new DateTimeOffset(2024, 2, 29, 0, 0, 0, TwoHours)), "2024-02-29 00:00:00+02:00"),
        ("DateTimeOffset in the west", writer => writer.Write(new DateTimeOffset(2024, 2, 29, 0, 0, 0, -TwoHours - TwoHours / 4)),
            "2024-02-29 00:00:00-02:30"),
        ("JSON", writer => writer.Write(JsonDocument.Parse("""{"a": [1, "é"]}""").RootElement), """{"a": [1, "é"]}"""),
        ("JSON null", writer => writer.Write(JsonDocument.Parse("null").RootElement), null),
        ("no JSON", writer => writer.Write(default(JsonElement)), null),
        ("UTF-8", writer => writer.Write((ReadOnlyMemory<byte>)"é"u8.ToArray()), "é"),
    ];

    [Theory]
    [MemberData(nameof(Values))]
    public void A_value_is_the_text_that_a_file_would_have(string name, string? text)
    {
        var write = All.Single(one => one.Name == name).Write;

        var fields = Read([write, writer => writer.Write(7)]);

        Assert.Equal([text, "7"], fields);
    }

    [Fact]
    public void A_local_time_has_its_offset()
    {
        var time = new DateTime(2024, 6, 1, 12, 0, 0, DateTimeKind.Local);

        var text = Read([writer => writer.Write(time)])[0]!;

        Assert.Equal(new DateTimeOffset(time).ToString("yyyy-MM-dd HH:mm:sszzz", CultureInfo.InvariantCulture), text);
    }

    /// <summary>Three bytes that are no UTF-8, so that the rule of a text column refuses them; a pair stays a character.</summary>
    [Fact]
    public void A_lone_surrogate_is_not_replaced()
    {
        using var stream = Stream([writer => writer.Write("a\ud800🚀\udc00")]);
        using var reader = Reader(stream);

        Assert.True(reader.Read());
        reader.GetField(0, out var value);
        Assert.Equal([(byte)'a', 0xED, 0xA0, 0x80, 0xF0, 0x9F, 0x9A, 0x80, 0xED, 0xB0, 0x80], value.ToArray());
    }

    [Fact]
    public void An_object_that_writes_too_few_values_is_an_error()
    {
        var writer = new BulkRowWriter();
        writer.BeginRecord();
        writer.Write(1);

        var fault = Assert.Throws<InvalidOperationException>(() => writer.EndRecord(2));
        Assert.Equal("the map names 2 columns, and an object has written 1 values", fault.Message);
    }

    private static List<string?> Read(Action<BulkRowWriter>[] writes)
    {
        using var stream = Stream(writes);
        using var reader = Reader(stream);
        Assert.True(reader.Read());
        var fields = new List<string?>();
        for (var i = 0; i < reader.FieldCount; i++)
        {
            fields.Add(reader.GetField(i, out var value) == FieldKind.Null ? null : Encoding.UTF8.GetString(value));
        }

        Assert.False(reader.Read());
        return fields;
    }

    private static SequenceStream<int> Stream(Action<BulkRowWriter>[] writes) => new(
        "numbers", [.. writes.Select((_, i) => $"c{i}")], areKnown: true, before: 0, [1],
        (writer, _) => Array.ForEach(writes, write => write(writer)), window: null);

    internal static IRecordReader Reader(Stream stream) => RecordReaders.Create(
        new LookAheadStream(stream), new ReaderStart("objects"), Dialect.Of(new SourceOptions(), InputFormat.Objects), keys: null);
}
