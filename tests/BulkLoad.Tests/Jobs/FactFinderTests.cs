using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Tests.Jobs;

/// <summary>What is asked before a plan, and what is made of the answers.</summary>
public sealed class FactFinderTests : IDisposable
{
    private const string AllRights = "select,insert,update,references";

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-facts").FullName;

    [Theory]
    [InlineData("people", "shop", "shop.orders",
        "table shop.people does not exist, or this account has no right on it; --create makes it from the file; there is shop.people")]
    [InlineData("poeple", "shop", "people",
        "table shop.poeple does not exist, or this account has no right on it; --create makes it from the file; did you mean 'people'?")]
    [InlineData("shp.people", "shop", "", "database shp does not exist, or this account has no right on it; did you mean 'shop'?")]
    [InlineData("people", "", "", "no database named for table people: add --database, or write --table database.people")]
    public async Task A_table_that_is_not_there_is_told_with_what_could_be_meant(
        string table, string database, string tables, string expected)
    {
        var session = new RecordingSession().Rows("SELECT SCHEMA_NAME", ["shop"]).Rows("SELECT TABLE_NAME", [tables])
            .Rows("SELECT TABLE_SCHEMA FROM", ["shop"]);
        var fault = await Assert.ThrowsAsync<PlanException>(() => FindAsync(session, TestFacts.Request with { Table = table }, database));
        Assert.Equal(expected, fault.Message);
    }

    [Fact]
    public async Task A_table_named_after_the_file_says_so()
    {
        var session = new RecordingSession().Rows("SELECT SCHEMA_NAME", ["shop"]);
        var fault = await Assert.ThrowsAsync<PlanException>(() => FindAsync(session, TestFacts.Request with { Table = null }));
        Assert.Equal(
            "table shop.people (named after the file) does not exist, or this account has no right on it: name another with --table, or "
                + "make it from the file with --create",
            fault.Message);
    }

    [Theory]
    [InlineData("VIEW", "InnoDB", "YES", "shop.people is not a table but a VIEW: name the table itself with --table")]
    [InlineData("SYSTEM VIEW", "InnoDB", "YES", "shop.people is not a table but a SYSTEM VIEW: name the table itself with --table")]
    [InlineData("BASE TABLE", "InnoDB", "YES", null)]
    [InlineData("SYSTEM VERSIONED", "InnoDB", "YES", null)]
    public async Task Only_a_table_takes_rows(string type, string engine, string isTransactional, string? expected)
    {
        var session = Table(type, engine, isTransactional);
        var fault = await Record.ExceptionAsync(() => FindAsync(session, TestFacts.Request));
        Assert.Equal(expected, fault?.Message);
    }

    [Fact]
    public async Task An_import_asks_for_the_table_and_changes_nothing()
    {
        var session = Table();
        var facts = await FindAsync(session, TestFacts.Request);
        Assert.Equal(["id", "name"], facts.Columns.Select(column => column.Name));
        Assert.Equal(["PRIMARY(id)", "u(name:3)"], facts.Table.UniqueKeys.Select(
            key => $"{key.Name}("
                + $"{string.Join(',', key.Parts.Select(part => $"{part.Column}{(part.Prefix is { } prefix ? $":{prefix}" : "")}"))})"));
        Assert.Equal(["audit (AFTER INSERT)"], facts.Table.InsertTriggers);
        Assert.Null(facts.Constraints);
        Assert.Null(facts.Key);
        Assert.DoesNotContain(session.Steps, step => step.StartsWith("INSERT INTO `shop`.`people`", StringComparison.Ordinal)
            || step.StartsWith("COMMIT", StringComparison.Ordinal));
    }

    /// <summary>A check has to know what only the server can judge, and leaves no transaction open.</summary>
    [Fact]
    public async Task A_check_asks_for_what_rows_must_agree_with()
    {
        var session = Table().Rows("SELECT k.TABLE_SCHEMA", ["shop", "people", "f", "name", "shop", "names", "name", null, null])
            .Rows("SELECT COUNT(*) FROM information_schema.CHECK_CONSTRAINTS", ["1"])
            .Rows("SELECT COUNT(*) FROM information_schema.PARTITIONS", ["0"]);
        var facts = await FindAsync(session, TestFacts.Request with { Mode = JobMode.Check });
        var constraints = facts.Constraints!;
        Assert.Equal((true, false, false), (constraints.HasChecks, constraints.CanLackPartition, constraints.HasRows));
        Assert.Equal("names", Assert.Single(constraints.ForeignKeys).ToTable);
        Assert.StartsWith("ROLLBACK", session.Steps[^1], StringComparison.Ordinal);
        Assert.DoesNotContain(session.Steps, step => step.Contains("LOAD DATA", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("select", "loader@%")]
    [InlineData(AllRights, null)]
    public async Task The_account_is_asked_for_where_it_lacks_a_right_on_a_column(string rights, string? expected)
    {
        var session = Table(rights: rights).Rows("SELECT CURRENT_USER()", ["loader@%"])
            .Rows("SELECT COUNT(*) FROM information_schema", ["0"]);
        Assert.Equal(expected, (await FindAsync(session, TestFacts.Request with { Mode = JobMode.Check })).Table.Account);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static RecordingSession Table(
        string type = "BASE TABLE", string engine = "InnoDB", string isTransactional = "YES", string rights = AllRights) =>
        new RecordingSession()
            .Rows("SELECT t.TABLE_SCHEMA", ["shop", "people", type, engine, isTransactional])
            .Rows("SELECT TRIGGER_NAME", ["audit", "AFTER", "INSERT", "SET @a = 1", "people"])
            .Rows(
                "SELECT COLUMN_NAME, DATA_TYPE",
                ["id", "int", "int(11)", "NO", null, "", null, null, "10", "0", null, null, null, null, rights, "d1", "people"],
                ["name", "varchar", "varchar(20)", "YES", "NULL", "", "20", "80", null, null, null, "utf8mb4", null, "utf8mb4_bin", rights,
                    "d2", "people"])
            .Rows("SELECT INDEX_NAME", ["PRIMARY", "id", null, "people"], ["u", "name", "3", "people"]);

    private async Task<LoadFacts> FindAsync(RecordingSession session, LoadRequest request, string database = "shop")
    {
        var path = Path.Combine(_folder, "people.csv");
        await File.WriteAllTextAsync(path, "id,name\n1,Ada\n");
        request = request with { Files = [path], Source = new SourceOptions { Format = InputFormat.Csv } };
        using var sources = SourceSet.Look(request, NullLogger.Instance, default);
        var server = TestFacts.MariaDb with { Database = database.Length == 0 ? null : database, MaxPreparedStatements = 0 };
        return await new FactFinder(request, sources, session).LookAsync(server, NullLogger.Instance, default);
    }
}
