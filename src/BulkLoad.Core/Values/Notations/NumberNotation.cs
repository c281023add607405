namespace BulkLoad.Core.Values.Notations;

internal enum PercentMeaning
{
    /// <summary>It is refused.</summary>
    None,

    /// <summary><c>12.5 %</c> is 0.125, and a number without the sign is itself.</summary>
    Fraction,

    /// <summary><c>12.5 %</c> is 0.125, and a number without the sign is refused.</summary>
    OnlyFraction,

    /// <summary><c>12.5 %</c> is 12.5.</summary>
    Number,
}

/// <summary>Numbers with another decimal character than the point, groups of thousands, currencies and percent signs. A minus may be a
/// hyphen or U+2212, before the number or behind it, or the number is in parentheses. Groups have three digits, or behind the last three
/// all two, as in India. A number that begins with a zero has no groups: <c>0.123</c> is a fraction.</summary>
internal sealed class NumberNotation : ValueNotation
{
    /// <summary>The word for any of the blanks that are between thousands: the space, U+00A0, U+2009 and U+202F.</summary>
    public const string SpaceWord = "space";

    private static readonly byte[][] Blanks = [.. ((string[])[" ", "\u00A0", "\u2009", "\u202F"]).Select(Encoding.UTF8.GetBytes)];
    private static readonly byte[][] Apostrophes = [.. ((string[])["'", "\u2019"]).Select(Encoding.UTF8.GetBytes)];

    private readonly byte[] _point;
    private readonly byte[][] _groups;

    private readonly byte[][] _currencies;
    private readonly PercentMeaning _percent;

    private NumberNotation(string point, string? groups, string[] currencies, PercentMeaning percent)
    {
        _point = Encoding.UTF8.GetBytes(point);
        _groups = groups switch
        {
            null => [],
            " " or SpaceWord or "\u00A0" or "\u202F" => Blanks,
            "'" or "\u2019" => Apostrophes,
            _ => [Encoding.UTF8.GetBytes(groups)],
        };
        _currencies = [.. currencies.OrderByDescending(currency => currency.Length).Select(Encoding.UTF8.GetBytes)];
        _percent = percent;
        Plain = percent == PercentMeaning.OnlyFraction ? null
            : new PlainNumber(_point is [var single] ? single : -1, _groups is [[var only], ..] ? only : -1);
        var between = groups is null ? "" : _groups == Blanks ? " and spaces between thousands" : $" and '{groups}' between thousands";
        Fault = ValueFault.NotANumber with
        {
            Message = $"is not a number with '{point}' before its "
                + $"fraction{between}{(percent == PercentMeaning.OnlyFraction ? ", and a percent sign" : "")}",
        };
    }

    public override ValueFault Fault { get; }

    /// <summary>Numbers without a sign of the notation; null: each must have a percent sign.</summary>
    public PlainNumber? Plain { get; }

    /// <param name="point">before the fraction</param>
    /// <param name="groups">between thousands; null: nothing</param>
    /// <param name="percent">the word of the option; null: there is no percent sign</param>
    /// <param name="isPercentColumn">whether the option names the column, so that a number without the sign would be ambiguous</param>
    /// <exception cref="RequestException">they contradict each other</exception>
    public static NumberNotation Of(string point, string? groups, string[] currencies, string? percent, bool isPercentColumn)
    {
        if (!IsSign(point))
        {
            throw new RequestException($"--decimal: '{point}' is not one character such as , that is no digit, letter, sign or blank");
        }

        if (groups is not null && groups is not (SpaceWord or " " or "\u00A0" or "\u202F") && !IsSign(groups))
        {
            throw new RequestException($"--thousands: '{groups}' is not one character such as . or ', and not the word {SpaceWord}");
        }

        if (groups == point)
        {
            throw new RequestException(point == "."
                ? "--thousands .: the point is before the fraction: add --decimal ,"
                : $"--decimal {point}, --thousands {point}: these must be different characters");
        }

        if (Array.Find(currencies, currency => currency.Length == 0
            || currency.Any(letter => char.IsDigit(letter) || letter is '-' or '+' or '(' or ')')) is { } wrong)
        {
            throw new RequestException($"--currency: '{wrong}' is not a sign or word such as € or EUR");
        }

        var meaning = percent?.ToLowerInvariant() switch
        {
            null => PercentMeaning.None,
            "fraction" => isPercentColumn ? PercentMeaning.OnlyFraction : PercentMeaning.Fraction,
            "number" => PercentMeaning.Number,
            _ => throw new RequestException($"--percent: '{percent}' is not one of fraction (12.5 % is 0.125) and number (12.5 % is 12.5)"),
        };
        return new NumberNotation(point, groups, currencies, meaning);
    }

    public override bool TryRewrite(ReadOnlySpan<byte> text, Span<byte> room, out ReadOnlySpan<byte> value)
    {
        if (Plain is { } plain)
        {
            value = text;
            if (plain.Write(text, MaxBytes, MaxBytes, takesMinus: true, room) is > 0 and var written)
            {
                value = room[..written];
                return true;
            }

            if (IsWhole(text))
            {
                return true;
            }
        }

        value = default;
        if (text.Length > MaxBytes - 8)
        {
            return false;
        }

        var rest = text;
        var isNegative = rest.Length > 2 && rest[0] == '(' && rest[^1] == ')';
        var hasSign = isNegative;
        rest = isNegative ? rest[1..^1] : rest;
        var (hasCurrency, hasPercent) = (false, _percent == PercentMeaning.None);
        TakeFront(ref rest, ref hasSign, ref isNegative, ref hasCurrency, ref hasPercent);
        TakeBack(ref rest, ref hasSign, ref isNegative, ref hasCurrency, ref hasPercent);
        var isFraction = hasPercent && _percent is (PercentMeaning.Fraction or PercentMeaning.OnlyFraction);
        if (_percent == PercentMeaning.OnlyFraction && !hasPercent)
        {
            return false;
        }

        var length = 0;
        if (isNegative)
        {
            room[length++] = (byte)'-';
        }

        if (!TryWriteNumber(rest, room, takesExponent: !isFraction, ref length))
        {
            return false;
        }

        value = room[..length];
        return !isFraction || TryDivide(room, length, out value);
    }

    /// <summary>Divides by a hundred, without an exponent.</summary>
    private static bool TryDivide(Span<byte> room, int length, out ReadOnlySpan<byte> value)
    {
        "e-2"u8.CopyTo(room[length..]);
        value = default;
        if (length > (MaxBytes / 2) - 8 || !NumberText.TryParse(room[..(length + 3)], out var number))
        {
            return false;
        }

        var half = room[(MaxBytes / 2)..];
        value = half[..number.Write(half)];
        return true;
    }

    private static bool IsSign(string text) =>
        Rune.DecodeFromUtf16(text, out var rune, out var used) == System.Buffers.OperationStatus.Done && used == text.Length
        && !Rune.IsLetterOrDigit(rune) && !Rune.IsWhiteSpace(rune) && !Rune.IsControl(rune)
            && rune.Value is not ('-' or '+' or '(' or ')' or '%' or '\u2212');

    /// <summary>Digits, perhaps behind a hyphen: the same in every notation.</summary>
    public static bool IsWhole(ReadOnlySpan<byte> text)
    {
        var digits = text.Length > 0 && text[0] == '-' ? text[1..] : text;
        return digits.Length > 0 && digits.IndexOfAnyExceptInRange((byte)'0', (byte)'9') < 0;
    }

    private void TakeFront(ref ReadOnlySpan<byte> rest, ref bool hasSign, ref bool isNegative, ref bool hasCurrency, ref bool hasPercent)
    {
        while (true)
        {
            if (!hasSign && SignAt(rest, out var negative) is > 0 and var length)
            {
                (hasSign, isNegative) = (true, negative);
                rest = rest[length..];
            }
            else if (!hasCurrency && FindStart(rest, _currencies) is > 0 and var currency)
            {
                hasCurrency = true;
                rest = TrimStart(rest[currency..]);
            }
            else if (!hasPercent && rest.Length > 0 && rest[0] == '%')
            {
                hasPercent = true;
                rest = TrimStart(rest[1..]);
            }
            else
            {
                return;
            }
        }
    }

    private void TakeBack(ref ReadOnlySpan<byte> rest, ref bool hasSign, ref bool isNegative, ref bool hasCurrency, ref bool hasPercent)
    {
        while (rest.Length > 0)
        {
            if (!hasSign && rest[^1] == '-')
            {
                (hasSign, isNegative) = (true, true);
                rest = rest[..^1];
            }
            else if (!hasCurrency && FindEnd(rest, _currencies) is > 0 and var currency)
            {
                hasCurrency = true;
                rest = TrimEnd(rest[..^currency]);
            }
            else if (!hasPercent && rest[^1] == '%')
            {
                hasPercent = true;
                rest = TrimEnd(rest[..^1]);
            }
            else
            {
                return;
            }
        }
    }

    /// <summary>Writes the digits without groups, with a point; an exponent stays as it is.</summary>
    private bool TryWriteNumber(ReadOnlySpan<byte> rest, Span<byte> room, bool takesExponent, ref int length)
    {
        var (groups, first, middle, count) = (0, 0, 0, 0);
        var digits = 0;
        var start = length;
        while (rest.Length > 0)
        {
            if (rest[0] is >= (byte)'0' and <= (byte)'9')
            {
                room[length++] = rest[0];
                rest = rest[1..];
                (count, digits) = (count + 1, digits + 1);
                continue;
            }

            var separator = FindStart(rest, _groups);
            if (separator == 0)
            {
                break;
            }

            if (groups == 0)
            {
                first = count;
            }
            else if (groups == 1)
            {
                middle = count;
            }
            else if (count != middle)
            {
                return false;
            }

            (groups, count) = (groups + 1, 0);
            rest = rest[separator..];
        }

        if (groups > 0
            && (count != 3 || room[start] == '0' || first == 0 || first > (groups == 1 ? 3 : middle)
                || (groups > 1 && middle is not (2 or 3))))
        {
            return false;
        }

        if (rest.StartsWith(_point))
        {
            room[length++] = (byte)'.';
            rest = rest[_point.Length..];
            while (rest.Length > 0 && rest[0] is >= (byte)'0' and <= (byte)'9')
            {
                room[length++] = rest[0];
                rest = rest[1..];
                digits++;
            }
        }

        if (rest.Length > 0 && takesExponent && rest[0] is (byte)'e' or (byte)'E')
        {
            // The rule judges it.
            rest.CopyTo(room[length..]);
            length += rest.Length;
            return digits > 0 && rest.IndexOf((byte)'.') < 0;
        }

        return digits > 0 && rest.IsEmpty;
    }

    /// <summary>Bytes of the sign at the start; 0: there is none.</summary>
    private static int SignAt(ReadOnlySpan<byte> text, out bool isNegative)
    {
        var minus = "\u2212"u8;
        isNegative = text.Length > 0 && (text[0] == '-' || text.StartsWith(minus));
        return isNegative ? text[0] == '-' ? 1 : minus.Length : text.Length > 0 && text[0] == '+' ? 1 : 0;
    }

    private static int FindStart(ReadOnlySpan<byte> text, byte[][] words)
    {
        foreach (var word in words)
        {
            if (text.StartsWith(word))
            {
                return word.Length;
            }
        }

        return 0;
    }

    private static int FindEnd(ReadOnlySpan<byte> text, byte[][] words)
    {
        foreach (var word in words)
        {
            if (text.EndsWith(word))
            {
                return word.Length;
            }
        }

        return 0;
    }

    private static ReadOnlySpan<byte> TrimStart(ReadOnlySpan<byte> text)
    {
        while (FindStart(text, Blanks) is > 0 and var length)
        {
            text = text[length..];
        }

        return text;
    }

    private static ReadOnlySpan<byte> TrimEnd(ReadOnlySpan<byte> text)
    {
        while (FindEnd(text, Blanks) is > 0 and var length)
        {
            text = text[..^length];
        }

        return text;
    }
}
