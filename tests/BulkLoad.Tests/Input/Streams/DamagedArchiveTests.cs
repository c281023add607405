using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Tests.Input.Streams;

/// <summary>Small archives of every format, each cut at every byte, with every byte changed, and with every part removed, repeated and
/// swapped: what comes of it is read whole, or is an error.</summary>
public sealed class DamagedArchiveTests
{
    /// <summary>Each is the parts that it is made of: a file of parts that are whole by themselves is a file too.</summary>
    public static TheoryData<string> Names => [.. Archives.All.Keys];

    public static TheoryData<string> NamesOfWholes => [.. Archives.All.Where(one => one.Value.AreWhole).Select(one => one.Key)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Archive_is_read_whole(string name)
    {
        var archive = Archives.All[name];
        Assert.Equal(archive.Content, Read(archive.Kind, archive.Bytes));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Archive_that_is_cut_anywhere_is_an_error(string name)
    {
        var archive = Archives.All[name];
        var ends = archive.Ends();
        for (var length = 1; length < archive.Bytes.Length; length++)
        {
            if (ends.TryGetValue(length, out var content))
            {
                Assert.Equal(content, Read(archive.Kind, archive.Bytes[..length]));
            }
            else
            {
                IsRefused(archive.Kind, archive.Bytes[..length], $"{name} cut after {length} bytes");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Every_changed_byte_is_an_error_or_changes_nothing(string name)
    {
        var archive = Archives.All[name];
        for (var at = 0; at < archive.Bytes.Length; at++)
        {
            foreach (byte change in new byte[] { 0x01, 0x10, 0x84, 0xFF })
            {
                var bytes = archive.Bytes.ToArray();
                bytes[at] ^= change;
                IsWholeOrRefused(archive.Kind, bytes, archive.Content, $"{name}, byte {at} changed by {change:x2}");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Parts_removed_repeated_or_swapped_are_read_whole_or_refused(string name)
    {
        var archive = Archives.All[name];
        foreach (var (order, what) in Orders(archive.Parts.Count))
        {
            byte[] bytes = [.. order.SelectMany(index => archive.Parts[index].Bytes)];
            byte[] content = [.. order.SelectMany(index => archive.Parts[index].Content)];
            if (archive.AreWhole && bytes.Length > 0)
            {
                Assert.Equal(content, Read(archive.Kind, bytes));
            }
            else
            {
                IsWholeOrRefused(archive.Kind, bytes, archive.Content, $"{name}: {what}");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Bytes_in_front_or_behind_are_an_error(string name)
    {
        var archive = Archives.All[name];
        byte[][] rests = [[0], [0, 0, 0, 0, 1], [0x0A], "id,name\n"u8.ToArray(), archive.Bytes[..3], [.. archive.Bytes, 1]];
        foreach (var rest in rests)
        {
            IsRefused(archive.Kind, [.. archive.Bytes, .. rest], $"{name}, followed by {Convert.ToHexString(rest)}");
            IsRefused(archive.Kind, [.. rest, .. archive.Bytes], $"{name} behind {Convert.ToHexString(rest)}");
        }
    }

    [Theory]
    [MemberData(nameof(NamesOfWholes))]
    public void Beginning_of_another_part_behind_the_last_is_an_error(string name)
    {
        var archive = Archives.All[name];
        foreach (var part in archive.Parts)
        {
            for (var length = 1; length < part.Bytes.Length; length++)
            {
                byte[] bytes = [.. archive.Bytes, .. part.Bytes[..length]];
                IsRefused(archive.Kind, bytes, $"{name} and {length} bytes of another part");
            }
        }
    }

    private static IEnumerable<(int[] Order, string What)> Orders(int count)
    {
        int[] all = [.. Enumerable.Range(0, count)];
        for (var one = 0; one < count; one++)
        {
            var at = one;
            yield return ([.. all.Where(index => index != at)], $"without part {at}");
            yield return ([.. all.SelectMany(index => Enumerable.Repeat(index, index == at ? 2 : 1))], $"part {at} twice");
            for (var other = one + 1; other < count; other++)
            {
                var (first, second) = (one, other);
                yield return ([.. all.Select(index => index == first ? second : index == second ? first : index)],
                    $"parts {first} and {second} swapped");
            }
        }
    }

    private static void IsRefused(InputCompression kind, byte[] bytes, string what)
    {
        var fault = Record.Exception(() => Read(kind, bytes));
        Assert.True(fault is InputException, $"{what}: {fault?.ToString() ?? "was taken"}");
    }

    private static void IsWholeOrRefused(InputCompression kind, byte[] bytes, byte[] content, string what)
    {
        try
        {
            Assert.True(Read(kind, bytes).AsSpan().SequenceEqual(content), $"{what}: other content");
        }
        catch (InputException fault)
        {
            Assert.NotEmpty(fault.Message);
        }
    }

    private static byte[] Read(InputCompression kind, byte[] bytes)
    {
        var options = new SourceOptions { Compression = kind, Encoding = "utf-8" };
        using var input = kind == InputCompression.Zip
            ? InputFile.Open(new MemoryStream(bytes), "in", options)
            : Inputs.Open(bytes, options);
        return Inputs.ReadContent(input);
    }
}
