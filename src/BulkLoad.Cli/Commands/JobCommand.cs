using System.CommandLine;
using BulkLoad.Cli.Ci;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Rejects;
using BulkLoad.Seeding;

namespace BulkLoad.Cli.Commands;

/// <summary>How the help lists a command, and how it is created with all of its options.</summary>
internal sealed record CommandEntry(string Word, string Description, Func<CommandEntry, CommandContext, Command> Create)
{
    /// <summary>Options for a help or a version. A command line of nothing else creates no other command.</summary>
    private static readonly string[] Infos = ["--help", "-?", "--help-all", "--version"];

    /// <summary>Adds the commands that can be called: if the command line names one, only that one. A help or a version names the others,
    /// but does not need their options. To create all of them would take longer than the rest of the parsing.</summary>
    /// <param name="depth">index of the word that calls them</param>
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
/// <param name="words">the form of the words behind the command's name without options</param>
/// <param name="examples">command lines with what each does</param>
internal abstract class JobCommand(CommandEntry entry, string words, (string Line, string Does)[] examples)
    : Command(entry.Word, entry.Description)
{
    private readonly List<OptionGroup> _groups = [];

    /// <summary>In the order of the help.</summary>
    public IReadOnlyList<OptionGroup> Groups => _groups;

    public string Words => words;

    public IReadOnlyList<(string Line, string Does)> Examples => examples;

    /// <summary>The end of the command's help; null: none.</summary>
    public virtual string? Hint => null;

    /// <summary>Refuses an output that is an input too, or another output: it would be destroyed. Must be called before anything is opened
    /// for writing, when the connection is known.</summary>
    /// <param name="files">the inputs as typed</param>
    /// <param name="folder">a folder whose files are all read; null: none</param>
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
