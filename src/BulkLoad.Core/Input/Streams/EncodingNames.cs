using System.Collections.Frozen;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Names of encodings as people type them: MySQL's, Python's, Windows', Java's and .NET's.</summary>
internal static class EncodingNames
{
    /// <summary>The meaning of the bare name; the file tells its byte order (RFC 2781, section 3.3).</summary>
    public const string BareUtf16 = "utf-16";

    /// <summary>Names that .NET does not have, or has for another encoding, without their hyphens. MySQL's latin1 (its manual, "West
    /// European Character Sets") is windows-1252, whose five unused bytes are control characters, as in .NET, where latin1 is ISO
    /// 8859-1.</summary>
    private static readonly FrozenDictionary<string, string> Others = new Dictionary<string, string>
    {
        ["latin1"] = "windows-1252",
        ["ansi"] = "windows-1252",
        ["utf8mb4"] = "utf-8",
        ["utf8mb3"] = "utf-8",
        ["utf8"] = "utf-8",
        ["utf8sig"] = "utf-8",
        ["utf16"] = BareUtf16,
        ["ucs2"] = BareUtf16,
        ["unicode"] = BareUtf16,
        ["utf16le"] = "utf-16le",
        ["ucs2le"] = "utf-16le",
        ["utf16be"] = "utf-16be",
        ["ucs2be"] = "utf-16be",
        ["utf32"] = "utf-32",
        ["utf32le"] = "utf-32",
        ["utf32be"] = "utf-32be",
        ["windows31j"] = "shift_jis",
        ["cswindows31j"] = "shift_jis",
        ["sjis"] = "shift_jis",
        ["ujis"] = "euc-jp",
        ["eucjp"] = "euc-jp",
        ["eucjpms"] = "euc-jp",
        ["euckr"] = "euc-kr",
        ["uhc"] = "949",
        ["euccn"] = "936",
        ["macroman"] = "macintosh",
        ["mac"] = "macintosh",
        ["macce"] = "x-mac-ce",
        ["maccentraleurope"] = "x-mac-ce",
        ["latin2"] = "iso-8859-2",
        ["latin5"] = "iso-8859-9",
        ["latin7"] = "iso-8859-13",
        ["latin9"] = "iso-8859-15",
        ["koi8r"] = "koi8-r",
        ["koi8u"] = "koi8-u",
        ["tis620"] = "windows-874",
    }.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);

    private static readonly string[] CodePages = ["windows", "win", "cp", "ibm", "ms", ""];

    /// <summary>Whether a name leaves the byte order to the file.</summary>
    public static bool IsBareUtf16(string typed) => Find(typed).Equals(BareUtf16, StringComparison.OrdinalIgnoreCase);

    /// <summary>The name by which .NET knows an encoding, or the number of its code page; an unknown name stays as it is.</summary>
    public static string Find(string typed)
    {
        var letters = string.Concat(typed.Where(letter => letter is not ('-' or '_' or ' ')));
        if (Others.TryGetValue(letters, out var name))
        {
            return name;
        }

        if (letters.StartsWith("iso8859", StringComparison.OrdinalIgnoreCase) && letters.Length is 8 or 9)
        {
            return $"iso-8859-{letters[7..]}";
        }

        var page = CodePages.Where(start => letters.StartsWith(start, StringComparison.OrdinalIgnoreCase))
            .Select(start => letters[start.Length..])
            .FirstOrDefault(rest => rest.Length is >= 3 and <= 5 && rest.All(char.IsAsciiDigit));
        return page ?? typed;
    }
}

/// <summary>Characters of code page 932 that .NET reads only in one of their two places. NEC's (rows ED and EE) are the same as IBM's (rows
/// FA to FC), and Python, iconv and MySQL write and read them.</summary>
/// <param name="behind">decodes all other bytes</param>
internal sealed class NecCharacters(DecoderFallback behind) : DecoderFallback
{
    public const int CodePage = 932;

    private const int PlacesOfRow = 188;
    private const char None = '\u3000';

    /// <summary>From ED40 on.</summary>
    private const string Table =
        "纊褜鍈銈蓜俉炻昱棈鋹曻彅丨仡仼伀伃伹佖侒侊侚侔俍偀倢俿倞偆偰偂傔僴僘兊兤冝冾凬刕劜劦勀勛匀匇匤卲厓厲叝﨎咜咊咩哿喆坙坥垬埈埇﨏塚增墲夋奓奛奝奣妤妺孖寀甯寘寬尞岦岺峵崧嵓﨑嵂嵭嶸嶹巐弡弴彧德" +
        "忞恝悅悊惞惕愠惲愑愷愰憘戓抦揵摠撝擎敎昀昕昻昉昮昞昤晥晗晙晴晳暙暠暲暿曺朎朗杦枻桒柀栁桄棏﨓楨﨔榘槢樰橫橆橳橾櫢櫤毖氿汜沆汯泚洄涇浯涖涬淏淸淲淼渹湜渧渼溿澈澵濵瀅瀇瀨炅炫焏焄煜煆煇凞燁燾犱" +
        "犾猤猪獷玽珉珖珣珒琇珵琦琪琩琮瑢璉璟甁畯皂皜皞皛皦益睆劯砡硎硤硺礰礼神祥禔福禛竑竧靖竫箞精絈絜綷綠緖繒罇羡羽茁荢荿菇菶葈蒴蕓蕙蕫﨟薰蘒﨡蠇裵訒訷詹誧誾諟諸諶譓譿賰賴贒赶﨣軏﨤逸遧郞都鄕鄧釚" +
        "釗釞釭釮釤釥鈆鈐鈊鈺鉀鈼鉎鉙鉑鈹鉧銧鉷鉸鋧鋗鋙鋐﨧鋕鋠鋓錥錡鋻﨨錞鋿錝錂鍰鍗鎤鏆鏞鏸鐱鑅鑈閒隆﨩隝隯霳霻靃靍靏靑靕顗顥飯飼餧館馞驎髙髜魵魲鮏鮱鮻鰀鵰鵫鶴鸙黑　　ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹ￢￤＇＂";

    public override int MaxCharCount => Math.Max(1, behind.MaxCharCount);

    public override DecoderFallbackBuffer CreateFallbackBuffer() => new Buffer(behind.CreateFallbackBuffer());

    private static char Find(byte[] bytes) => bytes is [0xED or 0xEE, >= 0x40 and <= 0xFC and not 0x7F]
        ? Table[((bytes[0] - 0xED) * PlacesOfRow) + bytes[1] - (bytes[1] > 0x7F ? 0x41 : 0x40)] : None;

    private sealed class Buffer(DecoderFallbackBuffer behind) : DecoderFallbackBuffer
    {
        private char _found = None;

        public override int Remaining => _found != None ? 1 : behind.Remaining;

        public override bool Fallback(byte[] bytesUnknown, int index)
        {
            _found = Find(bytesUnknown);
            return _found != None || behind.Fallback(bytesUnknown, index);
        }

        public override char GetNextChar()
        {
            var found = _found;
            _found = None;
            return found != None ? found : behind.GetNextChar();
        }

        public override bool MovePrevious() => _found == None && behind.MovePrevious();

        public override void Reset()
        {
            _found = None;
            behind.Reset();
        }
    }
}
