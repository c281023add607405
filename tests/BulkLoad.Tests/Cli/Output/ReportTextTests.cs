using System.Text.RegularExpressions;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;

namespace BulkLoad.Tests.Cli.Output;

public sealed partial class ReportTextTests
{
    [GeneratedRegex(" +")]
    private static partial Regex Blanks();

    [Fact]
    public void A_complete_report_adds_up_on_one_screen() => Approve(
        Samples.Report,
        """
        1,000,000 rows inserted into shop.people from people.csv in 2.41 s
        on MariaDB 10.11.14 at 127.0.0.1:3306 as app (TLS 1.3)
        1,000,000 records read, 78.1 MB (414,937 records/s, 32.4 MB/s)
        """);

    [Fact]
    public void A_verbose_one_has_strategy_chunks_and_all_counts() => Approve(
        Samples.Report,
        """
        1,000,000 rows inserted into shop.people from people.csv in 2.41 s
        on MariaDB 10.11.14 at 127.0.0.1:3306 as app (TLS 1.3) by multi-row-insert
        read       1,000,000 records, 78.1 MB
        inserted   1,000,000
        rejected           0
        chunks            10 committed, 1,000 batches
        time          2.41 s  (414,937 records/s, 32.4 MB/s)
        note  format csv (by extension)
        """,
        isVerbose: true);

    [Fact]
    public void How_fast_it_was_is_not_told_of_records_of_an_earlier_start() => Approve(
        Samples.Report with { EarlierChunks = 6, EarlierCounts = new LoadCounts { Inserted = 600_000 } },
        """
        400,000 rows inserted (600,000 were there from an earlier run: 1,000,000 in all) into shop.people from people.csv in 2.41 s
        on MariaDB 10.11.14 at 127.0.0.1:3306 as app (TLS 1.3)
        400,000 records sent  (165,975 records/s)
        """);

    [Fact]
    public void A_failed_one_says_what_stays() => Approve(
        Samples.Failed(new InputException("x")),
        """
        600,000 rows inserted into shop.people from people.csv, 1 record rejected, 399,999 records not committed, then failed, in 2.41 s
        on MariaDB 10.11.14 at 127.0.0.1:3306 as app (TLS 1.3)
        1,000,000 records read, 78.1 MB (414,937 records/s, 32.4 MB/s)
        """);

    [Theory]
    [InlineData(DuplicateMode.Ignore, "30,000 ignored (their key was there)")]
    [InlineData(DuplicateMode.Replace, "10,000 updated (their rows were replaced)")]
    [InlineData(DuplicateMode.Update, "10,000 updated, 20,000 unchanged")]
    public void What_became_of_duplicates_is_counted(DuplicateMode mode, string expected)
    {
        using var written = new StringWriter { NewLine = "\n" };
        ReportText.Write(written, Samples.Report with
        {
            Plan = Samples.Plan with { OnDuplicate = mode },
            Counts = new LoadCounts
            {
                Read = 1_000_000,
                Inserted = 940_000,
                Updated = mode == DuplicateMode.Ignore ? 0 : 10_000,
                Unchanged = mode == DuplicateMode.Update ? 20_000 : 0,
                Ignored = mode == DuplicateMode.Ignore ? 30_000 : 0,
            },
        });
        Assert.StartsWith($"940,000 rows inserted into shop.people from people.csv, {expected}, in 2.41 s\n", written.ToString(),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0.5, 0, "2 indexes dropped in 0.50 s, added again in 1:05\n")]
    [InlineData(0, 0, "2 indexes dropped by an earlier run, added again in 1:05\n")]
    [InlineData(0.5, 2, "2 indexes dropped in 0.50 s, not added again: age, name\n")]
    public void What_became_of_indexes_is_told(double dropping, int missing, string expected)
    {
        string[] names = ["age", "name"];
        using var written = new StringWriter { NewLine = "\n" };
        ReportText.Write(written, Samples.Report with
        { Rebuild = new RebuildReport(names, names[..missing], TimeSpan.FromSeconds(dropping), TimeSpan.FromSeconds(65)) });
        Assert.Contains(expected, Blanks().Replace(written.ToString(), " "), StringComparison.Ordinal);
    }

    [Fact]
    public void Several_files_are_told_apart_and_a_plain_connection_is_named() => Approve(
        Samples.Report with
        {
            Outcome = LoadOutcome.Interrupted,
            State = "1 row is in shop.people",
            WaysOn = [new WayOn("run the same command to continue")],
            Plan = Samples.Plan with { Server = new PlannedServer("MySQL", "9.7.4", "db:3306", "not encrypted", "app") },
            Counts = new LoadCounts { Read = 3, Inserted = 1, NotCommitted = 2 },
            Chunks = 1,
            Batches = 1,
            Sources = [new SourceReport("a.csv", 1, 999), new SourceReport("-", 2, 1_000)],
            Notes = [],
            Elapsed = TimeSpan.Zero,
        },
        """
        interrupted after 0.00 s: 1 row is in shop.people (2 more were rolled back); run the same command to continue
        on MySQL 9.7.4 at db:3306 as app (not encrypted)
        file  a.csv: 1 record, 999 B
        file  standard input: 2 records, 1.0 kB
        """);

    [Fact]
    public void A_check_says_what_an_import_would_do_and_what_only_the_server_can_tell() => Approve(
        Samples.Checked,
        """
        2 of 1,000,000 records of people.csv do not fit shop.people (duplicate-key 2); nothing was written (2.41 s)
        on MariaDB 10.11.14 at 127.0.0.1:3306 as app (TLS 1.3)
        1,000,000 records read, 78.1 MB (414,937 records/s, 32.4 MB/s)
        reject  people.csv:3: column 'id': '2' is in an earlier record (key 'PRIMARY') (bulkload help duplicate-key)
        reject  people.csv:4: column 'id': '2' is in an earlier record (key 'PRIMARY')
        399,998 records can only be judged by the server: --on-server asks it
        undecided  399,998 (foreign-key): the row that a foreign key refers to may be missing
        an import would stop at the first of them; to load the others, if the server takes all: bulkload import people.csv --table shop.people --max-rejects 2
        """);

    [Fact]
    public void A_check_on_the_server_says_that_everything_was_rolled_back() => Approve(
        Samples.Report with
        {
            Plan = Samples.Plan with { Mode = JobMode.Check },
            Counts = new LoadCounts { Read = 1_000_000, Accepted = 1_000_000 },
            NarrowedBatches = 2,
            Notes = [],
        },
        """
        1,000,000 records of people.csv fit shop.people; all was rolled back (2.41 s)
        on MariaDB 10.11.14 at 127.0.0.1:3306 as app (TLS 1.3) by multi-row-insert
        read        1,000,000 records, 78.1 MB
        accepted    1,000,000
        undecided           0
        rejected            0
        batches         1,000 taken by the server and rolled back, 2 narrowed
        time           2.41 s  (414,937 records/s, 32.4 MB/s)
        to load them: bulkload import people.csv --table shop.people
        """,
        isVerbose: true);

    [Fact]
    public void A_failed_one_without_a_commit_has_no_counts() => Approve(
        Samples.Report with
        {
            Outcome = LoadOutcome.Failed,
            Failure = new InputException("x"),
            Chunks = 0,
            Counts = new LoadCounts { Read = 2, Rejected = 1, NotCommitted = 1 }
        },
        "");

    [Fact]
    public void What_was_guessed_or_made_comes_before_rejects_and_notes_after_them()
    {
        using var written = new StringWriter { NewLine = "\n" };
        ReportText.Write(written, Samples.Report with
        {
            FirstRejects = Samples.Checked.FirstRejects,
            Counts = new LoadCounts { Read = 3, Inserted = 1, Rejected = 2 },
            Notes = ["delimiter ';' (confidence 0.83)", "trigger x runs for every row", "the ledger shop.bulkload_ledger was created"],
            Choices = ["delimiter ';' (confidence 0.83)", "the ledger shop.bulkload_ledger was created"],
        });
        Assert.Equal(
            ["note  delimiter", "note  the ledge", "reject  people.", "reject  people.", "note  trigger x"],
            written.ToString().Split('\n').Where(line => line.StartsWith("note  ", StringComparison.Ordinal)
                || line.StartsWith("reject  ", StringComparison.Ordinal)).Select(line => line[..15]));
    }

    [Fact]
    public void The_build_of_a_distribution_is_no_part_of_a_version()
    {
        using var written = new StringWriter();
        ReportText.Write(written, Samples.Report with
        { Plan = Samples.Plan with { Server = Samples.Plan.Server with { Version = "10.11.19-MariaDB-0+deb12u1" } } });
        Assert.Contains("on MariaDB 10.11.19 at ", written.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void The_help_of_each_reason_is_behind_the_first_record_that_has_it()
    {
        Assert.Equal(
            [
                "reject  t.csv:1: x (bulkload help few-fields)",
                "reject  t.csv:2: x",
                "reject  t.csv:3: x (bulkload help not-an-integer)",
            ],
            Rejected(["few-fields", "few-fields", "not-an-integer"], 3));
        Assert.Equal(["reject  t.csv:1: x (bulkload help few-fields)", "reject  and 5 more"], Rejected(["few-fields"], 6));
    }

    [Fact]
    public void Reasons_that_only_other_records_have_are_behind_their_number() => Assert.Equal(
        ["reject  t.csv:1: x (bulkload help few-fields)", "reject  and 3 more (bulkload help too-long or not-a-date)"],
        Rejected(["few-fields"], 1, ("not-a-date", 1), ("too-long", 2)));

    [Fact]
    public void Missing_and_different_rows_have_their_own_help()
    {
        Assert.Equal(
            ["missing  t.csv:1: x (bulkload help missing-row)", "differs  t.csv:2: x (bulkload help different-row)", "missing  and 1 more"],
            Rejected(["missing-row", "different-row"], 3));
        Assert.Equal(["missing  t.csv:1: x (bulkload help missing-row)", "missing  and 1 more"], Rejected(["missing-row"], 2));
        Assert.Equal(
            ["differs  t.csv:1: x (bulkload help different-row)", "differs  and 2 more", "missing  and 7 more (bulkload help missing-row)"],
            Rejected(["different-row"], 3, ("missing-row", 7)));
    }

    /// <param name="codes">of the records that are listed, in their order</param>
    /// <param name="count">all rejects whose codes are among the listed ones; they are counted for the first</param>
    private static string[] Rejected(string[] codes, int count, params (string Code, int Count)[] others)
    {
        Dictionary<string, long> reasons = [];
        foreach (var (code, number) in codes.Select(code => (code, 1)).Append((codes[0], count - codes.Length)).Concat(others))
        {
            reasons[code] = reasons.GetValueOrDefault(code) + number;
        }

        using var written = new StringWriter { NewLine = "\n" };
        ReportText.Write(written, Samples.Report with
        {
            Counts = new LoadCounts { Read = 100, Inserted = 100 - reasons.Values.Sum(), Rejected = reasons.Values.Sum() },
            RejectsByReason = reasons,
            FirstRejects = [.. codes.Select(
                (code, i) => new Reject { Source = "t.csv", Record = i + 1, Line = i + 1, Offset = i, Code = code, Message = "x" })],
        });
        return [.. written.ToString().Split('\n').Where(line => line.Split("  ")[0] is "reject" or "missing" or "differs")];
    }

    [Theory]
    [InlineData(true, 0, "\e[32;1mdone\e[0m\nmore\n")]
    [InlineData(true, 3, "\e[1mdone\e[0m\nmore\n")]
    [InlineData(false, 0, "done\nmore\n")]
    public void The_result_is_bold_on_a_terminal(bool hasColour, int code, string expected)
    {
        using var written = new StringWriter();
        new StandardOutput(written, hasColour).PrintResult(to => to.Write("done\nmore\n"), (ExitCode)code);
        Assert.Equal(expected, written.ToString().ReplaceLineEndings("\n"));
    }

    [Fact]
    public void A_note_in_the_first_line_is_no_result()
    {
        using var written = new StringWriter();
        new StandardOutput(written, hasColour: true).PrintResult(to => to.Write("note  another job is running\n"), ExitCode.TooManyRejects);
        Assert.Equal("note  another job is running\n", written.ToString().ReplaceLineEndings("\n"));
    }

    private static void Approve(LoadReport report, string text, bool isVerbose = false)
    {
        using var written = new StringWriter();
        ReportText.Write(
            written, report, isVerbose, new TypedCommand(["people.csv"], ["--table", "shop.people"], ["--reject-file", "bad.csv"]));
        Assert.Equal(text.Length == 0 ? "" : text.ReplaceLineEndings("\n") + "\n", written.ToString().ReplaceLineEndings("\n"));
    }
}
