using BulkLoad.Seeding;

namespace BulkLoad.Tests.Seeding;

/// <summary>Which file is for which table.</summary>
public sealed class SeedFolderTests
{
    [Theory]
    [InlineData("people.csv", null, "people")]
    [InlineData("people.jsonl", null, "people")]
    [InlineData("people.csv.gz", null, "people")]
    [InlineData("people.part1.csv.zst", null, "people")]
    [InlineData("people.2.tsv", null, "people")]
    [InlineData("people.json.xz", null, "people")]
    [InlineData("shop.people.csv.BZ2", "shop", "people")]
    [InlineData("shop.people.csv", "shop", "people")]
    [InlineData("shop.people.part-12.csv", "shop", "people")]
    public void A_name_gives_the_table(string name, string? database, string table) =>
        Assert.Equal((database, table), SeedFolder.TargetOf(name));

    [Theory]
    [InlineData("a.b.c.csv")]
    [InlineData(".csv")]
    [InlineData("a..csv")]
    public void A_name_of_too_many_parts_is_refused(string name) =>
        Assert.Contains("names no table", Assert.Throws<RequestException>(() => SeedFolder.TargetOf(name)).Message);

    [Fact]
    public void Parts_are_read_as_people_count_them()
    {
        var names = new[] { "t.part10.csv", "t.part2.csv", "t.part1.csv" }.Order(NaturalOrder.Instance).ToList();
        var entry = Assert.Single(SeedFolder.Create("f", names, new SeedMap()).Entries);
        Assert.Equal(["t.part1.csv", "t.part2.csv", "t.part10.csv"], entry.Files.Select(Path.GetFileName));
    }

    [Fact]
    public void Files_that_are_no_data_are_named()
    {
        var folder = SeedFolder.Create("f", ["README.md", "notes.xlsx", "schema.sql", "seed.yaml", ".hidden", "t.csv"], new SeedMap());
        Assert.Equal(["notes.xlsx"], folder.Unused);
    }

    [Fact]
    public void A_folder_without_data_is_refused() =>
        Assert.Contains(
            "has no file for a table", Assert.Throws<RequestException>(() => SeedFolder.Create("f", ["README.md"], new SeedMap())).Message);

    [Fact]
    public void Two_databases_are_refused() =>
        Assert.Contains("names two databases, a and b",
            Assert.Throws<RequestException>(() => SeedFolder.Create("f", ["a.t.csv", "b.t.csv"], new SeedMap())).Message);

    [Fact]
    public void A_map_says_what_names_cannot()
    {
        const string map = """
            database: shop
            options:
              delimiter: ";"
              trim: true
            tables:
              2024 export (final).csv:
                table: people
                columns: [id, name]
                options: { delimiter: "," }
                after: [countries]
              prices:
                files: [p2.csv, p1.csv]
            """;
        var folder = SeedFolder.Create("f", ["2024 export (final).csv", "p1.csv", "p2.csv"], SeedMap.Parse(map, "seed.yaml"));
        Assert.Equal("shop", folder.Database);
        var people = folder.Entries[0];
        Assert.Equal(("people", "countries"), (people.Table, Assert.Single(people.After)));
        Assert.Equal([new("trim", null), new("columns", "id,name"), new("delimiter", ",")], people.Options);
        var prices = folder.Entries[1];
        Assert.Equal("prices", prices.Table);
        Assert.Equal(["p2.csv", "p1.csv"], prices.Files.Select(Path.GetFileName));
    }

    [Theory]
    [InlineData("tabels: {}", "line 1: 'tabels' is none of database, options and tables")]
    [InlineData("tables:\n  a.csv:\n    tabel: x", "line 3: 'tabel' is none of table, files, columns, options and after")]
    [InlineData("tables:\n  a.csv: x", "line 2: a.csv must be a map")]
    [InlineData("options:\n  - a", "line 2: options must be a map")]
    [InlineData("options:\n  a: 1\n  a: 2", "line 3: 'a' is here twice")]
    [InlineData("options: {a: {b: c}}", "option 'a' needs a value or a list of values")]
    [InlineData("options: {a: 'x", "is not YAML")]
    [InlineData("database: d\n---\noptions: {a: 1}\n", "line 2: a second document begins here")]
    [InlineData("---\n---\noptions: {a: 1}\n", "line 2: a second document begins here")]
    public void A_wrong_map_is_refused_with_its_line(string map, string message) =>
        Assert.Contains(message, Assert.Throws<RequestException>(() => SeedMap.Parse(map, "seed.yaml")).Message);

    [Theory]
    [InlineData("")]
    [InlineData("# only a comment\n")]
    [InlineData("---\n")]
    [InlineData("---\n...\n")]
    public void An_empty_map_says_nothing(string map) => Assert.Empty(SeedMap.Parse(map, "seed.yaml").Tables);

    [Theory]
    [InlineData("{ encoding: windows-1251 }", "--encoding", "windows-1251")]
    [InlineData("{ add-columns: true, decimal: ',' }", "--add-columns", "--decimal=,")]
    [InlineData("{ map: ['Updated At=updated_at', 'x=@'], trim: true }", "--map", "Updated At=updated_at", "--trim", "--map=x=@")]
    public void Options_that_are_typed_are_a_map_of_the_file(string yaml, params string[] words)
    {
        Assert.Equal(yaml, SeedYaml.OptionsOf(words));
        var options = Assert.Single(SeedMap.Parse($"tables: {{ a.csv: {{ options: {yaml} }} }}", "seed.yaml").Tables).Options;
        Assert.Equal(words.Count(word => !word.StartsWith("--", StringComparison.Ordinal) || word.Contains('=', StringComparison.Ordinal)),
            options.Count(option => option.Value is not null));
    }

    [Fact]
    public void A_file_of_the_map_must_be_there() => Assert.Contains(
        "seed.yaml, line 2: there is no file b.csv in f",
        Assert.Throws<RequestException>(
            () => SeedFolder.Create("f", ["a.csv"], SeedMap.Parse("tables:\n  b.csv: {table: a}", "seed.yaml"))).Message);
}
