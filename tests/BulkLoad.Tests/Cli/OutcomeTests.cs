using System.Text.Json;
using System.Text.RegularExpressions;
using BulkLoad.Cli.Host;

namespace BulkLoad.Tests.Cli;

public sealed class OutcomeTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload").FullName;

    public static TheoryData<BulkLoadException, int> Failures => new()
    {
        { new RequestException("x"), 2 },
        { new RejectLimitException("x"), 4 },
        { new ConnectException("x"), 5 },
        { new InputException("x"), 6 },
        { new MappingException("x"), 6 },
        { new ReconciliationException("x"), 7 },
        { new StoppedException("x"), 8 },
        { new PlanException("x"), 9 },
        { new ServerException(1205, "HY000", "x"), 1 },
    };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Failures))]
    public async Task A_failure_has_its_exit_code_and_stands_on_standard_error(BulkLoadException failure, int code)
    {
        var run = new CliRun { Run = (_, _) => Samples.Failed(failure) };

        Assert.Equal(code, (int)await run.CallAsync("import", "a.csv"));
        AssertTold(failure, run);
        Assert.Contains("not committed", run.Output, StringComparison.Ordinal);
    }

    /// <summary>Of a connection there is more to say: where its settings came from.</summary>
    private static void AssertTold(BulkLoadException failure, CliRun run)
    {
        var more = failure is ConnectException ? @"the connection was: host localhost, port 3306, no password \(default\); .*\n" : "";
        Assert.Matches($"^error: {Regex.Escape(failure.Message)}\n{more}$", run.Error);
    }

    [Theory]
    [MemberData(nameof(Failures))]
    public async Task A_plan_that_cannot_be_made_has_the_same_codes(BulkLoadException failure, int code)
    {
        var run = new CliRun { Plan = (_, _) => throw failure };

        Assert.Equal(code, (int)await run.CallAsync("import", "a.csv", "--plan"));
        AssertTold(failure, run);
        Assert.Equal("", run.Output);
    }

    [Fact]
    public async Task Names_that_would_command_a_terminal_are_shown_and_not_obeyed()
    {
        var run = new CliRun { Run = (_, _) => Samples.Failed(new InputException("a\e[2Kb.csv:2: x")) };
        await run.CallAsync("import", "a.csv");
        Assert.Equal("error: a\\x1b[2Kb.csv:2: x\n", run.Error);

        run = new CliRun { Run = (_, _) => Samples.Report with { Notes = ["c\e]0;d\u0007.csv"] } };
        await run.CallAsync("import", "a.csv");
        Assert.Contains("note  c\\x1b]0;d\\x07.csv\n", run.Output, StringComparison.Ordinal);

        run = new CliRun { Plan = (_, _) => Samples.Plan with { Table = "s.e\u202ef\e[2K" } };
        await run.CallAsync("import", "a.csv", "--plan");
        Assert.Contains(@" s.e\x202ef\x1b[2K on ", run.Output, StringComparison.Ordinal);
        run = new CliRun { Plan = (_, _) => Samples.Plan with { Table = "s.e\u202ef\e[2K" } };
        await run.CallAsync("import", "a.csv", "--plan-json");
        using var json = JsonDocument.Parse(run.Output);
        Assert.Equal("s.e\u202ef\e[2K", json.RootElement.GetProperty("table").GetString());
        Assert.DoesNotContain('\e', run.Output);
    }

    [Fact]
    public async Task Success_is_0_and_rejects_within_the_limit_are_3()
    {
        Assert.Equal(0, (int)await new CliRun().CallAsync("import", "a.csv"));
        var counts = new LoadCounts { Read = 10, Inserted = 9, Rejected = 1 };
        Assert.Equal(3, (int)await new CliRun { Run = (_, _) => Samples.Report with { Counts = counts } }.CallAsync("import", "a.csv"));
    }

    [Fact]
    public async Task A_check_has_the_exit_code_that_an_import_would_have()
    {
        Assert.Equal(0, (int)await new CliRun
        {
            Run = (_, _) =>
                Samples.Checked with { IsBeyondMaxRejects = false, Counts = new LoadCounts { Read = 10, Accepted = 8, Undecided = 2 } }
        }.CallAsync("check", "a.csv"));
        Assert.Equal(
            3, (int)await new CliRun { Run = (_, _) => Samples.Checked with { IsBeyondMaxRejects = false } }.CallAsync("check", "a.csv"));
        Assert.Equal(4, (int)await new CliRun { Run = (_, _) => Samples.Checked }.CallAsync("check", "a.csv"));
    }

    [Fact]
    public async Task A_bug_shows_its_stack()
    {
        var run = new CliRun { Run = (_, _) => throw new InvalidOperationException("oops") };

        Assert.Equal(1, (int)await run.CallAsync("import", "a.csv"));
        Assert.Contains("oops", run.Error, StringComparison.Ordinal);
        Assert.Contains("   at ", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_question_that_was_answered_with_no_has_no_report()
    {
        var run = new CliRun { Run = (_, _) => Samples.Failed(new DeclinedException("not confirmed: nothing was deleted")) };

        Assert.Equal(9, (int)await run.CallAsync("delete", "--ids", "ids.txt", "--table", "t"));
        Assert.Equal("", run.Output);
        Assert.Equal("error: not confirmed: nothing was deleted\n", run.Error.ReplaceLineEndings("\n"));
    }

    [Theory]
    [InlineData("import", "a.csv")]
    [InlineData("check", "a.csv")]
    public async Task A_connection_that_fails_says_what_it_was_made_from(params string[] words)
    {
        var run = new CliRun { Run = (_, _) => Samples.Failed(new ConnectException("cannot connect")) with { Plan = null } };
        run.Variables["BULKLOAD_URL"] = "mysql://app:secret@db/shop";

        Assert.Equal(5, (int)await run.CallAsync(words));
        Assert.StartsWith("error: cannot connect\nthe connection was: host db, user app, password (BULKLOAD_URL)",
            run.Error.ReplaceLineEndings("\n"), StringComparison.Ordinal);
        Assert.DoesNotContain("secret", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Quiet_prints_nothing_on_success_and_everything_else_otherwise()
    {
        var good = new CliRun();
        var bad = new CliRun { Run = (_, _) => Samples.Failed(new InputException("x")) };
        await good.CallAsync("import", "a.csv", "--quiet");
        await bad.CallAsync("import", "a.csv", "--quiet");

        Assert.Equal("", good.Output + good.Error);
        Assert.Contains("inserted", bad.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_report_file_holds_the_exit_code()
    {
        var path = Path.Combine(_folder, "r.json");
        var run = new CliRun { Run = (_, _) => Samples.Failed(new RejectLimitException("too many")) };

        Assert.Equal(ExitCode.TooManyRejects, await run.CallAsync("import", "a.csv", "--report", path));
        using var json = JsonDocument.Parse(await File.ReadAllBytesAsync(path));
        Assert.Equal(4, json.RootElement.GetProperty("exitCode").GetInt32());
    }

    [Fact]
    public async Task An_existing_report_is_kept_unless_overwriting_was_asked_for()
    {
        var path = Path.Combine(_folder, "r.json");
        await File.WriteAllTextAsync(path, new string('x', 100_000));
        var run = new CliRun();

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "a.csv", "--report", path));
        Assert.Equal($"error: --report: '{path}' already exists; --overwrite replaces it\n", run.Error);
        Assert.Null(run.Request);
        Assert.Equal(100_000, new FileInfo(path).Length);

        Assert.Equal(ExitCode.Done, await run.CallAsync("import", "a.csv", "--report", path, "--overwrite"));
        using var json = JsonDocument.Parse(await File.ReadAllBytesAsync(path));
        Assert.Equal("bulkload-report", json.RootElement.GetProperty("kind").GetString());
    }

    [Theory]
    [InlineData("--report")]
    [InlineData("--log-file")]
    public async Task An_output_that_cannot_be_opened_stops_before_anything_is_sent(string option)
    {
        var run = new CliRun();

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "a.csv", option, Path.Combine(_folder, "none", "x")));
        Assert.StartsWith($"error: {option}: '", run.Error, StringComparison.Ordinal);
        Assert.Null(run.Request);
    }

    [Fact]
    public async Task A_report_file_made_in_vain_is_taken_away_and_an_old_one_left()
    {
        var made = Path.Combine(_folder, "new.json");
        var old = Path.Combine(_folder, "old.json");
        await File.WriteAllTextAsync(old, "old");
        var run = new CliRun { Run = (_, _) => throw new InvalidOperationException("oops") };

        await run.CallAsync("import", "a.csv", "--report", made);
        await run.CallAsync("import", "a.csv", "--report", old, "--overwrite");

        Assert.False(File.Exists(made));
        Assert.Equal("old", await File.ReadAllTextAsync(old));
    }

    [Fact]
    public async Task A_full_disk_at_the_end_is_a_failure_that_says_what_is_committed()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "this system has no /dev/full");
        var run = new CliRun();

        Assert.Equal(ExitCode.Failed, await run.CallAsync("import", "a.csv", "--report", "/dev/full", "--overwrite"));
        Assert.StartsWith("error: --report: '/dev/full' cannot be written: ", run.Error, StringComparison.Ordinal);
        Assert.EndsWith("(1,000,000 records in 10 chunks committed, and stay so)\n", run.Error, StringComparison.Ordinal);
        Assert.Contains("inserted", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Standard_output_that_cannot_be_written_is_a_failure_but_never_hides_a_worse_one()
    {
        using var full = new StreamWriter(new FullStream());
        var good = new CliRun { OutputWriter = full };
        var bad = new CliRun { OutputWriter = full, Run = (_, _) => Samples.Failed(new ReconciliationException("x")) };

        Assert.Equal(ExitCode.Failed, await good.CallAsync("import", "a.csv"));
        Assert.Contains(
            "standard output cannot be written: no room (1,000,000 records in 10 chunks committed", good.Error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.DoesNotAddUp, await bad.CallAsync("import", "a.csv"));
    }

    [Fact]
    public async Task A_log_file_is_appended_to_unless_overwriting_was_asked_for()
    {
        var path = Path.Combine(_folder, "log");
        await File.WriteAllTextAsync(path, "old\n");

        await new CliRun().CallAsync("import", "a.csv", "--log-file", path);
        Assert.Equal("old\n", await File.ReadAllTextAsync(path));
        await new CliRun().CallAsync("import", "a.csv", "--log-file", path, "--overwrite");
        Assert.Equal("", await File.ReadAllTextAsync(path));
    }

    [Fact]
    public async Task Errors_are_coloured_only_on_a_terminal_that_wants_it()
    {
        var coloured = new CliRun { ErrorIsTerminal = true };
        var plain = new CliRun { ErrorIsTerminal = true };
        plain.Variables["NO_COLOR"] = "1";
        await coloured.CallAsync("import");
        await plain.CallAsync("import");

        Assert.StartsWith("\e[31;1merror:\e[0m no input file", coloured.Error, StringComparison.Ordinal);
        Assert.StartsWith("error: no input file", plain.Error, StringComparison.Ordinal);
    }

    private sealed class FullStream : MemoryStream
    {
        public override void Write(ReadOnlySpan<byte> buffer) => throw new IOException("no room");

        public override void Write(byte[] buffer, int offset, int count) => throw new IOException("no room");
    }
}
