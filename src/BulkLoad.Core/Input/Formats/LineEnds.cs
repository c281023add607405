using System.Buffers;

namespace BulkLoad.Core.Input.Formats;

/// <summary>What ends a line: a text of the user's, or LF, CRLF and CR alike.</summary>
internal sealed class LineEnds
{
    /// <summary>The answer of <see cref="LengthAt"/> where the bytes end too early to tell.</summary>
    public const int NeedsMore = -1;

    /// <summary>LF, CRLF and CR alike.</summary>
    public static readonly LineEnds Any = new(null);

    private readonly byte[]? _only;
    private readonly SearchValues<byte> _firstBytes;

    /// <param name="only">the one line end; null: LF, CRLF and CR alike</param>
    public LineEnds(byte[]? only)
    {
        _only = only;
        FirstBytes = only is null ? [(byte)'\r', (byte)'\n'] : [only[0]];
        _firstBytes = SearchValues.Create([.. FirstBytes]);
        Longest = only?.Length ?? 2;
    }

    /// <summary>The bytes with which a line end can begin.</summary>
    public IReadOnlyList<byte> FirstBytes { get; }

    public int Longest { get; }

    /// <summary>Whether CRLF, CR and LF are all line ends.</summary>
    public bool AreAny => _only is null;

    /// <summary>The first place where a line end may be; -1 where there is none.</summary>
    public int IndexOfCandidate(ReadOnlySpan<byte> bytes) => bytes.IndexOfAny(_firstBytes);

    /// <summary>The length of the line end with which the bytes begin; 0 where it is none, or <see cref="NeedsMore"/>.</summary>
    /// <param name="bytes">at least one</param>
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
            (byte)'\r' when bytes.Length > 1 => bytes[1] == '\n' ? 2 : 1,
            (byte)'\r' => isAll ? 1 : NeedsMore,
            _ => 0,
        };
    }

    /// <summary>Where the line ends; its length where the bytes end first.</summary>
    /// <param name="lineEnd">the length of the line end, 0 where there is none</param>
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
