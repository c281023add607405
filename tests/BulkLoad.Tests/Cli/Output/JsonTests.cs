using System.Text.Json;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli.Output;

/// <summary>The forms that other programs read: docs/cli-json.md has whole examples, and DocsAreCurrentTests keeps them.</summary>
public sealed class JsonTests
{
    [Fact]
    public void A_failure_is_told_with_its_kind_and_the_servers_number()
    {
        using var json = JsonDocument.Parse(ReportJsonOf(Samples.Failed(new ServerException(1205, "HY000", "too long")), ExitCode.Failed));
        var root = json.RootElement;

        Assert.Equal("failed", root.GetProperty("outcome").GetString());
        Assert.Equal(1, root.GetProperty("exitCode").GetInt32());
        Assert.Equal(
            """{"kind":"server","message":"too long (error 1205, SQLSTATE HY000)","serverError":1205,"sqlState":"HY000","state":null,"waysOn":[]}""",
            JsonSerializer.Serialize(root.GetProperty("failure")));
        Assert.Equal(
            """{"read":1000000,"inserted":600000,"updated":0,"unchanged":0,"ignored":0,"deleted":0,"deletedRows":0,"matchedRows":0,"changedRows":0,"superseded":0,"notFound":0,"accepted":0,"undecided":0,"verified":0,"rejected":1,"notCommitted":399999}""",
            JsonSerializer.Serialize(root.GetProperty("counts")));
    }

    [Fact]
    public void A_check_tells_why_only_the_server_can_judge_and_has_no_strategy()
    {
        using var json = JsonDocument.Parse(ReportJsonOf(Samples.Checked, ExitCode.TooManyRejects));
        var root = json.RootElement;

        Assert.Equal(
            """[{"reason":"foreign-key","description":"the row that a foreign key refers to may be missing","records":399998}]""",
            JsonSerializer.Serialize(root.GetProperty("undecidedByReason")));
        Assert.Equal(("check", JsonValueKind.Null),
            (root.GetProperty("plan").GetProperty("command").GetString(), root.GetProperty("plan").GetProperty("strategy").ValueKind));
    }

    [Fact]
    public void What_ended_before_a_plan_has_none()
    {
        var report = new LoadReport { Outcome = LoadOutcome.Failed, Failure = new ConnectException("x") };
        using var json = JsonDocument.Parse(ReportJsonOf(report, ExitCode.CannotConnect));

        Assert.Equal(JsonValueKind.Null, json.RootElement.GetProperty("plan").ValueKind);
        Assert.Equal("connect", json.RootElement.GetProperty("failure").GetProperty("kind").GetString());
    }

    [Fact]
    public void A_profile_is_told_with_what_it_decides()
    {
        using var json = JsonDocument.Parse(PlanJsonOf(Samples.Plan with { Profile = Samples.Profile }));

        Assert.Equal(
            """{"name":"server.json","serverVersion":"10.11.14","endpoint":"127.0.0.1:3306","measured":"2026-11-21T20:30:05+00:00","decides":["strategy"]}""",
            JsonSerializer.Serialize(json.RootElement.GetProperty("profile")).Replace("\\u002B", "+", StringComparison.Ordinal));
    }

    [Fact]
    public void A_new_table_is_told_with_every_decision_and_its_reason()
    {
        using var json = JsonDocument.Parse(PlanJsonOf(Samples.Plan with { NewTable = Samples.NewTable }));
        var table = json.RootElement.GetProperty("newTable");

        Assert.Equal(Samples.NewTable.Statement, table.GetProperty("statement").GetString());
        Assert.Equal((40, 0), (table.GetProperty("records").GetInt64(), table.GetProperty("passedOver").GetInt64()));
        Assert.Equal(
            """{"column":"id","type":"int","nullable":false,"reason":"whole numbers from 1 to 300 (record 17)","narrowest":"smallint"}""",
            JsonSerializer.Serialize(table.GetProperty("columns")[0]));
    }

    internal static string PlanJsonOf(LoadPlan plan)
    {
        using var text = new StringWriter();
        PlanJson.Write(text, plan);
        return text.ToString();
    }

    internal static string ReportJsonOf(LoadReport report, ExitCode code)
    {
        using var bytes = new MemoryStream();
        ReportJson.Write(bytes, report, code);
        return Encoding.UTF8.GetString(bytes.ToArray());
    }
}
