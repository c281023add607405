using BulkLoad.Cli.Host;
using BulkLoad.Core.Options;

namespace BulkLoad.Tests.Cli;

public sealed class DeleteCommandTests
{
    private static readonly string[] Ids = ["delete", "--ids", "ids.txt", "--table", "t"];

    [Fact]
    public async Task Ids_are_a_list_of_keys_for_the_primary_key()
    {
        var request = await CliRun.RequestOfAsync(Ids);

        Assert.Equal((JobKind.Delete, InputFormat.Keys, "t"), (request.Kind, request.Source.Format, request.Table));
        Assert.Equal(["ids.txt"], request.Files);
        Assert.Empty(request.Key.Columns);
        Assert.Null(request.Key.Confirm);
    }

    [Fact]
    public async Task A_file_of_records_has_its_own_format_and_several_key_columns()
    {
        var request = await CliRun.RequestOfAsync("delete", "a.csv", "--table", "t", "--key", "a, b", "--where", "x=1", "--max-rows", "2k",
            "--ignore-missing", "--allow-multiple", "--allow-scan");

        Assert.Equal(InputFormat.Auto, request.Source.Format);
        Assert.Equal(["a", "b"], request.Key.Columns);
        Assert.Equal(("x=1", 2000L, true, true, true),
            (request.Key.Where, request.Key.MaxRows, request.Key.IgnoreMissing, request.Key.AllowMultiple, request.Key.AllowScan));
    }

    [Theory]
    [InlineData("77", "printf '77\\n'")]
    [InlineData("77,78", "printf '77\\n78\\n'")]
    [InlineData("0189f7ac-3b5e-7c11-9d2a-0242ac120002", "printf '0189f7ac-3b5e-7c11-9d2a-0242ac120002\\n'")]
    public async Task A_key_in_place_of_a_file_is_answered_with_a_command_for_it(string ids, string expected)
    {
        var run = new CliRun();

        Assert.Equal(ExitCode.InputUnfit, await run.CallAsync(["delete", "--ids", ids, "--table", "my people"]));
        Assert.Contains($"--ids {ids}: no such file; if these are the keys: {expected} | bulkload delete --ids - --table 'my people'",
            run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_file_whose_name_looks_like_a_key_is_a_file()
    {
        var run = new CliRun();
        run.Files.With("77", "1\n");

        Assert.Equal(ExitCode.Done, await run.CallAsync(["delete", "--ids", "77", "--table", "t"]));
        Assert.Equal(["77"], run.Request!.Files);
    }

    [Theory]
    [InlineData("--ids ids.txt", "--table")]
    [InlineData("--table t", "no keys")]
    [InlineData("a.csv --ids ids.txt --table t", "name the keys once")]
    [InlineData("a.csv --table t --ranges", "--ids")]
    [InlineData("--ids i --table t --key a,A", "twice")]
    [InlineData("--ids i --table t --where a;b", "semicolon")]
    [InlineData("--ids i --table t --expect 1 --max-rows 2", "leave one out")]
    [InlineData("--ids i --table t --expect 1 --rows-per-chunk 2", "one transaction")]
    [InlineData("--ids i --table t --write-spec s.json", "one form only")]
    [InlineData("--ids i --table t --set a=1", "--set")]
    [InlineData("--ids i --table t --on-duplicate ignore", "--on-duplicate")]
    public async Task What_cannot_be_meant_is_refused_before_anything_is_sent(string line, string expected)
    {
        var run = new CliRun();

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(["delete", .. line.Split(' ')]));
        Assert.Contains(expected, run.Error, StringComparison.Ordinal);
        Assert.Null(run.Request);
    }

    [Theory]
    [InlineData(true, 0)]
    [InlineData(false, 12)]
    public async Task On_a_terminal_the_keys_are_counted_and_confirmed_once(bool answer, long refused)
    {
        var questions = new List<string>();
        var run = CliRun.Answering(answer, questions);
        await run.CallAsync([.. Ids, "--key", "id"]);

        Assert.Equal(answer,
            run.Request!.Key.Confirm!(new DeletionQuestion(Samples.Plan.Table, Samples.Plan.Server.Endpoint, ["id"], 1234, refused)));
        Assert.Equal(
            [$"delete the rows of {Samples.Plan.Table} on {Samples.Plan.Server.Endpoint} with these 1,234 keys "
                + $"(id{(refused == 0 ? "" : ", 12 more cannot be keys")})? [y/N] "],
            questions);
    }

    [Fact]
    public async Task Yes_asks_nothing()
    {
        var run = new CliRun { Confirm = _ => throw new InvalidOperationException("asked") };
        await run.CallAsync([.. Ids, "--yes"]);

        Assert.Null(run.Request!.Key.Confirm);
    }

    [Theory]
    [InlineData("y\n", true)]
    [InlineData(" Yes \n", true)]
    [InlineData("n\n", false)]
    [InlineData("\n", false)]
    [InlineData("", false)]
    [InlineData("yesterday\n", false)]
    public void Only_yes_is_yes(string typed, bool expected)
    {
        using var prompt = new StringWriter();

        Assert.Equal(expected, ConfirmationPrompt.Ask("sure? ", prompt, new StringReader(typed)));
        Assert.Equal("sure? ", prompt.ToString());
    }
}
