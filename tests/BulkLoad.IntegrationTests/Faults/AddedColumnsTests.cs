using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Columns that a job adds: what rights that needs, and what becomes of them where it fails, or others use the table.</summary>
public sealed class AddedColumnsTests
{
    private const string Content = "id,name,city\n2,Ada,Rome\nx,Bo,Paris\n";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_interrupted_job_goes_on_with_the_columns_that_it_has_added(string name)
    {
        await using var place = await Place.CreateAsync(name, "ALL");
        var types = new ColumnType[] { new("city", "varchar(30)") };
        var first = await place.RunAsync(Content, types);
        Assert.IsType<RejectLimitException>(first.Failure);
        Assert.EndsWith("column city of " + place.Table + " was added and stays, since rows are committed that fill it", first.Notes[^1],
            StringComparison.Ordinal);

        var others = await place.RunAsync(Content.Replace('x', '3'), [new("city", "varchar(40)")]);
        Assert.Contains(
            "--type is for columns that are added", Assert.IsType<PlanException>(others.Failure).Message, StringComparison.Ordinal);

        var second = await place.RunAsync(Content.Replace('x', '3'), types);
        Assert.Null(second.Failure);
        Assert.Equal(LoadOutcome.AlreadyComplete, (await place.RunAsync(Content.Replace('x', '3'), types)).Outcome);
        Assert.Equal(LoadOutcome.AlreadyComplete, (await place.RunAsync(Content.Replace('x', '3'), [])).Outcome);
        Assert.Equal("Rome,Paris", await place.Database.ScalarAsync("SELECT GROUP_CONCAT(city ORDER BY id) FROM people"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_column_that_an_interrupted_job_has_added_needs_its_type_no_second_time(string name)
    {
        await using var place = await Place.CreateAsync(name, "ALL");
        Assert.IsType<RejectLimitException>((await place.RunAsync(Content, [new("city", "varchar(30)")])).Failure);
        var second = await place.RunAsync(Content.Replace('x', '3'), []);
        Assert.Null(second.Failure);
        Assert.Equal("Rome,Paris", await place.Database.ScalarAsync("SELECT GROUP_CONCAT(city ORDER BY id) FROM people"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Without_the_right_to_alter_the_table_it_stays_as_it_is(string name)
    {
        await using var place = await Place.CreateAsync(name, "SELECT, INSERT, CREATE, UPDATE, DELETE");
        var report = await place.RunAsync(Content, []);
        Assert.Contains(": GRANT ALTER ON ", Assert.IsType<PlanException>(report.Failure).Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Without_the_right_to_lock_the_table_columns_stay_and_that_is_said(string name)
    {
        await using var place = await Place.CreateAsync(name, "SELECT, INSERT, CREATE, UPDATE, DELETE, ALTER");
        var report = await place.RunAsync("id,name,city\nx,Bo,Paris\n", []);
        Assert.IsType<RejectLimitException>(report.Failure);
        Assert.Contains($"column city of {place.Table} was added and stays, though nothing was committed: ", report.Notes[^1],
            StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_session_that_holds_the_table_is_not_waited_for_long(string name)
    {
        await using var place = await Place.CreateAsync(name, "ALL");
        var token = TestContext.Current.CancellationToken;
        await place.Database.Session.ExecuteAsync("BEGIN", token);
        await place.Database.Session.QueryAsync("SELECT * FROM people", token);
        var report = await place.RunAsync(Content, []);
        Assert.EndsWith("another session holds the table: run the same command again when it is done",
            Assert.IsType<PlanException>(report.Failure).Message, StringComparison.Ordinal);
        await place.Database.Session.ExecuteAsync("ROLLBACK", token);
        Assert.Equal("2", await place.Database.ScalarAsync(
            "SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people'"));
    }

    /// <summary>A table, an account with some rights on its database, and a file.</summary>
    private sealed class Place(TestDatabase database, TestAccount account, DirectoryInfo folder) : IAsyncDisposable
    {
        public TestDatabase Database => database;

        public string Table => $"{database.Name}.people";

        public static async Task<Place> CreateAsync(string name, string rights)
        {
            var token = TestContext.Current.CancellationToken;
            var server = Servers.Get(name);
            var database = await TestDatabase.CreateAsync(server);
            var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'only-some/1'", "only-some/1");
            await database.Session.ExecuteAsync($"GRANT {rights} ON {database.Name}.* TO '{account.User}'@'%'", token);
            await database.Session.ExecuteAsync("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20))", token);
            return new Place(database, account, Directory.CreateTempSubdirectory());
        }

        public async Task<LoadReport> RunAsync(string content, IReadOnlyList<ColumnType> types)
        {
            var path = Path.Join(folder.FullName, "people.csv");
            await File.WriteAllTextAsync(path, content, TestContext.Current.CancellationToken);
            var request = new LoadRequest
            {
                Files = [path],
                AddColumns = true,
                ColumnTypes = types,
                RowsPerChunk = 1,
                Connection = account.Options() with { Database = database.Name },
            };
            return await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
        }

        public async ValueTask DisposeAsync()
        {
            folder.Delete(recursive: true);
            await account.DisposeAsync();
            await database.DisposeAsync();
        }
    }
}
