namespace BulkLoad.IntegrationTests.Deletes;

/// <summary>A type of a key column, with a few values that are easily taken for each other.</summary>
/// <param name="Name">for messages</param>
/// <param name="Sql">the type as CREATE TABLE has it</param>
/// <param name="Text">the nth value as a file has it, in one of several ways to write it</param>
/// <param name="Literal">that text in SQL</param>
internal sealed record KeyType(string Name, string Sql, Func<int, Random, string> Text, Func<string, string> Literal)
{
    /// <summary>Values that a table can hold of each type.</summary>
    public const int MaxValues = 60;

    private static readonly string[] Words =
        ["a", "b", "ab", "0", "00", "01", "1", "it's", "x\\y", "é", "z", "0123", "123", "\"q\"", "ß", "ss", "N", "null"];

    public static IReadOnlyList<KeyType> Of(TestServer server)
    {
        List<KeyType> types =
        [
            new("int", "INT",
                (n, random) => random.Next(3) switch { 0 => $"{n - 30}.0", 1 when n >= 30 => $"+{n - 30}", _ => $"{n - 30}" }, Quoted),
            new("bigint unsigned", "BIGINT UNSIGNED", (n, _) => $"{ulong.MaxValue - (ulong)n}", Quoted),
            new("decimal", "DECIMAL(20,2)", (n, random) => random.Next(2) == 0 ? $"{n}.5" : $"{n}.50", Quoted),
            new("double", "DOUBLE", (n, random) => random.Next(2) == 0 ? $"0.{n + 1:00}" : $"{n + 1:00}e-2", Quoted),
            new("general_ci", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", InAnyCase, Quoted),
            new("unicode_ci", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", InAnyCase, Quoted),
            new("bin", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", InAnyCase, Quoted),
            new("latin1", "VARCHAR(20) CHARACTER SET latin1", InAnyCase, Quoted),
            new("char", "CHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", InAnyCase, Quoted),
            new("binary", "BINARY(2)", (n, _) => $"{n:x2}27", text => $"x'{text}'"),
            new("varbinary", "VARBINARY(9)", (n, random) => random.Next(2) == 0 ? $"{n:x2}" : $"{n:X2}", text => $"x'{text}'"),
            new("date", "DATE", (n, _) => Day(n, "yyyy-MM-dd"), Quoted),
            new("datetime", "DATETIME(3)",
                (n, random) => Day(n, random.Next(2) == 0 ? "yyyy-MM-ddT00:00:00.5" : "yyyy-MM-dd 00:00:00.500"), Quoted),
            new("timestamp", "TIMESTAMP NULL DEFAULT NULL", (n, _) => Day(n, "yyyy-MM-dd 01:02:03"), Quoted),
            new("time", "TIME(1)", (n, _) => $"{n - 30}:00:01.5", Quoted),
            new("year", "YEAR", (n, _) => $"{1970 + n}", Quoted),
            new("enum", $"ENUM({string.Join(',', Enumerable.Range(0, MaxValues).Select(n => $"'v{n}'"))})", (n, _) => $"v{n}", Quoted),
            new("set", "SET('a','b','c','d','e','f')",
                (n, _) => string.Join(',', "abcdef".Where((_, bit) => (n & (1 << bit)) != 0)), Quoted),
            new("bit", "BIT(12)", (n, _) => $"{n}", text => text),
        ];
        if (server.IsMariaDb)
        {
            types.Add(new("uuid", "UUID", (n, random) => Cased($"123e4567-e89b-12d3-a456-4266141740{n:x2}", random), Quoted));
            types.Add(new("inet6", "INET6", (n, _) => $"2001:db8::{n + 1:x}", Quoted));
            types.Add(new("uca1400", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci", InAnyCase, Quoted));
        }
        else
        {
            types.Add(new("0900_ai_ci", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci", InAnyCase, Quoted));
            types.Add(new("0900_as_cs", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_as_cs", InAnyCase, Quoted));
        }

        return types;
    }

    private static string InAnyCase(int n, Random random) =>
        Cased(n < Words.Length ? Words[n] : $"w{n % 10}{new string('k', n / 10)}", random);

    private static string Cased(string text, Random random) => random.Next(2) == 0 ? text.ToUpperInvariant() : text;

    private static string Day(int n, string format) =>
        new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Unspecified).AddDays(n).ToString(format, CultureInfo.InvariantCulture);

    private static string Quoted(string text) =>
        $"'{text.Replace("\\", @"\\", StringComparison.Ordinal).Replace("'", "''", StringComparison.Ordinal)}'";
}
