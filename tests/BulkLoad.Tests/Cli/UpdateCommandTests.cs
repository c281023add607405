using BulkLoad.Cli.Host;
using BulkLoad.Core.Options;

namespace BulkLoad.Tests.Cli;

public sealed class UpdateCommandTests
{
    [Fact]
    public async Task Files_change_rows_by_the_primary_key()
    {
        var request = await CliRun.RequestOfAsync("update", "a.csv", "--table", "t");

        Assert.Equal((JobKind.Update, "t", false), (request.Kind, request.Table, request.Key.CountsMatched));
        Assert.Equal(["a.csv"], request.Files);
        Assert.Empty(request.Key.Columns);
    }

    [Fact]
    public async Task Everything_about_keys_values_and_work_is_taken_over()
    {
        var request = await CliRun.RequestOfAsync(
            "update", "a.csv", "--table", "t", "--key", "a, b", "--where", "x=1", "--expect", "20", "--ignore-missing", "--allow-multiple",
            "--allow-scan", "--counts", "matched",
            "--set", "c=NOW()", "--empty", "default", "--round", "--strategy", "pipelined", "--rows-per-batch", "5", "--temp-dir", "/tmp");

        Assert.Equal(["a", "b"], request.Key.Columns);
        Assert.Equal(("x=1", 20L, true, true, true, true), (request.Key.Where, request.Key.Expect, request.Key.IgnoreMissing,
            request.Key.AllowMultiple, request.Key.AllowScan, request.Key.CountsMatched));
        Assert.Equal([new ColumnAssignment("c", "NOW()")], request.Assignments);
        Assert.Equal((EmptyMeaning.Default, true, "pipelined", 5, "/tmp"),
            (request.Values.Empty, request.Values.Round, request.Strategy, request.RowsPerBatch, request.TempFolder));
    }

    [Theory]
    [InlineData("a.csv", "--table")]
    [InlineData("--table t", "no input file")]
    [InlineData("a.csv --table t --key a,A", "twice")]
    [InlineData("a.csv --table t --where a;b", "semicolon")]
    [InlineData("a.csv --table t --expect 1 --max-rows 2", "leave one out")]
    [InlineData("a.csv --table t --counts all", "--counts")]
    [InlineData("a.csv --table t --ids i", "--ids")]
    [InlineData("a.csv --table t --on-duplicate ignore", "--on-duplicate")]
    public async Task What_cannot_be_meant_is_refused_before_anything_is_sent(string line, string expected)
    {
        var run = new CliRun();

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(["update", .. line.Split(' ')]));
        Assert.Contains(expected, run.Error, StringComparison.Ordinal);
        Assert.Null(run.Request);
    }
}
