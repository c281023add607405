using BulkLoad.Cli.Host;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli;

public sealed class UndoCommandTests
{
    [Fact]
    public async Task On_a_terminal_it_is_confirmed()
    {
        var questions = new List<string>();
        var run = CliRun.Answering(false, questions);
        await run.CallAsync("undo", "j1", "-D", "shop");
        var undo = run.Request!.Undo!;
        Assert.Equal(("j1", false), (undo.Job, undo.Preview));
        Assert.False(undo.Confirm!(new UndoQuestion("j1", "shop.t", "db:3306", 1_200, UndoReport.Inserted)));
        Assert.False(undo.Confirm!(new UndoQuestion("j2", "shop.t", "db:3306", 3, UndoReport.Deleted)));
        Assert.False(undo.Confirm!(new UndoQuestion("refresh.1", "shop.t", "db:3306", 1, "exchanged") { Changes = "1 new, 2 changed" }));
        Assert.Equal(
            [
                "delete the 1,200 rows that job j1 has inserted into shop.t on db:3306, unless they have changed since? [y/N] ",
                "put the 3 rows back that job j2 has deleted from shop.t on db:3306, unless they have changed since? [y/N] ",
                "make shop.t on db:3306, 1 row, what it was before job refresh.1: 1 new, 2 changed? [y/N] ",
            ],
            questions);
    }

    [Fact]
    public async Task Yes_asks_nothing()
    {
        var run = new CliRun { Confirm = _ => throw new InvalidOperationException("asked") };
        await run.CallAsync("undo", "j1", "-D", "shop", "--yes");
        Assert.Null(run.Request!.Undo!.Confirm);
    }

    [Fact]
    public async Task A_spec_is_not_written()
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("undo", "j1", "-D", "shop", "--write-spec", "s.json"));
        Assert.Contains("--write-spec is for import and check: leave it out", run.Error, StringComparison.Ordinal);
    }
}
