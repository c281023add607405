using BulkLoad.Core.Keys;
using BulkLoad.Core.Schema;

namespace BulkLoad.IntegrationTests.Values;

/// <summary>Where letters are told apart without their case alone, the server does so: asked for each two characters of printable
/// ASCII.</summary>
public sealed class FoldingCollationTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_server_compares_plain_text_so(string name)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await database.RunAsync("CREATE TABLE c (c CHAR(1) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY)",
            $"INSERT INTO c VALUES {string.Join(", ", Enumerable.Range(33, 94).Select(code => $"(CHAR({code} USING ascii))"))}");
        var collations = (await database.Session.QueryAsync(
            "SELECT FULL_COLLATION_NAME, CHARACTER_SET_NAME FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY"
                .Replace("FULL_", name == Servers.MariaDb ? "FULL_" : "", StringComparison.Ordinal), default)).Rows;
        var folding = collations.Where(row => KeyComparisons.Of(Column(row[1]!), row[0]) == KeyComparison.FoldedInAscii).ToList();
        Assert.True(folding.Count >= 15, $"only {string.Join(' ', folding.Select(row => row[0]))}");
        foreach (var row in folding)
        {
            var different = await database.Session.QueryAsync(
                $"SELECT COUNT(*) FROM c a JOIN c b WHERE (UPPER(a.c) = UPPER(b.c)) <> (CONVERT(a.c USING {row[1]}) COLLATE {row[0]} = "
                    + $"CONVERT(b.c USING {row[1]}) COLLATE {row[0]})", default);
            Assert.True(different.Scalar == "0", $"{row[0]}: {different.Scalar} pairs");
        }
    }

    private static TableColumn Column(string charset) =>
        new()
        {
            Name = "c",
            TypeText = "varchar(9)",
            Kind = ColumnKind.Varchar,
            IsNullable = true,
            Default = ColumnDefault.Null,
            Charset = charset
        };
}
