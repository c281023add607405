namespace BulkLoad.Core.Input.Formats;

internal static class JsonErrorText
{
    private const int MaxDepth = 256;

    /// <summary>Words that other languages write, and what JSON has instead.</summary>
    private static readonly (string Word, string Instead)[] Foreign =
    [
        ("NaN", "null"), ("-Infinity", "null"), ("Infinity", "null"), ("None", "null"), ("undefined", "null"), ("nan", "null"),
        ("inf", "null"),
        ("NULL", "null"), ("Null", "null"), ("nil", "null"), ("True", "true"), ("False", "false"), ("TRUE", "true"), ("FALSE", "false"),
    ];

    /// <summary>The end of a sentence.</summary>
    public static string Why(ReadOnlySpan<byte> text, int at)
    {
        if (DepthAt(text[..at]) >= MaxDepth)
        {
            return $"more than {MaxDepth} levels of objects and arrays";
        }

        foreach (var (word, instead) in Foreign)
        {
            if (HasWord(text, at, word))
            {
                return $"{word} is no JSON value, which would be {instead} (sed 's/: *{word}/: {instead}/g' FILE | bulkload import - ... "
                    + "changes each behind a key)";
            }
        }

        var before = text[..at].TrimEnd(" \t\r\n"u8);
        if (at == text.Length)
        {
            return "its end is missing";
        }

        var here = FieldText.Show(text.Slice(at, 1));
        return text[at] switch
        {
            (byte)'}' or (byte)']' when before is [.., (byte)','] => $"nothing follows the last comma before {here}",
            (byte)'\'' => "a text stands between apostrophes, and JSON has '\"' there",
            (byte)'"' when before is [.., (byte)'"' or (byte)'}' or (byte)']'] or [.., >= (byte)'0' and <= (byte)'9'] =>
                "a comma is missing",
            (byte)'/' or (byte)'#' => $"{here} is not expected: JSON has no comments",
            < 0x20 => $"{here} in a text must be written with a backslash",
            (byte)'0' => "a number begins with 0",
            _ when IsLetter(text[at]) && before is [.., (byte)'{' or (byte)','] => $"{here} begins a key without quotes",
            _ => $"{here} is not expected here",
        };
    }

    /// <summary>The reader stops at the first letter that does not fit.</summary>
    private static bool HasWord(ReadOnlySpan<byte> text, int at, string word)
    {
        for (var start = at; start >= Math.Max(0, at - word.Length); start--)
        {
            if (text[start..].StartsWith(Encoding.ASCII.GetBytes(word)) && (start == 0 || !IsLetter(text[start - 1]))
                && (start + word.Length == text.Length || !IsLetter(text[start + word.Length])))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsLetter(byte one) => char.IsAsciiLetterOrDigit((char)one) || one is (byte)'_' or >= 0x80;

    private static int DepthAt(ReadOnlySpan<byte> text)
    {
        var (depth, isInText) = (0, false);
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] == '"')
            {
                isInText = !isInText;
            }
            else if (isInText)
            {
                i += text[i] == '\\' ? 1 : 0;
            }
            else
            {
                depth += text[i] is (byte)'{' or (byte)'[' ? 1 : text[i] is (byte)'}' or (byte)']' ? -1 : 0;
            }
        }

        return depth;
    }
}
