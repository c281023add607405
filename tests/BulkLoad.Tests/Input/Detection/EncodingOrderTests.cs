using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Tests.Input.Detection;

/// <summary>Texts as people write them: the encoding in which they were written is the first one that is proposed, for the suggestions and
/// for the message of an import alike.</summary>
public sealed class EncodingOrderTests
{
    [Theory]
    [InlineData("windows-1252", "id,v\n1,€ 5\n2,“q”\n3,don’t\n4,it’s 20€\n")]
    [InlineData("windows-1252", "id,v\n1,€ 5\n2,“q”\n")]
    [InlineData("windows-1252", "1,Müller\n2,Straße\n3,Köln – Süd\n4,„Hallo“\n")]
    [InlineData("windows-1252", "1,país\n2,Andrés\n3,inglés\n4,señor\n")]
    [InlineData("windows-1252", "1,L’été à l’île\n2,œuvre\n3,12 €\n")]
    [InlineData("windows-1252", "1,Alarcón\n2,Zuñiga\n")]
    [InlineData("macintosh", "1,don’t\n2,Müller\n3,Köln\n4,café\n5,20 €\n")]
    [InlineData("ibm850", "1,Müller\n2,Köln\n3,René\n4,Österreich\n")]
    [InlineData("ibm850", "1,été\n")]
    [InlineData("windows-1250", "1,Łódź\n2,Kraków\n3,Świątek\n4,žena\n")]
    [InlineData("ibm852", "1,Łódź\n2,Kraków\n3,Świątek\n")]
    [InlineData("windows-1251", "1,Москва\n2,Иванов Пётр\n")]
    [InlineData("koi8-r", "1,Москва\n2,Иванов Петр\n")]
    [InlineData("ibm866", "1,Москва\n2,Иванов Петр\n")]
    [InlineData("windows-1253", "1,Αθήνα\n2,Γιώργος\n")]
    [InlineData("windows-1256", "1,القاهرة\n2,محمد\n")]
    [InlineData("shift_jis", "東京都,千代田区\r\n大阪府\r\n1,髙橋\r\n2,山﨑\r\n")]
    [InlineData("shift_jis", "1,ソフトウエア開発\n2,テスト\n3,アイウエオ\n")]
    [InlineData("shift_jis", "1,田中太郎\n2,佐藤花子\n3,鈴木一郎\n")]
    [InlineData("shift_jis", "1,ﾔﾏﾀﾞ ﾀﾛｳ\n2,ｽｽﾞｷ ｲﾁﾛｳ\n")]
    [InlineData("euc-jp", "1,田中太郎\n2,佐藤花子\n3,これはテストです\n")]
    [InlineData("euc-jp", "東京都\n大阪府\n")]
    [InlineData("gb18030", "1,北京市\n2,上海市浦东新区\n3,张伟\n4,李娜\n")]
    [InlineData("gb18030", "1,数据库管理系统\n2,中华人民共和国\n")]
    [InlineData("big5", "1,台北市\n2,陳大文\n3,林志玲\n")]
    [InlineData("big5", "1,資料庫管理系統\n2,中華民國\n")]
    [InlineData("euc-kr", "1,서울특별시\n2,김철수\n3,이영희\n")]
    [InlineData("euc-kr", "1,데이터베이스 관리 시스템\n2,대한민국 부산광역시 해운대구\n")]
    [InlineData("cp949", "1,펲시콜라 똠방각하\n2,서울\n")]
    public void The_encoding_that_was_used_comes_first(string encoding, string text)
    {
        var found = Find(InputEncoding.Find(encoding).GetBytes(text));
        Assert.Equal(encoding, found[0].Name);
        Assert.DoesNotContain(found[0].Words, word => word.Contains('\r'));
    }

    /// <summary>In any other encoding the words of UTF-8 would be garbage.</summary>
    [Fact]
    public void A_file_of_UTF_8_with_a_bad_line_is_in_no_other_encoding() =>
        Assert.Empty(Find([.. Encoding.UTF8.GetBytes("1,\u00E4\n3,\u00F6\n2,"), .. "M\u00FCller\n".Select(letter => (byte)letter)]));

    [Fact]
    public void A_Latin_word_with_a_kanji_in_it_makes_no_sense() =>
        Assert.DoesNotContain(Find(InputEncoding.Find("shift_jis").GetBytes("1,Alarc祷n\n2,Zu課ﾒChen\n")), one => one.Name == "shift_jis");

    /// <summary>NEC's places and IBM's; code page 932, Python and MySQL read both.</summary>
    [Theory]
    [InlineData("EEE08BB4", "髙橋")]
    [InlineData("FBFC8BB4", "髙橋")]
    [InlineData("8E52ED95", "山﨑")]
    [InlineData("8E52FAB1", "山﨑")]
    [InlineData("EEFCED40EEEF", "＂纊ⅰ")]
    [InlineData("8740", "①")]
    public void Both_places_of_code_page_932_are_read(string bytes, string text)
    {
        Assert.Equal(text, InputEncoding.Find("cp932").GetString(Convert.FromHexString(bytes)));
        using var input = Inputs.Open(Convert.FromHexString(bytes), new SourceOptions { Encoding = "windows-31j" }, pieceSize: 1);
        Assert.Equal(text, new StreamReader(input.Content).ReadToEnd());
    }

    [Fact]
    public void A_place_that_nobody_uses_is_invalid() =>
        Assert.Throws<DecoderFallbackException>(() => InputEncoding.Find("cp932").GetString([0xEE, 0xED]));

    [Theory]
    [InlineData("utf8 utf8mb4 utf8mb3 UTF-8 utf_8", "utf-8")]
    [InlineData("utf16le utf-16le ucs2 utf16", "utf-16")]
    [InlineData("cp1252 windows1252 win1252 ansi latin1 latin-1 1252", "windows-1252")]
    [InlineData("cp1250 windows-1250", "windows-1250")]
    [InlineData("cp1251", "windows-1251")]
    [InlineData("cp932 windows-31j ms932 sjis shift_jis Shift-JIS", "shift_jis")]
    [InlineData("cp949 uhc ms949", "ks_c_5601-1987")]
    [InlineData("euckr euc-kr", "euc-kr")]
    [InlineData("ujis eucjpms euc-jp", "euc-jp")]
    [InlineData("macroman mac macintosh", "macintosh")]
    [InlineData("macce", "x-mac-ce")]
    [InlineData("iso8859-15 iso_8859-15 latin9", "iso-8859-15")]
    [InlineData("iso-8859-1", "iso-8859-1")]
    public void Names_that_people_type_are_known(string names, string encoding) =>
        Assert.All(names.Split(' '), name => Assert.Equal(encoding, InputEncoding.Find(name).WebName));

    private static IReadOnlyList<EncodingCandidate> Find(byte[] bytes)
    {
        var evidence = new EncodingEvidence();
        evidence.Add(bytes);
        return evidence.Find(4);
    }
}
