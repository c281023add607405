using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

internal static class HelpText
{
    private const int MaxExamples = 5;

    /// <summary>Minimum of columns for a description beside the names; with less room, it goes below them.</summary>
    private const int MinColumnsBeside = 70;

    /// <summary>Limit of the options in the short help.</summary>
    private const int MaxOptions = 17;

    /// <param name="width">columns of a line</param>
    /// <param name="isWhole">whether all options and examples are shown; otherwise those that most people need</param>
    public static void Write(TextWriter to, Command command, int width, bool isWhole = false)
    {
        foreach (var line in LineWrap.Paragraph(command.Description ?? "", width))
        {
            to.WriteLine(line);
        }

        to.WriteLine();
        to.WriteLine($"Usage: {Usage(command)}");
        if (command is JobCommand job)
        {
            Examples(to, isWhole ? job.Examples : [.. job.Examples.Take(MaxExamples)], width);
            if (command.Subcommands.Count > 0)
            {
                Section(to, "Commands", command.Subcommands.Select(sub => ($"{command.Name} {sub.Name}", sub.Description ?? "")), width);
            }

            if (command.Arguments.Count > 0)
            {
                Section(to, command.Arguments is [{ Name: "FILE" }] ? "Files" : "Words",
                    command.Arguments.Select(argument => (argument.Name, argument.Description ?? "")), width);
            }

            var all = job.Groups.SelectMany(group => group.Options).Where(option => !option.Hidden).ToList();
            if (isWhole || all.Count <= MaxOptions)
            {
                foreach (var group in job.Groups)
                {
                    Section(to, group.Title, group.Options.Where(option => !option.Hidden).Select(Row), width);
                }

                Section(to, "General", General(command).Select(Row), width);
                if (all.Count > 0)
                {
                    Section(to, "Exit codes", ExitCodes.All.Select(exit => ($"{(int)exit.Code}", exit.Meaning)), width);
                }
            }
            else
            {
                var shown = all.Where(option => option.Notes().Place is not null).OrderBy(option => option.Notes().Place).Take(MaxOptions);
                Section(to, $"Options that people use, of {all.Count}",
                    shown.Select(option => (Names(option), option.Notes().Summary ?? Short(option.Description ?? ""))), width);
            }

            to.WriteLine();
            if (!isWhole && all.Count > MaxOptions)
            {
                to.WriteLine($"All options: {command.Path()} --help-all");
            }

            if (job.Hint is { } hint)
            {
                LineWrap.Paragraph(hint, width).ForEach(to.WriteLine);
            }

            LineWrap.Paragraph("More: bulkload help connection | formats | values | preview | exit-codes", width).ForEach(to.WriteLine);
        }
        else
        {
            Section(to, "Commands", command.Subcommands.Select(sub => (sub.Name, sub.Description ?? "")), width);
            Section(to, "General", General(command).Select(Row), width);
            to.WriteLine();
            to.WriteLine($"'{command.Path()} COMMAND --help' describes a command.");
        }
    }

    internal static string Usage(Command command) => command switch
    {
        JobCommand { Words: "" } => $"{command.Path()} [options]",
        JobCommand job => $"{command.Path()} {job.Words} [options]",
        _ => $"{command.Path()} COMMAND [options]",
    };

    /// <summary><c>-P, --port N</c>; names of other tools are left to the documentation.</summary>
    internal static string Names(Option option)
    {
        var shortName = option.Aliases.FirstOrDefault(alias => !alias.StartsWith("--", StringComparison.Ordinal));
        var names = shortName is null ? $"    {option.Name}" : $"{shortName}, {option.Name}";
        return option.HelpName switch
        {
            null => names,
            var value when option.Arity.MinimumNumberOfValues == 0 => $"{names}[={value}]",
            var value => $"{names} {value}",
        };
    }

    private static IEnumerable<Option> General(Command command) => command.Name == ThisProgram.Name
        ? command.Options
        : command.Inherited();

    /// <summary>A description's first part, up to a semicolon or the end of a sentence.</summary>
    private static string Short(string description)
    {
        var depth = 0;
        for (var i = 0; i + 1 < description.Length; i++)
        {
            depth += description[i] == '(' ? 1 : description[i] == ')' ? -1 : 0;
            if (depth == 0 && description[i + 1] == ' ' && (description[i] == ';' || (description[i] == '.' && description[i - 1] != '.')))
            {
                return description[..i];
            }
        }

        return description;
    }

    private static (string, string) Row(Option option) => (Names(option), option.Description ?? "");

    private static void Examples(TextWriter to, IReadOnlyList<(string Line, string Does)> examples, int width)
    {
        to.WriteLine();
        to.WriteLine("Examples");
        foreach (var (line, does) in examples)
        {
            to.WriteLine($"  {line}");
            foreach (var part in LineWrap.Paragraph(does, width - 6))
            {
                to.WriteLine($"      {part}");
            }
        }
    }

    internal static void Section(TextWriter to, string heading, IEnumerable<(string Name, string Description)> rows, int width)
    {
        to.WriteLine();
        to.WriteLine(heading);
        var all = rows.ToList();
        var left = width < MinColumnsBeside ? 8 : Math.Min(34, all.Select(row => row.Name.Length + 4).DefaultIfEmpty(0).Max());
        foreach (var (name, description) in all)
        {
            var lines = LineWrap.Paragraph(description, width - left);
            var first = $"  {name}";
            var starts = 0;
            if (first.Length + 2 <= left)
            {
                first = first.PadRight(left) + lines[0];
                starts = 1;
            }

            to.WriteLine(first);
            foreach (var line in lines.Skip(starts))
            {
                to.WriteLine(new string(' ', left) + line);
            }
        }
    }
}
