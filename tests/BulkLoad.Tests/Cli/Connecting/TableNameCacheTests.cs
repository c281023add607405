using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Host;

namespace BulkLoad.Tests.Cli.Connecting;

public sealed class TableNameCacheTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-").FullName;
    private readonly LaterTime _time = new();

    private string CacheFile => Path.Combine(_folder, "bulkload", "tables");

    private TableNameCache Cache => new(Path.Combine(_folder, "bulkload"), _time);

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Names_are_kept_for_an_hour()
    {
        Cache.Keep("db:3306/shop", ["people", "orders"]);
        _time.Later = TimeSpan.FromMinutes(59);
        Assert.Equal(["people", "orders"], Cache.Read());
        _time.Later = TimeSpan.FromMinutes(61);
        Assert.Empty(Cache.Read());
    }

    [Fact]
    public void A_name_joins_those_of_its_place_and_replaces_those_of_another()
    {
        Cache.Keep("db:3306/shop", ["people"]);
        Cache.Add("db:3306/shop", "orders");
        Cache.Add("db:3306/shop", "people");
        Assert.Equal(["people", "orders"], Cache.Read());
        Cache.Add("db:3306/other", "x");
        Assert.Equal(["x"], Cache.Read());
    }

    [Fact]
    public void Only_its_owner_may_read_it()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("files have no such bits there");
            return;
        }

        Cache.Keep("db:3306/shop", ["people"]);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(CacheFile));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, File.GetUnixFileMode(
            Path.GetDirectoryName(CacheFile)!));
        Assert.Single(Directory.GetFiles(Path.GetDirectoryName(CacheFile)!));
    }

    [Fact]
    public void What_another_program_wrote_is_ignored()
    {
        Assert.Empty(Cache.Read());
        Directory.CreateDirectory(Path.GetDirectoryName(CacheFile)!);
        File.WriteAllText(CacheFile, "something else\nplace\npeople\n");
        Assert.Empty(Cache.Read());
        Assert.Empty(new TableNameCache("/dev/null/none", _time).Read());
        new TableNameCache("/dev/null/none", _time).Keep("place", ["people"]);
    }

    [Fact]
    public void A_name_of_several_lines_is_left_out()
    {
        Cache.Keep("db\n:3306/shop", ["a\nb", "people"]);
        Assert.Equal(["people"], Cache.Read());
    }

    [Fact]
    public async Task A_table_is_completed_from_it()
    {
        Directory.CreateDirectory(Path.GetDirectoryName(CacheFile)!);
        new TableNameCache(Path.GetDirectoryName(CacheFile)!, TimeProvider.System).Keep("db:3306/shop", ["people", "orders"]);
        var run = new CliRun();
        run.Variables["XDG_CACHE_HOME"] = _folder;
        Assert.Equal(ExitCode.Done, await run.CallAsync("complete", "--", "import", "--table", "pe"));
        Assert.Equal(":\npeople\n", run.Output);
    }

    [Fact]
    public async Task A_job_keeps_its_table_where_somebody_types_and_nothing_secret()
    {
        foreach (var isTyped in new[] { false, true })
        {
            var run = new CliRun { KeepsTableNames = isTyped };
            run.Variables["XDG_CACHE_HOME"] = _folder;
            run.Variables["MYSQL_PWD"] = "s3cret";
            Assert.Equal(ExitCode.Done, await run.CallAsync("import", "people.csv", "-D", "shop"));
            Assert.Equal(isTyped, File.Exists(CacheFile));
        }

        Assert.Equal("bulkload-tables 1\n127.0.0.1:3306/shop\npeople\n", File.ReadAllText(CacheFile));
    }

    /// <summary>The file's own time is the machine's.</summary>
    private sealed class LaterTime : TimeProvider
    {
        public TimeSpan Later { get; set; }

        public override DateTimeOffset GetUtcNow() => DateTimeOffset.UtcNow + Later;
    }
}
