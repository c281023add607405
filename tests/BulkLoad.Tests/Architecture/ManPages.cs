using System.CommandLine;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Options;

namespace BulkLoad.Tests.Architecture;

/// <summary>Makes the man pages from the definitions of the commands: a page for the program, and one for each command (man-pages(7),
/// groff_man(7)).</summary>
internal static class ManPages
{
    private const string Made = ".\\\" Made by tests/BulkLoad.Tests/Architecture/ManPages.cs: change it there.";

    /// <summary>The topics of the help that belong into the page of the program; exit codes have their own section.</summary>
    private static readonly string[] Topics = ["connection", "formats", "values"];

    /// <summary>The pages by their file names.</summary>
    public static IReadOnlyDictionary<string, string> All()
    {
        var root = CliDocs.Root();
        var pages = new Dictionary<string, string>(StringComparer.Ordinal) { [$"{NameOf(root)}.1"] = OfProgram(root) };
        foreach (var command in Below(root))
        {
            pages.Add($"{NameOf(command)}.1", OfCommand(command));
        }

        return pages;
    }

    private static IEnumerable<Command> Below(Command command) =>
        command.Subcommands.Where(sub => !sub.Hidden).SelectMany(sub => Below(sub).Prepend(sub));

    private static string OfProgram(Command root)
    {
        var page = Begin(root);
        page.Append(".SH COMMANDS\n");
        foreach (var command in Below(root))
        {
            Item(page, Bold(command.Path()), command.Description ?? "");
        }

        page.Append(".SH OPTIONS\n");
        Options(page, root.Options);
        foreach (var topic in HelpTopics.All.Where(topic => Topics.Contains(topic.Name)))
        {
            page.Append($".SH {topic.Name.ToUpperInvariant()}\n");
            Lines(page, topic.Lines);
        }

        ExitStatus(page);
        page.Append(".SH ENVIRONMENT\n");
        Item(page, Bold("BULKLOAD_URL"), "the connection, as mysql://user:password@host:port/database");
        Item(page, $"{Bold("MYSQL_HOST")}, {Bold("MYSQL_TCP_PORT")}, {Bold("MYSQL_UNIX_PORT")}, {Bold("MYSQL_PWD")}",
            "where to connect, as for the clients of MySQL");
        Item(page, Bold("NO_COLOR"), "if it is not empty, messages have no color");
        Item(page, Bold("XDG_CACHE_HOME"), "the folder for names of tables that completion offers; else ~/.cache");
        page.Append(".SH FILES\n");
        Item(page, $"{Bold("/etc/my.cnf")}, {Bold("/etc/mysql/my.cnf")}, {Bold("~/.my.cnf")}",
            "option files: the groups [client] and [bulkload]");
        Item(page, Bold("~/.mylogin.cnf"), "the login path file of mysql_config_editor");
        SeeAlso(page, Below(root).Select(NameOf));
        return page.ToString();
    }

    private static string OfCommand(Command command)
    {
        var page = Begin(command);
        foreach (var argument in command.Arguments)
        {
            Item(page, Italic(argument.Name), argument.Description ?? "");
        }

        if (command.Subcommands.Count > 0)
        {
            page.Append(".SH COMMANDS\n");
            foreach (var sub in command.Subcommands)
            {
                Item(page, Bold(sub.Path()), sub.Description ?? "");
            }
        }

        page.Append(".SH OPTIONS\n");
        if (command is JobCommand job)
        {
            foreach (var group in job.Groups)
            {
                page.Append($".SS {Escaped(group.Title)}\n");
                Options(page, group.Options);
            }

            page.Append(".SS General\n");
        }

        Options(page, command.Inherited());
        ExitStatus(page);
        if (command is JobCommand { Examples.Count: > 0 } shown)
        {
            page.Append(".SH EXAMPLES\n");
            foreach (var (line, does) in shown.Examples)
            {
                page.Append($".TP\n{Escaped(line)}\n{Text(does)}\n");
            }
        }

        SeeAlso(page, Below(command).Select(NameOf).Prepend(NameOf(command.Parents.OfType<Command>().First())));
        return page.ToString();
    }

    private static StringBuilder Begin(Command command)
    {
        var name = NameOf(command);
        var page = new StringBuilder($"{Made}\n.TH {Escaped(name.ToUpperInvariant())} 1 \"\" bulkload \"User Commands\"\n.nh\n.ad l\n");
        page.Append($".SH NAME\n{Escaped(name)} \\- {Escaped(InNameLine(command.Description ?? ""))}\n");
        var usage = HelpText.Usage(command);
        var path = command.Path();
        page.Append($".SH SYNOPSIS\n.B {Escaped(path)}\n{Text(usage[path.Length..].Trim())}\n");
        page.Append($".SH DESCRIPTION\n{Text(command.Description ?? "")}\n");
        return page;
    }

    private static void Options(StringBuilder page, IEnumerable<Option> options)
    {
        foreach (var option in options.Where(option => !option.Hidden))
        {
            var names = option.Aliases.Where(alias => !alias.StartsWith("--", StringComparison.Ordinal)).Append(option.Name).Concat(
                option.Aliases.Where(alias => alias.StartsWith("--", StringComparison.Ordinal)));
            var value = option.HelpName is { } help ? option.Arity.MinimumNumberOfValues == 0 ? $"[={Italic(help)}]" : $" {Italic(help)}"
                : "";
            Item(page, $"{string.Join(", ", names.Select(Bold))}{value}", option.Description ?? "");
        }
    }

    private static void ExitStatus(StringBuilder page)
    {
        page.Append(".SH EXIT STATUS\n");
        foreach (var (code, meaning) in ExitCodes.All)
        {
            Item(page, Bold($"{(int)code}"), meaning);
        }
    }

    private static void SeeAlso(StringBuilder page, IEnumerable<string> names) =>
        page.Append($".SH SEE ALSO\n{string.Join(",\n", names.Select(name => $".BR {Escaped(name)} (1)"))}\n".Replace(
            "(1),", "(1) ,", StringComparison.Ordinal));

    /// <summary>A topic's text: each line is a paragraph; of one that begins with blanks, a name and behind more blanks what it
    /// means.</summary>
    private static void Lines(StringBuilder page, IReadOnlyList<string> lines)
    {
        foreach (var line in lines.Where(line => line.Length > 0))
        {
            // A name as wide as its column has one blank behind it.
            var text = line.Trim();
            var parts = text.Split(text.Contains("  ", StringComparison.Ordinal) ? "  " : " ", 2, StringSplitOptions.TrimEntries);
            if (line[0] != ' ')
            {
                page.Append($".PP\n{Text(line)}\n");
            }
            else
            {
                Item(page, Text(parts[0]), parts.ElementAtOrDefault(1) ?? "");
            }
        }
    }

    private static void Item(StringBuilder page, string tag, string text) => page.Append($".TP\n{tag}\n{Text(text)}\n");

    private static string NameOf(Command command) => command.Path().Replace(' ', '-');

    /// <summary>As apropos shows it: a phrase without an end.</summary>
    private static string InNameLine(string description)
    {
        var text = description.Split(". ")[0].TrimEnd('.');
        return text.Length > 1 && char.IsUpper(text[0]) && char.IsLower(text[1]) ? char.ToLowerInvariant(text[0]) + text[1..] : text;
    }

    private static string Bold(string text) => $"\\fB{Escaped(text)}\\fR";

    private static string Italic(string text) => $"\\fI{Escaped(text)}\\fR";

    /// <summary>A line of text, which no first letter makes a request.</summary>
    private static string Text(string text) => Escaped(text) is var escaped && escaped.StartsWith('.') ? $"\\&{escaped}" : escaped;

    /// <summary>What roff would read or print as something else (groff_char(7)); the page itself is ASCII.</summary>
    private static string Escaped(string text)
    {
        var escaped = new StringBuilder();
        foreach (var rune in text.EnumerateRunes())
        {
            escaped.Append(rune.Value switch
            {
                '\\' => "\\(rs",
                '-' => "\\-",
                '\'' => "\\(aq",
                '"' => "\\(dq",
                '`' => "\\(ga",
                '^' => "\\(ha",
                '~' => "\\(ti",
                > 126 => $"\\[u{rune.Value:X4}]",
                var plain => $"{(char)plain}",
            });
        }

        return escaped.ToString();
    }
}
