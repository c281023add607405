using System.Numerics;
using System.Text.RegularExpressions;

namespace BulkLoad.IntegrationTests.Differential;

/// <summary>Integers, BIT, DECIMAL, FLOAT and DOUBLE.</summary>
internal static partial class NumberTypes
{
    private static readonly string[] True = ["true", "T", "Yes", "y", "ON", "1"];
    private static readonly string[] False = ["false", "f", "no", "N", "Off", "0"];

    public static IEnumerable<ColumnType> All =>
    [
        .. from type in new[] { ("TINYINT", 8), ("SMALLINT", 16), ("MEDIUMINT", 24), ("INT", 32), ("BIGINT", 64) }
           from isUnsigned in new[] { false, true }
           select Integer(type.Item1, type.Item2, isUnsigned),
        Integer("INT", 32, true) with { Ddl = "INT(6) ZEROFILL", Read = "{0}+0" },
        new("BOOLEAN", Truth, (random, _) =>
            Cell.Pick(random, [Cell.Bad("maybe", "not-an-integer"), Cell.Bad("", "not-an-integer"), Cell.Bad("128", "out-of-range")])),
        Bit(1), Bit(8), Bit(17), Bit(64),
        Decimal(5, 2, false), Decimal(10, 0, false), Decimal(3, 3, true), Decimal(65, 30, false), Decimal(18, 6, true),
        Decimal(30, 30, false),
        Decimal(6, 2, true) with { Ddl = "DECIMAL(6,2) ZEROFILL", Read = "{0}+0" },
        Double("DOUBLE", false), Double("DOUBLE UNSIGNED", true), Float("FLOAT", false), Float("FLOAT UNSIGNED", true), Grid("DOUBLE(9,3)"),
        Grid("FLOAT(9,3)"),
    ];

    /// <summary>An integer as a field may write it.</summary>
    public static Cell Spell(Random random, BigInteger value)
    {
        var digits = BigInteger.Abs(value).ToString();
        var sign = value.Sign < 0 ? "-" : "";
        return Numeric(
            random.Next(8) switch
            {
                0 => $"{(value.Sign < 0 ? "-" : "+")}{digits}",
                1 => $"{sign}000{digits}",
                2 => $"{sign}{digits}.000",
                3 => $"{sign}{digits}e0",
                4 => $"{sign}{digits}00E-2",
                5 when digits.EndsWith('0') && digits.Length > 1 => $"{sign}{digits[..^1]}e+1",
                _ => $"{sign}{digits}",
            },
            value.ToString());
    }

    private static Cell Numeric(string field, string stored) => Cell.Of(field, stored) with { IsJson = JsonNumber().IsMatch(field) };

    private static ColumnType Integer(string name, int bits, bool isUnsigned)
    {
        var least = isUnsigned ? BigInteger.Zero : -BigInteger.Pow(2, bits - 1);
        var most = BigInteger.Pow(2, isUnsigned ? bits : bits - 1) - 1;
        return new($"{name}{(isUnsigned ? " UNSIGNED" : "")}", (random, _) => Spell(random, Between(random, least, most)),
            (random, form) => Bad(random, form, least, most))
        {
            Finer = (random, _) => Finer(random, Between(random, least + 1, most - 1), 0),
        };
    }

    /// <summary>A value with more digits than the column, and the nearest one that it has; from the middle away from zero.</summary>
    /// <param name="random">for the digits</param>
    /// <param name="units">the value towards zero, in units of the column's last digit</param>
    /// <param name="scale">digits after the point</param>
    private static Cell Finer(Random random, BigInteger units, int scale)
    {
        var more = random.Next(1, 5);
        var power = BigInteger.Pow(10, more);
        var rest = random.Next(4) == 0 ? power / 2 : random.Next((int)power);
        var sign = units.Sign < 0 ? -1 : 1;
        var nearest = rest * 2 >= power ? units + sign : units;
        return SpellDecimal(random, (units * power) + (sign * rest), scale + more) with
        { Stored = SpellDecimal(random, nearest, scale).Stored };
    }

    private static Cell Bad(Random random, FileForm form, BigInteger least, BigInteger most) => random.Next(3) switch
    {
        0 => Spell(random, most + 1) with { Code = "out-of-range" },
        1 => Spell(random, least - 1) with { Code = "out-of-range" },
        _ => Cell.Pick(
            random,
            [
                Cell.Bad("1e99", "out-of-range"),
                form.Rounds ? Cell.Of("1.5", "2") : Cell.Bad("1.5", "not-an-integer"),
                .. new[] { "x17", "17x", "", " 1", "1 ", "0x1F", "１", "-", "1,000", "NULL", "1e", "1\n", "1\0" }
                    .Select(text => Cell.Bad(text, "not-an-integer")),
            ]),
    };

    private static BigInteger Between(Random random, BigInteger least, BigInteger most) => random.Next(6) switch
    {
        0 => least,
        1 => most,
        2 => BigInteger.Min(most, BigInteger.Max(least, random.Next(-3, 4))),
        _ => least + (new BigInteger(random.NextInt64(0, long.MaxValue)) * (most - least) / long.MaxValue),
    };

    private static Cell Truth(Random random, FileForm form)
    {
        var isTrue = random.Next(2) == 0;
        var word = Cell.Pick(random, isTrue ? True : False);
        return Cell.Of(word, isTrue ? "1" : "0") with { IsJson = word is "true" or "false" or "1" or "0" };
    }

    private static ColumnType Bit(int bits)
    {
        var most = BigInteger.Pow(2, bits) - 1;
        return new(
            $"BIT({bits})",
            (random, form) => bits == 1 ? Truth(random, form) : Spell(random, Between(random, 0, most)),
            (random, _) => random.Next(2) == 0
                ? Spell(random, Cell.Pick<BigInteger>(random, [most + 1, -1])) with { Code = "out-of-range" }
                : Cell.Bad(Cell.Pick(random, ["b'1'", "0b1", "", "\\x01", " 1"]), "not-an-integer"))
        { Read = "{0}+0", CanHaveDefault = false };
    }

    private static ColumnType Decimal(int precision, int scale, bool isUnsigned) => new(
        $"DECIMAL({precision},{scale}){(isUnsigned ? " UNSIGNED" : "")}",
        (random, _) =>
        {
            var most = BigInteger.Pow(10, precision) - 1;
            var value = Digits(random, random.Next(1, precision + 1)) * (isUnsigned ? 1 : random.Next(2) == 0 ? 1 : -1);
            return SpellDecimal(random,
                random.Next(8) switch { 0 => most, 1 when !isUnsigned => -most, 2 => BigInteger.Zero, 3 => BigInteger.One, _ => value },
                scale);
        },
        (random, form) => random.Next(4) switch
        {
            0 => Cell.Bad($"1{new string('0', precision - scale)}", "out-of-range"),
            1 when form.Rounds => Cell.Of($"0.{new string('0', scale)}1", SpellDecimal(random, 0, scale).Stored!),
            1 => Cell.Bad($"0.{new string('0', scale)}1", "too-many-decimals"),
            2 when isUnsigned => Cell.Bad(scale > 0 ? $"-0.{new string('0', scale - 1)}1" : "-1", "out-of-range"),
            _ => Cell.Bad(Cell.Pick(random, ["x", "1,5", " 1", "$5", "nan", "", "1e", "."]), "not-a-number"),
        })
    {
        Finer = (random, _) =>
            Finer(random, Digits(random, random.Next(1, precision)) * (isUnsigned || random.Next(2) == 0 ? 1 : -1), scale)
    };

    private static BigInteger Digits(Random random, int count) =>
        BigInteger.Parse(string.Concat(Enumerable.Range(0, count).Select(_ => random.Next(10))), CultureInfo.InvariantCulture);

    /// <param name="random">for the spelling</param>
    /// <param name="units">the value in units of its last digit</param>
    /// <param name="scale">digits after the point</param>
    private static Cell SpellDecimal(Random random, BigInteger units, int scale)
    {
        var digits = BigInteger.Abs(units).ToString().PadLeft(scale + 1, '0');
        var (whole, fraction) = (digits[..^scale], digits[^scale..]);
        var sign = units.Sign < 0 ? "-" : "";
        var plain = scale == 0 ? $"{sign}{whole}" : $"{sign}{whole}.{fraction}";
        var field = random.Next(7) switch
        {
            0 when whole == "0" && scale > 0 => $"{sign}.{fraction}",
            1 => $"{sign}00{plain[sign.Length..]}",
            2 => scale == 0 ? $"{plain}." : $"{plain}00",
            3 => $"{units}e-{scale}",
            4 when scale > 0 => plain.TrimEnd('0'),
            _ => plain,
        };
        return Numeric(field, plain);
    }

    private static ColumnType Double(string ddl, bool isUnsigned) => new(
        ddl,
        (random, _) =>
        {
            var value = random.Next(8) switch
            {
                0 => double.MaxValue,
                1 => double.Epsilon,
                2 => 0.1,
                3 => 9007199254740993d,
                _ => BitConverter.Int64BitsToDouble(random.NextInt64()),
            };
            value = double.IsFinite(value) ? value : 1.5;
            value = isUnsigned || random.Next(2) == 0 ? value : -value;
            return SpellDouble(random, value, value.ToString(random.Next(2) == 0 ? "R" : "E25", CultureInfo.InvariantCulture));
        },
        (random, _) => random.Next(3) == 0 ? Cell.Bad(isUnsigned ? "-1.5" : "-1e309", "out-of-range")
            : random.Next(2) == 0 ? Cell.Bad("1e309", "out-of-range")
            : Cell.Bad(Cell.Pick(random, ["x", "inf", "nan", "1,5", " 1", "", "Infinity", "1e"]), "not-a-number"))
    { Read = "CAST({0} AS DOUBLE)", IsPlain = true, Normalize = AsDouble, LeavesDefaultToServer = true };

    private static ColumnType Float(string ddl, bool isUnsigned) => new(
        ddl,
        (random, _) =>
        {
            var value = random.Next(6) switch
            {
                0 => 3.4028234e38f,
                1 => 1.17549435e-38f,
                2 => 0.1f,
                _ => BitConverter.Int32BitsToSingle(random.Next())
            };
            value = float.IsFinite(value) ? value : 1.5f;
            value = isUnsigned || random.Next(2) == 0 ? value : -value;
            return SpellDouble(random, value, random.Next(2) == 0 ? value.ToString("R") : ((double)value).ToString("R"));
        },
        (random, _) => random.Next(2) == 0
            ? Cell.Bad(isUnsigned ? "-1" : "1e39", "out-of-range")
            : Cell.Bad(Cell.Pick(random, ["x", "inf", " 1", ""]), "not-a-number"))
    { Read = "CAST({0} AS DOUBLE)", IsPlain = true, Normalize = AsSingle, LeavesDefaultToServer = true };

    /// <summary>With three digits after the point, and only values that are themselves in binary.</summary>
    private static ColumnType Grid(string ddl) => new(
        ddl,
        (random, _) =>
        {
            var value = random.Next(-80_000, 80_001) / 8d;
            return SpellDouble(random, value, value.ToString("F3"));
        },
        (random, _) => random.Next(2) == 0 ? Cell.Bad("0.1234", "too-many-decimals") : Cell.Bad("1000000", "out-of-range"))
    { Read = "CAST({0} AS DOUBLE)", IsPlain = true, Normalize = AsDouble };

    private static Cell SpellDouble(Random random, double value, string text) => Numeric(
        random.Next(6) == 0 && text[0] != '-' ? $"+{text}" : text, value.ToString("R"));

    private static string AsDouble(string text)
    {
        var value = double.Parse(text, CultureInfo.InvariantCulture);
        return value == 0 ? "0" : value.ToString("R");
    }

    private static string AsSingle(string text)
    {
        var value = (float)double.Parse(text, CultureInfo.InvariantCulture);
        return value == 0 ? "0" : value.ToString("R");
    }

    [GeneratedRegex(@"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$", RegexOptions.CultureInvariant)]
    private static partial Regex JsonNumber();
}
