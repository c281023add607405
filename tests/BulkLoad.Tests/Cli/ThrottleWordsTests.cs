using BulkLoad.Cli.Host;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli;

/// <summary>The words by which a job is told to give way, and by which it tells that it does.</summary>
public sealed class ThrottleWordsTests
{
    private static readonly string[][] Commands =
        [["import", "a.csv"], ["update", "a.csv", "--table", "t"], ["delete", "a.csv", "--table", "t", "--yes"]];

    [Fact]
    public async Task They_end_up_in_the_request_of_every_command_that_changes_rows()
    {
        foreach (var command in Commands)
        {
            var throttle = (await CliRun.RequestOfAsync(
                [.. command, "--max-rate", "5krows", "--max-load", "Threads_running=50", "--max-load", "Innodb_row_lock_current_waits=10",
                    "--critical-load", "Threads_running=1k",
                "--max-lag", "5m", "--check-replica", "mysql://one", "--throttle-query", "SELECT 0", "--pause-file", "p", "--run-time",
                    "2h"])).Throttle;

            Assert.Equal(new MaxRate(5_000, false), throttle.MaxRate);
            Assert.Equal([new("Threads_running", 50), new("Innodb_row_lock_current_waits", 10)], throttle.MaxLoad);
            Assert.Equal([new("Threads_running", 1_000)], throttle.CriticalLoad);
            Assert.Equal((TimeSpan.FromMinutes(5), "SELECT 0", "p", TimeSpan.FromHours(2)),
                (throttle.MaxLag!.Value, throttle.Query, throttle.PauseFile, throttle.RunTime!.Value));
            Assert.Single(throttle.Replicas);
        }

        Assert.False((await CliRun.RequestOfAsync("import", "a.csv")).Throttle.IsAny);
    }

    [Fact]
    public async Task A_replica_is_reached_as_the_server_is_unless_its_url_says_something_else()
    {
        var replicas = (await CliRun.RequestOfAsync(
            "import", "a.csv", "-u", "me", "-pHUSH", "--ssl-mode", "required", "--max-lag", "1s",
            "--check-replica", "mysql://one", "--check-replica", "mysql://watch:own@two:3307?ssl-mode=disabled", "--check-replica",
            "mysql://watch@three")).Throttle.Replicas;
        Assert.Equal(("one", 3306, "me", "HUSH", SslMode.Required),
            (replicas[0].Host, replicas[0].Port, replicas[0].User, replicas[0].Password, replicas[0].SslMode));
        Assert.Equal(("two", 3307, "watch", "own", SslMode.Disabled),
            (replicas[1].Host, replicas[1].Port, replicas[1].User, replicas[1].Password, replicas[1].SslMode));
        Assert.Equal(("three", "watch", null), (replicas[2].Host, replicas[2].User, replicas[2].Password));
    }

    [Fact]
    public void A_password_that_was_asked_for_is_the_replicas_too()
    {
        var request = new LoadRequest
        {
            Files = ["a.csv"],
            Connection = new() { User = "me", Password = "HUSH" },
            Throttle = new() { Replicas = [new() { User = "me" }, new() { User = "watch" }] },
        };
        Assert.Equal(["HUSH", null], request.Replicas.Select(replica => replica.Password));
    }

    [Theory]
    [InlineData("--max-rate 0", "--max-rate: the least is 1 a second; --pause-file lets a job wait")]
    [InlineData(
        "--max-rate fast", "--max-rate: 'fast' is not a rate; write rows, such as 5000 or 5krows, or bytes, such as 10MB, per second")]
    [InlineData(
        "--max-rate rows", "--max-rate: 'rows' is not a rate; write rows, such as 5000 or 5krows, or bytes, such as 10MB, per second")]
    [InlineData("--max-load Threads_running", "--max-load: 'Threads_running' is not NAME=N, such as Threads_running=50")]
    [InlineData("--critical-load x'y=1", "--critical-load: 'x'y' is not the name of a status variable, such as Threads_running")]
    [InlineData("--check-replica mysql://one", "--check-replica: say how far it may be behind with --max-lag")]
    [InlineData("--max-lag 1ms --check-replica mysql://one", "--max-lag: the least is 1s, since replicas count seconds")]
    [InlineData("--max-lag 1s --check-replica one:HUSH@",
        "--check-replica: it must begin with mysql:// or mariadb://, as in mysql://USER:PASSWORD@127.0.0.1:3306/DATABASE")]
    [InlineData("--run-time 0s", "--run-time: needs a time, such as 90s, 5m, 1h")]
    [InlineData("--pause-file=", "--pause-file: needs a file's name")]
    [InlineData("--throttle-query=", "--throttle-query: is empty")]
    public async Task What_cannot_be_meant_is_said(string words, string message)
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(["import", "a.csv", .. words.Split(' ')]));
        Assert.StartsWith($"error: {message}\n", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("5000", 5_000, false)]
    [InlineData("5k", 5_000, false)]
    [InlineData("5000rows", 5_000, false)]
    [InlineData("5krows/s", 5_000, false)]
    [InlineData("10MB", 10_000_000, true)]
    [InlineData("10MiB/s", 10 << 20, true)]
    [InlineData("512b", 512, true)]
    public void A_rate_is_of_rows_or_bytes(string text, long amount, bool isBytes) =>
        Assert.Equal(new MaxRate(amount, isBytes), OptionParsers.Rate(text));

    [Fact]
    public async Task A_stopped_job_is_told_apart_from_a_failed_one()
    {
        var stopped = Samples.Failed(new StoppedException("stopped: its time is over")) with
        {
            Outcome = LoadOutcome.Stopped,
            Waits = [new("max-load", TimeSpan.FromSeconds(61)), new("max-rate", TimeSpan.FromSeconds(2.5))],
        };
        var run = new CliRun { Run = (_, _) => stopped };
        Assert.Equal(8, (int)await run.CallAsync("import", "a.csv"));
        Assert.Equal("error: stopped: its time is over\n", run.Error);
        Assert.Contains(", then stopped, in ", run.Output, StringComparison.Ordinal);
        Assert.Matches(@"(?m)^waited +1:04 \(max-load 1:01, max-rate 2\.50 s\)$", run.Output);
    }
}
