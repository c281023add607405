using BulkLoad.Core.Diagnosis;
using BulkLoad.Core.Reports;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;

namespace BulkLoad.Tests.Diagnosis;

public sealed class RightFindingsTests
{
    private const string Account = "o'neil@a@10.0.%";

    private static ProbedRight Right(string name, RightState state) => new(name, state, "");

    [Fact]
    public void A_database_without_any_table_to_insert_into_is_a_problem()
    {
        var finding = Assert.Single(RightFindings.OfDatabase("shop", Account, [Right("INSERT", RightState.Missing)], (3, 0)));
        Assert.Equal(FindingState.Problem, finding.State);
        Assert.Contains("each of the 3 tables that this account sees", finding.Text, StringComparison.Ordinal);
        Assert.Equal(@"GRANT INSERT ON `shop`.* TO 'o\'neil@a'@'10.0.%'", finding.Fix);
    }

    [Fact]
    public void Rights_on_single_tables_are_a_note() =>
        Assert.Equal(FindingState.Note, Assert.Single(
            RightFindings.OfDatabase("shop", Account, [Right("INSERT", RightState.Missing)], (3, 1))).State);

    [Theory]
    [InlineData("Held", nameof(FindingState.Ok), false)]
    [InlineData("Missing", nameof(FindingState.Note), true)]
    [InlineData("Unknown", nameof(FindingState.Note), false)]
    public void Another_right_is_never_a_problem(string held, string state, bool hasFix)
    {
        var right = Enum.Parse<RightState>(held);
        var finding = Assert.Single(RightFindings.OfDatabase("shop", Account, [Right("CREATE TEMPORARY TABLES", right)], default));
        Assert.Equal(("temporary-tables", Enum.Parse<FindingState>(state), hasFix), (finding.Name, finding.State, finding.Fix is not null));
    }

    [Fact]
    public void A_table_that_takes_no_row_is_a_problem_and_one_with_rights_on_columns_is_not()
    {
        var table = TestFacts.Of(TestFacts.MySql).Table;
        var none = table with { Columns = [.. table.Columns.Select(column => column with { CanInsert = false })] };
        Assert.Equal(
            FindingState.Problem, Assert.Single(RightFindings.OfTable(none, Account, [Right("INSERT", RightState.Missing)])).State);
        var some = table with { Columns = [table.Columns[0], .. none.Columns.Skip(1)] };
        var finding = Assert.Single(RightFindings.OfTable(some, Account, [Right("INSERT", RightState.Missing)]));
        Assert.Equal(FindingState.Note, finding.State);
        Assert.StartsWith($"only on columns: {table.Columns[0].Name} (", finding.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_ledger_that_cannot_be_made_is_a_problem()
    {
        var held = new[] { "SELECT", "INSERT", "UPDATE", "DELETE" }.Select(name => Right(name, RightState.Held)).ToArray();
        var finding = RightFindings.OfLedger("shop", Account, exists: false, held, Right("CREATE", RightState.Missing));
        Assert.Equal(FindingState.Problem, finding.State);
        Assert.Contains("--no-ledger", finding.Fix, StringComparison.Ordinal);
        Assert.Equal(FindingState.Ok, RightFindings.OfLedger("shop", Account, exists: true, held, null).State);
        Assert.Equal(
            FindingState.Note, RightFindings.OfLedger("shop", Account, exists: true, [Right("UPDATE", RightState.Unknown)], null).State);
    }

    /// <summary>Some engines drop a table that is not there without an error (Mroonga of MariaDB 10.11).</summary>
    [Fact]
    public async Task A_statement_that_was_meant_to_fail_and_does_not_shows_the_right()
    {
        var rights = await new RightProbe(new RecordingSession(), "shop").OfTablesAsync("t", TestContext.Current.CancellationToken);
        Assert.Equal(["CREATE", "CREATE TEMPORARY TABLES", "ALTER", "DROP"], rights.Select(right => right.Right));
        Assert.All(rights, right => Assert.Equal(RightState.Held, right.State));
    }
}
