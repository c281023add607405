using System.CommandLine;

namespace BulkLoad.Cli.Commands;

/// <summary>Commands by the words that call them.</summary>
internal static class NamedCommands
{
    /// <summary>Adds those that may be called: where the command line names one, the others are not made, which would take longer than all
    /// the rest of the reading.</summary>
    /// <param name="parent">gets them</param>
    /// <param name="depth">which word of the command line calls them</param>
    /// <param name="all">in the order of the help</param>
    public static void Add(Command parent, CommandContext context, int depth, (string Word, Func<CommandContext, Command> Create)[] all)
    {
        var called = context.Words.ElementAtOrDefault(depth);
        var named = Array.FindAll(all, command => command.Word == called);
        foreach (var (_, create) in named.Length > 0 ? named : all)
        {
            parent.Subcommands.Add(create(context));
        }
    }
}
