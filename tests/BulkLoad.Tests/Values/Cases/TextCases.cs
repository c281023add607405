using BulkLoad.Core.Schema;
using static BulkLoad.Tests.Values.Cases.ValueCase;
using static BulkLoad.Tests.Values.Cases.ValueCases;

namespace BulkLoad.Tests.Values.Cases;

internal static class TextCases
{
    private const string Characters = "CHAR, VARCHAR, TEXT";
    private const string Bytes = "BINARY, VARBINARY, BLOB";
    private const string Labels = "ENUM and SET";

    private static readonly string Long = new('x', 255);

    public static IEnumerable<ValueGroup> All =>
    [
        Char(
            "CHAR(3)", 3, "utf8mb4",
            Same("abc"), Same("Zoë"), Same("😀😀😀"), Same(""), Same(" ab"), Same("a b"), Same("ab\t"), Same("ab\0"), Same("ab\u00a0"),
            Same("ab\u3000"),
            Of("Zoës", "!too-long"), Of("ab ", "!trailing-blanks"), Of(" ", "!trailing-blanks"), OfBytes("61FF", "!invalid-text")),
        Char(
            "CHAR(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", 3, "utf8mb4", Same("ab\0"), Same("\0\0\0"), Of("ab ", "!trailing-blanks")),
        Char("CHAR(3) CHARACTER SET ucs2", 3, "ucs2", Same("ab\0"), Same("äöü"), Of("ab ", "!trailing-blanks"), Of("😀", "!not-in-charset")),
        Char("CHAR(0)", 0, "utf8mb4", Same(""), Of("a", "!too-long")),
        Varchar(
            "VARCHAR(5)", 5, "utf8mb4",
            Same("abc"), Same(""), Same("ab  "), Same("     "), Same("a\tb\nc"), Same("\\N"), Same("NULL"), Same("'\"`"),
            Same("e\u0301a\u0308"), Same("中文字符串"), Same("😀😀😀😀😀"),
            Same("\0\u001a\r\n\\"), Same("\ufeffa"), Of("abcdef", "!too-long"), Of("abcde ", "!too-long"), OfBytes("80", "!invalid-text"),
            OfBytes("EDA080", "!invalid-text"),
            OfBytes("C080", "!invalid-text"), OfBytes("F5808080", "!invalid-text")),
        Text("TINYTEXT", 255, "utf8mb4", Same(Long), Of(Long + "x", "!too-long"), Of(new string('€', 85), new string('€', 85)),
            Of(new string('€', 86), "!too-long")),
        Text("TEXT", 65_535, "utf8mb4", Same("line\nline"), Of(new string('x', 65_536), "!too-long")),
        Text("TINYTEXT CHARACTER SET latin1", 255, "latin1", Same(new string('ä', 255)), Of(new string('ä', 256), "!too-long")),
        Text("TINYTEXT CHARACTER SET gbk", 255, "gbk", Same(new string('中', 127)), Of(new string('中', 128), "!too-long")),
        Text("TINYTEXT CHARACTER SET ujis", 255, "ujis", Same(new string('丂', 85)), Of(new string('丂', 86), "!too-long")),
        Text("TINYTEXT CHARACTER SET utf16", 255, "utf16", Same(new string('x', 127)), Of(new string('x', 128), "!too-long")),
        Text("TINYTEXT CHARACTER SET utf32", 255, "utf32", Same(new string('x', 63)), Of(new string('x', 64), "!too-long")),
        Text("MEDIUMTEXT", 16_777_215, "utf8mb4", Same("x")),
        Text("LONGTEXT", 4_294_967_295, "utf8mb4", Same("x")),
        InCharset("utf8mb3", "ä€中", "😀"),
        InCharset("ucs2", "ä€中", "😀"),
        InCharset("utf16", "ä€中😀"),
        InCharset("utf16le", "ä€中😀"),
        InCharset("utf32", "ä€中😀"),
        InCharset("ascii", "a\u007f", "ä"),
        InCharset("latin1", "äöß€™\u0081", "ł", "\u0080", "中"),
        InCharset("latin2", "łőß", "€", "ø"),
        InCharset("latin5", "ğşİ", "€", "ł"),
        InCharset("latin7", "ąčž", "€", "ñ"),
        InCharset("cp1250", "łő€", "ñ", "я"),
        InCharset("cp1251", "Яя€№", "ä"),
        InCharset("cp1256", "سلام€", "я"),
        InCharset("cp1257", "ąčž€", "я"),
        InCharset("cp850", "äö░", "€"),
        InCharset("cp852", "łő░", "€"),
        InCharset("cp866", "Яя░", "ä"),
        InCharset("greek", "αβγ", "я"),
        InCharset("hebrew", "שלום", "я"),
        InCharset("koi8r", "Яя░", "і"),
        InCharset("koi8u", "Яяі", "ä"),
        InCharset("macroman", "äΩ", "я"),
        InCharset("macce", "łő", "я"),
        InCharset("dec8", "äö", "€"),
        InCharset("hp8", "äö", "€"),
        InCharset("swe7", "aÅö", "{", "\\", "@"),
        InCharset("keybcs2", "čř", "я"),
        InCharset("armscii8", "Աբ", "я"),
        InCharset("geostd8", "აბ", "я"),
        InCharset("tis620", "ไทย", "ä"),
        InCharset("big5", "中文", "简", "ä"),
        InCharset("gb2312", "简体", "龍", "€"),
        InCharset("gbk", "简體龍", "😀"),
        InCharset("sjis", "日本ｱ", "€", "①"),
        InCharset("cp932", "日本ｱ①", "€"),
        InCharset("ujis", "日本ｱ丂", "①"),
        InCharset("eucjpms", "日本ｱ①", "€"),
        InCharset("euckr", "한국", "简"),
        InCharset("gb18030", "简€😀") with { Server = "MySQL" },
        Enum(
            "ENUM('red','green','x,y','2','ä','')", "utf8mb4", ["red", "green", "x,y", "2", "ä", ""],
            Same("red"), Same("x,y"), Same("2"), Same("ä"), Same(""), Of("Red", "!unknown-label"), Of("red ", "!unknown-label"),
            Of("1", "!unknown-label"),
            Of("0", "!unknown-label"), Of("a", "!unknown-label"), Of("purple", "!unknown-label")),
        Enum("ENUM('a ','it''s','back\\\\slash')", "utf8mb4", ["a", "it's", "back\\slash"], Same("a"), Same("it's"), Same("back\\slash"),
            Of("a ", "!unknown-label")),
        Enum("ENUM('é','я') CHARACTER SET utf16", "utf16", ["é", "я"], Same("é"), Same("я"), Of("e", "!unknown-label")),
        Enum("ENUM('é') CHARACTER SET latin1", "latin1", ["é"], Same("é"), Of("É", "!unknown-label")),
        Enum("ENUM('中') CHARACTER SET gbk", "gbk", ["中"], Same("中")),
        Enum("ENUM('a','b') CHARACTER SET binary", "binary", ["a", "b"], Same("a"), Of("A", "!unknown-label")),
        Set(
            "SET('gift','express','2')", ["gift", "express", "2"],
            Same("gift"), Of("express,gift", "gift,express"), Of("gift,gift", "gift"), Same(""), Same("2"), Of("1", "!unknown-label"),
            Of("gift,", "!unknown-label"),
            Of("gift, express", "!unknown-label"), Of("Gift", "!unknown-label")),
        Set(
            $"SET({string.Join(',', Enumerable.Range(1, 64).Select(label => $"'l{label}'"))})",
            [.. Enumerable.Range(1, 64).Select(label => $"l{label}")],
            Same("l64"), Of("l64,l1", "l1,l64"), Same(string.Join(',', Enumerable.Range(1, 64).Select(label => $"l{label}"))),
            Of("l65", "!unknown-label")),
        Binary(
            "BINARY(3)", 3, BinaryForm.Hex,
            Of("616263", "616263"), Of("0x00ff7f", "00FF7F"), Of("0XABCDEF", "ABCDEF"), Of("\\xabcdef", "ABCDEF"), Of("000000", "000000"),
            Of("202020", "202020"),
            Of("6162", "!too-short"), Of("", "!too-short"), Of("61626364", "!too-long"), Of("61626", "!not-hex"),
            Of("61 62 63", "!not-hex"), Of("abc", "!not-hex"), Of("x'616263'", "!not-hex")),
        Binary(
            "VARBINARY(4)", 4, BinaryForm.Hex,
            Of("", ""), Of("0x", ""), Of("00", "00"), Of("6100", "6100"), Of("6120", "6120"), Of("5C4E", "5C4E"),
            Of("090A0D27", "090A0D27"), Of("DeadBeef", "DEADBEEF"),
            Of("ff80c0fe", "FF80C0FE"), Of("0011223344", "!too-long"), Of("g0", "!not-hex"), Of("0", "!not-hex"), Of("0x0", "!not-hex")),
        Binary(
            "VARBINARY(4)", 4, BinaryForm.Base64,
            Of("", ""), Of("YWJj", "616263"), Of("/+8=", "FFEF"), Of("AA==", "00"), Of("YWJ\njZA==", "61626364"),
            Of("YWJjZGU=", "!too-long"), Of("YWI", "!not-base64"), Of("_-8=", "!not-base64"),
            Of("YW Jj", "!not-base64"), Of("YQ=", "!not-base64"), Of("YQ==YQ==", "!not-base64")),
        Binary(
            "VARBINARY(4)", 4, BinaryForm.Raw,
            Of("", ""), Of("ab", "6162"), Of("0x41", "30783431"), Of("ä", "C3A4"), OfBytes("FF80C0FE", "FF80C0FE"),
            OfBytes("005C0A09", "005C0A09"), OfBytes("272022", "272022"),
            Of("abcde", "!too-long")),
        Binary("BINARY(2)", 2, BinaryForm.Raw, Of("ab", "6162"), OfBytes("6100", "6100"), Of("a", "!too-short"), Of("abc", "!too-long")),
        Binary("CHAR(2) CHARACTER SET binary", 2, BinaryForm.Hex, Of("6162", "6162"), Of("61", "!too-short")),
        Binary("TINYBLOB", 255, BinaryForm.Hex, Of(new string('f', 510), new string('F', 510)), Of(new string('f', 512), "!too-long")),
        Binary("BLOB", 65_535, BinaryForm.Hex, Of("00", "00"), Of(new string('0', 131_072), "!too-long")),
        Binary("MEDIUMBLOB", 16_777_215, BinaryForm.Hex, Of("c3", "C3")),
        Binary("LONGBLOB", 4_294_967_295, BinaryForm.Hex, Of("", ""), Of("ff", "FF")),
    ];

    private static ValueGroup Char(string ddl, int characters, string charset, params ValueCase[] cases) =>
        new(ddl, Column(ColumnKind.Char) with { MaxCharacters = characters, Charset = charset }, cases) { Chapter = Characters };

    private static ValueGroup Varchar(string ddl, int characters, string charset, params ValueCase[] cases) =>
        new(ddl, Column(ColumnKind.Varchar) with { MaxCharacters = characters, Charset = charset }, cases) { Chapter = Characters };

    private static ValueGroup Text(string ddl, long bytes, string charset, params ValueCase[] cases) =>
        new(ddl, Column(ColumnKind.Text) with { MaxBytes = bytes, Charset = charset }, cases) { Chapter = Characters };

    private static ValueGroup InCharset(string charset, string good, params string[] bad) =>
        Varchar($"VARCHAR(9) CHARACTER SET {charset}", 9, charset, [Same(good), .. bad.Select(text => Of(text, "!not-in-charset"))]);

    private static ValueGroup Enum(string ddl, string charset, string[] labels, params ValueCase[] cases) =>
        new(ddl, Column(ColumnKind.Enum) with { Labels = labels, Charset = charset }, cases) { Chapter = Labels };

    private static ValueGroup Set(string ddl, string[] labels, params ValueCase[] cases) =>
        new(ddl, Column(ColumnKind.Set) with { Labels = labels }, cases) { Chapter = Labels };

    private static ValueGroup Binary(string ddl, long bytes, BinaryForm form, params ValueCase[] cases) => new(
        ddl, Column(ddl.StartsWith("BINARY", StringComparison.Ordinal) || ddl.StartsWith("CHAR", StringComparison.Ordinal)
            ? ColumnKind.Binary : ColumnKind.Blob) with
        { MaxBytes = bytes }, cases)
    { Chapter = Bytes, Form = form, Read = "HEX(v)" };
}
