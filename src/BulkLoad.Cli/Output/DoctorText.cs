using BulkLoad.Cli.Connecting;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

internal static class DoctorText
{
    private const int MarkWidth = 9;

    /// <summary>Minimum of columns for a text beside its name; with less room, the text goes below.</summary>
    private const int MinColumnsBeside = 40;

    public static void Write(TextWriter to, DoctorReport report, IReadOnlyList<SettingOrigin> settings, int width)
    {
        to.WriteLine("connection");
        var names = settings.Max(setting => setting.Name.Length);
        var values = settings.Max(setting => TextWidth.Of(setting.Value));
        foreach (var setting in settings)
        {
            var line = $"  {setting.Name.PadRight(names)}  {TextWidth.PadRight(setting.Value, values)}  {setting.Origin}";
            to.WriteLine(TextWidth.Of(line) <= width ? line
                : $"  {setting.Name.PadRight(names)}  {setting.Value}\n{new string(' ', names + 6)}{setting.Origin}");
        }

        foreach (var section in report.Findings.GroupBy(finding => finding.Section))
        {
            to.WriteLine();
            to.WriteLine(section.Key);
            var longest = section.Max(finding => finding.Name.Length);
            foreach (var finding in section)
            {
                Row(to, JsonOutput.WordOf(finding.State), finding.Name, finding.Text, finding.Fix, longest, width);
            }
        }

        var strategies = report.Strategies.Select(strategy => strategy.Strategy.Length).DefaultIfEmpty().Max();
        foreach (var command in report.Strategies.GroupBy(strategy => strategy.Command))
        {
            to.WriteLine();
            to.WriteLine($"strategies of {command.Key}");
            foreach (var strategy in command)
            {
                var mark = strategy.IsChosen ? "chosen" : strategy.IsFit ? "fit" : "unfit";
                Row(to, mark, strategy.Strategy, strategy.Reason, strategy.Unlock, strategies, width);
            }
        }

        to.WriteLine();
        LineWrap.Paragraph(Summary(report), width).ForEach(to.WriteLine);
        if (report is { Failure: not null, Server: null })
        {
            LineWrap.Paragraph("change what is wrong above where it comes from, or name the server here:", width).ForEach(to.WriteLine);
            to.WriteLine($"  {ThisProgram.Name} doctor mysql://USER@HOST:PORT/DATABASE -p");
        }
    }

    private static string Summary(DoctorReport report)
    {
        if (report.Failure is not null)
        {
            return report.Server is null ? "no connection" : "the diagnosis ended early";
        }

        var notes = report.Findings.Count(finding => finding.State == FindingState.Note);
        var problems = report.Findings.Count(finding => finding.State == FindingState.Problem);
        var where = report.Table ?? report.Database ?? "this server";
        return problems > 0
            ? $"{Amounts.Count(problems, "problem")}, {Amounts.Count(notes, "note")}: "
                + $"an import into {where} with default settings would be refused"
            : $"no problem, {Amounts.Count(notes, "note")}: bulkload can import into {where}";
    }

    private static void Row(TextWriter to, string mark, string name, string text, string? fix, int names, int width)
    {
        var indent = 2 + MarkWidth + names + 2;
        var first = $"  {mark.PadRight(MarkWidth)}{name.PadRight(names)}  ";
        if (width - indent < MinColumnsBeside)
        {
            to.WriteLine(first.TrimEnd());
            (indent, first) = (4, "    ");
        }

        foreach (var line in text.Split('\n').SelectMany(line => LineWrap.Paragraph(line.Trim(), width - indent)))
        {
            to.WriteLine(first + line);
            first = new string(' ', indent);
        }

        if (fix is not null)
        {
            // The user copies it: only the terminal itself breaks the line.
            to.WriteLine($"{first}-> {fix}");
        }
    }
}

/// <summary>A diagnosis for machines; docs/cli-json.md has the form.</summary>
internal static class DoctorJson
{
    public const string Kind = "bulkload-doctor";

    public static void Write(TextWriter to, DoctorReport report, IReadOnlyList<SettingOrigin> settings, ExitCode code) =>
        JsonOutput.Document(to, Kind, json =>
    {
        json.WriteNumber("exitCode", (int)code);
        ReportJson.Failure(json, report.Failure);
        json.Value("settings", settings);
        json.Value("server", report.Server);
        json.WriteString("account", report.Account);
        json.WriteString("database", report.Database);
        json.WriteString("table", report.Table);
        json.Value("findings", report.Findings);
        json.Value("strategies", report.Strategies);
    });
}
