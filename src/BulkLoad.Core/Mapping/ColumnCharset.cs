using System.Text;

namespace BulkLoad.Core.Mapping;

/// <summary>Which characters a column's character set has (MySQL manual, "Supported Character Sets and Collations").</summary>
internal sealed class ColumnCharset
{
    private readonly Func<Rune, bool> _has;

    private ColumnCharset(Func<Rune, bool> has) => _has = has;

    /// <summary>
    /// Sets that are not known here count as having every character: the server's own warnings and errors are then what
    /// refuses one that it does not have.
    /// </summary>
    public static ColumnCharset Named(string name) => name switch
    {
        "utf8mb3" or "utf8" or "ucs2" => new(rune => rune.IsBmp),
        "ascii" => new(rune => rune.IsAscii),
        "latin1" => new(IsLatin1),
        _ => new(_ => true),
    };

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
