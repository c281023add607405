using System.CommandLine;

namespace BulkLoad.Cli.Commands;

internal sealed class HelpCommand : Command
{
    public const string Word = "help";

    public static readonly CommandEntry Entry = new(
        Word, "Show the help of a command, a topic, or the code of a reject.", (_, context) => new HelpCommand(context));

    private readonly Argument<string[]> _words = new("WORD")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = $"a command, such as import or 'seed init', or a topic: "
            + $"{string.Join(", ", HelpTopics.All.Select(topic => topic.Name))}, or the code of a reject, such as not-an-integer "
            + $"({HelpCodes.Word}: all of them)",
    };

    private HelpCommand(CommandContext context) : base(Entry.Word, Entry.Description)
    {
        Arguments.Add(_words);
        SetAction((words, _) =>
        {
            var typed = words.GetValue(_words) ?? [];
            context.Output.Print(to => Write(to, context, typed));
            return Task.FromResult((int)ExitCode.Done);
        });
    }

    /// <summary>Commands and topics.</summary>
    /// <param name="root">the program with all of its commands</param>
    public static IEnumerable<(string Word, string Meaning)> WordsOf(Command root) =>
        root.Subcommands.Where(sub => !sub.Hidden).Select(sub => (sub.Name, sub.Description ?? "")).Concat(
            HelpTopics.All.Select(topic => (topic.Name, ""))).Append((HelpCodes.Word, "the codes of rejects"))
                .Concat(HelpCodes.All.Select(code => (code.Code, code.Means)));

    private static void Write(TextWriter to, CommandContext context, string[] typed)
    {
        var width = context.Host.HelpWidth();
        if (typed is [var name] && HelpTopics.All.FirstOrDefault(topic => topic.Name == name) is { } found)
        {
            found.Write(to, width);
            return;
        }

        if (typed is [HelpCodes.Word])
        {
            HelpCodes.WriteList(to, width);
            return;
        }

        if (typed is [var code] && HelpCodes.Find(code) is { } reason)
        {
            reason.Write(to, width);
            return;
        }

        Command command = new BulkLoadCommand(context with { Words = typed });
        foreach (var word in typed)
        {
            command = command.Subcommands.FirstOrDefault(sub => sub.Name == word) ?? throw new RequestException(
                $"help: there is no command, topic or code '{string.Join(' ', typed)}'{Suggestions.Hint(word, NamesOf(command))}");
        }

        HelpText.Write(to, command, width);
        if (typed.Length == 0)
        {
            to.WriteLine($"Topics: bulkload help {string.Join(" | ", HelpTopics.All.Select(topic => topic.Name))} | {HelpCodes.Word}");
        }
    }

    /// <summary>Commands, topics and codes, to suggest one for an unknown word.</summary>
    private static IEnumerable<string> NamesOf(Command command) =>
    [
        .. command.Subcommands.Select(sub => sub.Name),
        .. HelpTopics.All.Select(topic => topic.Name),
        .. HelpCodes.All.Select(one => one.Code),
    ];
}
