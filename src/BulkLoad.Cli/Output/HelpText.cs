using System.CommandLine;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Options;

namespace BulkLoad.Cli.Output;

/// <summary>The text of <c>--help</c>: options under the headings of their groups, examples, exit codes.</summary>
internal static class HelpText
{
    private const int Width = 100;
    private const int Left = 34;

    public static void Write(TextWriter to, Command command)
    {
        foreach (var line in Wrapped(command.Description ?? "", Width))
        {
            to.WriteLine(line);
        }

        to.WriteLine();
        to.WriteLine($"Usage: {Usage(command)}");
        if (command is JobCommand job)
        {
            if (command.Arguments.Count > 0)
            {
                Section(to, command is FileCommand or StrategiesBenchCommand ? "Files" : "Words", command.Arguments.Select(argument => (argument.Name, argument.Description ?? "")));
            }

            foreach (var group in job.Groups)
            {
                Section(to, group.Title, group.Options.Where(option => !option.Hidden).Select(Row));
            }
        }
        else
        {
            Section(to, "Commands", command.Subcommands.Select(sub => (sub.Name, sub.Description ?? "")));
        }

        Section(to, "General", General(command).Select(Row));
        if (command is JobCommand { Examples: var examples })
        {
            to.WriteLine();
            to.WriteLine("Examples");
            foreach (var (line, does) in examples)
            {
                to.WriteLine($"  {line}");
                to.WriteLine($"      {does}");
            }

            Section(to, "Exit codes", ExitCodes.All.Select(exit => ($"{(int)exit.Code}", exit.Meaning)));
            to.WriteLine();
            to.WriteLine("SIZE takes k, M, G (1000) and Ki, Mi, Gi (1024). Connection settings come from, nearest first:");
            to.WriteLine("command line, BULKLOAD_URL=mysql://user:pass@host:port/db, login path, option files ([client],");
            to.WriteLine("then [bulkload]), MYSQL_HOST, MYSQL_TCP_PORT, MYSQL_UNIX_PORT, MYSQL_PWD.");
        }
        else
        {
            to.WriteLine();
            to.WriteLine($"'{Path(command)} COMMAND --help' describes a command.");
        }
    }

    internal static string Usage(Command command) => command switch
    {
        JobCommand { Words: "" } => $"{Path(command)} [options]",
        JobCommand job => $"{Path(command)} {job.Words} [options]",
        _ => $"{Path(command)} COMMAND [options]",
    };

    /// <summary>The words that name the command, the program's first.</summary>
    internal static string Path(Command command) => command switch
    {
        BulkLoadCommand => BulkLoadCommand.ProgramName,
        _ when command.Parents.OfType<Command>().FirstOrDefault() is { } parent => $"{Path(parent)} {command.Name}",
        _ => $"{BulkLoadCommand.ProgramName} {command.Name}",
    };

    /// <summary><c>-P, --port N</c>; names that only other tools use are left to the documentation.</summary>
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

    private static IEnumerable<Option> General(Command command) => command is BulkLoadCommand
        ? command.Options
        : CommandLineWords.Inherited(command);

    private static (string, string) Row(Option option) => (Names(option), option.Description ?? "");

    private static void Section(TextWriter to, string heading, IEnumerable<(string Name, string Description)> rows)
    {
        to.WriteLine();
        to.WriteLine(heading);
        foreach (var (name, description) in rows)
        {
            var lines = Wrapped(description, Width - Left);
            var first = $"  {name}";
            var starts = 0;
            if (first.Length + 2 <= Left)
            {
                first = first.PadRight(Left) + lines[0];
                starts = 1;
            }

            to.WriteLine(first);
            foreach (var line in lines.Skip(starts))
            {
                to.WriteLine(new string(' ', Left) + line);
            }
        }
    }

    private static List<string> Wrapped(string text, int width)
    {
        List<string> lines = [];
        var line = "";
        foreach (var word in text.Split(' '))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > width)
            {
                lines.Add(line);
                line = "";
            }

            line = line.Length == 0 ? word : $"{line} {word}";
        }

        lines.Add(line);
        return lines;
    }
}
