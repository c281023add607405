namespace BulkLoad.Tests.Cli.Output;

public sealed class ErrorTextTests
{
    [Fact]
    public async Task An_error_says_what_happened_what_is_in_the_table_and_whole_commands()
    {
        var run = Failing("2 rows are in shop.people", new WayOn("to update them") { Words = ["--on-duplicate", "update"] },
            new WayOn("or correct the line"));

        await run.CallAsync(
            "import", "my people.csv", "--table", "people", "--on-duplicate", "error", "--report=r.json", "-D", "shop", "-uapp");

        Assert.StartsWith(
            "error: people.csv:2: x\n  2 rows are in shop.people\n"
            + "  to update them: bulkload import 'my people.csv' --table people -u app -D shop --on-duplicate update\n  or correct "
            + "the line\n",
            run.Error.Replace("-D shop -u app", "-u app -D shop", StringComparison.Ordinal), StringComparison.Ordinal);
        File.Delete("r.json");
    }

    [Theory]
    [InlineData("-pSECRET")]
    [InlineData("--password=SECRET")]
    [InlineData("mysql://app:SECRET@db/shop")]
    public async Task A_command_that_is_proposed_has_no_password(string word)
    {
        var run = Failing("nothing was loaded", new WayOn("again") { Words = ["--reload"] },
            new WayOn("check") { Command = "check", Words = ["--suggest"] });

        await run.CallAsync("import", "people.csv", word);

        Assert.Contains("again: bulkload import people.csv ", run.Error, StringComparison.Ordinal);
        Assert.Contains(" -p", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("SECRET", run.Error + run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_can_be_left_out_and_values_that_need_not_be_there_are_attached()
    {
        var run = Failing(
            "nothing was loaded", new WayOn("without") { Words = ["--append"], Without = ["--primary-key"] },
            new WayOn("check") { Command = "check" });

        await run.CallAsync(
            "import", "people.csv", "--create=exact", "--primary-key", "id", "--delimiter", "-", "--null-value", "-1", "--threads", "2");

        Assert.Contains("without: bulkload import people.csv ", run.Error, StringComparison.Ordinal);
        Assert.Contains(" --create=exact", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("--primary-key", run.Error, StringComparison.Ordinal);
        Assert.Contains("check: bulkload check people.csv --delimiter - --null-value=-1\n", run.Error, StringComparison.Ordinal);
    }

    private static CliRun Failing(string state, params WayOn[] ways)
    {
        var fault = new RejectLimitException("people.csv:2: x");
        fault.End(state, null, ways);
        return new CliRun { Run = (_, _) => Samples.Failed(fault) };
    }
}
