using System.Net;
using System.Numerics;
using System.Text.Json;

namespace BulkLoad.IntegrationTests.Differential;

/// <summary>ENUM, SET, JSON, addresses, geometries, and columns whose values only the server refuses.</summary>
internal static class OtherTypes
{
    private static readonly string[] EnumLabels = ["red", "green", "x,y", "2", "ä", "it's", "back\\slash", ""];
    private static readonly string[] SetLabels = ["gift", "express", "2", "ö", "it's"];

    public static IEnumerable<ColumnType> All =>
    [
        new($"ENUM({string.Join(',', EnumLabels.Select(Literal))})",
            (random, _) => TextTypes.Same(Cell.Pick(random, EnumLabels)),
            (random, _) => Cell.Bad(Cell.Pick(random, ["Red", "red ", "1", "0", "a", "purple", "NULL"]), "unknown-label")),
        new($"SET({string.Join(',', SetLabels.Select(Literal))})",
            (random, _) =>
            {
                var labels = SetLabels.Where(_ => random.Next(2) == 0).ToArray();
                return Cell.Of(
                    string.Join(',', labels.OrderBy(_ => random.Next()).Concat(labels.Take(random.Next(2)))), string.Join(',', labels));
            },
            (random, _) => Cell.Bad(Cell.Pick(random, ["1", "gift,", "gift, express", "Gift", ",", "3"]), "unknown-label")),
        new("JSON", SharedDocument) { Normalize = Canonical, CanHaveDefault = false, IsNullableOnly = true },
        new("JSON", MySqlDocument, BadDocument) { Normalize = Canonical, CanHaveDefault = false, Server = Servers.MySql },
        new("JSON", (random, _) =>
            TextTypes.Same(Cell.Pick(random, ["{\"a\":1,  \"a\":1.000}", "123456789012345678901234567890", "[1e400]", " [ ] "])),
            (random, _) => Cell.Bad(Cell.Pick(random, ["{a:1}", "[1,]", "nul"]), "check-constraint"))
        { CanHaveDefault = false, IsNullableOnly = true, Server = Servers.MariaDb },
        new("UUID",
            (random, _) =>
            {
                var uuid = Uuid(random);
                return Cell.Of(
                    random.Next(3) switch { 0 => uuid.ToString("N"), 1 => uuid.ToString("D").ToUpperInvariant(), _ => uuid.ToString("D") },
                    uuid.ToString("D"));
            },
            (random, _) => Cell.Bad(Cell.Pick(random, ["{123e4567-e89b-12d3-a456-426655440000}", "123e4567-e89b12d3-a456-426655440000",
                "123e4567-e89b-12d3-a456-42665544000g", ""]), "not-a-uuid"))
        { Server = Servers.MariaDb },
        new("INET4",
            (random, _) => TextTypes.Same(new IPAddress(Noise(random, 4)).ToString()),
            (random, _) => Cell.Bad(Cell.Pick(random, ["256.0.0.1", "01.2.3.4", "1.2.3", "::1", "1.2.3.4 ", ""]), "not-an-address"))
        { Server = Servers.MariaDb },
        new("INET6",
            (random, _) =>
            {
                var address = new IPAddress(random.Next(4) switch
                {
                    0 => [.. new byte[12], .. Noise(random, 4)],
                    1 => [.. new byte[10], 0xff, 0xff, .. Noise(random, 4)],
                    _ => Gaps(random)
                });
                return Cell.Of(random.Next(2) == 0 ? InFull(address) : address.ToString().ToUpperInvariant(), address.ToString());
            },
            (random, _) =>
                Cell.Bad(Cell.Pick(random, ["192.0.2.1", "fe80::1%eth0", "[::1]", "::1/64", "1::2::3", "12345::", ""]), "not-an-address"))
        { Server = Servers.MariaDb, Normalize = text => Convert.ToHexString(IPAddress.Parse(text).GetAddressBytes()) },
        Geometry(
            "GEOMETRY", ["POINT(1 2)", "LINESTRING(0 0,1.5 1)", "POLYGON((0 0,4 0,4 4,0 4,0 0))", "GEOMETRYCOLLECTION(POINT(1 2))"], null),
        Geometry("POINT", ["POINT(0 0)"], "LINESTRING(1 2,3 4)"),
        new("INT", (random, _) => NumberTypes.Spell(random, random.Next(0, 13)),
            (_, _) => Cell.Bad("13", "check-constraint")) { Clause = "CHECK ({0} <> 13)", CanHaveDefault = false },
        new("INT UNSIGNED", (random, _) => NumberTypes.Spell(random, random.Next(1, 6)),
            (random, _) => Cell.Bad(Cell.Pick(random, ["0", "6", "99"]), "foreign-key"))
        { Clause = "FOREIGN KEY ({0}) REFERENCES parent (id)", CanHaveDefault = false },
        new("VARCHAR(10)", (random, _) => TextTypes.Same(Cell.Pick(random, ["", "fine", "b\no\to\\m"])),
            (_, _) => Cell.Bad("boom", "trigger-signal"))
        {
            Trigger = "IF NEW.{0} = 'boom' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no boom at row 3'; END IF",
            IsCharacter = true,
            CanHaveDefault = false,
        },
    ];

    /// <summary>As SQL writes a text.</summary>
    public static string Literal(string text) => $"'{string.Concat(text.Select(sign => sign switch
    {
        '\\' => "\\\\",
        '\'' => "''",
        '\0' => "\\0",
        '\n' => "\\n",
        '\r' => "\\r",
        '\x1a' => "\\Z",
        _ => $"{sign}",
    }))}'";

    private static byte[] Noise(Random random, int count)
    {
        var bytes = new byte[count];
        random.NextBytes(bytes);
        return bytes;
    }

    private static byte[] Gaps(Random random) =>
        [.. Enumerable.Range(0, 8).SelectMany(_ => random.Next(3) == 0 ? Noise(random, 2) : [0, (byte)random.Next(2)])];

    /// <summary>None of those that MariaDB has no form for: of version 8 and above, with a ninth byte from 01 to 80.</summary>
    private static Guid Uuid(Random random)
    {
        var bytes = Noise(random, 16);
        bytes[8] |= 0x81;
        return random.Next(6) switch { 0 => Guid.Empty, 1 => Guid.AllBitsSet, _ => new Guid(bytes, bigEndian: true) };
    }

    private static string InFull(IPAddress address) =>
        string.Join(':', Convert.ToHexString(address.GetAddressBytes()).Chunk(4).Select(digits => new string(digits)));

    private static ColumnType Geometry(string ddl, string[] fixedForms, string? other) => new(
        ddl,
        (random, _) =>
        {
            var (x, y) = (random.Next(-8000, 8001) / 8d, random.Next(-8000, 8001) / 8d);
            var plain = $"POINT({x} {y})";
            var odd = $" point ( {x:F4}\t{y} ) ";
            return random.Next(3) == 0 ? TextTypes.Same(Cell.Pick(random, fixedForms)) : Cell.Of(random.Next(2) == 0 ? plain : odd, plain);
        },
        (random, _) => other is not null && random.Next(2) == 0
            ? Cell.Bad(other, "wrong-geometry")
            : Cell.Bad(Cell.Pick(random, ["POINT(1 2", "POINT(1 2 3)", "POINT(1,2)", "", "CIRCLE(1 2)", "POINT EMPTY"]), "not-wkt"))
    { Read = "ST_AsText({0})", CanHaveDefault = false };

    /// <summary>What both servers' JSON columns hold alike.</summary>
    private static Cell SharedDocument(Random random, FileForm form)
    {
        var text = Document(random, 3, isNested: form.IsJson);
        return Cell.Of(text, text) with { IsJson = true };
    }

    private static Cell MySqlDocument(Random random, FileForm form)
    {
        if (form.IsJson && random.Next(3) == 0)
        {
            // A string in a file of JSON is that string.
            var text = Cell.Pick(random, ["[1]", "x", "", "\"", "\\", "null", "é😀\n\t"]);
            return Cell.Of(text, JsonSerializer.Serialize(text));
        }

        return random.Next(3) == 0 && !form.IsJson
            ? TextTypes.Same(Cell.Pick(
                random, ["null", "true", " 1 ", "-0", "1E+2", "18446744073709551615", "1.7976931348623157e308", "\"\\ud83d\\ude00\""]))
            : SharedDocument(random, form);
    }

    private static Cell BadDocument(Random random, FileForm form) => random.Next(3) switch
    {
        0 => Cell.Bad("{\"a\":1,\"b\":{\"x\":1,\"x\":2}}", "duplicate-name") with { IsJson = true },
        1 => Cell.Bad(Cell.Pick(random, ["[18446744073709551616]", "[0.1234567890123456789]"]), "inexact-number") with { IsJson = true },
        _ => form.IsJson ? Cell.Bad("[1e400]", "inexact-number") with { IsJson = true }
            : Cell.Bad(Cell.Pick(random, ["{a:1}", "[1,]", "nul", "", "NaN"]), "not-json"),
    };

    private static string Document(Random random, int depth, bool isNested)
    {
        var kind = isNested ? random.Next(2) : random.Next(depth > 0 ? 7 : 5) + 2;
        return kind switch
        {
            0 or 7 =>
                "{"
                + string.Join(", ", Enumerable.Range(0, random.Next(4))
                    .Select(i => $"\"k{i}{Cell.Pick(random, ["", "é", "\\n", "😀"])}\": {Document(random, depth - 1, false)}"))
                + "}",
            1 or 8 => $"[{string.Join(',', Enumerable.Range(0, random.Next(4)).Select(_ => Document(random, depth - 1, false)))}]",
            2 => random.NextInt64(long.MinValue, long.MaxValue).ToString(),
            3 => Cell.Pick(random, ["true", "false", "1.5", "-0.25", "0"]),
            4 => (random.Next(1, 1_000_000) / 1024d).ToString("R"),
            _ => JsonSerializer.Serialize(Cell.Pick(random, ["", "x", "a\"b", "\\", "\n\t", "é", "😀", "'", "\\N", "]", "{"])),
        };
    }

    /// <summary>Keys in order, numbers as numbers.</summary>
    private static string Canonical(string text)
    {
        var result = new StringBuilder();
        using var document = JsonDocument.Parse(text);
        Write(document.RootElement, result);
        return result.ToString();
    }

    private static void Write(JsonElement element, StringBuilder output)
    {
        switch (element.ValueKind)
        {
            case JsonValueKind.Object:
                output.Append('{');
                foreach (var property in element.EnumerateObject().OrderBy(property => property.Name, StringComparer.Ordinal))
                {
                    output.Append(JsonSerializer.Serialize(property.Name)).Append(':');
                    Write(property.Value, output);
                }

                output.Append('}');
                break;
            case JsonValueKind.Array:
                output.Append('[');
                foreach (var member in element.EnumerateArray())
                {
                    Write(member, output);
                    output.Append(',');
                }

                output.Append(']');
                break;
            case JsonValueKind.String:
                output.Append(JsonSerializer.Serialize(element.GetString()));
                break;
            case JsonValueKind.Number:
                output.Append(Number(element.GetRawText()));
                break;
            default:
                output.Append(element.GetRawText());
                break;
        }
    }

    private static string Number(string text)
    {
        if (BigInteger.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var whole))
        {
            return whole.ToString();
        }

        var value = double.Parse(text, CultureInfo.InvariantCulture);
        return value == Math.Floor(value) && Math.Abs(value) < 1e15
            ? ((long)value).ToString()
            : value.ToString("R");
    }
}
