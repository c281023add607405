namespace BulkLoad.Core.Input.Detection;

/// <summary>Finds what <c>mysql -B</c> writes, in files without a named format: tabs, no quotes, and a backslash only before <c>t</c>,
/// <c>n</c>, <c>0</c> and itself. Read as TSV, these would be text.</summary>
internal static class BatchDetector
{
    private const string WithNames = "--format mysql --header --null-value NULL";

    private const string WithoutNames = "--format mysql --null-value NULL";

    private const string AsText = "--format tsv";

    /// <summary>Throws for such a file: only the user knows what its backslashes mean.</summary>
    public static void RequireNone(SourceHead head, SourceOptions options)
    {
        if (!head.Format.IsCsv()
            || options is not { Format: InputFormat.Auto, IsPinned: false, Escape: null, Delimiter: null or '\t' }
            || Find(head.Bytes, head.IsWhole) is not var (line, sign))
        {
            return;
        }

        throw new InputException(
            $@"{head.Name}:{line}: has {sign} between tabs, as mysql -B writes a tab (\t), a line end (\n), a NUL (\0) or a backslash (\\) "
                + "within a value")
        {
            WaysOn =
            [
                Way("to read what mysql -B wrote, with names in the first line", WithNames),
                Way("to read what mysql -B -N wrote, without names", WithoutNames),
                Way("to take backslashes as text", AsText),
            ],
        };
    }

    private static WayOn Way(string purpose, string words) => new(purpose) { Words = words.Split(' ') };

    private static (int Line, string Sign)? Find(ReadOnlySpan<byte> bytes, bool isWhole)
    {
        // The last line may be cut off.
        bytes = isWhole ? bytes : bytes[..(bytes.LastIndexOf((byte)'\n') + 1)];
        (int, string)? found = null;
        var (line, tabs) = (0, 0);
        foreach (var range in bytes.Split((byte)'\n'))
        {
            line++;
            var text = bytes[range];
            if (text.IsEmpty)
            {
                continue;
            }

            var count = text.Count((byte)'\t');
            if (count == 0 || (tabs > 0 && count != tabs))
            {
                return null;
            }

            tabs = count;
            foreach (var field in text.Split((byte)'\t'))
            {
                if (!IsBatch(text[field], out var sign))
                {
                    return null;
                }

                found ??= sign is null ? null : (line, sign);
            }
        }

        return found;
    }

    /// <param name="sign">the first escape</param>
    private static bool IsBatch(ReadOnlySpan<byte> field, out string? sign)
    {
        sign = null;
        if (field is [(byte)'"', .., (byte)'"'])
        {
            return false;
        }

        // JSON has a line end as \n too, which would be \\n here.
        var isJson = field is [(byte)'{' or (byte)'[', ..];
        for (var at = field.IndexOf((byte)'\\'); at >= 0; at = field.IndexOf((byte)'\\'))
        {
            var next = at + 1 < field.Length ? (char)field[at + 1] : '\r';
            if (next is not ('\\' or 't' or 'n' or '0') || (isJson && next != '\\'))
            {
                return false;
            }

            sign ??= $@"\{next}";
            field = field[(at + 2)..];
        }

        return true;
    }
}
