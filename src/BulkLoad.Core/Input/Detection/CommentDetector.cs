using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Finds lines that begin with <c>#</c> between the records of a csv or tsv file that reads well only without them. They are asked
/// about, never skipped: what looks like a comment can be a value.</summary>
internal static class CommentDetector
{
    private static readonly char?[] Delimiters = [null, ';', '\t', '|'];

    /// <exception cref="InputException">there are such lines</exception>
    public static void RequireNone(SourceHead head, SourceOptions options)
    {
        if (options.Comment is not null || options.Format != InputFormat.Auto || CountBehindFirst(head.Bytes) is not (> 0 and var lines)
            || head.TryBest(options) is { FieldCount: > 1 })
        {
            return;
        }

        var delimiters = SourceDetection.MayLookForDelimiter(head, options) ? Delimiters : [options.Delimiter];
        if (delimiters.Any(delimiter => head.TryBest(options with { Delimiter = delimiter, Comment = '#' }) is { Records: > 0 } sample
            && DelimiterDetector.Fits(sample, mostFaulty: 0.05)))
        {
            throw new InputException($"{head.Name}: {lines} {Plural.For(lines, "line")} after the first record " +
                $"{(lines == 1 ? "begins" : "begin")} with #: use --comment '#' if they are comments, --format " +
                $"{(head.Format == InputFormat.Tsv ? "tsv" : "csv")} if they are records");
        }
    }

    /// <summary>Lines with <c>#</c> behind the first line without; those before it are found as lines before the header.</summary>
    private static int CountBehindFirst(ReadOnlySpan<byte> bytes)
    {
        if (!bytes.StartsWith("#"u8) && bytes.IndexOf("\n#"u8) < 0 && bytes.IndexOf("\r#"u8) < 0)
        {
            return 0;
        }

        var (found, isBehind) = (0, false);
        while (!bytes.IsEmpty)
        {
            var length = LineEnds.Any.IndexIn(bytes, isAll: true, out var end);
            found += isBehind && bytes[0] == '#' ? 1 : 0;
            isBehind |= length > 0 && bytes[0] != '#';
            bytes = bytes[(length + end)..];
        }

        return found;
    }
}
