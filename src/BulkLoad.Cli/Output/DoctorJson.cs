using BulkLoad.Cli.Connecting;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>A diagnosis for machines; docs/cli-json.md has the form.</summary>
internal static class DoctorJson
{
    public const string Kind = "bulkload-doctor";

    public static void Write(TextWriter to, DoctorReport report, IReadOnlyList<SettingOrigin> settings, ExitCode code) =>
        JsonWords.Document(to, Kind, json =>
    {
        json.WriteNumber("exitCode", (int)code);
        ReportJson.Failure(json, report.Failure);
        json.Objects("settings", settings, setting =>
        {
            json.WriteString("name", setting.Name);
            json.WriteString("value", setting.Value);
            json.WriteString("origin", setting.Origin);
        });
        if (report.Server is { } server)
        {
            json.Server(server);
        }
        else
        {
            json.WriteNull("server");
        }

        json.WriteString("account", report.Account);
        json.WriteString("database", report.Database);
        json.WriteString("table", report.Table);
        json.Objects("findings", report.Findings, finding =>
        {
            json.WriteString("section", finding.Section);
            json.WriteString("name", finding.Name);
            json.WriteString("state", DoctorText.WordOf(finding.State));
            json.WriteString("text", finding.Text);
            json.WriteString("fix", finding.Fix);
        });
        json.Objects("strategies", report.Strategies, strategy =>
        {
            json.WriteString("command", strategy.Command);
            json.WriteString("strategy", strategy.Strategy);
            json.WriteBoolean("chosen", strategy.IsChosen);
            json.WriteBoolean("fit", strategy.IsFit);
            json.WriteString("reason", strategy.Reason);
            json.WriteString("unlock", strategy.Unlock);
        });
    });
}
