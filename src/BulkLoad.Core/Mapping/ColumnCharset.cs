using System.Text;

namespace BulkLoad.Core.Mapping;

/// <summary>Which characters a column's character set has (MySQL manual, "Supported Character Sets and Collations").</summary>
internal sealed class ColumnCharset
{
    private readonly Func<Rune, bool> _has;
    private readonly Width _width;

    private ColumnCharset(Func<Rune, bool> has, Width width)
    {
        _has = has;
        _width = width;
    }

    /// <summary>How many bytes a character takes.</summary>
    private enum Width
    {
        Utf8,
        Two,
        Utf16,
        Four,

        /// <summary>One, or one at least where the set is not known here.</summary>
        One,
    }

    /// <summary>
    /// Sets that are not known here count as having every character: the server's own warnings and errors are then what
    /// refuses one that it does not have.
    /// </summary>
    public static ColumnCharset Named(string name) => name switch
    {
        "utf8mb4" => new(_ => true, Width.Utf8),
        "utf8mb3" or "utf8" => new(rune => rune.IsBmp, Width.Utf8),
        "ucs2" => new(rune => rune.IsBmp, Width.Two),
        "utf16" or "utf16le" => new(_ => true, Width.Utf16),
        "utf32" => new(_ => true, Width.Four),
        "ascii" => new(rune => rune.IsAscii, Width.One),
        "latin1" => new(IsLatin1, Width.One),
        _ => new(_ => true, Width.One),
    };

    /// <summary>Bytes that valid UTF-8 text takes in this set; never too many.</summary>
    public long CountBytes(ReadOnlySpan<byte> text) => _width switch
    {
        Width.Utf8 => text.Length,
        Width.Two => 2 * CountCharacters(text),
        Width.Utf16 => 2 * (CountCharacters(text) + CountSupplementary(text)),
        Width.Four => 4 * CountCharacters(text),
        _ => CountCharacters(text),
    };

    public static long CountCharacters(ReadOnlySpan<byte> text)
    {
        long count = 0;
        foreach (var unit in text)
        {
            // A byte 10xxxxxx continues a character.
            count += (sbyte)unit >= -0x40 ? 1 : 0;
        }

        return count;
    }

    public bool HasAll(ReadOnlySpan<byte> text)
    {
        while (!text.IsEmpty)
        {
            Rune.DecodeFromUtf8(text, out var rune, out var used);
            if (!_has(rune))
            {
                return false;
            }

            text = text[used..];
        }

        return true;
    }

    private static long CountSupplementary(ReadOnlySpan<byte> text)
    {
        long count = 0;
        foreach (var unit in text)
        {
            count += unit >= 0xf0 ? 1 : 0;
        }

        return count;
    }

    /// <summary>MySQL's latin1 is Windows code page 1252, with the five bytes that the page leaves out as control characters.</summary>
    private static bool IsLatin1(Rune rune) => rune.Value switch
    {
        < 0x80 or (>= 0xa0 and <= 0xff) => true,
        0x81 or 0x8d or 0x8f or 0x90 or 0x9d => true,
        0x20ac or 0x201a or 0x0192 or 0x201e or 0x2026 or 0x2020 or 0x2021 or 0x02c6 or 0x2030 or 0x0160 or 0x2039 or 0x0152 or 0x017d
            or 0x2018 or 0x2019 or 0x201c or 0x201d or 0x2022 or 0x2013 or 0x2014 or 0x02dc or 0x2122 or 0x0161 or 0x203a or 0x0153
            or 0x017e or 0x0178 => true,
        _ => false,
    };
}
