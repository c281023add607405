using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Seeding;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Tests.Seeding;

/// <summary>A folder judged without a server: each kind of fault with file and line.</summary>
public sealed class SeedCheckTests : IDisposable
{
    private const string Schema = """
        CREATE TABLE artists (id INT NOT NULL PRIMARY KEY, name VARCHAR(10) NOT NULL, code CHAR(2) COLLATE utf8mb4_general_ci UNIQUE, boss INT, FOREIGN KEY (boss) REFERENCES artists (id));
        CREATE TABLE albums (id INT NOT NULL PRIMARY KEY, artist_id INT, code CHAR(2) COLLATE utf8mb4_general_ci, price DECIMAL(5,2), born DATE,
          CONSTRAINT by_id FOREIGN KEY (artist_id) REFERENCES artists (id), CONSTRAINT by_code FOREIGN KEY (code) REFERENCES artists (code));
        """;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bulkload-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task A_good_folder_passes()
    {
        var report = await CheckAsync(Schema, ("artists.csv", "id,name,code,boss\n1,Ada,AA,2\n2,Bob,bb,\n"),
            ("albums.csv", "id,artist_id,code,price,born\n1,1,aa,1.5,2020-01-02\n2,,BB,,\n3,2,,,\n"));
        Assert.Equal("artists 2/0/0, albums 3/0/0", Describe(report));
        Assert.Null(report.Failure);
    }

    [Theory]
    [InlineData("1,1,,,2020-02-30", "born", "impossible-date")]
    [InlineData("1,1,,1234.5,", "price", "out-of-range")]
    [InlineData(",1,,,", "id", "null-not-allowed")]
    [InlineData("9,1,,,", "id", "duplicate-key")]
    [InlineData("1,7,,,", "artist_id", "foreign-key")]
    [InlineData("1,,zz,,", "code", "foreign-key")]
    [InlineData("1,1", null, "few-fields")]
    public async Task A_fault_is_found_with_file_and_line(string record, string? column, string code)
    {
        var report = await CheckAsync(
            Schema, ("artists.csv", "id,name,code,boss\n1,Ada,AA,\n"), ("albums.csv", $"id,artist_id,code,price,born\n9,1,,,\n{record}\n"));
        var reject = Assert.Single(report.Tables.Single(table => table.Table == "albums").FirstRejects);
        Assert.Equal(($"{Path.Combine(_folder.FullName, "data", "albums.csv")}", 3L, column, code),
            (reject.Source, reject.Line, reject.Column, reject.Code));
        Assert.Equal("artists 1/0/0, albums 1/0/1", Describe(report));
    }

    [Fact]
    public async Task Rows_may_refer_to_later_ones_and_to_those_of_another_file()
    {
        var report = await CheckAsync(Schema, ("artists.part1.csv", "id,name,code,boss\n1,Ada,,3\n2,Bob,,4\n"),
            ("artists.part2.csv", "id,name,code,boss\n3,Cy,,3\n"));
        var reject = Assert.Single(report.Tables.Single().FirstRejects);
        Assert.Equal((3L, "boss", "foreign-key"), (reject.Line, reject.Column, reject.Code));
    }

    [Theory]
    [InlineData("é", "utf8mb4_general_ci", 1)]
    [InlineData("zz", "utf8mb4_swedish_ci", 1)]
    [InlineData("bb", "utf8mb4_bin", 0)]
    public async Task What_the_collation_decides_is_undecided(string code, string collation, int undecided)
    {
        var report = await CheckAsync(Schema.Replace("utf8mb4_general_ci", collation, StringComparison.Ordinal),
            ("artists.csv", "id,name,code,boss\n1,Ada,ee,\n"), ("albums.csv", $"id,artist_id,code,price,born\n1,,{code},,\n"));
        var albums = report.Tables.Single(table => table.Table == "albums");
        Assert.Equal((undecided, 1 - undecided), (albums.Undecided, albums.Rejected));
    }

    [Fact]
    public async Task Capitals_do_not_count_where_the_collation_says_so()
    {
        var report = await CheckAsync(Schema, ("artists.csv", "id,name,code,boss\n1,Ada,ee,\n2,Bob,EE,\n3,Cy,Ef,\n"));
        Assert.Equal("artists 2/0/1", Describe(report));
        Assert.Equal((3L, "duplicate-key"), (report.Tables[0].FirstRejects[0].Line, report.Tables[0].FirstRejects[0].Code));
    }

    [Fact]
    public async Task A_parent_without_a_file_is_the_servers_business()
    {
        var report = await CheckAsync(Schema, ("albums.csv", "id,artist_id,code,price,born\n1,1,,,\n2,,,,\n"));
        Assert.Equal("albums 1/1/0", Describe(report));
        Assert.Contains("no file for artists", report.Tables[0].Notes[0]);
    }

    [Fact]
    public async Task A_parent_in_another_database_is_the_servers_business()
    {
        var report = await CheckAsync(
            "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES other.a (id));",
            ("a.csv", "id\n1\n"), ("b.csv", "id,a\n1,1\n2,7\n"));
        Assert.Equal("a 1/0/0, b 0/2/0", Describe(report));
    }

    [Theory]
    [InlineData("CREATE TRIGGER g BEFORE INSERT ON artists FOR EACH ROW SET NEW.id = NEW.id + 1;")]
    [InlineData("INSERT INTO artists VALUES (7, 'x', NULL, NULL);")]
    public async Task Rows_that_the_files_do_not_say_leave_foreign_keys_to_the_server(string statement)
    {
        var report =
            await CheckAsync(Schema + statement, ("artists.csv", "id,name,code,boss\n1,Ada,,\n"), ("albums.csv", "id,artist_id\n1,7\n"));
        Assert.Equal((1, 0), (report.Tables.Single(table => table.Table == "albums").Undecided,
            report.Tables.Single(table => table.Table == "albums").Rejected));
    }

    [Fact]
    public async Task A_circle_is_told_and_records_are_judged_all_the_same()
    {
        var report = await CheckAsync(
            "CREATE TABLE a (id INT PRIMARY KEY, b INT NOT NULL); CREATE TABLE b (id INT PRIMARY KEY, a INT NOT NULL, FOREIGN KEY (a) "
                + "REFERENCES a (id)); ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b (id);",
            ("a.csv", "id,b\n1,1\n"), ("b.csv", "id,a\n1,1\n2,x\n"));
        Assert.Contains("circle", report.Failure!.Message);
        Assert.Equal(1, report.Tables.Sum(table => table.Rejected));
    }

    [Fact]
    public async Task What_is_wrong_with_one_file_leaves_the_others()
    {
        var report = await CheckAsync(
            Schema, ("artists.csv", "id,nmae\n1,Ada\n"), ("albums.csv", "id,artist_id\n1,1\nx,\n"), ("other.csv", "a\n1\n"));
        Assert.Equal(LoadOutcome.Failed, report.Outcome);
        Assert.Contains("nmae", report.Tables.Single(table => table.Table == "artists").Failure!.Message);
        Assert.Contains("makes no table other", report.Tables.Single(table => table.Table == "other").Failure!.Message);
        Assert.Equal((1, 1), (report.Tables.Single(table => table.Table == "albums").Undecided,
            report.Tables.Single(table => table.Table == "albums").Rejected));
    }

    [Fact]
    public async Task Many_keys_are_told_apart()
    {
        var parents = string.Concat(Enumerable.Range(1, 50_000).Select(id => $"{id * 2},n,,\n"));
        var report = await CheckAsync(Schema, ("artists.csv", $"id,name,code,boss\n{parents}"),
            ("albums.csv", $"id,artist_id\n{string.Concat(Enumerable.Range(1, 100_000).Select(id => $"{id},{id}\n"))}"));
        Assert.Equal("artists 50000/0/0, albums 50000/0/50000", Describe(report));
    }

    private static string Describe(SeedCheckReport report) =>
        string.Join(", ", report.Tables.Select(table => $"{table.Table} {table.Accepted}/{table.Undecided}/{table.Rejected}"));

    private Task<SeedCheckReport> CheckAsync(string schema, params (string Name, string Content)[] files)
    {
        var data = _folder.CreateSubdirectory("data").FullName;
        foreach (var (name, content) in files)
        {
            File.WriteAllText(Path.Combine(data, name), content);
        }

        var path = Path.Combine(_folder.FullName, "schema.sql");
        File.WriteAllText(path, schema);
        var request = new SeedCheckRequest
        {
            Folder = data,
            Schema = path,
            CreateImport = entry => new LoadRequest { Files = entry.Files, Table = entry.Table, Connection = new() }
        };
        return new SeedCheckJob(request, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
    }
}
