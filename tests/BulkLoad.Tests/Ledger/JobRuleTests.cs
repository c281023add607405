using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Architecture;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Ledger;

/// <summary>What must be the same at each start of a job, and what can be done again.</summary>
public sealed class JobRuleTests
{
    private static readonly string[] Writing = ["import", "update", "delete"];

    /// <summary>Each option of the commands that write, once a command, with what it decides.</summary>
    private static (string Name, OptionRole Role)[] Declared() =>
    [
        .. CliDocs.Root().Subcommands.OfType<JobCommand>().Where(command => Writing.Contains(command.Name))
            .SelectMany(command => command.Groups).SelectMany(group => group.Options.Select(option => (option.Name, option.Notes().Role))),
    ];

    [Fact]
    public void Every_rule_is_kept_in_the_job_or_is_resolved_into_one_that_is() => Assert.Equal(
        Declared().Where(option => option.Role == OptionRole.Rule).Select(option => option.Name).Distinct().Order(StringComparer.Ordinal),
        JobRules.Names.Concat(JobRules.ResolvedElsewhere).Order(StringComparer.Ordinal));

    [Fact]
    public void Every_option_of_a_command_that_writes_is_a_rule_a_way_or_tells_which_job_it_is()
    {
        Assert.True(Declared().Length > 200, "the options are found");
        Assert.DoesNotContain(Declared(), option => option.Role == OptionRole.None);
    }

    [Fact]
    public void An_option_is_the_same_to_every_command_that_writes() => Assert.DoesNotContain(
        Declared().GroupBy(option => option.Name), options => options.Distinct().Count() > 1);

    [Fact]
    public void The_first_rule_that_differs_is_named_with_what_it_was()
    {
        var before = new Dictionary<string, string> { ["--time-zone"] = "UTC", ["--trim"] = "on" };
        Assert.Null(JobRules.FindDifference(before, new Dictionary<string, string>(before)));
        Assert.Equal("with --time-zone UTC, and this run is with --time-zone +02:00",
            JobRules.FindDifference(before, new Dictionary<string, string>(before) { ["--time-zone"] = "+02:00" }));
        Assert.Null(JobRules.FindDifference(new Dictionary<string, string>(before) { ["--type"] = "name=CHAR(3)" }, before));
        Assert.Equal("without --type, and this run is with --type name=CHAR(3)",
            JobRules.FindDifference(before, new Dictionary<string, string>(before) { ["--type"] = "name=CHAR(3)" }));
        Assert.Equal("with --trim, and this run is without --trim",
            JobRules.FindDifference(before, new Dictionary<string, string> { ["--time-zone"] = "UTC" }));
    }

    [Theory]
    [InlineData("name", true)]
    [InlineData("concat(`name`, 'x')", true)]
    [InlineData("upper(NAME)", true)]
    [InlineData("'name'", false)]
    [InlineData("names", false)]
    [InlineData("@name", false)]
    [InlineData("name(1)", false)]
    [InlineData("'it''s' || name", true)]
    public void A_column_is_read_where_its_name_stands_as_a_word(string expression, bool isRead) =>
        Assert.Equal(isRead, SqlExpression.Mentions(expression, "name"));

    [Theory]
    [InlineData("shop_test", true)]
    [InlineData("ci", true)]
    [InlineData("shopDev2", true)]
    [InlineData("local-shop", true)]
    [InlineData("SHOPSeed", true)]
    [InlineData("latest", false)]
    [InlineData("city", false)]
    [InlineData("devices", false)]
    [InlineData("", false)]
    public void A_database_is_for_tests_where_a_word_of_its_name_says_so(string name, bool isForTests)
    {
        Assert.Equal(isForTests, DatabaseGuard.FindObstacle("--truncate", name, null) is null);
        Assert.Null(DatabaseGuard.FindObstacle("--truncate", name, name));
    }

    [Theory]
    [InlineData("KEY `b` (`a`)", true)]
    [InlineData("KEY `b` (`a`(3) DESC,`c`) USING BTREE COMMENT 'it''s, \\\' (x)'", true)]
    [InlineData("KEY `b``, x` (`a`) /*!80000 INVISIBLE */", true)]
    [InlineData("KEY `b` (`a`), DROP COLUMN secret, ADD COLUMN pwned INT", false)]
    [InlineData("KEY `b` (`a`) COMMENT 'x', DROP COLUMN secret", false)]
    [InlineData("KEY `b` (`a`)) ENGINE=MEMORY -- ", false)]
    [InlineData("KEY `b` (`a`) /*!80000 INVISIBLE, DROP COLUMN c */", false)]
    [InlineData("UNIQUE KEY `b` (`a`)", false)]
    [InlineData("KEY `b` ((sleep(1)))", false)]
    [InlineData("KEY `b` (`a`);", false)]
    [InlineData("KEY `b` (`a`)\n", false)]
    public void Only_an_ordinary_index_passes_for_one(string definition, bool isIndex) =>
        Assert.Equal(isIndex, TableText.IsIndex(definition));

    [Theory]
    [InlineData(DuplicateMode.Update, true, "", true)]
    [InlineData(DuplicateMode.Update, true, "name", false)]
    [InlineData(DuplicateMode.Update, false, "", false)]
    [InlineData(DuplicateMode.Replace, true, "now()", true)]
    [InlineData(DuplicateMode.Error, true, "", false)]
    public void An_import_can_be_done_again_where_each_record_meets_its_row(
        DuplicateMode mode, bool hasKey, string expression, bool isIdempotent)
    {
        var columns = new[] { Columns.Integer("id").Required(), Columns.Varchar("name") };
        var facts = TestFacts.Of(TestFacts.MariaDb, columns) with
        {
            Request = TestFacts.Request with { OnDuplicate = mode },
            Table = Columns.Table(columns) with { UniqueKeys = hasKey ? [new UniqueKey("PRIMARY", [new KeyPart("id")])] : [] },
            Assignments = expression.Length == 0 ? [] : [new ColumnAssignment("name", expression)],
        };
        Assert.Equal(isIdempotent, RepeatRules.IsIdempotent(facts));
    }
}
