namespace BulkLoad.Core.Reading;

/// <summary>Passes over whole lines at the start of an input (<c>--skip-lines</c>).</summary>
internal static class LineSkipper
{
    private const int PieceBytes = 64 * 1024;

    /// <summary>Moves <paramref name="content"/> behind <paramref name="lines"/> line ends, or to its end.</summary>
    /// <returns>the bytes passed over</returns>
    /// <param name="content">UTF-8</param>
    /// <param name="lines">how many</param>
    /// <param name="newline">what ends a line; null: LF, CRLF and CR alike</param>
    public static long Skip(LookAheadStream content, int lines, byte[]? newline)
    {
        var skipped = 0L;
        for (var line = 0; line < lines; line++)
        {
            skipped += SkipLine(content, newline);
        }

        return skipped;
    }

    private static long SkipLine(LookAheadStream content, byte[]? newline)
    {
        var skipped = 0L;
        while (true)
        {
            var piece = content.Peek(PieceBytes).Span;
            var end = newline is null ? EndOfLine(piece) : EndOfLine(piece, newline);
            if (end >= 0)
            {
                content.Skip(end);
                return skipped + end;
            }

            if (piece.Length < PieceBytes)
            {
                content.Skip(piece.Length);
                return skipped + piece.Length;
            }

            // The last bytes may be the beginning of a line end.
            var passed = piece.Length - (newline?.Length ?? 2) + 1;
            content.Skip(passed);
            skipped += passed;
        }
    }

    /// <summary>The index behind the line's end; -1 where it is not there, or where a CR stands last and an LF may follow.</summary>
    private static int EndOfLine(ReadOnlySpan<byte> piece)
    {
        var end = piece.IndexOfAny((byte)'\r', (byte)'\n');
        return end < 0 ? -1
            : piece[end] == '\n' ? end + 1
            : end + 1 == piece.Length ? -1
            : piece[end + 1] == '\n' ? end + 2 : end + 1;
    }

    private static int EndOfLine(ReadOnlySpan<byte> piece, byte[] newline)
    {
        var end = piece.IndexOf(newline);
        return end < 0 ? -1 : end + newline.Length;
    }
}
