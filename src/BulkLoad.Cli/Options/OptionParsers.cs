using BulkLoad.Core.Input;

namespace BulkLoad.Cli.Options;

/// <summary>Parses typed words. Each method throws <see cref="FormatException"/> with a text for people.</summary>
internal static class OptionParsers
{
    private static readonly (string Unit, long Factor)[] Units =
    [
        ("ki", 1L << 10), ("mi", 1L << 20), ("gi", 1L << 30), ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000),
    ];

    /// <summary>A week, in seconds.</summary>
    private const decimal LongestTime = 7 * 24 * 3600;

    /// <summary>A count with an optional unit: k, M, G are powers of 1000, Ki, Mi, Gi of 1024; case does not matter, and a B may
    /// follow.</summary>
    public static long Size(string text)
    {
        var number = text.TrimEnd('b', 'B');
        var factor = 1L;
        foreach (var unit in Units)
        {
            if (number.EndsWith(unit.Unit, StringComparison.OrdinalIgnoreCase))
            {
                number = number[..^unit.Unit.Length];
                factor = unit.Factor;
                break;
            }
        }

        return long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var count) && count <= long.MaxValue / factor
            ? count * factor
            : throw new FormatException(
                $"'{text}' is not a size; write a whole number with k, M, G (1000) or Ki, Mi, Gi (1024), such as 8Mi");
    }

    /// <summary>Separated by commas; an empty text is no size.</summary>
    public static long[] Sizes(string text) => text.Length == 0 ? [] : [.. text.Split(',', StringSplitOptions.TrimEntries).Select(Size)];

    /// <summary>Milliseconds separated by commas, with the unit behind each, the last or none; 10 seconds at most.</summary>
    public static TimeSpan[] Latencies(string text) =>
    [
        .. text.Split(',', StringSplitOptions.TrimEntries)
            .Select(word => word.EndsWith("ms", StringComparison.OrdinalIgnoreCase) ? word[..^2] : word).Select(word =>
            decimal.TryParse(word, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var milliseconds)
                && milliseconds is > 0 and <= 10_000
                ? TimeSpan.FromMilliseconds((double)milliseconds)
                : throw new FormatException($"'{word}' is not a latency; write milliseconds above 0, such as 0.1,1,10,50ms")),
    ];

    /// <summary>Such as <c>2/4</c>, the second of four parts.</summary>
    public static PartOfFile Part(string text) =>
        PartOfFile.Find(text) ?? throw new FormatException($"'{text}' is not a part of a file; write 2/4 for the second of four");

    /// <summary>A rate per second: bytes if the number ends with B, rows if it ends with the word or with nothing.</summary>
    public static MaxRate Rate(string text)
    {
        var amount = text.EndsWith("/s", StringComparison.OrdinalIgnoreCase) ? text[..^2] : text;
        var rows = amount.EndsWith("rows", StringComparison.OrdinalIgnoreCase) ? amount[..^4].TrimEnd() : amount;
        try
        {
            return new MaxRate(Size(rows), rows == amount && amount[^1] is 'b' or 'B');
        }
        catch (FormatException)
        {
            throw new FormatException($"'{text}' is not a rate; write rows, such as 5000 or 5krows, or bytes, such as 10MB, per second");
        }
    }

    /// <summary><c>NAME=N</c>.</summary>
    public static StatusLimit StatusLimit(string text) => text.Split('=', 2) is [var name, var most] && name.Length > 0
        ? new StatusLimit(name.Trim(), Size(most.Trim()))
        : throw new FormatException($"'{text}' is not NAME=N, such as Threads_running=50");

    /// <summary>A <see cref="Size"/> that must fit 32 bits.</summary>
    public static int SmallSize(string text) =>
        Size(text) is <= int.MaxValue and var size
            ? (int)size
            : throw new FormatException($"'{text}' is too large, the most is {int.MaxValue}");

    /// <summary>At most a week, with its unit: ms, s, m or h; a number alone is seconds.</summary>
    public static TimeSpan Time(string text)
    {
        var number = text.TrimEnd('h', 'm', 's');
        var seconds = text[number.Length..] switch
        {
            "ms" => 0.001m,
            "" or "s" => 1m,
            "m" => 60m,
            "h" => 3600m,
            _ => 0m,
        };
        return seconds > 0 && decimal.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var count)
            && count <= LongestTime / seconds
            ? TimeSpan.FromSeconds((double)(count * seconds))
            : throw new FormatException($"'{text}' is not a time of a week at most; write a number with ms, s, m or h, such as 90s or 5m");
    }

    /// <summary>A number of hours, days or weeks, up to a hundred years.</summary>
    public static TimeSpan Age(string text)
    {
        var hours = text.Length == 0 ? 0 : text[^1] switch
        {
            'h' => 1,
            'd' => 24,
            'w' => 7 * 24,
            _ => 0,
        };
        return hours > 0 && int.TryParse(text[..^1], NumberStyles.None, CultureInfo.InvariantCulture, out var count)
            && count <= 876_000 / hours
            ? TimeSpan.FromHours((double)count * hours)
            : throw new FormatException($"'{text}' is not an age; write a whole number with h, d or w, such as 90d");
    }

    /// <summary>A count of rejects, or a share such as <c>0.5%</c>.</summary>
    public static RejectLimit RejectLimit(string text)
    {
        if (!text.EndsWith('%'))
        {
            try
            {
                return BulkLoad.RejectLimit.OfRecords(Size(text));
            }
            catch (FormatException)
            {
                throw new FormatException($"'{text}' is neither a number of records nor a share of them, such as 100, 10k or 0.5%");
            }
        }

        return decimal.TryParse(text[..^1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var percent) && percent <= 100
            ? BulkLoad.RejectLimit.OfPercent(percent)
            : throw new FormatException($"'{text}' is not a share from 0% to 100%");
    }

    /// <summary>Pairs such as <c>few-fields=repair,padding=fail</c>; a null kind is <c>all</c>.</summary>
    public static (DirtKind? Kind, DirtAction Action)[] Dirt(string text) => [.. text.Split(',').Select(DirtPair)];

    private static (DirtKind? Kind, DirtAction Action) DirtPair(string text)
    {
        var parts = text.Trim().Split('=', 2);
        var kind = parts[0] == "all" ? null : DirtPolicies.Find(parts[0]);
        if (parts.Length < 2 || (kind is null && parts[0] != "all"))
        {
            throw new FormatException($"'{text}' is not a kind of dirt and an action, such as few-fields=repair or all=fail");
        }

        return (kind, TypedValue.Choice(
            parts[1], [("reject", DirtAction.Reject), ("repair", DirtAction.Repair), ("fail", DirtAction.Fail)]));
    }

    /// <summary>One ASCII character, as itself, as an escape (<c>\t</c>, <c>\x01</c>) or as <c>tab</c>.</summary>
    public static char Character(string text)
    {
        var plain = text.Equals("tab", StringComparison.OrdinalIgnoreCase) ? "\t" : Unescape(text);
        return plain is [var only] && char.IsAscii(only)
            ? only
            : throw new FormatException($"'{text}' is not one ASCII character (\\t, \\n, \\r, \\0, \\\\, \\xHH and tab are understood)");
    }

    /// <summary>One or several ASCII characters, each in the forms of <see cref="Character"/>.</summary>
    public static string Delimiter(string text)
    {
        var plain = text.Equals("tab", StringComparison.OrdinalIgnoreCase) ? "\t" : Unescape(text);
        return plain.Length > 0 && Ascii.IsValid(plain)
            ? plain
            : throw new FormatException(
                $"'{text}' is not one or more ASCII characters (\\t, \\n, \\r, \\0, \\\\, \\xHH and tab are understood)");
    }

    /// <summary>In the forms of <see cref="Character"/>; empty is <c>'\0'</c>, which means none.</summary>
    public static char CharacterOrNone(string text) => text.Length == 0 ? '\0'
        : text.ToUpperInvariant() is "NONE" or "NO" or "OFF" or "NULL" or "FALSE"
            ? throw new FormatException($"'{text}' is not one character; none is written as an empty value, such as --quote=")
            : Character(text);

    /// <summary>A line end: lf, crlf, cr, or the characters themselves with escapes.</summary>
    public static string Newline(string text)
    {
        var plain = text.ToLowerInvariant() switch
        {
            "lf" => "\n",
            "crlf" => "\r\n",
            "cr" => "\r",
            _ => Unescape(text),
        };
        return plain.Length > 0 ? plain : throw new FormatException("a line end cannot be empty; write lf, crlf, cr or the characters");
    }

    /// <summary>Separated by commas.</summary>
    public static string[] Names(string text)
    {
        var names = text.Split(',', StringSplitOptions.TrimEntries);
        return names.Contains("") ? throw new FormatException($"'{text}' has an empty name") : names;
    }

    /// <summary><c>FIELD=COLUMN</c>, separated by commas; a field without a name is <c>=COLUMN</c>.</summary>
    public static KeyValuePair<string, string>[] Pairs(string text) =>
    [
        .. Names(text).Select(pair => pair.LastIndexOf('=') is >= 0 and var at && at < pair.Length - 1
            ? KeyValuePair.Create(pair[..at].TrimEnd(), pair[(at + 1)..].TrimStart())
            : throw new FormatException($"'{pair}' is not FIELD=COLUMN")),
    ];

    private static string Unescape(string text)
    {
        if (!text.Contains('\\', StringComparison.Ordinal) || text == "\\")
        {
            return text;
        }

        var plain = new StringBuilder(text.Length);
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] != '\\' || i + 1 == text.Length)
            {
                plain.Append(text[i]);
                continue;
            }

            i++;
            if (text[i] == 'x' && i + 2 < text.Length
                && byte.TryParse(text.AsSpan(i + 1, 2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var code))
            {
                plain.Append((char)code);
                i += 2;
                continue;
            }

            plain.Append(text[i] switch
            {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                '0' => '\0',
                '\\' => '\\',
                var other => throw new FormatException($"'\\{other}' is not an escape (\\t, \\n, \\r, \\0, \\\\ and \\xHH are)"),
            });
        }

        return plain.ToString();
    }
}
