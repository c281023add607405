using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli.Output;

public sealed class ReportHintsTests
{
    private static readonly TypedCommand Typed =
        new(["people.csv"], ["--decimal", ","], ["--max-rejects", "9", "--reject-file", "bad.csv"]);
    private static readonly LoadReport Rejected = Samples.Report with
    {
        FirstRejects = Samples.Checked.FirstRejects,
        Counts = new LoadCounts { Read = 3, Inserted = 1, Rejected = 2 },
        RejectFile = "bad.csv",
        RejectReasonsFile = "bad.jsonl",
    };

    [Fact]
    public void After_a_load_there_is_nothing_to_do() => Assert.Null(ReportHints.Of(Samples.Report, Typed));

    [Fact]
    public void Rejects_that_are_not_kept_have_the_option_that_keeps_them() =>
        Assert.Equal(
            "rejected records were not saved; use --reject-file to keep them", ReportHints.Of(Rejected with { RejectFile = null }, Typed));

    [Fact]
    public void The_file_of_rejects_goes_into_the_same_table_by_the_same_options()
    {
        Assert.Equal("fix them there, then: bulkload import bad.csv --decimal , --table shop.people", ReportHints.Of(Rejected, Typed));
        Assert.Equal(
            "fix them there, then: bulkload import bad.csv --table people",
            ReportHints.Of(Rejected, Typed with { Options = ["--table", "people"] }));
    }

    [Fact]
    public void Rejects_of_other_commands_are_read_by_these()
    {
        Assert.Equal(
            "fix them there, then: bulkload update bad.csv --key id",
            ReportHints.Of(Rejected with { Plan = Samples.Plan with { Kind = JobKind.Update } }, Typed with { Options = ["--key", "id"] }));
        var keys = Samples.Plan with { Kind = JobKind.Delete, Sources = [new PlannedSource("ids.txt", "keys", "none", "utf-8", 9, 3)] };
        Assert.Equal("fix them there, then: bulkload delete --ids bad.csv --key id",
            ReportHints.Of(Rejected with { Plan = keys }, Typed with { Options = ["--key", "id"] }));
    }

    [Fact]
    public void Rejects_of_a_verification_are_saved_too() => Assert.Equal(
        "rejected records were not saved; use --reject-file to keep them",
        ReportHints.Of(Rejected with { Plan = Samples.Plan with { Mode = JobMode.Verify }, RejectFile = null }, Typed));

    [Fact]
    public void An_error_says_itself_what_to_do() => Assert.Null(ReportHints.Of(Samples.Failed(new InputException("x")), Typed));

    [Fact]
    public void After_a_check_the_import_comes()
    {
        var plan = Samples.Plan with { Mode = JobMode.Check };
        var good = Samples.Report with { Plan = plan, Counts = new LoadCounts { Read = 3, Accepted = 3 } };

        Assert.Equal("to load them: bulkload import people.csv --decimal ,", ReportHints.Of(good, Typed));
        var badly = good with
        {
            Counts = new LoadCounts { Read = 3, Rejected = 3 },
            RejectsByReason = new Dictionary<string, long> { ["not-a-date"] = 2, ["too-long"] = 1 },
        };
        Assert.Equal("to find options that take them: bulkload check people.csv --decimal , --suggest", ReportHints.Of(badly, Typed));
        Assert.Equal(
            "to ask the server: bulkload check people.csv --decimal , --on-server",
            ReportHints.Of(good with { Counts = new LoadCounts { Read = 3, Accepted = 1, Undecided = 2 } }, Typed with { Rejects = [] }));
        Assert.Equal(
            "to load the others: bulkload import people.csv --decimal , --max-rejects 9 --reject-file bad.csv",
            ReportHints.Of(good with { Counts = new LoadCounts { Read = 3, Accepted = 1, Rejected = 2 } }, Typed));
        Assert.Equal(
            "an import would stop at the first of them; to load the others: bulkload import people.csv --decimal , --max-rejects 1234",
            ReportHints.Of(
                good with { IsBeyondMaxRejects = true, Counts = new LoadCounts { Read = 9999, Accepted = 1, Rejected = 1234 } }, Typed));
    }

    [Theory]
    [InlineData("-")]
    [InlineData("/dev/fd/63")]
    public void A_pipe_cannot_be_read_again(string file)
    {
        var typed = Typed with { Files = [file] };
        var checkedOnly = Rejected with { Plan = Samples.Plan with { Mode = JobMode.Check }, RejectFile = null };

        Assert.Equal("rejected records were not saved; use --reject-file to keep them", ReportHints.Of(checkedOnly, typed));
        Assert.Null(ReportHints.Of(checkedOnly with { FirstRejects = [], Counts = new LoadCounts { Read = 1, Accepted = 1 } }, typed));
    }
}
