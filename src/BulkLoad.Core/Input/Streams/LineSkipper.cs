using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Passes over whole lines at the start of an input (<c>--skip-lines</c>).</summary>
internal static class LineSkipper
{
    private const int PieceBytes = 64 * 1024;

    /// <summary>Moves <paramref name="content"/> behind <paramref name="lines"/> line ends, or to its end.</summary>
    /// <returns>the bytes skipped</returns>
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

    /// <summary>The bytes that can be skipped: to the last line end that is wanted, else to a place where one may begin.</summary>
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
