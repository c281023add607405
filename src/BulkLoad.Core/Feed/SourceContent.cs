using System.Buffers;
using System.IO.Hashing;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Feed;

/// <summary>What an input's records are, by their bytes: decompressed, not decoded, from the first record on, so that byte order mark,
/// preamble and header do not count. The beginning is known before the input is read, all of it once a pass has come to its end.</summary>
internal sealed class SourceContent
{
    /// <summary>Bytes that are hashed before an input is read.</summary>
    public const int HeadBytes = 64 * 1024;

    private SourceContent(long start, string? first, string head, long? length) =>
        (Start, First, Head, Length) = (start, first, head, length);

    private (long? Length, string? Whole)? _limited;

    /// <summary>Offset of the first record in the decompressed, undecoded input.</summary>
    public long Start { get; }

    /// <summary>Hash of the first record; null: there is none.</summary>
    public string? First { get; }

    /// <summary>Hash of the first <see cref="HeadBytes"/>, or of all where there are fewer.</summary>
    public string Head { get; }

    /// <summary>Bytes from the first record on; null: compressed, and not read to its end so far.</summary>
    public long? Length { get; private set; }

    /// <summary>Hash of all bytes; null: not known so far.</summary>
    public string? Whole { get; private set; }

    /// <summary>What counts as all of it for the job: its length in bytes and their hash, as far as they are known.</summary>
    public (long? Length, string? Whole) Taken => _limited ?? (Length, Whole);

    /// <summary>Bytes from the first record on that an earlier job has loaded, so that this one begins behind them.</summary>
    public long Behind { get; set; }

    /// <summary>Records among those, as far as they were read.</summary>
    public long RecordsBehind { get; set; }

    /// <summary>Whether a record is among those that an earlier job has loaded.</summary>
    /// <param name="offset">of its first byte in the decompressed, undecoded input</param>
    public bool IsBehind(long offset) => Behind > 0 && offset - Start < Behind;

    /// <summary>Looks at the beginning of an input that can be read again.</summary>
    /// <exception cref="InputException">it cannot be read</exception>
    public static SourceContent Look(LoadSource source, SourceOptions options, CancellationToken cancellationToken)
    {
        long start;
        string? first = null;
        using (var input = source.Open(options, cancellationToken))
        {
            using var reader = source.CreateReader(input, options);
            if (!reader.Read())
            {
                return new SourceContent(long.MaxValue, null, HashOf([]), 0) { Whole = HashOf([]) };
            }

            start = input.SourceOffset(reader.ByteOffset);
            var original = new ArrayBufferWriter<byte>();
            input.WriteOriginal(reader.RawRecord, original);
            first = HashOf(original.WrittenSpan);
        }

        using var bytes = OpenAt(source, options, start, cancellationToken);
        var head = bytes.Content.Peek(HeadBytes).Span;
        return new SourceContent(start, first, HashOf(head[..Math.Min(head.Length, HeadBytes)]), bytes.Compression == InputCompression.None
            && source.Look.Length is { } length ? length - start : null);
    }

    /// <summary>For the next pass; null: there is no record.</summary>
    public ContentTap? CreateTap() => First is null ? null : new ContentTap(Start);

    /// <summary>A pass has come to the input's end.</summary>
    public void Take(ContentTap tap)
    {
        if (tap.HasEnded)
        {
            (Whole, Length, _limited) = (tap.Finish(), tap.Length, null);
        }
    }

    /// <summary>A pass has come to a record that does not count any more: what is before it is all.</summary>
    /// <param name="offset">of the record's first byte in the decompressed, undecoded input</param>
    public void EndAt(long offset, LoadSource source, SourceOptions options, CancellationToken cancellationToken)
    {
        var length = offset - Start;
        if (HashBeginnings(source, options, [length], cancellationToken).TryGetValue(length, out var beginning))
        {
            _limited = (length, beginning.Hash);
        }
    }

    /// <summary>No record of it counts.</summary>
    public void EndAtStart() => _limited = (0, HashOf([]));

    /// <summary>Hashes the input's beginnings of several lengths, in one pass.</summary>
    /// <param name="lengths">in bytes from the first record on</param>
    /// <returns>for each length that the input has, the hash of so many bytes, and whether a record ends there, as the last one or before
    /// others. The last record's line end does not count: where only that is missing it is taken as there, and where only that follows the
    /// input ends before it</returns>
    public Dictionary<long, ContentBeginning> HashBeginnings(
        LoadSource source, SourceOptions options, IEnumerable<long> lengths, CancellationToken cancellationToken)
    {
        var found = new Dictionary<long, ContentBeginning>();
        using var input = OpenAt(source, options, Start, cancellationToken);
        var hash = new XxHash128();
        var buffer = new byte[HeadBytes];
        var last = new byte[2];
        var position = 0L;
        var isWide = source.Look.EncodingName.StartsWith("utf-16", StringComparison.OrdinalIgnoreCase);
        foreach (var length in lengths.Distinct().Order())
        {
            while (position < length)
            {
                var read = input.Content.Read(buffer.AsSpan(0, (int)Math.Min(buffer.Length, length - position)));
                if (read == 0)
                {
                    if (LacksLineEnd() && length - position <= 2)
                    {
                        hash.Append(length - position == 1 ? "\n"u8 : "\r\n"u8);
                        found[length] = new ContentBeginning(Hash(), IsAll: true, EndsRecord: true);
                    }

                    return found;
                }

                hash.Append(buffer.AsSpan(0, read));
                last = read > 1 ? [buffer[read - 2], buffer[read - 1]] : [last[1], buffer[0]];
                position += read;
            }

            var next = input.Content.Peek(3).Span;
            var isAll = next.Length == 0 || (LacksLineEnd() && (next.SequenceEqual("\n"u8) || next.SequenceEqual("\r\n"u8)));
            found[length] = new ContentBeginning(Hash(), isAll, EndsRecord(last, next[..Math.Min(2, next.Length)], isWide));
        }

        return found;

        string Hash() => Convert.ToHexStringLower(hash.GetCurrentHash());

        // Of what was read so far, as the last record.
        bool LacksLineEnd() => !isWide && !HasLineEnd(last.AsSpan(1));
    }

    private static bool EndsRecord(ReadOnlySpan<byte> last, ReadOnlySpan<byte> next, bool isWide) =>
        isWide ? HasLineEnd(last) || HasLineEnd(next) : HasLineEnd(last[1..]) || HasLineEnd(next[..Math.Min(1, next.Length)]);

    private static bool HasLineEnd(ReadOnlySpan<byte> bytes) => bytes.ContainsAny((byte)'\n', (byte)'\r');

    private static InputFile OpenAt(LoadSource source, SourceOptions options, long start, CancellationToken cancellationToken)
    {
        var input = InputFile.OpenUndecoded(source.Look.Path ?? source.Look.Name, source.Spool, options, cancellationToken);
        try
        {
            Span<byte> passed = stackalloc byte[4096];
            while (start > 0)
            {
                var read = input.Content.Read(passed[..(int)Math.Min(start, passed.Length)]);
                start = read == 0 ? 0 : start - read;
            }

            return input;
        }
        catch
        {
            input.Dispose();
            throw;
        }
    }

    private static string HashOf(ReadOnlySpan<byte> bytes) => Convert.ToHexStringLower(XxHash128.Hash(bytes));
}

/// <summary>The beginning of an input, of a length that was asked for.</summary>
/// <param name="EndsRecord">whether a record ends there, as far as its line end tells</param>
internal readonly record struct ContentBeginning(string Hash, bool IsAll, bool EndsRecord);
