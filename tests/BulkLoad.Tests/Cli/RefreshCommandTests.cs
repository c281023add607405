using BulkLoad.Cli.Host;
using BulkLoad.Core.Options;

namespace BulkLoad.Tests.Cli;

public sealed class RefreshCommandTests
{
    [Fact]
    public async Task On_a_terminal_the_change_is_confirmed()
    {
        var questions = new List<string>();
        var run = CliRun.Answering(false, questions);
        run.Files.With("a.csv", "id\n1\n");
        await run.CallAsync("import", "a.csv", "--table", "t", "--full-refresh", "--partition", "p1");
        var refresh = run.Request!.Refresh!;
        Assert.Equal("p1", refresh.Partition);
        Assert.False(refresh.Confirm!(new RefreshQuestion("shop.t", "db:3306", "1 new, 2 changed, 3 gone, 4 unchanged", 1009)));
        Assert.Equal(["make shop.t on db:3306, 1,009 rows, exactly the input: 1 new, 2 changed, 3 gone, 4 unchanged? [y/N] "], questions);
    }

    [Fact]
    public async Task Yes_asks_nothing()
    {
        var run = new CliRun { Confirm = _ => throw new InvalidOperationException("asked") };
        run.Files.With("a.csv", "id\n1\n");
        await run.CallAsync("import", "a.csv", "--table", "t", "--full-refresh", "--yes");
        Assert.Null(run.Request!.Refresh!.Confirm);
    }

    [Theory]
    [InlineData("--partition=p")]
    [InlineData("--yes")]
    [InlineData("--keep-old")]
    [InlineData("--min-rows=5%")]
    public async Task Its_options_need_it(string option)
    {
        var run = new CliRun();
        run.Files.With("a.csv", "id\n1\n");
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "a.csv", "--table", "t", option));
        Assert.Contains("is for --full-refresh: add that, or leave this out", run.Error, StringComparison.Ordinal);
    }
}
