using System.Buffers;
using System.IO.Hashing;
using System.Numerics;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Feed;

/// <summary>Hashes of an input's bytes: decompressed, not decoded, from the first record on, so that byte order mark, preamble and header
/// do not count. The beginning is known before the input is read, all of it after a pass has come to its end.</summary>
internal sealed class SourceContent
{
    /// <summary>Bytes that are hashed before an input is read.</summary>
    public const int HeadBytes = 64 * 1024;

    /// <summary>Bytes of the last line that count: fewer than are kept of the end, whose line end may be missing.</summary>
    private const int MaxLastBytes = ContentTap.EndBytes / 2;

    private ContentDigests? _digests;
    private long _startInStream;
    private ContentTap? _tap;
    private (long Length, string Hash)? _half;

    private SourceContent(long start, string? first, string head, long? length) =>
        (Start, First, Head, Length) = (start, first, head, length);

    /// <summary>Offset of the first record in the decompressed, undecoded input.</summary>
    public long Start { get; }

    /// <summary>Hash of the first record; null: there is none.</summary>
    public string? First { get; }

    /// <summary>Hash of the first <see cref="HeadBytes"/>, or of all where there are fewer.</summary>
    public string Head { get; }

    /// <summary>Whether its bytes are the file's own, so that any of them can be read by its place.</summary>
    public bool IsPlain { get; private init; }

    /// <summary>Bytes from the first record on; null: compressed, and not read to its end yet.</summary>
    public long? Length { get; private set; }

    /// <summary>Digests of the part that counts for the job; null: not known yet.</summary>
    public ContentDigests? Digests => _digests;

    /// <summary>Bytes from the first record on that an earlier job has loaded, so that this one begins behind them.</summary>
    public long LoadedUpTo { get; set; }

    /// <summary>Where the bytes begin, counted from the first record, that an earlier job has loaded up to the end; null: there are
    /// none.</summary>
    public long? LoadedFrom { get; set; }

    /// <summary>Number of records in <see cref="LoadedUpTo"/>, as far as they were read.</summary>
    public long LoadedRecords { get; set; }

    public bool IsLeftOutInPart => LoadedUpTo > 0 || LoadedFrom is not null;

    /// <summary>Whether an earlier job has loaded the record, as a part of the beginning.</summary>
    /// <param name="offset">of its first byte in the decompressed, undecoded input</param>
    public bool IsInLoadedHead(long offset) => LoadedUpTo > 0 && offset - Start < LoadedUpTo;

    /// <summary>Whether an earlier job has loaded the record, as a part of the end.</summary>
    public bool IsInLoadedTail(long offset) => offset - Start >= LoadedFrom;

    /// <summary>Reads the beginning of an input that can be read again.</summary>
    /// <exception cref="InputException">the input cannot be read</exception>
    public static SourceContent Look(LoadSource source, SourceOptions options, CancellationToken cancellationToken)
    {
        long start;
        string? first = null;
        long? half;
        using (var input = source.Open(options, cancellationToken))
        {
            using var reader = CreateLineReader(source, input, options);
            if (!reader.Read())
            {
                return new SourceContent(long.MaxValue, null, HashOf([]), 0) { _digests = new ContentDigests(0, HashOf([])) };
            }

            start = input.SourceOffset(reader.ByteOffset);
            first = HashOfRecord(input, reader);
            half = input.Compression == InputCompression.None && source.Look.Length - source.Look.InStream(start) > HeadBytes
                ? null
                : FindHalf(input, reader, start, HeadBytes, isToEnd: true);
        }

        using var bytes = OpenAt(source, options, start, cancellationToken);
        var head = bytes.Content.Peek(HeadBytes).Span;
        head = head[..Math.Min(head.Length, HeadBytes)];
        (long Length, string Hash)? beginning = half is { } end && end <= head.Length ? (end, HashOf(head[..(int)end])) : null;
        var isPlain = bytes.Compression == InputCompression.None && source.Look is { Length: not null, Part: null };
        return new SourceContent(start, first, HashOf(head), isPlain ? source.Look.Length - start : null)
        {
            IsPlain = isPlain,
            _half = beginning,
            _startInStream = source.Look.InStream(start),
        };
    }

    /// <summary>For the next pass; null: there is no record.</summary>
    public ContentTap? CreateTap() => First is null ? null : _tap = new ContentTap(_startInStream);

    /// <summary>Called when a pass has come to the input's end.</summary>
    public void Take(ContentTap tap)
    {
        if (!tap.HasEnded)
        {
            return;
        }

        Length = tap.Length;
        var half = tap.Length > HeadBytes ? BeginningOf(tap.Length) : 0;
        var whole = tap.Finish();
        var (halfLength, halfHash) = half > 0 && tap.FindBeginning(half) is { } hash ? (half, hash) : _half ?? (tap.Length, whole);
        _digests = new ContentDigests(tap.Length, whole)
        {
            HalfLength = halfLength,
            Half = halfHash,
            Last = HashOfLastLine(tap.End),
        };
        _tap = tap.Length > HeadBytes ? tap : null;
    }

    /// <summary>Called when a pass has come to the first record that does not count any more: only what is before it counts.</summary>
    /// <param name="offset">of the record's first byte in the decompressed, undecoded input</param>
    public void EndAt(long offset, LoadSource source, SourceOptions options, CancellationToken cancellationToken)
    {
        var length = offset - Start;
        var half = FindHalf(length, source, options, cancellationToken) ?? length;
        var found = HashBeginnings(source, options, [length, half], cancellationToken);
        if (found.TryGetValue(length, out var all) && found.TryGetValue(half, out var beginning))
        {
            _digests = new ContentDigests(length, all.Hash) { HalfLength = half, Half = beginning.Hash };
        }
    }

    /// <summary>No record counts.</summary>
    public void EndAtStart() => _digests = new ContentDigests(0, HashOf([]));

    /// <summary>The beginning that is half of what is committed, while the input is read; null: there is none.</summary>
    /// <param name="offset">of the last committed record, in the decompressed, undecoded input</param>
    public (long Length, string Hash)? HalfUpTo(
        long offset, LoadSource source, SourceOptions options, CancellationToken cancellationToken)
    {
        var length = offset - Start;
        if (length > HeadBytes)
        {
            var half = BeginningOf(length);
            return _tap?.FindBeginning(half) is { } hash ? (half, hash) : null;
        }

        return FindHalf(length + 1, source, options, cancellationToken) is { } end
            && HashBeginnings(source, options, [end], cancellationToken).TryGetValue(end, out var found) ? (end, found.Hash) : null;
    }

    /// <summary>For content that is longer than <see cref="HeadBytes"/>: the largest power of two that is at most half of it.</summary>
    private static long BeginningOf(long length) => (long)BitOperations.RoundUpToPowerOf2((ulong)(length / 2) + 1) / 2;

    /// <summary>Where half of so many bytes ends; null: where its records begin cannot be told.</summary>
    private long? FindHalf(long length, LoadSource source, SourceOptions options, CancellationToken cancellationToken)
    {
        if (length > HeadBytes)
        {
            return BeginningOf(length);
        }

        using var input = source.Open(options, cancellationToken);
        using var reader = CreateLineReader(source, input, options);
        return reader.Read() ? FindHalf(input, reader, Start, length, isToEnd: false) : null;
    }

    private static IRecordReader CreateLineReader(LoadSource source, InputFile input, SourceOptions options) =>
        source.Look.CreateLineReader(input, options);

    /// <summary>Hashes the reader's record as it is in the input.</summary>
    public static string HashOfRecord(InputFile input, IRecordReader reader)
    {
        var original = new ArrayBufferWriter<byte>();
        input.WriteOriginal(reader.RawRecord, original);
        return HashOf(original.WrittenSpan);
    }

    /// <summary>The end of the first half of the records; the first one was read already.</summary>
    /// <param name="most">records that begin here, or later, do not count</param>
    /// <param name="isToEnd">whether the input must end here</param>
    private static long? FindHalf(InputFile input, IRecordReader reader, long start, long most, bool isToEnd)
    {
        // The places where the records behind the first one begin, which is where the one before ends.
        var ends = new List<long>();
        var isOver = false;
        try
        {
            while (!isOver && reader.Read())
            {
                ends.Add(input.SourceOffset(reader.ByteOffset) - start);
                isOver = ends[^1] >= most;
            }
        }
        catch (InputException)
        {
            // The pass that sends the records reports it.
            return null;
        }

        var records = isOver ? ends.Count : ends.Count + 1;
        var half = (records + 1) / 2;
        return (isOver && isToEnd) || half > ends.Count ? null : ends[half - 1];
    }

    /// <summary>Hashes the bytes behind the last line end that other bytes follow.</summary>
    /// <param name="end">the input's last bytes</param>
    public static string HashOfLastLine(ReadOnlySpan<byte> end)
    {
        end = end.TrimEnd("\r\n"u8);
        end = end[Math.Max(0, end.Length - MaxLastBytes)..];
        return HashOf(end[(end.LastIndexOfAny((byte)'\n', (byte)'\r') + 1)..]);
    }

    /// <summary>Hashes the input's beginnings of several lengths, in one pass.</summary>
    /// <param name="lengths">in bytes from the first record on</param>
    /// <returns>for each length that the input has, the hash of so many bytes, and whether a record ends there. A missing line end of the
    /// last record counts as there; where nothing but that line end follows, the input ends before it</returns>
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

        // Whether the last record read so far has no line end.
        bool LacksLineEnd() => !isWide && !HasLineEnd(last.AsSpan(1));
    }

    private static bool EndsRecord(ReadOnlySpan<byte> last, ReadOnlySpan<byte> next, bool isWide) =>
        isWide ? HasLineEnd(last) || HasLineEnd(next) : HasLineEnd(last[1..]) || HasLineEnd(next[..Math.Min(1, next.Length)]);

    private static bool HasLineEnd(ReadOnlySpan<byte> bytes) => bytes.ContainsAny((byte)'\n', (byte)'\r');

    /// <summary>Opens an input, not decoded, at that offset.</summary>
    public static InputFile OpenAt(LoadSource source, SourceOptions options, long start, CancellationToken cancellationToken)
    {
        var input = source.Look.OpenUndecoded(source.Spool, options, cancellationToken);
        start = source.Look.InStream(start);
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

/// <summary>Digests of content, in bytes from the first record on.</summary>
/// <param name="Whole">hash of all bytes</param>
internal sealed record ContentDigests(long Length, string Whole)
{
    /// <summary>Length of the beginning that is half of it: up to <see cref="SourceContent.HeadBytes"/> the first half of the records,
    /// beyond that the largest power of two that is at most half; null: not known.</summary>
    public long? HalfLength { get; init; }

    public string? Half { get; init; }

    /// <summary>Hash of the last line; null: not known.</summary>
    public string? Last { get; init; }
}

/// <summary>The beginning of an input, of a requested length.</summary>
/// <param name="EndsRecord">whether a record ends there, as far as its line end tells</param>
internal readonly record struct ContentBeginning(string Hash, bool IsAll, bool EndsRecord);
