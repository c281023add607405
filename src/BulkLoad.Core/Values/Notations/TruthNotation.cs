namespace BulkLoad.Core.Values.Notations;

/// <summary>A user's words for true and false, beside the default ones; in any case.</summary>
internal sealed class TruthTexts
{
    private readonly byte[][] _true;
    private readonly byte[][] _false;

    /// <exception cref="RequestException">a word is empty, or means both</exception>
    public TruthTexts(string[] trueWords, string[] falseWords)
    {
        foreach (var (option, words) in new[] { ("--true", trueWords), ("--false", falseWords) })
        {
            if (words.Contains(""))
            {
                throw new RequestException($"{option}: a word is empty (an empty field without quotes is NULL, or what --empty says)");
            }
        }

        if (trueWords.Intersect(falseWords, StringComparer.InvariantCultureIgnoreCase).FirstOrDefault() is { } both)
        {
            throw new RequestException($"--true {both}, --false {both}: a word means one of them");
        }

        (_true, _false) = (Forms(trueWords), Forms(falseWords));
    }

    public bool IsEmpty => _true.Length + _false.Length == 0;

    public bool TryParse(ReadOnlySpan<byte> text, out bool truth)
    {
        truth = IsOneOf(text, _true);
        return truth || IsOneOf(text, _false);
    }

    private static bool IsOneOf(ReadOnlySpan<byte> text, byte[][] words)
    {
        foreach (var word in words)
        {
            if (text.SequenceEqual(word) || Ascii.EqualsIgnoreCase(text, word))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Letters beyond ASCII are compared as written, in capitals, in small letters, and with a capital first.</summary>
    private static byte[][] Forms(string[] words) =>
    [
        .. words.SelectMany(word => (string[])[word, word.ToUpperInvariant(), word.ToLowerInvariant(),
            CultureInfo.InvariantCulture.TextInfo.ToTitleCase(word.ToLowerInvariant())])
            .Distinct(StringComparer.Ordinal).Select(Encoding.UTF8.GetBytes),
    ];
}

/// <summary>The words of a boolean column; anything else is read as a number.</summary>
internal sealed class TruthNotation(TruthTexts words, NumberNotation? number) : ValueNotation
{
    public override ValueFault Fault { get; } = number?.Fault ?? ValueFault.NotANumber;

    public override bool TryRewrite(ReadOnlySpan<byte> text, Span<byte> room, out ReadOnlySpan<byte> value)
    {
        if (words.TryParse(text, out var truth))
        {
            value = truth ? "1"u8 : "0"u8;
            return true;
        }

        value = text;
        if (number is null || number.TryRewrite(text, room, out value))
        {
            return true;
        }

        // The rule, which knows the default words, judges a text without a digit.
        value = text;
        return text.IndexOfAnyInRange((byte)'0', (byte)'9') < 0;
    }
}
