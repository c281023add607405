using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Values;

/// <summary>Columns as a table probe would describe them.</summary>
internal static class Columns
{
    public static TableColumn Integer(string name = "n", int bytes = 4, bool isUnsigned = false, bool isBoolean = false) =>
        Of(name, isUnsigned ? ColumnKind.UnsignedInteger : ColumnKind.Integer, "int") with { IntegerBytes = bytes, IsBoolean = isBoolean };

    public static TableColumn Id(string name = "id") =>
        Integer(name, 8) with { IsNullable = false, Default = ColumnDefault.AutoIncrement };

    public static TableColumn Decimal(int precision, int scale, bool isUnsigned = false) =>
        Of("d", ColumnKind.Decimal, $"decimal({precision},{scale})") with { Precision = precision, Scale = scale, IsUnsigned = isUnsigned };

    public static TableColumn Double(string name = "x", bool isUnsigned = false) =>
        Of(name, ColumnKind.Double, "double") with { IsUnsigned = isUnsigned };

    public static TableColumn Float(bool isUnsigned = false) => Of("f", ColumnKind.Float, "float") with { IsUnsigned = isUnsigned };

    public static TableColumn Varchar(string name = "s", int characters = 100, string charset = "utf8mb4", string? collation = null) =>
        Of(name, ColumnKind.Varchar, $"varchar({characters})") with
        { MaxCharacters = characters, Charset = charset, Collation = collation ?? $"{charset}_bin" };

    public static TableColumn Char(int characters, string charset = "utf8mb4") =>
        Of("c", ColumnKind.Char, $"char({characters})") with { MaxCharacters = characters, Charset = charset };

    public static TableColumn Text(long bytes = 65_535, string charset = "utf8mb4", string name = "t") =>
        Of(name, ColumnKind.Text, "text") with { MaxBytes = bytes, Charset = charset };

    public static TableColumn Blob(long bytes = 65_535, string name = "b") => Of(name, ColumnKind.Blob, "blob") with { MaxBytes = bytes };

    public static TableColumn Bit(int bits = 8, string name = "b") => Of(name, ColumnKind.Bit, "bit") with { Precision = bits };

    public static TableColumn Geometry(uint srid = 0, string name = "g") =>
        Of(name, ColumnKind.Geometry, "geometry") with { GeometryType = "GEOMETRY", Srid = srid };

    public static TableColumn Date() => Of("d", ColumnKind.Date, "date");

    public static TableColumn DateTime(int scale = 0, string name = "at") =>
        Of(name, ColumnKind.DateTime, "datetime") with { Scale = scale };

    public static TableColumn Timestamp(int scale = 0) => Of("at", ColumnKind.Timestamp, "timestamp") with { Scale = scale };

    public static TableColumn Time(int scale = 0) => Of("t", ColumnKind.Time, "time") with { Scale = scale };

    public static TableColumn Year() => Of("y", ColumnKind.Year, "year");

    public static TableColumn Enum(params string[] labels) => Of("e", ColumnKind.Enum, "enum") with { Labels = labels };

    public static TableColumn Set(params string[] labels) => Of("e", ColumnKind.Set, "set") with { Labels = labels };

    public static TableColumn Of(string name, ColumnKind kind, string typeText) =>
        new() { Name = name, Kind = kind, TypeText = typeText, IsNullable = true, Default = ColumnDefault.Null };

    public static TableColumn Required(this TableColumn column) => column with { IsNullable = false, Default = ColumnDefault.None };

    public static TableFacts Table(params TableColumn[] columns) => new()
    {
        Database = "shop",
        Name = "people",
        Engine = "InnoDB",
        IsTransactional = true,
        Columns = columns,
        InsertTriggers = [],
    };
}
