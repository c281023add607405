using BulkLoad.Cli.Output;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Cli.Output;

public sealed class PlanTextTests
{
    [Fact]
    public void A_plan_says_which_indexes_go_and_which_stay()
    {
        using var written = new StringWriter();
        PlanText.Write(written, Samples.Plan with
        { Rebuild = new PlannedRebuild(["KEY `age` (`age`)"], [new KeptIndex("one", "it keeps duplicates out")], ["nobody finds rows"]) },
            isLong: false);
        Assert.Contains(
            """

            indexes
              dropped and added again  KEY `age` (`age`)
              kept                     one: it keeps duplicates out
              to know                  nobody finds rows

            sql

            """,
            written.ToString().ReplaceLineEndings("\n"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Plan_and_report_say_what_the_server_is_a_part_of()
    {
        var server = Samples.Plan.Server with { Topology = new Topology("galera", "Galera node 1 of 3 (Synced)") };
        var plan = Samples.Plan with { Server = server };
        using var written = new StringWriter();
        PlanText.Write(written, plan, isLong: false);
        Assert.Contains(" as app by multi-row-insert\nconnected to: Galera node 1 of 3 (Synced)\n\nnotes\n",
            written.ToString().ReplaceLineEndings("\n"), StringComparison.Ordinal);
        using var report = new StringWriter();
        ReportText.Write(report, Samples.Report with { Plan = plan });
        Assert.Contains(" as app (TLS 1.3), Galera node 1 of 3 (Synced)", report.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_plan_says_how_many_readers_read_a_large_file()
    {
        using var written = new StringWriter();
        PlanText.Write(written, Samples.Plan with { Readers = new PlannedReaders(1, "one thread reads with --limit") }, isLong: false);
        Assert.Contains("\n  readers       1: one thread reads with --limit\n", written.ToString().ReplaceLineEndings("\n"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_plan_says_what_and_why_and_why_not()
    {
        using var written = new StringWriter();
        PlanText.Write(written, Samples.Plan, isLong: true);

        Assert.Equal(
            """
            import into shop.people on MariaDB 10.11.14 (127.0.0.1:3306, TLS 1.3) as app by multi-row-insert

            notes
              format csv (by extension)

            input
              people.csv: csv, utf-8, 78.1 MB, about 1,000,000 records

            columns
              id         -> id    int(11)
              Full Name  -> name  varchar(40)
              rest       -> skipped

            strategies
              chosen  multi-row-insert  about 2.50 s  1,000 rows in one statement
              fit     bulk-execute      about 3.25 s  rows as binary parameters
              unfit   load-data                       the server refuses LOCAL (local_infile=OFF)

            sizes
              rows-per-batch       1,000  measured optimum
              bytes-per-chunk  8,388,608  --bytes-per-chunk

            running
              sessions      1
              transactions  a commit after each chunk
              time zone     SYSTEM (UTC)

            sql
              INSERT INTO `shop`.`people` (`id`,`name`) VALUES
                (...)

            """,
            written.ToString().ReplaceLineEndings("\n"));
    }

    [Fact]
    public void A_short_plan_has_the_strategy_that_was_chosen_and_says_how_to_see_the_rest()
    {
        using var written = new StringWriter();
        PlanText.Write(written, Samples.Plan, isLong: false);
        var text = written.ToString().ReplaceLineEndings("\n");
        Assert.Contains("\nrunning\n  strategy      multi-row-insert: 1,000 rows in one statement\n", text, StringComparison.Ordinal);
        Assert.EndsWith(
            "\n\n--plan --verbose adds the other strategies, and the sizes of batches and chunks\n", text, StringComparison.Ordinal);
        Assert.DoesNotContain("bulk-execute", text, StringComparison.Ordinal);
        Assert.DoesNotContain("rows-per-batch", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("decides strategy, rows-per-batch", "strategy", "rows-per-batch")]
    [InlineData("has nothing that applies here")]
    public void A_profile_is_named_with_what_it_decides(string what, params string[] decides)
    {
        using var written = new StringWriter();
        PlanText.Write(written, Samples.Plan with { Profile = Samples.Profile with { Decides = decides } }, isLong: false);

        Assert.Contains($"  profile       server.json, measured on 2026-11-21 20:30 UTC: {what}\n",
            written.ToString().ReplaceLineEndings("\n"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_new_table_is_shown_column_by_column_with_the_reasons()
    {
        using var written = new StringWriter();
        PlanText.Write(written, Samples.Plan with { NewTable = Samples.NewTable }, isLong: false);

        Assert.Contains(
            """

            new table
              id    int          not null  whole numbers from 1 to 300 (record 17); smallint would do
              name  varchar(50)  null      text such as 'Ada' (record 1); NULL in 2 of 40 records
              the types have room for larger values; --create=exact takes the narrower ones

            columns

            """,
            written.ToString().ReplaceLineEndings("\n"),
            StringComparison.Ordinal);
    }
}
