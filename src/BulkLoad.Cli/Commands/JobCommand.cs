using System.CommandLine;
using BulkLoad.Cli.Ci;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Seeding;

namespace BulkLoad.Cli.Commands;

/// <summary>A command as the help of the one above names it, and how it is made with all of its options.</summary>
internal sealed record CommandEntry(string Word, string Description, Func<CommandEntry, CommandContext, Command> Create)
{
    /// <summary>Options that stand for a help or a version. The command that has one alone makes no other.</summary>
    private static readonly string[] Infos = ["--help", "-?", "--help-all", "--version"];

    /// <summary>
    /// Adds those that can be called: where the command line names one, only that one. A help or a version names the others, and has
    /// nothing to do with their options. To make all would take longer than all the rest of the reading.
    /// </summary>
    /// <param name="parent">gets them</param>
    /// <param name="depth">which word of the command line calls them</param>
    /// <param name="all">in the order of the help</param>
    public static void Add(Command parent, CommandContext context, int depth, CommandEntry[] all)
    {
        var words = context.Words.Skip(depth).ToArray();
        var called = Array.Find(all, command => words is [var word, ..] && command.Word == word);
        var isInfo = words is [var first, ..] && Infos.Contains(first) && !all.Any(command => words.Contains(command.Word));
        foreach (var command in called is null ? all : [called])
        {
            parent.Subcommands.Add(isInfo ? new Command(command.Word, command.Description) : command.Create(command, context));
        }
    }
}

/// <summary>A command with groups of options, and examples for its help.</summary>
/// <param name="words">what may stand behind the command's name but for options</param>
/// <param name="examples">command lines with what each does</param>
internal abstract class JobCommand(CommandEntry entry, string words, (string Line, string Does)[] examples)
    : Command(entry.Word, entry.Description)
{
    private readonly List<OptionGroup> _groups = [];

    /// <summary>What the command's help shows under headings, in order.</summary>
    public IReadOnlyList<OptionGroup> Groups => _groups;

    public string Words => words;

    public IReadOnlyList<(string Line, string Does)> Examples => examples;

    /// <summary>What the command's help says at its end; null: nothing.</summary>
    public virtual string? Hint => null;

    /// <summary>Refuses an output that is an input too, or another output: it would be destroyed. To be called before anything is opened
    /// for writing, when the connection is known.</summary>
    /// <param name="files">the inputs as typed</param>
    /// <param name="folder">whose files are all read; null: none is</param>
    /// <exception cref="RequestException">there is one</exception>
    internal void RequireOutputs(ParseResult words, CommandContext context, IReadOnlyList<string> files, string? folder = null)
    {
        List<(string Option, string Path)> outputs =
        [
            .. _groups.SelectMany(group => group.OutputFiles(words))
                .Where(output => output != (CiArguments.Events, EventStream.StandardOutput)),
            .. _groups.OfType<CiArguments>().SelectMany(group => CiOutputs.FilesOf(group.Bind(words), context.Host)),
        ];
        string[] folders = folder is null ? [] : [folder];
        OutputFiles.Require(
            files, [.. _groups.SelectMany(group => group.InputFiles(words)), .. context.ConnectionFiles, .. folders], outputs);
        if (folder is not null)
        {
            SeedRequest.RequireOutside(folder, outputs);
        }
    }

    protected void Group(params ReadOnlySpan<OptionGroup> groups)
    {
        foreach (var group in groups)
        {
            _groups.Add(group);
            foreach (var option in group.Options)
            {
                Options.Add(option);
            }
        }
    }
}
