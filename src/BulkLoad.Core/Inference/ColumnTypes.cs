using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Inference;

/// <summary>Types of new columns, nullable until something else is said (MySQL manual, "Data Types").</summary>
internal static class ColumnTypes
{
    public const int MostPrecision = 65;

    private const string Charset = "utf8mb4";

    /// <summary>Beyond ten, lengths of VARCHAR are rounded up to one of these: they cost nothing, and leave some room.</summary>
    private static readonly int[] RoundLengths = [20, 30, 50, 100, 200, 255, 500, 1000, 2000, 4000, 8000, 16_000];

    public static TableColumn Boolean { get; } = Of("tinyint(1)", ColumnKind.Integer) with { IntegerBytes = 1, IsBoolean = true };

    public static TableColumn UnsignedBigint { get; } = Of("bigint unsigned", ColumnKind.UnsignedInteger) with { IntegerBytes = 8 };

    public static TableColumn Double { get; } = Of("double", ColumnKind.Double);

    public static TableColumn Date { get; } = Of("date", ColumnKind.Date);

    public static TableColumn Json { get; } = Of("json", ColumnKind.Json);

    /// <summary>The narrowest signed type for whole numbers.</summary>
    public static TableColumn Integer(long least, long most) =>
        Of(IntegerName(least, most), ColumnKind.Integer) with { IntegerBytes = IntegerBytes(least, most) };

    /// <summary>Bytes that the whole numbers between two need: 1, 2, 3, 4 or 8.</summary>
    public static int IntegerBytes(long least, long most)
    {
        // What a negative number needs is what its complement does.
        var largest = Math.Max(most, least < 0 ? ~least : 0);
        return largest switch
        {
            <= sbyte.MaxValue => 1,
            <= short.MaxValue => 2,
            < 1 << 23 => 3,
            <= int.MaxValue => 4,
            _ => 8,
        };
    }

    public static TableColumn Decimal(int precision, int scale) =>
        Of($"decimal({precision},{scale})", ColumnKind.Decimal) with { Precision = precision, Scale = scale };

    public static TableColumn DateTime(int scale) => Of(WithScale("datetime", scale), ColumnKind.DateTime) with { Scale = scale };

    public static TableColumn Time(int scale) => Of(WithScale("time", scale), ColumnKind.Time) with { Scale = scale };

    /// <summary>A VARCHAR of a rounded length, or the TEXT type for so many bytes.</summary>
    public static TableColumn Character(long characters, long bytes) =>
        characters <= 10 ? Varchar((int)Math.Max(1, characters))
        : Array.Find(RoundLengths, length => length >= characters) is > 0 and var length ? Varchar(length)
        : LongText(bytes);

    public static TableColumn Varchar(int characters) =>
        Of($"varchar({characters})", ColumnKind.Varchar) with { MaxCharacters = characters, Charset = Charset };

    /// <summary>TEXT, MEDIUMTEXT or LONGTEXT.</summary>
    public static TableColumn LongText(long bytes)
    {
        var (name, most) = bytes <= ushort.MaxValue ? ("text", ushort.MaxValue)
            : bytes < 1 << 24 ? ("mediumtext", (1L << 24) - 1)
            : ("longtext", uint.MaxValue);
        return Of(name, ColumnKind.Text) with { MaxBytes = most, Charset = Charset };
    }

    private static string IntegerName(long least, long most) => IntegerBytes(least, most) switch
    {
        1 => "tinyint",
        2 => "smallint",
        3 => "mediumint",
        4 => "int",
        _ => "bigint",
    };

    private static string WithScale(string name, int scale) => scale == 0 ? name : $"{name}({scale})";

    private static TableColumn Of(string typeText, ColumnKind kind) =>
        new() { Name = "", TypeText = typeText, Kind = kind, IsNullable = true, Default = ColumnDefault.Null };
}
