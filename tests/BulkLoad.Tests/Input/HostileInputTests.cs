using System.IO.Compression;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Tests.Input;

/// <summary>
/// Any bytes at all as an input, under any options: what can be read is, and the rest is a fault of a record or of the input.
/// BULKLOAD_TEST_FUZZ says how many inputs, BULKLOAD_TEST_SEED which.
/// </summary>
public sealed class HostileInputTests
{
    private const int UsualCases = 5_000;
    private const int MaxBytes = 600;
    private const long MostBytesACase = 24 * 1024 * 1024;

    private static readonly string[] Pieces =
    [
        ",", ",", ";", "\t", "|", "\"", "\"\"", "\n", "\r\n", "\r", "a", "id", "1", "2026-11-21", "\\", "\\N", "#", "{", "}", "[", "]", ":",
        "null", "\"a\":", "{\"a\":1}\n", "{\"a\":\"\\ud800\"}\n",
        "1..99", "sep=;\n", "'", "\0", "\u00e4", "\u4e2d", "\U0001F600", "\ufeff", "\u2028", "\v", "\f", " ", "id,name\n", "1,x\n",
        "total,\n", "-- \n", "=1+1",
    ];

    [Fact]
    public void Any_bytes_under_any_options_are_read_or_refused()
    {
        var seed = Environment.GetEnvironmentVariable("BULKLOAD_TEST_SEED") is { } asked
            ? int.Parse(asked, CultureInfo.InvariantCulture) : Environment.TickCount;
        var cases = int.Parse(Environment.GetEnvironmentVariable("BULKLOAD_TEST_FUZZ") ?? $"{UsualCases}", CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed}");
        for (var i = 0; i < cases; i++)
        {
            var random = new Random(unchecked((seed * 397) ^ i));
            var (bytes, options) = (Content(random), Options(random));
            var before = GC.GetAllocatedBytesForCurrentThread();
            try
            {
                Read(bytes, options, random);
            }
            catch (Exception fault) when (fault is InputException or RequestException)
            {
                Assert.NotEmpty(fault.Message);
            }
            catch (Exception fault)
            {
                Assert.Fail($"seed {seed}, case {i}: {Convert.ToHexString(bytes)} as {options}: {fault}");
            }

            var taken = GC.GetAllocatedBytesForCurrentThread() - before;
            Assert.True(taken < MostBytesACase, $"seed {seed}, case {i}: {Convert.ToHexString(bytes)} as {options} took {taken:N0} bytes");
        }
    }

    private static void Read(byte[] bytes, SourceOptions options, Random random)
    {
        var pieceSize = random.Next(3) == 0 ? random.Next(1, 20) : 1 << 16;
        SourceInfo look;
        using (var first = Inputs.Open(bytes, options, pieceSize))
        {
            look = SourceProbe.Look(first, options);
        }

        using var input = Inputs.Open(bytes, options, pieceSize);
        using var reader = look.CreateReader(input, options);
        var (record, offset) = (0L, -1L);
        while (reader.Read())
        {
            Assert.Equal(++record, reader.RecordNumber);
            Assert.True(reader.ByteOffset > offset || (reader.ByteOffset == offset && options.ReadsRanges),
                $"record {record} begins at {reader.ByteOffset}, the one before at {offset}");
            offset = reader.ByteOffset;
            for (var i = 0; reader.Fault is null && i < reader.FieldCount; i++)
            {
                reader.GetField(i, out _);
            }

            // A range of keys is as many records as it says.
            if (record > 10_000)
            {
                break;
            }
        }
    }

    private static SourceOptions Options(Random random)
    {
        char?[] marks = [null, null, null, ',', ';', '\t', '|', '"', '\'', '\\', '#', '\0'];
        var format = random.GetItems(Enum.GetValues<InputFormat>(), 1)[0];
        return new SourceOptions
        {
            Format = format,
            Delimiter = random.Next(4) == 0 ? random.GetItems(marks, 1)[0] : null,
            Quote = random.Next(4) == 0 ? random.GetItems(marks, 1)[0] : null,
            Escape = random.Next(4) == 0 ? random.GetItems(marks, 1)[0] : null,
            Comment = random.Next(6) == 0 ? '#' : null,
            Newline = random.Next(6) == 0 ? random.GetItems(["\n", "\r\n", "\r", ";", "||"], 1)[0] : null,
            SkipLines = random.Next(6) == 0 ? random.Next(4) : null,
            HasHeader = random.Next(3) == 0 ? random.Next(2) == 0 : null,
            Encoding = random.Next(6) == 0
                ? random.GetItems(["utf-8", "utf-16", "utf-32", "iso-8859-1", "windows-1252", "shift_jis", "gb18030"], 1)[0] : null,
            Compression = random.GetItems(Enum.GetValues<InputCompression>(), 1)[0],
            MaxRecordBytes = random.Next(3) == 0 ? random.Next(1, 50) : 16 * 1024 * 1024,
            MaxQuotedLines = random.Next(4) == 0 ? random.Next(1, 5) : 1000,
            ReadsRanges = random.Next(2) == 0,
            IgnoreUnknown = random.Next(2) == 0,
            Dirt = random.Next(2) == 0 ? DirtPolicies.None : Dirt(random),
        };
    }

    private static DirtPolicies Dirt(Random random)
    {
        var policies = DirtPolicies.None;
        for (var count = random.Next(1, 5); count > 0; count--)
        {
            policies = policies.With(random.Next(4) == 0 ? null : random.GetItems(Enum.GetValues<DirtKind>(), 1)[0],
                random.GetItems(Enum.GetValues<DirtAction>(), 1)[0]);
        }

        return policies;
    }

    private static byte[] Content(Random random)
    {
        var bytes = random.Next(4) switch
        {
            0 => Random(random),
            1 => Encoding.Unicode.GetBytes("\ufeff" + Text(random)),
            _ => Inputs.Utf8(Text(random)),
        };
        if (random.Next(4) == 0)
        {
            bytes = Packed(bytes);
        }

        // A byte or two that nobody meant, or an end that comes too early.
        for (var count = bytes.Length == 0 ? 0 : random.Next(3); count > 0; count--)
        {
            bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
        }

        return random.Next(4) == 0 ? bytes[..random.Next(bytes.Length + 1)] : bytes;
    }

    private static string Text(Random random) => string.Concat(random.GetItems(Pieces, random.Next(random.Next(2) == 0 ? 8 : 80)));

    private static byte[] Random(Random random)
    {
        var bytes = new byte[random.Next(MaxBytes)];
        random.NextBytes(bytes);
        return bytes;
    }

    private static byte[] Packed(byte[] bytes)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest))
        {
            gzip.Write(bytes);
        }

        return packed.ToArray();
    }
}
