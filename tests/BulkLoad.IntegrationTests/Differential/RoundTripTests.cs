using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Differential;

/// <summary>
/// What SQL wrote, the server's own client exported with <c>--batch</c>, and the library imported, is byte for byte what it was: for
/// every type at its edges.
/// </summary>
public sealed class RoundTripTests
{
    private const string Everything = @"'', ' ', '  x  ', 'a\tb\nc\rd\0e\Zf\\g\\N', '\\N', 'null', '""', '\'', 'é'";

    /// <param name="Ddl">in CREATE TABLE</param>
    /// <param name="Values">literals of SQL, commas between</param>
    private sealed record Kept(string Ddl, string Values)
    {
        /// <summary>What is exported of the column, where the client's own form would not do.</summary>
        public string Export { get; init; } = "{0}";

        /// <summary>What is compared.</summary>
        public string Compare { get; init; } = "HEX({0})";

        public bool IsBinary { get; init; }

        public string? Server { get; init; }
    }

    private static readonly Kept[] Types =
    [
        Number("TINYINT", "-128, 127, 0"), Number("TINYINT UNSIGNED", "0, 255"), Number("TINYINT(1)", "-128, 1, 0"),
        Number("SMALLINT", "-32768, 32767"), Number("SMALLINT UNSIGNED", "0, 65535"),
        Number("MEDIUMINT", "-8388608, 8388607"), Number("MEDIUMINT UNSIGNED", "0, 16777215"), Number("INT", "-2147483648, 2147483647"),
        Number("INT UNSIGNED", "0, 4294967295"),
        Number("INT(8) ZEROFILL", "0, 42, 4294967295"), Number("BIGINT", "-9223372036854775808, 9223372036854775807"),
        Number("BIGINT UNSIGNED", "0, 18446744073709551615"),
        Number(
            "DECIMAL(65,30)", "99999999999999999999999999999999999.999999999999999999999999999999, -0.000000000000000000000000000001, 0"),
        Number("DECIMAL(6,0) UNSIGNED", "999999, 0"),
        Number("BIT(1)", "b'0', b'1'") with { Compare = "{0}+0" },
        Number("BIT(64)", "b'1', 0, 18446744073709551615") with { Compare = "HEX({0}+0)" },
        Number("DOUBLE", "1.7976931348623157e308, -5e-324, 0.1, 9007199254740993, -0e0"), Number("FLOAT",
            "3.4028234e38, 1e-45, 16777217, 0.1, -1.2345678") with { Export = "CAST({0} AS DOUBLE)", Compare = "CAST({0} AS DOUBLE)" },
        Number("DOUBLE(9,3)", "-99999.125, 0.5"), Number("DOUBLE UNSIGNED", "0, 1.7976931348623157e308"),
        Number("FLOAT UNSIGNED", "0, 3.4028234e38") with { Export = "CAST({0} AS DOUBLE)", Compare = "CAST({0} AS DOUBLE)" },
        new("CHAR(5) CHARACTER SET ascii", "'', '~', 'a\\\\b'"), new("VARCHAR(9) CHARACTER SET ascii", "'a\\tb', '\\\\N', ''"), new(
            "CHAR(9) CHARACTER SET latin1", "'ÿ€', ''"), new("VARCHAR(9) CHARACTER SET utf8mb3", "'€\\n', 'x\\\\'"), new(
                "VARCHAR(9) CHARACTER SET utf32", "'😀\\t', ''"),
        new("CHAR(12)", "'', 'ä\t€\n😀', ' x', '\\\\N'"), new("VARCHAR(40)", Everything), new(
            "VARCHAR(40) CHARACTER SET latin1", "'ä€\\t\\\\', '', 'ÿ'"), new("VARCHAR(9) CHARACTER SET sjis", "'表ソ\\\\', 'ｱ'"),
        new("VARCHAR(9) CHARACTER SET utf16", "'😀\\n', '', 'x\\\\'"), new(
            "VARCHAR(9) CHARACTER SET gbk", "'縗\\\\', '\\t'"), new("TINYTEXT", Everything), new(
                "TEXT", $"REPEAT('x', 65535), REPEAT('\\\\\\t', 5000), {Everything}"), new("MEDIUMTEXT CHARACTER SET utf8mb3", Everything),
        new("LONGTEXT", $"REPEAT('€\\n', 100000), {Everything}"),
        Bytes("BINARY(4)", "x'00000000', x'5C4E090A', x'FF80C300', '    '"),
        Bytes("VARBINARY(9)", "'', x'00', x'5C4E', x'090A0D1A275C22', x'EDA080FF'"), Bytes("TINYBLOB", "'', x'5C', REPEAT(x'00', 255)"),
        Bytes("BLOB", "REPEAT(x'5C00FF', 20000), x'0A', 'NUL'"),
        Bytes("MEDIUMBLOB", "x'C3', ''"), Bytes("LONGBLOB", "REPEAT(x'0D0A', 90000), x'E282'"),
        Bytes("CHAR(2) CHARACTER SET binary", "x'0A5C', x'FFFE'"), Bytes("VARCHAR(5) CHARACTER SET binary", "x'005C0A', ''"),
        Number("DATE", "'0001-01-01', '9999-12-31', '2024-02-29'"), Number("DATETIME", "'0001-01-01 00:00:00', '9999-12-31 23:59:59'"),
        Number("DATETIME(6)", "'9999-12-31 23:59:59.999999', '2024-02-29 00:00:00.000001'"),
        Number("DATETIME(3)", "'0001-01-01 00:00:00.001', '9999-12-31 23:59:59.999'"),
        Number("TIMESTAMP", "'1970-01-01 00:00:01', '2038-01-19 03:14:07'"), Number("TIMESTAMP(6)",
            "'1970-01-01 00:00:01.000001', '2038-01-19 03:14:07.999999'"), Number("TIME", "'-838:59:59', '838:59:59', '00:00:00'"),
        Number("TIME(6)", "'-00:00:00.000001', '838:59:58.999999'"), Number("YEAR", "1901, 2155, '0000'"),
        new(@"ENUM('a','it''s','b\tc','2','')", @"'a', 'it''s', 'b\tc', '2', ''"), new("SET('x','y z','ä')", "'', 'x,ä', 'x,y z,ä'"),
        new("JSON", @"'{""a"": [1, 1.5, true, null, ""\\n\\u00e9\\\\""]}', '[]', '{}'"), new(
            "JSON", "'null', '1.0', '18446744073709551615', '\"x\"'") { Server = Servers.MySql },
        new("UUID", "'123e4567-e89b-12d3-a456-426655440000', '00000000-0000-0000-0000-000000000000'") { Server = Servers.MariaDb }, new(
            "INET4", "'0.0.0.0', '255.255.255.255'") { Server = Servers.MariaDb },
        new("INET6", "'::', '2001:db8::1', '::ffff:192.0.2.1'") { Server = Servers.MariaDb },
        new("GEOMETRY", "ST_GeomFromText('POINT(0.1 -2.5)'), ST_GeomFromText('POLYGON((0 0,4 0,4 4,0 0))'), "
            + "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))')") { Export = "ST_AsText({0})" },
        new("POINT", "ST_GeomFromText('POINT(0 0)'), ST_GeomFromText('POINT(-1.5 1e-7)')") { Export = "ST_AsText({0})" }, new(
            "POLYGON", "ST_GeomFromText('POLYGON((0 0,9 0,9 9,0 0),(2 1,3 1,3 2,2 1))')") { Export = "ST_AsText({0})" },
        new("MULTIPOINT", "ST_GeomFromText('MULTIPOINT(1 2,3 4)')") { Export = "ST_AsText({0})" }, new(
            "MULTILINESTRING", "ST_GeomFromText('MULTILINESTRING((0 0,1 1),(2 2,3 3))')") { Export = "ST_AsText({0})" },
        new("MULTIPOLYGON", "ST_GeomFromText('MULTIPOLYGON(((0 0,4 0,4 4,0 0)),((10 10,14 10,14 14,10 10)))')")
        { Export = "ST_AsText({0})" }, new(
            "GEOMETRYCOLLECTION", "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))')") { Export = "ST_AsText({0})" },
        new("LINESTRING", "ST_GeomFromText('LINESTRING(0 0,1 1.25)')") { Export = "ST_AsText({0})" },
    ];

    /// <summary>Clauses of INTO OUTFILE, and how such a file is read.</summary>
    private static readonly Dictionary<string, (string Sql, SourceOptions Source)> Clauses = new()
    {
        ["plain"] = ("", new SourceOptions()),
        ["optionally enclosed"] = ("""FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"'""",
            new SourceOptions { Delimiter = ',', Quote = '"' }),
        ["enclosed"] = ("""FIELDS TERMINATED BY ';' ENCLOSED BY '"'""", new SourceOptions { Delimiter = ';', Quote = '"' }),
        ["escaped by another"] = (
            """FIELDS TERMINATED BY '|' ENCLOSED BY "'" ESCAPED BY '!'""",
            new SourceOptions { Delimiter = '|', Quote = '\'', Escape = '!' }),
        ["other lines"] = (@"LINES TERMINATED BY '\r\n'", new SourceOptions { Newline = "\r\n" }),
        ["commas without quotes"] = ("FIELDS TERMINATED BY ','", new SourceOptions { Delimiter = ',' }),
    };

    [Theory]
    [CombinatorialServers("plain", "optionally enclosed", "enclosed", "escaped by another", "other lines", "commas without quotes")]
    public async Task What_a_server_writes_into_a_file_comes_back_byte_for_byte(string name, string clause)
    {
        var server = Servers.Get(name);
        Kept[] types =
        [
            .. Types.Where(type => type.Server is null || type.Server == name),
            .. server.IsMariaDb
                ? Array.Empty<Kept>() : [new Kept("VECTOR(3)", "STRING_TO_VECTOR('[1,-2.5,3e-5]'), STRING_TO_VECTOR('[0,0]')")],
        ];
        await using var place = await Workplace.CreateAsync(server, CreateSql(types));
        var folder = await place.ScalarAsync("SELECT @@secure_file_priv;");
        var path = Path.Combine(folder, $"{place.Database}.txt");
        try
        {
            var (sql, source) = Clauses[clause];
            await place.QueryAsync(
                $"SET time_zone='+00:00'; SELECT id, {Columns(types, ExportOf)} INTO OUTFILE '{path}' {sql} FROM kept;");
            var request = new LoadRequest
            {
                Files = [path],
                Table = "back",
                Connection = server.Options() with { Database = place.Database },
                Source = source with { Format = InputFormat.Mysql, MaxQuotedLines = 1_000_000 },
                Values = new ValueOptions { TimeZone = "UTC" },
            };
            await ComesBackAsync(place, types, request, clause);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory]
    [CombinatorialServers(
        "load-data raw", "load-data hex", "bulk-execute raw", "bulk-execute hex", "multi-row-insert raw", "multi-row-insert hex")]
    public async Task What_the_servers_own_client_exports_comes_back_byte_for_byte(string name, string way)
    {
        var server = Servers.Get(name);
        var types = Types.Where(type => type.Server is null || type.Server == name).ToArray();
        await using var place = await Workplace.CreateAsync(server, CreateSql(types));
        var isRaw = way.EndsWith("raw", StringComparison.Ordinal);
        var path = Path.Combine(place.Folder, "kept.txt");
        await ServerClient.ExportAsync(server, place.Database, "SET time_zone='+00:00'; SELECT id, "
            + $"{Columns(types, type => isRaw || !type.IsBinary ? type.Export : "HEX({0})")} FROM kept;", path);

        var request = new LoadRequest
        {
            Files = [path],
            Table = "back",
            Connection = server.Options() with { Database = place.Database },
            Strategy = way[..^4],
            Source = new SourceOptions { Format = InputFormat.Mysql, HasHeader = true },
            Values = new ValueOptions
            { TimeZone = "UTC", NullTexts = [new NullText(null, "NULL")], Binary = isRaw ? BinaryForm.Raw : BinaryForm.Hex },
        };
        await ComesBackAsync(place, types, request, way);
    }

    private static async Task ComesBackAsync(Workplace place, Kept[] types, LoadRequest request, string way)
    {
        var report = await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(CancellationToken.None);
        Assert.Null(report.Failure);
        var rows = Rows(types);
        Assert.Equal(new LoadCounts { Read = rows, Inserted = rows }, report.Counts);
        var kept = await CompareAsync(place, types, "kept");
        var back = await CompareAsync(place, types, "back");
        for (var i = 0; i < types.Length; i++)
        {
            Assert.True(kept[i] == back[i], $"{types[i].Ddl} on {place.Server} by {way}:\n{kept[i]}\n{back[i]}");
        }
    }

    /// <summary>A file has each text in its column's own encoding.</summary>
    private static string ExportOf(Kept type) =>
        type.Ddl.Contains(" CHARACTER SET ", StringComparison.Ordinal) && !type.Ddl.EndsWith("binary", StringComparison.Ordinal)
            ? "CONVERT({0} USING utf8mb4)" : type.Export;

    private static Kept Number(string ddl, string values) => new(ddl, values) { Compare = "{0}" };

    private static Kept Bytes(string ddl, string values) => new(ddl, values) { IsBinary = true };

    private static int Rows(Kept[] types) => types.Max(type => Literals(type).Length) + 1;

    private static string[] Literals(Kept type)
    {
        var literals = new List<string>();
        var (depth, start, isQuoted) = (0, 0, false);
        for (var i = 0; i < type.Values.Length; i++)
        {
            var sign = type.Values[i];
            isQuoted ^= sign == '\'';
            i += isQuoted && sign == '\\' ? 1 : 0;
            depth += isQuoted ? 0 : sign switch { '(' => 1, ')' => -1, _ => 0 };
            if (sign == ',' && !isQuoted && depth == 0)
            {
                literals.Add(type.Values[start..i]);
                start = i + 1;
            }
        }

        return [.. literals, type.Values[start..]];
    }

    /// <summary>A row for each of the values, and one of nothing but NULL.</summary>
    private static string CreateSql(Kept[] types)
    {
        var rows = Rows(types);
        var inserts = Enumerable.Range(0, rows).Select(row =>
            "INSERT INTO kept VALUES "
                + $"({row},{string.Join(',', types.Select(type => row == 0 ? "NULL" : Literals(type)[row % Literals(type).Length]))});\n");
        return "SET time_zone='+00:00';\nCREATE TABLE kept (id INT PRIMARY KEY, "
            + $"{string.Join(", ", types.Select((type, i) => $"c{i} {type.Ddl} NULL"))});\nCREATE TABLE back LIKE "
            + $"kept;\n{string.Concat(inserts)}";
    }

    private static string Columns(Kept[] types, Func<Kept, string> form) =>
        string.Join(',', types.Select((type, i) => string.Format(CultureInfo.InvariantCulture, $"{form(type)} AS c{i}", $"c{i}")));

    /// <summary>Each column's values of all rows.</summary>
    private static async Task<string[]> CompareAsync(Workplace place, Kept[] types, string table)
    {
        var lines = await ServerClient.RunAsync(
            place.Server, place.Database,
            $"SET time_zone='+00:00'; SELECT {Columns(types, type => type.Compare)} FROM {table} ORDER BY id;", "--skip-column-names");
        var rows = lines.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split('\t')).ToArray();
        Assert.Equal(Rows(types), rows.Length);
        return [.. types.Select((_, i) => string.Join(' ', rows.Select(row => row[i])))];
    }
}
