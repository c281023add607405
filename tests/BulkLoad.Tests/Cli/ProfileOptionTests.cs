using BulkLoad.Cli.Host;


namespace BulkLoad.Tests.Cli;

public sealed class ProfileOptionTests
{
    internal const string Profile = """
        {"bulkload-profile": 1, "server": {"kind": "MySQL", "version": "9", "endpoint": "db:1"}, "measured": "2026-11-21T20:30:05Z", "with": "rows", "sessions": 4, "strategies": []}
        """;

    [Fact]
    public async Task A_profile_is_read_before_anything_is_done()
    {
        var run = new CliRun();
        run.Files.With("server.json", Profile);
        await run.CallAsync("import", "people.csv", "-D", "shop", "--profile", "server.json", "--plan");
        Assert.Equal(("server.json", 4), (run.Request!.Profile!.Name, run.Request.Profile.Profile.Sessions));
    }

    [Theory]
    [InlineData("none.json", "--profile: 'none.json' cannot be read: no such file")]
    [InlineData("bad.json", "--profile: 'bad.json' is not as bench tune writes it: ")]
    public async Task What_cannot_be_read_as_one_is_a_wrong_request(string file, string message)
    {
        var run = new CliRun();
        run.Files.With("bad.json", "{");
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "people.csv", "-D", "shop", "--profile", file));
        Assert.Contains(message, run.Error, StringComparison.Ordinal);
        Assert.Null(run.Request);
    }

    [Fact]
    public async Task A_profile_is_not_overwritten_by_a_report()
    {
        var run = new CliRun();
        run.Files.With("server.json", Profile);
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(
            "import", "people.csv", "-D", "shop", "--profile", "server.json", "--report", "server.json", "--overwrite"));
        Assert.Contains("--report: 'server.json' is another file of this command already", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("update")]
    [InlineData("delete")]
    public async Task Only_imports_are_planned_with_one(string command)
    {
        var run = new CliRun();
        Assert.Equal(
            ExitCode.WrongRequest, await run.CallAsync(command, "people.csv", "-D", "shop", "--key", "id", "--profile", "server.json"));
        Assert.Contains("unknown option '--profile'", run.Error, StringComparison.Ordinal);
    }
}
