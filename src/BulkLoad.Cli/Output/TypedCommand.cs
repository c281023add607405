using System.CommandLine;
using BulkLoad.Cli.Options;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Output;

/// <summary>A command line as it was typed, without what the next one does not need: outputs, how the work is done. It has no
/// password.</summary>
/// <param name="Files">as typed</param>
/// <param name="Options">table, format, columns, values, keys, connection</param>
/// <param name="Rejects">how many records may be refused, and where they are kept</param>
internal sealed record TypedCommand(IReadOnlyList<string> Files, IReadOnlyList<string> Options, IReadOnlyList<string> Rejects)
{
    /// <summary>What the same command needs too, with another file.</summary>
    public IReadOnlyList<string> Again { get; init; } = [];

    /// <summary>Those of <see cref="Options"/> that say where the server is.</summary>
    public IReadOnlyList<string> Connection { get; init; } = [];

    private IReadOnlyList<string> Path { get; init; } = [];

    /// <summary>Words that are no options.</summary>
    private IReadOnlyList<string> Bare { get; init; } = [];

    /// <summary>All options but those of outputs, each with its values.</summary>
    private IReadOnlyList<(Option? Option, string[] Words)> All { get; init; } = [];

    /// <param name="bare">words that are no options</param>
    /// <param name="path">program and command</param>
    public static TypedCommand Of(
        IReadOnlyList<OptionGroup> groups, ParseResult words, IReadOnlyList<string> bare, string path)
    {
        string[] Typed(NextCommand next) =>
            [.. OptionGroup.Typed(words, groups.SelectMany(group => group.Options).Where(option => option.Notes().NextCommand == next))];
        var connection = groups.OfType<ConnectionArguments>().SelectMany(group => group.Typed(words)).ToArray();
        var all = groups
            .SelectMany(group => group.Options)
            .Where(option => option.Notes().NextCommand is not (NextCommand.Connection or NextCommand.None))
            .Select(option => ((Option?)option, Words: OptionGroup.Typed(words, [option]).ToArray()))
            .Where(option => option.Words.Length > 0);
        return new TypedCommand(
            bare,
            [.. Typed(NextCommand.Reading), .. connection],
            Typed(NextCommand.Rejects))
        {
            Again = Typed(NextCommand.Again),
            Connection = connection,
            Path = path.Split(' '),
            Bare = bare,
            All = connection.Length > 0 ? [.. all, (null, connection)] : [.. all],
        };
    }

    /// <summary>Whether the advice goes with what was typed.</summary>
    public bool Allows(WayOn way) => way.Command is not null || !way.Words.Any(PartOptions.Excluded.Contains)
        || All.All(option => option.Option?.Name != SourceArguments.Part);

    /// <summary>A whole command, as it is typed in a shell; null: the advice has none.</summary>
    public string? LineOf(WayOn way)
    {
        if (way is { Command: null, Words.Count: 0, Without.Count: 0 })
        {
            return null;
        }

        if (way.Command is { } command)
        {
            return ShellQuoting.Join([ThisProgram.Name, command, .. Files, .. Options, .. way.Words]);
        }

        // New words replace earlier ones.
        var options = All.Where(option => option.Option is null || !(way.Without.Contains(option.Option.Name)
            || (option.Option.Arity.MaximumNumberOfValues <= 1 && way.Words.Contains(option.Option.Name))));
        return ShellQuoting.Join([.. Path, .. Bare, .. options.SelectMany(option => option.Words), .. way.Words]);
    }
}

/// <summary>An error for people: what happened, what is in the table now, what to type.</summary>
internal static class ErrorText
{
    /// <summary>Lines behind the message are indented.</summary>
    public static string Of(BulkLoadException failure, TypedCommand? typed, bool isVerbose = false) =>
        string.Join("\n  ", Lines(failure, typed, isVerbose).Prepend(failure.Message));

    /// <summary>The lines behind the message.</summary>
    public static IEnumerable<string> Lines(BulkLoadException failure, TypedCommand? typed, bool isVerbose = false)
    {
        if (failure.State is { } state)
        {
            yield return isVerbose && failure.Committed is { } committed ? $"{state} ({committed})" : state;
        }

        foreach (var line in Lines(failure.WaysOn, typed))
        {
            yield return line;
        }
    }

    public static IEnumerable<string> Lines(IEnumerable<WayOn> ways, TypedCommand? typed) =>
        ways.Where(way => typed?.Allows(way) != false).Select(way =>
        typed?.LineOf(way) is { } line ? $"{way.Purpose}: {line}"
        : way.Words.Count > 0 ? $"{way.Purpose}: {ShellQuoting.Join(way.Words)}"
        : way.Purpose);
}
