namespace BulkLoad.Core.Input.Detection;

/// <summary>A delimiter that splits the records of a file which is read as one column.</summary>
/// <param name="Records">how many of the first records have <paramref name="Fields"/> fields with it</param>
/// <param name="Words">further options that the user must type</param>
internal sealed record OtherDelimiter(string Delimiter, int Fields, int Records, int Of, IReadOnlyList<string> Words)
{
    public override string ToString() =>
        $"{DelimiterDetector.Show(Delimiter)} makes {Fields} fields of {Plural.OfFirst(Records, Of, "line")}";
}

/// <summary>Checks whether a file has one column only because nobody said its delimiter.</summary>
internal static class LoneColumn
{
    /// <summary>Characters that also stand in texts, times or addresses.</summary>
    private const string Weak = ":# ";

    /// <summary>Blanks between words make a few fields too.</summary>
    private const int MinForBlanks = 4;

    private const double Enough = 0.95;
    private const double EnoughBelowHeader = 0.5;

    /// <summary>The longer ones first: what they split, their first character splits into more.</summary>
    private static readonly string[] Candidates =
    [
        "|~|", "~|~", "^|^", "#|#", "||", "::", ";;", "~~", "^^", "|^", "~^", "@@", "##", "$$", ", ", "; ", " | ",
        ",", ";", "\t", "|", "^", "~", "\x01", "\x1f", "\x1e", "\x07", "#", ":", " ",
    ];

    public static IReadOnlyList<OtherDelimiter> Find(SourceHead head, SourceOptions settled)
    {
        var found = new List<OtherDelimiter>();
        foreach (var candidate in Candidates)
        {
            var isPart = found.Exists(other => other.Delimiter.Contains(candidate, StringComparison.Ordinal));
            if (!isPart && head.Bytes.IndexOf(Encoding.UTF8.GetBytes(candidate)) >= 0 && Try(head, settled, candidate) is { } other)
            {
                found.Add(other);
            }
        }

        // A character that is hardly ever text and splits the records excludes the others.
        return found.Exists(one => !IsWeak(one.Delimiter)) ? found.FindAll(one => !IsWeak(one.Delimiter)) : found;
    }

    private static bool IsWeak(string delimiter) => delimiter.Length == 1 && Weak.Contains(delimiter[0], StringComparison.Ordinal);

    private static OtherDelimiter? Try(SourceHead head, SourceOptions settled, string delimiter)
    {
        var options = settled with { Delimiter = delimiter[0], DelimiterTail = delimiter[1..], HasHeader = false };
        if (head.TrySample(options) is not { } sample)
        {
            return null;
        }

        string[] words = [];
        if (sample.QuoteFaults > 0 && settled.Quote is null && head.TrySample(options with { Quote = '\0' }) is { } bare
            && bare.Faulty < sample.Faulty)
        {
            (sample, words) = (bare, ["--quote="]);
        }

        var (fields, records) = sample.FieldCounts.Select(pair => (pair.Key, pair.Value)).OrderByDescending(pair => pair.Value)
            .FirstOrDefault();
        var lines = sample.Records;
        var isHeaded = sample.FirstRecord?.Count == fields;
        if (fields < 2 || records < 2 || (fields < MinForBlanks && delimiter == " ") || (IsWeak(delimiter) && !isHeaded))
        {
            return null;
        }

        // A first line that the delimiter does not split may be a title.
        var isTitled = !isHeaded && sample.FieldCounts.GetValueOrDefault(1) == 1
            && FirstLine(head).IndexOf(Encoding.UTF8.GetBytes(delimiter)) < 0;
        var share = isHeaded ? (double)records / lines : isTitled ? (double)records / Math.Max(1, lines - 1) : 0;
        return share < (isHeaded && settled.HasHeader != false && !IsWeak(delimiter) ? EnoughBelowHeader : Enough)
            || (IsWeak(delimiter) && AreOneValue(sample, delimiter)) ? null
            : new OtherDelimiter(delimiter, fields, records, lines, words);
    }

    private static ReadOnlySpan<byte> FirstLine(SourceHead head)
    {
        var bytes = head.Bytes.TrimStart("\r\n"u8);
        var end = bytes.IndexOfAny((byte)'\r', (byte)'\n');
        return end < 0 ? bytes : bytes[..end];
    }

    /// <summary>Times, addresses and colours have the same signs in the same places.</summary>
    private static bool AreOneValue(SourceSample sample, string delimiter) => delimiter switch
    {
        ":" => sample.FirstRecord!.Any(field => field.StartsWith("//", StringComparison.Ordinal))
            || sample.Columns.All(column => column.Texts == 0)
            || sample.FirstRecord!.All(field => field.Length is > 0 and <= 4 && field.All(char.IsAsciiHexDigit)),
        "#" => sample.FirstRecord![0].Length == 0,
        _ => false,
    };
}
