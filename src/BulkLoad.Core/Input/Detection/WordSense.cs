using System.Buffers;

namespace BulkLoad.Core.Input.Detection;

/// <summary>How likely it is that people wrote a word in an encoding with one byte a letter: it judges the letters, and where quotes,
/// dashes, apostrophes and currencies stand.</summary>
/// <param name="Letters">letters beyond ASCII of the encoding's languages; empty: those of one script, without Latin letters</param>
/// <param name="Rare">those of <paramref name="Letters"/> that few words of these languages have</param>
internal sealed record WordSense(string Name, string Letters, string Rare = "")
{
    /// <summary>The sense of a word that nothing speaks against.</summary>
    public const double Plausible = 1;

    /// <summary>The sense of a word that people hardly write, though its letters are theirs.</summary>
    private const double Strange = 0.2;

    private const double Unusual = 0.7;

    /// <summary>Stands beside a word for anything that is no digit.</summary>
    public const byte Gap = (byte)' ';

    private const byte Digit = (byte)'0';

    private const string CentralEuropean = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽőűŐŰöüÖÜäÄâăîşţÂĂÎŞŢđĐľĺŕôĽĹŔÔß";

    private const string WestEuropean = "äöüßÄÖÜéèêëàâáãåæçñíìîïóòôõøúùûýÉÈÊËÀÂÁÃÅÆÇÑÍÌÎÏÓÒÔÕØÚÙÛÝ";

    private static string[] OtherScripts => ["windows-1251", "koi8-r", "ibm866", "windows-1253", "windows-1255", "windows-1256"];

    public static IReadOnlyList<WordSense> All { get; } =
    [
        new WordSense("windows-1252", WestEuropean + "œŒšžŠŽðþÐÞÿ", "šžŠŽðþÐÞÿýÝ"),
        new WordSense("windows-1250", CentralEuropean + "çëÇË"),
        new WordSense("windows-1254", "ğışİçöüĞŞÇÖÜâîûÂÎÛ"),
        new WordSense("windows-1257", "āčēģīķļņšūžĀČĒĢĪĶĻŅŠŪŽąęėįųĄĘĖĮŲõäöüÕÄÖÜóćńłśźżÓĆŃŁŚŹŻ"),
        new WordSense("ibm850", WestEuropean),
        new WordSense("ibm852", CentralEuropean),
        new WordSense("macintosh", WestEuropean + "œŒ"),
        .. OtherScripts.Select(name => new WordSense(name, "")),
    ];

    /// <summary>Quotes and signs that begin a word.</summary>
    private const string Openers = "“‘«„‚‹¿¡”»";

    /// <summary>Signs that end a word.</summary>
    private const string Closers = "”’»“‘›«…•™®©°²³¹ºª§‰،؛؟";

    /// <summary>Signs that may stand within a word.</summary>
    private const string Inner = "·’‘–—\u00A0\u202F\u00AD";

    private const string Currencies = "€£¥";

    /// <summary>Signs that stand alone.</summary>
    private const string Alone = "–—…•±·\u00A0\u202F\u00AD§©®™‰«»‹›“”„‘’،؛؟";

    /// <summary>Signs that stand beside a number.</summary>
    private const string OfNumbers = "½¼¾µ×÷°²³ºª%";

    /// <summary>Letters that are words by themselves, or stand as the name of a unit.</summary>
    private const string Words = "àèéóíáåöæøýêÅÖ";

    /// <summary>Letters that rarely begin a word, and rarely end one, so that hardly one does both.</summary>
    private const string Edges = "ìîòôöùûïëÿõñíÎÒÔÕÙÛÏËÌ";

    /// <summary>Letters that encodings have where others have an apostrophe.</summary>
    private static readonly SearchValues<char> Apostrophes = SearchValues.Create("íĺÕŐŇÆ");

    public bool IsAccented => Letters.Length > 0;

    /// <summary>The neighbour of a word, for <see cref="Judge"/>.</summary>
    public static byte Beside(byte one) => one is >= (byte)'0' and <= (byte)'9' ? Digit : Gap;

    /// <param name="text">a word between its two neighbours</param>
    /// <returns>from 0, nobody writes so, to <see cref="Plausible"/></returns>
    public double Judge(string text)
    {
        var word = text.AsSpan()[1..^1];
        var (isAfterDigit, isBeforeDigit) = (text[0] == Digit, text[^1] == Digit);
        var (lower, upper, latin, rare, signs) = (0, 0, 0, 0, 0);
        for (var i = 0; i < word.Length; i++)
        {
            var letter = word[i];
            if (char.IsAsciiLetter(letter))
            {
                latin++;
            }
            else if (IsSign(letter))
            {
                signs++;
                if (!FitsAt(word, i, isAfterDigit, isBeforeDigit))
                {
                    return 0;
                }

                continue;
            }
            else if (IsAccented ? !Letters.Contains(letter) : !IsOfOtherScript(letter))
            {
                return 0;
            }

            rare += Rare.Contains(letter) ? 1 : 0;

            // Few words have a capital behind a small letter.
            if (char.IsUpper(letter) && lower > 0)
            {
                return 0;
            }

            (lower, upper) = (lower + (char.IsLower(letter) ? 1 : 0), upper + (char.IsUpper(letter) ? 1 : 0));
        }

        return (!IsAccented && latin > 0) || (upper > 1 && lower > 0) ? 0
            : signs > 0 ? Plausible
            : IsAccented && IsStrange(word, isAfterDigit || isBeforeDigit) ? Strange
            : rare > 0 || word.Length == 1 ? Unusual : Plausible;
    }

    private static bool IsSign(char letter) => !char.IsLetter(letter) || letter is 'º' or 'ª';

    /// <summary>Whether a sign stands where people write it.</summary>
    private static bool FitsAt(ReadOnlySpan<char> word, int at, bool isAfterDigit, bool isBeforeDigit)
    {
        var (sign, before, behind) = (word[at], at > 0 ? word[at - 1] : ' ', at + 1 < word.Length ? word[at + 1] : ' ');
        var (isAfterLetter, isBeforeLetter) = (char.IsLetter(before), char.IsLetter(behind));
        return (isAfterLetter, isBeforeLetter) switch
        {
            (true, true) => Inner.Contains(sign),
            (false, true) => Openers.Contains(sign) || Inner.Contains(sign) || Currencies.Contains(sign) || "…•©®№§".Contains(sign),
            (true, false) => Closers.Contains(sign) || Inner.Contains(sign) || Currencies.Contains(sign),
            _ => Alone.Contains(sign) || Currencies.Contains(sign) || ((isAfterDigit || isBeforeDigit) && OfNumbers.Contains(sign)),
        };
    }

    /// <summary>Whether a word is rather a sign or an abbreviation of another encoding: <c>Ä</c> where a euro stands, <c>donít</c>,
    /// <c>ìqî</c>.</summary>
    private static bool IsStrange(ReadOnlySpan<char> word, bool isBesideDigit) =>
        (word.Length == 1 && (isBesideDigit || (char.IsUpper(word[0]) && !Words.Contains(word[0]))))
        || (word.Length > 1 && Edges.Contains(word[0]) && Edges.Contains(word[^1]))
        || IsContraction(word);

    /// <summary>Whether it is an English contraction, with a letter that another encoding has in the apostrophe's place.</summary>
    private static bool IsContraction(ReadOnlySpan<char> word)
    {
        var at = word.LastIndexOfAny(Apostrophes);
        return at > 0 && char.IsAsciiLetter(word[at - 1]) && word[(at + 1)..]
            is "t" or "T" or "s" or "S" or "re" or "ve" or "ll" or "d" or "m";
    }

    private static bool IsOfOtherScript(char letter) => char.IsLetter(letter) && letter is >= '\u0370' and < '\u2000';
}
