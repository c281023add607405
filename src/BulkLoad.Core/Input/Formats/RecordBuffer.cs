using System.Buffers;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Formats;

/// <summary>The bytes from the current record on. Grows only for a larger record. <paramref name="offset"/> is that of the first
/// byte.</summary>
internal sealed class RecordBuffer(Stream source, long offset, SourceOrigin? origin = null)
{
    /// <summary>Enough for a small file, of which there may be many; a full buffer would be allocated in the heap for large
    /// objects.</summary>
    private const int InitialBytes = 4 * 1024;

    private const int DefaultBytes = 128 * 1024;

    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(InitialBytes);
    private int _start;
    private int _end;

    /// <summary>Valid until the next call of a method.</summary>
    public ReadOnlySpan<byte> Unread => _bytes.AsSpan(_start, _end - _start);

    public ReadOnlyMemory<byte> UnreadMemory => _bytes.AsMemory(_start, _end - _start);

    /// <summary>Of the first byte of <see cref="Unread"/>.</summary>
    public long Offset { get; private set; } = offset;

    public bool HasEnded { get; private set; }

    public void Consume(int count)
    {
        _start += count;
        Offset += count;
    }

    /// <summary>Continues at another offset, in what the source gives next.</summary>
    public void MoveTo(long offset)
    {
        _start = _end = 0;
        (Offset, HasEnded) = (offset, false);
    }

    /// <summary>Continues in these bytes, behind which there is nothing. They stay the caller's, and are not changed.</summary>
    public void Hold(byte[] bytes, int length, long offset)
    {
        (_bytes, _start, _end) = (bytes, 0, length);
        (Offset, HasEnded) = (offset, true);
    }

    /// <summary>False at the end of the input.</summary>
    public bool Fill()
    {
        if (HasEnded)
        {
            return false;
        }

        if (_end == _bytes.Length)
        {
            MakeRoom();
        }

        origin?.Forget(Offset);
        var read = source.Read(_bytes, _end, _bytes.Length - _end);
        _end += read;
        HasEnded = read == 0;
        return read != 0;
    }

    /// <summary>Like <see cref="Fill"/>, but a fault of the input waits behind the bytes that are there: it comes again.</summary>
    public void FillAhead()
    {
        try
        {
            Fill();
        }
        catch (InputException) when (!Unread.IsEmpty)
        {
        }
    }

    /// <summary>Keeps the origin of the first unread byte, before a skipped record is delivered.</summary>
    public void RecordPlace() => origin?.OffsetOf(Offset);

    /// <summary>Skips a line of any length. <paramref name="from"/> is where the search begins.</summary>
    public void ConsumeLine(int from, LineEnds lineEnds)
    {
        RecordPlace();
        while (true)
        {
            var candidate = lineEnds.IndexOfCandidate(Unread[from..]);
            from = candidate < 0 ? Unread.Length : from + candidate;
            var length = candidate < 0 ? LineEnds.NeedsMore : lineEnds.LengthAt(Unread[from..], HasEnded);
            if (length > 0)
            {
                Consume(from + length);
                return;
            }

            if (length == 0)
            {
                from++;
                continue;
            }

            Consume(from);
            from = 0;
            if (!Fill() && Unread.IsEmpty)
            {
                return;
            }
        }
    }

    private void MakeRoom()
    {
        var unread = Unread;
        // A buffer that is more than half full of one record doubles, so that a large one is not moved for each piece.
        var target = _bytes.Length < DefaultBytes ? GC.AllocateUninitializedArray<byte>(DefaultBytes)
            : unread.Length > _bytes.Length / 2
            ? GC.AllocateUninitializedArray<byte>((int)Math.Min(_bytes.Length * 2L, Array.MaxLength))
            : _bytes;
        unread.CopyTo(target);
        _end = unread.Length;
        _start = 0;
        _bytes = target;
    }
}

internal sealed class LineEnds
{
    /// <summary>There are too few bytes to decide.</summary>
    public const int NeedsMore = -1;

    /// <summary>LF, CRLF and CR.</summary>
    public static readonly LineEnds Any = new(null);

    /// <summary>LF and CRLF, as JSON lines have them; a CR alone is text.</summary>
    public static readonly LineEnds LfOrCrlf = new(null) { _isCrText = true };

    private readonly byte[]? _only;
    private readonly SearchValues<byte> _firstBytes;
    private bool _isCrText;

    /// <summary>Null: LF, CRLF and CR.</summary>
    public LineEnds(byte[]? only)
    {
        _only = only;
        FirstBytes = only is null ? [(byte)'\r', (byte)'\n'] : [only[0]];
        _firstBytes = SearchValues.Create([.. FirstBytes]);
        Longest = only?.Length ?? 2;
    }

    public IReadOnlyList<byte> FirstBytes { get; }

    public int Longest { get; }

    public bool AreAny => _only is null;

    /// <summary>The first place of a possible line end, or -1.</summary>
    public int IndexOfCandidate(ReadOnlySpan<byte> bytes) => bytes.IndexOfAny(_firstBytes);

    /// <summary>0: no line end. <see cref="NeedsMore"/>: unclear. Needs at least one byte.</summary>
    public int LengthAt(ReadOnlySpan<byte> bytes, bool isAll)
    {
        if (_only is { } only)
        {
            return bytes.StartsWith(only) ? only.Length
                : !isAll && bytes.Length < only.Length && only.AsSpan().StartsWith(bytes) ? NeedsMore
                : 0;
        }

        return bytes[0] switch
        {
            (byte)'\n' => 1,
            (byte)'\r' when bytes.Length > 1 && bytes[1] == '\n' => 2,
            (byte)'\r' when bytes.Length == 1 && !isAll => NeedsMore,
            (byte)'\r' => _isCrText ? 0 : 1,
            _ => 0,
        };
    }

    /// <summary>The length of the line, and of its line end (0: none).</summary>
    public int IndexIn(ReadOnlySpan<byte> bytes, bool isAll, out int lineEnd)
    {
        var at = 0;
        while (IndexOfCandidate(bytes[at..]) is >= 0 and var candidate)
        {
            at += candidate;
            lineEnd = LengthAt(bytes[at..], isAll);
            if (lineEnd > 0)
            {
                return at;
            }

            at++;
        }

        lineEnd = 0;
        return bytes.Length;
    }

    public int CountIn(ReadOnlySpan<byte> bytes) => _only is { } only
        ? bytes.Count(only)
        : bytes.Count((byte)'\n') + bytes.Count((byte)'\r') - bytes.Count("\r\n"u8);
}

/// <summary>Skips lines at the start of an input (<c>--skip-lines</c>).</summary>
internal static class LineSkipper
{
    private const int PieceBytes = 64 * 1024;

    /// <summary>Returns the bytes skipped.</summary>
    public static long Skip(LookAheadStream content, int lines, LineEnds lineEnds)
    {
        var skipped = 0L;
        while (lines > 0)
        {
            var piece = content.Peek(PieceBytes).Span;
            var isAll = piece.Length < PieceBytes;
            var passed = Skip(piece, isAll, lineEnds, ref lines);
            content.Skip(passed);
            skipped += passed;
            if (isAll)
            {
                break;
            }
        }

        return skipped;
    }

    /// <summary>Up to the last line end, or to a place where one may begin.</summary>
    private static int Skip(ReadOnlySpan<byte> piece, bool isAll, LineEnds lineEnds, ref int lines)
    {
        var at = 0;
        while (lines > 0)
        {
            var candidate = lineEnds.IndexOfCandidate(piece[at..]);
            if (candidate < 0)
            {
                return piece.Length;
            }

            at += candidate;
            var length = lineEnds.LengthAt(piece[at..], isAll);
            if (length == LineEnds.NeedsMore)
            {
                return at;
            }

            lines -= length > 0 ? 1 : 0;
            at += Math.Max(1, length);
        }

        return at;
    }
}
