using System.Text.Unicode;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Decides whether an input without a named encoding is UTF-8. Single invalid lines are bad records. If only invalid lines have
/// bytes beyond ASCII, the encoding is another one.</summary>
internal static class Utf8Detector
{
    /// <summary>From here on, invalid lines are bad records of a UTF-8 file.</summary>
    private const double Enough = 0.5;

    private const int MostCandidates = 3;

    /// <summary>In ibm850 a capital Æ.</summary>
    private const byte Windows1252Apostrophe = 0x92;

    /// <summary>In windows-1252 a capital Õ.</summary>
    private const byte MacApostrophe = 0xD5;

    /// <summary>In windows-1252 a capital Ž, in ibm850 a capital Ä.</summary>
    private const byte MacAccentedE = 0x8E;

    /// <summary>An apostrophe proves more than a letter, since most encodings have letters there.</summary>
    private const int ApostropheWeight = 10;

    /// <summary>Null: all is ASCII. Throws if it is not UTF-8. Without the whole input, the last line is ignored.</summary>
    public static DetectedSetting? Evaluate(string name, ReadOnlySpan<byte> bytes, bool isWhole, long offset)
    {
        bytes = isWhole || bytes.LastIndexOf((byte)'\n') is not (>= 0 and var last) ? bytes : bytes[..(last + 1)];
        if (Ascii.IsValid(bytes))
        {
            return null;
        }

        var (valid, invalid, firstLine, firstOffset) = Count(bytes);
        var confidence = (valid + 1.0) / (valid + invalid + 1);
        if (confidence >= Enough)
        {
            return new DetectedSetting(
                "encoding", "utf-8", confidence,
                $"lines that are valid beyond ASCII: {valid}, that are not: {invalid}"
                    + (valid == 0 ? $"; if it is no UTF-8: --encoding {string.Join(" or ", Plausible(bytes))}" : ""))
            {
                IsExpected = invalid == 0,
            };
        }

        throw new InputException($"{name}:{firstLine}: is not UTF-8: of the lines beyond ASCII, {invalid} hold bytes that are invalid " +
            $"there (the first at byte offset {offset + firstOffset}) and {valid} do not; name its encoding, such as --encoding " +
            $"{string.Join(", ", Plausible(bytes))}, or --encoding utf-8 to refuse these lines by themselves");
    }

    /// <summary>Encodings in which the bytes are valid, the likelier ones first.</summary>
    public static IReadOnlyList<string> Plausible(ReadOnlySpan<byte> bytes)
    {
        var (runs, high, letters, low, apostrophes, mac) = (0, 0, 0, 0, 0, 0);
        for (var i = 0; i < bytes.Length; i++)
        {
            if (bytes[i] < 0x80)
            {
                continue;
            }

            high++;
            letters += bytes[i] >= 0xC0 ? 1 : 0;
            low += bytes[i] < 0xA6 ? 1 : 0;
            apostrophes += bytes[i] == Windows1252Apostrophe && IsBetweenLetters(bytes, i) ? 1 : 0;
            mac += bytes[i] == MacApostrophe && IsBetweenLetters(bytes, i) ? 1 : 0;
            mac += bytes[i] == MacAccentedE && IsBehindLetter(bytes, i) ? 1 : 0;
            runs += i == 0 || bytes[i - 1] < 0x80 ? 1 : 0;
        }

        // Accented letters stand alone; in other scripts every letter is beyond ASCII.
        var isAccented = high < 2 * runs;
        var order = isAccented
            ? mac > apostrophes && mac > 0 ? ["macintosh", "windows-1252"]
            : low > letters + (ApostropheWeight * apostrophes) ? ["ibm850", "windows-1252"] : ["windows-1252", "ibm850"]
            : new[] { "shift_jis", "gb18030", "euc-kr", "windows-1251", "windows-1252" };
        var whole = bytes.ToArray();
        return [.. order.Where(candidate => CanDecode(candidate, whole)).Take(MostCandidates).DefaultIfEmpty("windows-1252")];
    }

    /// <summary>Other encodings have a capital letter there, which never follows a small one.</summary>
    private static bool IsBetweenLetters(ReadOnlySpan<byte> bytes, int at) =>
        IsBehindLetter(bytes, at) && at + 1 < bytes.Length && char.IsAsciiLetterLower((char)bytes[at + 1]);

    private static bool IsBehindLetter(ReadOnlySpan<byte> bytes, int at) => at > 0 && char.IsAsciiLetterLower((char)bytes[at - 1]);

    private static (int Valid, int Invalid, int FirstLine, int FirstOffset) Count(ReadOnlySpan<byte> bytes)
    {
        var (valid, invalid, line, at, firstLine, firstOffset) = (0, 0, 0, 0, 0, 0);
        while (at < bytes.Length)
        {
            line++;
            var length = LineEnds.Any.IndexIn(bytes[at..], isAll: true, out var end);
            var text = bytes.Slice(at, length);
            if (!Ascii.IsValid(text))
            {
                var isValid = Utf8.IsValid(text);
                valid += isValid ? 1 : 0;
                invalid += isValid ? 0 : 1;
                if (!isValid && firstLine == 0)
                {
                    (firstLine, firstOffset) = (line, at + FirstInvalid(text));
                }
            }

            at += length + end;
        }

        return (valid, invalid, firstLine, firstOffset);
    }

    private static int FirstInvalid(ReadOnlySpan<byte> text)
    {
        var at = 0;
        while (Rune.DecodeFromUtf8(text[at..], out _, out var length) == System.Buffers.OperationStatus.Done)
        {
            at += length;
        }

        return at;
    }

    private static bool CanDecode(string candidate, byte[] bytes)
    {
        try
        {
            InputEncoding.Find(candidate).GetCharCount(bytes);
            return true;
        }
        catch (DecoderFallbackException)
        {
            return false;
        }
    }
}
