using System.CommandLine;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Tests.Cli;
using BulkLoad.Tests.Cli.Output;

namespace BulkLoad.Tests.Architecture;

/// <summary>
/// Makes docs/cli.md and docs/cli-json.md from the definitions of the commands and from what the program writes. The words around that are
/// in the folder Templates.
/// </summary>
internal static class CliDocs
{
    private const string Made = "<!-- Made by tests/BulkLoad.Tests/Architecture/CliDocs.cs: change it there. -->";

    public static string CommandLine()
    {
        var root = Root();
        var details = new StringBuilder();
        foreach (var command in
                root.Subcommands.SelectMany(command => command is JobCommand ? [command] : command.Subcommands.Prepend(command)))
        {
            Describe(details, command);
        }

        var commands = root.Subcommands.Where(command => !command.Hidden)
            .Select(command => $"- [`{command.Name}`](#{ThisProgram.Name}-{command.Name}): {command.Description}");
        var exits = ExitCodes.All.Select(exit => $"| {(int)exit.Code} | {exit.Meaning} |");
        return Template.Fill(
            "cli.md", ("made", Made), ("usage", HelpText.Usage(root)), ("commands", string.Join('\n', commands)),
            ("details", details.ToString()), ("exit-codes", string.Join('\n', exits)));
    }

    /// <summary>The texts of <c>bulkload help CODE</c>.</summary>
    public static string Codes()
    {
        var text = new StringBuilder();
        foreach (var (title, codes) in HelpCodes.Groups)
        {
            text.Append($"\n## {title}\n");
            foreach (var code in codes)
            {
                text.Append($"\n### {code.Code}\n\n{code.Means}\n\n- Example: {Plain(code.Example)}\n- What to do: {Plain(code.ToDo)}\n");
            }
        }

        return Template.Fill("codes.md", ("made", Made), ("codes", text.ToString().TrimEnd()));
    }

    /// <summary>Signs of Markdown are shown as they are.</summary>
    private static string Plain(string text) =>
        string.Concat(text.Select(letter => letter is '\\' or '*' or '_' or '[' or ']' or '<' or '`' ? $"\\{letter}" : $"{letter}"));

    public static string Json()
    {
        var report = JsonTests.ReportJsonOf(Samples.Report, ExitCode.Done);
        var plan = JsonTests.PlanJsonOf(Samples.Plan);
        var bench = BenchOutputTests.JsonOf(BenchOutputTests.Report);
        var text = Template.Fill("cli-json.md", ("made", Made), ("report", report), ("plan", plan), ("bench", bench),
            ("doctor", DoctorOutputTests.JsonOf(DoctorOutputTests.Report)));
        return text.ReplaceLineEndings("\n")
            .Replace($"\"program\": \"{ThisProgram.Version}\"", "\"program\": \"N.N.N\"", StringComparison.Ordinal);
    }

    /// <param name="words">the command line; empty: all commands are made</param>
    internal static BulkLoadCommand Root(params string[] words)
    {
        var host = new HostEnvironment { Output = TextWriter.Null, Error = TextWriter.Null, Files = new FakeFiles() };
        var messages = new Messages(host);
        return new BulkLoadCommand(
            new CommandContext(host, JobSteps.OfCore, messages, new StopSignals(messages.Line, _ => { })) { Words = words });
    }

    private static void Describe(StringBuilder text, Command described)
    {
        text.Append($"## {described.Path()}\n\n{described.Description}\n\n    {HelpText.Usage(described)}\n\n");
        if (described is not JobCommand command)
        {
            return;
        }

        foreach (var argument in command.Arguments)
        {
            text.Append($"{argument.Name}: {argument.Description}\n\n");
        }

        foreach (var group in command.Groups)
        {
            text.Append($"### {group.Title}\n\n| option | meaning |\n| --- | --- |\n");
            foreach (var option in group.Options.Where(option => !option.Hidden))
            {
                text.Append($"| `{HelpText.Names(option).Trim()}` | {Escaped(option.Description)}{OtherNames(option)} |\n");
            }

            text.Append('\n');
        }

        text.Append("### Examples\n\n");
        foreach (var (line, does) in command.Examples)
        {
            text.Append($"- `{line}`: {does}\n");
        }

        text.Append('\n');
    }

    private static string OtherNames(Option option)
    {
        var names = option.Aliases.Where(alias => alias.StartsWith("--", StringComparison.Ordinal)).Select(alias => $"`{alias}`").ToList();
        return names.Count == 0 ? "" : $"; also {string.Join(", ", names)}";
    }

    private static string Escaped(string? description) =>
        (description ?? "").Replace("|", "\\|", StringComparison.Ordinal).Replace("\\N", "`\\N`", StringComparison.Ordinal)
            .Replace("\\t", "`\\t`", StringComparison.Ordinal);
}
