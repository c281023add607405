using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

/// <summary>How likely it is that people wrote a text in an encoding of East Asia: its commonest characters count against those that the
/// same bytes give in other encodings.</summary>
/// <param name="Common">characters that are in most names, addresses and texts of the language</param>
/// <param name="RowsInUse">first and last byte of the rows in use: level 1 of the standard, or syllables</param>
/// <param name="Japanese">whether kana are letters of the language</param>
internal sealed record EastAsianSense(string Name, string Common, (byte First, byte Last)[] RowsInUse, bool Japanese = false)
{
    /// <summary>The sense that text of the language makes at least.</summary>
    public const double Good = 0.55;

    /// <summary>Weight of characters in use that are not the commonest.</summary>
    private const double InUse = 0.55;

    private const double Seldom = 0.15;

    private const double Mark = 0.8;

    /// <summary>A Latin word with more other characters in it makes no sense.</summary>
    private const int MaxWithinWord = 2;

    private const string Japan =
        "日一国会人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨田村町市区県府都京阪神"
        + "奈横浜埼玉葉愛知静岡福島宮城広兵庫海道州沖縄佐藤鈴橋中伊渡辺林加吉井松清斎崎森池石原近坂青内太和平野阿部遠谷美恵由香郎介也真裕健次正株式社有限商店工業事所門課員様御請求番号住性別品価格数量合計税込備考"
        + "注文納期送料支払銀座口普通預能開発表参札幌製造代髙﨑";

    private const string Simplified =
        "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无手十用主行方又如前所本见经头面公同三已"
        + "老从动两知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真世气信北少关并内加化由却代产入先山五太水万"
        + "市县省区京沪津渝广州深圳江苏浙南河湖川福建安徽陕辽吉黑龙宁夏疆藏蒙贵云桂琼港澳台湾王李张刘陈杨赵黄周吴徐孙胡朱林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕卢蒋蔡贾丁魏薛叶阎余潘杜戴钟汪任姜范石姚谭邹熊金陆郝"
        + "孔白崔康毛邱秦史顾侯邵孟段雷钱汤尹黎易常武乔贺赖龚限责股份集团技术科贸易商务价格数量单称址话备注期编号姓性别男元路街";

    private const string Traditional =
        "的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無手十用主行方又如前所本見經頭面公同三已老從動兩"
        + "長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真世氣信北少關並內加化由卻代產入先山五太水萬"
        + "市縣省區京廣州江南河湖川福建安台臺灣港王李張劉陳楊趙黃周吳徐孫胡朱林何郭馬羅梁宋鄭謝韓唐馮董蕭程曹袁鄧許傅沈曾彭呂蘇盧蔣蔡賈丁魏薛葉余潘杜戴鍾汪任姜范石姚譚金陸白康邱莊雄桃園新竹彰化屏基隆限責股份團技術科"
        + "貿易商務價格數量單稱址備註期編號姓性別男元路街巷弄樓";

    private const string Korean =
        "이다는을의에가고하한지로기사리자대시인어나은를서도그정일아해만라수것보부전주성구상들제장여으원과와있게조면국동무신생소우비중산경공마오미세거계선연안내용관했등남학물실분때문없모바니회작간식최명개방감름적영천"
        + "되건민현김박강윤임권황송류홍손양배백허유심노곽차울광종충청라북특별군읍길번호름금액량단합날짜품업님";

    private static (byte First, byte Last)[] Hangul => [(0xB0, 0xC8)];

    public static IReadOnlyList<EastAsianSense> All { get; } =
    [
        new EastAsianSense("shift_jis", Japan, [(0x88, 0x97)], Japanese: true),
        new EastAsianSense("euc-jp", Japan, [(0xB0, 0xCF)], Japanese: true),
        new EastAsianSense("gb18030", Simplified, [(0xB0, 0xD7)]),
        new EastAsianSense("big5", Traditional, [(0xA4, 0xC6)]),
        new EastAsianSense("euc-kr", Korean, Hangul),
        new EastAsianSense("cp949", Korean, Hangul),
    ];

    /// <summary>Null: some bytes are invalid in the encoding.</summary>
    public string? Decode(ReadOnlySpan<byte> bytes)
    {
        try
        {
            return InputEncoding.Find(Name).GetString(bytes);
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }

    /// <returns>how likely it is, 0 to 1; the share of the characters beyond ASCII that makes sense</returns>
    public (double Sense, double Share) Judge(string text)
    {
        var encoding = InputEncoding.Find(Name);
        Span<byte> bytes = stackalloc byte[8];
        var (points, weight, sensible, beyond) = (0.0, 0.0, 0, 0);
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] < 0x80)
            {
                continue;
            }

            var length = encoding.GetBytes(text.AsSpan(i, char.IsHighSurrogate(text[i]) && i + 1 < text.Length ? 2 : 1), bytes);
            var value = Value(text[i], bytes[..length]) * LatinShare(text, i);
            points += value * length;
            weight += length;
            sensible += value > Seldom ? 1 : 0;
            beyond++;
            i += char.IsHighSurrogate(text[i]) ? 1 : 0;
        }

        return weight == 0 ? (0, 0) : (points / weight, (double)sensible / beyond);
    }

    private double Value(char letter, ReadOnlySpan<byte> bytes) => letter switch
    {
        >= '\u3041' and <= '\u30FF' => Japanese ? 1 : 2 * Seldom,
        >= '\u3000' and < '\u3040' or >= '\uFF01' and <= '\uFF5E' or '“' or '”' or '‘' or '’' or '…' or '·' => Mark,
        >= '\uFF61' and <= '\uFF9F' => Japanese ? InUse : Seldom,
        >= '\u3400' and < '\uA000' or >= '\uAC00' and < '\uD7B0' or >= '\uF900' and < '\uFB00' =>
            Common.Contains(letter) ? 1 : bytes.Length == 2 && IsInUse(bytes) ? InUse : Seldom,
        >= '\u2100' and < '\u2600' or >= '\u3200' and < '\u3400' => 2 * Seldom,
        _ => 0,
    };

    /// <summary>One row of Shift_JIS has two rows of the standard; the standards in EUC write both bytes beyond A0.</summary>
    private bool IsInUse(ReadOnlySpan<byte> bytes)
    {
        foreach (var (first, last) in RowsInUse)
        {
            if (bytes[0] >= first && bytes[0] <= last && (bytes[1] > 0xA0 || Name is "shift_jis" or "big5"))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The remaining share of a character's value within a Latin word, such as <c>Alarc祷n</c>, or at one's end:
    /// <c>caf市</c>.</summary>
    private static double LatinShare(string text, int at)
    {
        var (first, last) = (at, at);
        while (first > 0 && text[first - 1] >= 0x80 && at - first <= MaxWithinWord)
        {
            first--;
        }

        while (last + 1 < text.Length && text[last + 1] >= 0x80 && last - at <= MaxWithinWord)
        {
            last++;
        }

        var (before, behind) = (first > 0 ? text[first - 1] : ' ', last + 1 < text.Length ? text[last + 1] : ' ');
        return last - first >= MaxWithinWord ? 1
            : char.IsAsciiLetter(before) && char.IsAsciiLetter(behind) ? 0
            : char.IsAsciiLetterLower(before) || char.IsAsciiLetterLower(behind) ? InUse : 1;
    }
}
