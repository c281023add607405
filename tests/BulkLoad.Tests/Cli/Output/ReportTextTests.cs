using System.Text.RegularExpressions;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli.Output;

public sealed partial class ReportTextTests
{
    [GeneratedRegex(" +")]
    private static partial Regex Blanks();

    [Fact]
    public void A_complete_report_adds_up_on_one_screen() => Approve(
        Samples.Report,
        """
        people.csv -> shop.people on MariaDB 10.11.14 (127.0.0.1:3306, TLS 1.3) by multi-row-insert
        read       1,000,000 records, 78.1 MB
        inserted   1,000,000
        rejected           0
        chunks            10 committed, 1,000 batches
        time          2.41 s  (414,937 records/s, 32.4 MB/s)
        note  format csv (by extension)
        """);

    [Fact]
    public void How_fast_it_was_is_not_told_of_records_of_an_earlier_start() => Approve(
        Samples.Report with { EarlierChunks = 10 },
        """
        people.csv -> shop.people on MariaDB 10.11.14 (127.0.0.1:3306, TLS 1.3) by multi-row-insert
        read       1,000,000 records, 78.1 MB
        inserted   1,000,000
        rejected           0
        chunks            10 committed, 1,000 batches, 10 of them before this start
        time          2.41 s
        note  format csv (by extension)
        """);

    [Fact]
    public void A_failed_one_says_what_stays() => Approve(
        Samples.Failed(new InputException("x")),
        """
        people.csv -> shop.people on MariaDB 10.11.14 (127.0.0.1:3306, TLS 1.3) by multi-row-insert
        read            1,000,000 records, 78.1 MB
        inserted          600,000
        rejected                1
        not committed     399,999 (failed; what was committed stays)
        chunks                  6 committed, 600 batches
        time               2.41 s  (414,937 records/s, 32.4 MB/s)
        note  format csv (by extension)
        """);

    [Theory]
    [InlineData(DuplicateMode.Ignore, "ignored 30,000 (their key was there)\n")]
    [InlineData(DuplicateMode.Replace, "updated 10,000 (their rows were replaced)\n")]
    [InlineData(DuplicateMode.Update, "updated 10,000\nunchanged 20,000\n")]
    public void What_became_of_duplicates_is_counted(DuplicateMode mode, string expected)
    {
        using var written = new StringWriter { NewLine = "\n" };
        ReportText.Write(written, Samples.Report with
        {
            Plan = Samples.Plan with { OnDuplicate = mode },
            Counts = new LoadCounts { Read = 1_000_000, Inserted = 940_000, Updated = 10_000, Unchanged = 20_000, Ignored = 30_000 },
        });
        Assert.Contains($"inserted 940,000\n{expected}rejected 0\n", Blanks().Replace(written.ToString(), " "), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0.5, 0, "indexes 2 dropped in 0.50 s, added again in 1:05\n")]
    [InlineData(0, 0, "indexes 2 dropped by an earlier run, added again in 1:05\n")]
    [InlineData(0.5, 2, "indexes 2 dropped in 0.50 s, not added again: age, name\n")]
    public void What_became_of_indexes_is_told(double dropping, int missing, string expected)
    {
        string[] names = ["age", "name"];
        using var written = new StringWriter { NewLine = "\n" };
        ReportText.Write(written, Samples.Report with { Rebuild = new RebuildReport(names, names[..missing], TimeSpan.FromSeconds(dropping), TimeSpan.FromSeconds(65)) });
        Assert.Contains(expected, Blanks().Replace(written.ToString(), " "), StringComparison.Ordinal);
    }

    [Fact]
    public void Several_files_are_told_apart_and_a_plain_connection_is_named() => Approve(
        Samples.Report with
        {
            Outcome = LoadOutcome.Interrupted,
            Plan = Samples.Plan with { Server = new PlannedServer("MySQL", "9.7.4", "db:3306", "not encrypted", "app") },
            Counts = new LoadCounts { Read = 3, Inserted = 1, NotCommitted = 2 },
            Chunks = 1,
            Batches = 1,
            Sources = [new SourceReport("a.csv", 1, 999), new SourceReport("-", 2, 1_000)],
            Notes = [],
            Elapsed = TimeSpan.Zero,
        },
        """
        a.csv, standard input -> shop.people on MySQL 9.7.4 (db:3306, not encrypted) by multi-row-insert
        read                    3 records, 2.0 kB
        inserted                1
        rejected                0
        not committed           2 (interrupted; what was committed stays)
        chunks                  1 committed, 1 batch
        time               0.00 s
        file  a.csv: 1 record, 999 B
        file  standard input: 2 records, 1.0 kB
        """);

    [Fact]
    public void A_check_says_what_an_import_would_do_and_what_only_the_server_can_tell() => Approve(
        Samples.Checked,
        """
        people.csv checked against shop.people on MariaDB 10.11.14 (127.0.0.1:3306, TLS 1.3)
        read        1,000,000 records, 78.1 MB
        accepted      600,000
        undecided     399,998
        rejected            2 (duplicate-key 2)
        time           2.41 s  (414,937 records/s, 32.4 MB/s)
        undecided  399,998 (foreign-key): the row that a foreign key refers to may be missing
        only the server can decide undecided records: --on-server asks it
        reject  people.csv:3: column 'id': '2' is in an earlier record (key 'PRIMARY')
        reject  people.csv:4: column 'id': '2' is in an earlier record (key 'PRIMARY')
        an import with these options would stop at the first of them: --max-rejects lets it continue
        rejected records were not saved; use --reject-file to keep them
        """);

    [Fact]
    public void A_check_on_the_server_says_that_everything_was_rolled_back() => Approve(
        Samples.Report with
        {
            Plan = Samples.Plan with { IsCheck = true },
            Counts = new LoadCounts { Read = 1_000_000, Accepted = 1_000_000 },
            NarrowedBatches = 2,
            Notes = [],
        },
        """
        people.csv checked against shop.people on MariaDB 10.11.14 (127.0.0.1:3306, TLS 1.3) by multi-row-insert
        read        1,000,000 records, 78.1 MB
        accepted    1,000,000
        undecided           0
        rejected            0
        batches         1,000 taken by the server and rolled back, 2 narrowed
        time           2.41 s  (414,937 records/s, 32.4 MB/s)
        """);

    private static void Approve(LoadReport report, string text)
    {
        using var written = new StringWriter();
        ReportText.Write(written, report);
        Assert.Equal(text.ReplaceLineEndings("\n") + "\n", written.ToString().ReplaceLineEndings("\n"));
    }
}
