using System.Buffers;
using System.Text.Json;

namespace BulkLoad.Core.Input.Formats;

/// <summary>The form of JSON's text (RFC 8259).</summary>
internal static class JsonSyntax
{
    /// <summary>Both servers allow 100, and so they decide.</summary>
    private const int MaxDepth = 256;

    /// <summary>For a reader of a whole object.</summary>
    public static readonly JsonReaderState ObjectState = new(new JsonReaderOptions { MaxDepth = MaxDepth });

    /// <summary>For a reader of a value within an object.</summary>
    public static readonly JsonReaderState ValueState = new(new JsonReaderOptions { MaxDepth = MaxDepth - 1 });

    /// <summary>What a string has only as an escape, or as its end.</summary>
    public static readonly SearchValues<byte> Special = SearchValues.Create(
        [(byte)'"', (byte)'\\', .. Enumerable.Range(0, 0x20).Select(sign => (byte)sign)]);

    /// <summary>Whether the only fault is a missing end.</summary>
    public static bool IsCutOff(ReadOnlySpan<byte> text)
    {
        var json = new Utf8JsonReader(text, isFinalBlock: false, ObjectState);
        try
        {
            while (json.Read())
            {
            }

            return json.TokenType != JsonTokenType.None
                && (json.CurrentDepth > 0 || json.TokenType is not (JsonTokenType.EndObject or JsonTokenType.EndArray));
        }
        catch (JsonException)
        {
            return false;
        }
    }

    public static bool IsList(ReadOnlySpan<byte> text)
    {
        var json = new Utf8JsonReader(text, isFinalBlock: true, ObjectState);
        try
        {
            var commas = text.Contains((byte)',');
            while (json.Read())
            {
            }

            return commas && json.TokenType == JsonTokenType.EndArray;
        }
        catch (JsonException)
        {
            return false;
        }
    }

    /// <summary>The first place from <paramref name="at"/> on that is no blank; the text's length: there is none.</summary>
    public static int SkipBlanks(ReadOnlySpan<byte> text, int at)
    {
        while (at < text.Length && text[at] <= ' ' && text[at] is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n')
        {
            at++;
        }

        return at;
    }

    /// <summary>The place of the first of <see cref="Special"/>; the text's length: there is none.</summary>
    public static int IndexOfSpecial(ReadOnlySpan<byte> text, int at) =>
        text[at..].IndexOfAny(Special) is >= 0 and var index ? at + index : text.Length;

    /// <summary>Behind a number; where it begins, if it is none.</summary>
    public static int EndOfNumber(ReadOnlySpan<byte> text, int start)
    {
        var at = text[start] == '-' ? start + 1 : start;
        var end = at < text.Length && text[at] == '0' ? at + 1 : SkipDigits(text, at);
        if (end == at)
        {
            return start;
        }

        if (end < text.Length && text[end] == '.')
        {
            at = end + 1;
            end = SkipDigits(text, at);
            if (end == at)
            {
                return start;
            }
        }

        if (end == text.Length || (text[end] | 0x20) != 'e')
        {
            return end;
        }

        at = end + 1;
        at += at < text.Length && text[at] is (byte)'+' or (byte)'-' ? 1 : 0;
        end = SkipDigits(text, at);
        return end == at ? start : end;
    }

    private static int SkipDigits(ReadOnlySpan<byte> text, int at)
    {
        while (at < text.Length && (uint)(text[at] - '0') <= 9)
        {
            at++;
        }

        return at;
    }
}
