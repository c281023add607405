namespace BulkLoad.IntegrationTests.Differential;

/// <summary>Characters and bytes.</summary>
internal static class TextTypes
{
    /// <summary>What breaks encoders, in every set that has ASCII.</summary>
    private static readonly string[] Nasty =
    [
        "\t", "\n", "\r", "\r\n", "\"", "\"\"", "'", "''", "`", "\\", "\\\\", "\\N", "\\n", "\\0", "\\'", "\0", "\x1a", "\b", "\x7f",
        "NULL", "N", ",", ";", "|", "--", "/*", "%", "_", "?", "@x", "{", "}", "[", "]", ":", " ",
        "a", "b", "Z", "0", "-1", "true",
    ];

    private static readonly string[] Unicode =
        ["é", "e\u0301", "ß", "İ", "ı", "Ω", "я", "中", "\u200d", "\u202e", "\u2028", "\u0085", "\ufffd", "\u00a0", "\u3000", "ﬁ"];
    private static readonly string[] Beyond = ["😀", "👨\u200d👩\u200d👧", "𝒳", "\U0010fffd", "🇩🇪"];

    /// <summary>Sets, characters that they have, and one that they have not.</summary>
    private static readonly (string Set, string[] Has, string? Lacks)[] Sets =
    [
        ("utf8mb4", [.. Unicode, .. Beyond], null),
        ("utf8mb3", Unicode, "😀"),
        ("latin1", ["ä", "ö", "ß", "€", "™", "\x81", "ÿ"], "ł"),
        ("ascii", ["~", "^"], "é"),
        ("latin2", ["ł", "ő", "ß"], "€"),
        ("cp1251", ["Я", "я", "€", "№"], "ä"),
        ("koi8r", ["Я", "я", "░"], "і"),
        ("greek", ["α", "β", "γ"], "я"),
        ("gbk", ["简", "龍", "縗"], "😀"),
        ("big5", ["中", "文", "功", "許"], "简"),
        ("sjis", ["日", "表", "ソ", "ｱ"], "€"),
        ("ujis", ["日", "ソ", "丂"], "①"),
        ("euckr", ["한", "국"], "简"),
        ("ucs2", Unicode, "😀"),
        ("utf16", [.. Unicode, .. Beyond], null),
        ("utf32", [.. Unicode, .. Beyond], null),
    ];

    private static readonly byte[][] NastyBytes = ["\0"u8.ToArray(), "\\"u8.ToArray(), "\t"u8.ToArray(), "\n"u8.ToArray(), "\r"u8.ToArray(),
        "'"u8.ToArray(), "\""u8.ToArray(), [0xff], [0x80], [0xc3], [0xed, 0xa0, 0x80], "\\N"u8.ToArray(), " "u8.ToArray(), "é"u8.ToArray()];

    public static IEnumerable<ColumnType> All =>
    [
        .. from set in Sets from isChar in new[] { false, true } select Characters(set.Set, set.Has, set.Lacks, isChar),
        Tiny("utf8mb4", ["x", "€", "é"], 255, "€", 3),
        Tiny("latin1", ["x", "ä"], 255, "ä", 1),
        Tiny("utf16", ["x", "é"], 255, "é", 2),
        new("TEXT", (random, _) => random.Next(30) == 0
            ? Same(new string('x', 65_535)) : Same(Compose(random, [.. Nasty, .. Unicode, .. Beyond], random.Next(200))),
            (_, _) => Cell.Bad(new string('x', 65_536), "too-long"))
        { IsCharacter = true, CanHaveDefault = false },
        new("MEDIUMTEXT CHARACTER SET utf8mb3", (random, _) => Same(Compose(random, [.. Nasty, .. Unicode], random.Next(300))),
            (_, _) => Cell.Bad("x😀", "not-in-charset")) { IsCharacter = true, CanHaveDefault = false },
        new("LONGTEXT", (random, _) => Same(Compose(random, [.. Nasty, .. Beyond], random.Next(400))))
        { IsCharacter = true, CanHaveDefault = false },
        Bytes("BINARY(3)", 3, 3), Bytes("VARBINARY(9)", 0, 9), Bytes("TINYBLOB", 0, 255), Bytes("BLOB", 0, 900, 65_535),
        Bytes("MEDIUMBLOB", 0, 400, 0), Bytes("LONGBLOB", 0, 400, 0),
        Bytes("CHAR(2) CHARACTER SET binary", 2, 2), Bytes("VARCHAR(5) CHARACTER SET binary", 0, 5),
    ];

    /// <summary>Strings that look like something else, or like nothing.</summary>
    private static readonly string[] Classics = ["", "\\N", "NULL", "null", "\"", "'", "\\", "\\\\N", ",", "\t", "\n", "\r\n", "\0", " ",
        "  x", "''; DROP TABLE t; --", "{\"a\":1}", "a,b", "\"quoted\"", "DEFAULT"];

    public static Cell Same(string text) => Cell.Of(text, text);

    private static ColumnType Characters(string set, string[] has, string? lacks, bool isChar) => new(
        $"{(isChar ? "CHAR" : "VARCHAR")}(20) CHARACTER SET {set}",
        (random, _) => Same(Fit(
            random.Next(6) switch
            {
                0 => Cell.Pick(random, Classics),
                1 => Compose(random, [.. Nasty, .. has], 20, isFull: true),
                2 => string.Concat(Enumerable.Repeat(Cell.Pick(random, has.Where(sign => Runes(sign) == 1).ToArray()), 20)),
                _ => Compose(random, [.. Nasty, .. has, .. has], random.Next(20)),
            },
            isChar)),
        (random, form) => random.Next(4) switch
        {
            0 when lacks is not null => Cell.Bad($"ab{lacks}", "not-in-charset"),
            1 when !form.IsUtf16 => Invalid(random, form),
            2 when isChar => Cell.Bad("ab ", "trailing-blanks"),
            _ => Cell.Bad($"{Compose(random, has, 20, isFull: true)}x", "too-long"),
        })
    { IsCharacter = true };

    private static Cell Invalid(Random random, FileForm form) =>
        new([.. "ab"u8, .. Cell.Pick<byte[]>(random, [[0x80], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf5, 0x80, 0x80, 0x80]]),
            .. "c"u8], null, form.IsJson ? "invalid-utf-8" : "invalid-text");

    private static string Fit(string text, bool isChar) => isChar ? text.TrimEnd(' ') : text;

    private static ColumnType Tiny(string set, string[] has, int bytes, string full, int width) => new(
        $"TINYTEXT CHARACTER SET {set}",
        (random, _) => random.Next(4) == 0
            ? Same(string.Concat(Enumerable.Repeat(full, bytes / width))) : Same(Compose(random, [.. Nasty, .. has], random.Next(40))),
        (_, _) => Cell.Bad(string.Concat(Enumerable.Repeat(full, (bytes / width) + 1)), "too-long"))
    { IsCharacter = true, CanHaveDefault = false };

    /// <summary>At most, or exactly, so many characters.</summary>
    private static string Compose(Random random, string[] pieces, int characters, bool isFull = false)
    {
        var text = new StringBuilder();
        for (var left = characters; left > 0;)
        {
            var piece = Cell.Pick(random, pieces);
            if (Runes(piece) <= left)
            {
                text.Append(piece);
                left -= Runes(piece);
            }
            else if (isFull && !pieces.Any(other => Runes(other) <= left))
            {
                text.Append('x');
                left--;
            }
        }

        return text.ToString();
    }

    private static int Runes(string text) => text.EnumerateRunes().Count();

    private static ColumnType Bytes(string ddl, int least, int usual, int? largest = null)
    {
        var most = largest ?? usual;
        return new(
            ddl,
            (random, form) => SpellBytes(random, form, random.Next(5) switch
            {
                0 => SomeBytes(random, usual),
                1 when most > usual && random.Next(6) == 0 => new byte[most],
                _ => SomeBytes(random, random.Next(least, usual + 1))
            }),
            (random, form) => random.Next(3) switch
            {
                0 when least > 0 => SpellBytes(random, form, SomeBytes(random, least - 1)) with { Code = "too-short" },
                1 when !form.HasRawBytes => Cell.Bad(Cell.Pick(random, ["616", "61 62 63", "xyz", "g0", "x'616263'"]), "not-hex"),
                _ when most > 0 => SpellBytes(random, form, SomeBytes(random, most + 1)) with { Code = "too-long" },
                _ => SpellBytes(random, form, []),
            })
        { Read = "HEX({0})", CanHaveDefault = false };
    }

    private static byte[] SomeBytes(Random random, int count)
    {
        var bytes = new byte[count];
        random.NextBytes(bytes);
        for (var at = 0; at < count; at++)
        {
            var piece = Cell.Pick(random, NastyBytes);
            if (random.Next(2) == 0 && at + piece.Length <= count)
            {
                piece.CopyTo(bytes, at);
                at += piece.Length - 1;
            }
        }

        return bytes;
    }

    private static Cell SpellBytes(Random random, FileForm form, byte[] bytes)
    {
        var digits = Convert.ToHexString(bytes);
        var spelled = random.Next(4) switch
        {
            0 => $"0x{digits}",
            1 => $"\\x{digits}",
            2 => digits.ToLower(CultureInfo.InvariantCulture),
            _ => digits
        };
        return form.HasRawBytes ? Cell.Of(bytes, digits) : Cell.Of(spelled, digits);
    }
}
