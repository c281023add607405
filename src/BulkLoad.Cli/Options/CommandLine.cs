using System.CommandLine;
using System.CommandLine.Parsing;

namespace BulkLoad.Cli.Options;

/// <summary>A command line as System.CommandLine reads it; it may have errors, or be incomplete.</summary>
internal sealed class CommandLine
{
    /// <summary>Response files are off: a column may be called @skip.</summary>
    private static readonly ParserConfiguration AsWritten = new() { EnablePosixBundling = true, ResponseFileTokenReplacer = null };

    private readonly MySqlConventions _typed;

    public CommandLine(Command root, IReadOnlyList<string> args)
    {
        _typed = new MySqlConventions(root, args);
        Parsed = root.Parse(_typed.Words, AsWritten);
        var arguments = Parsed.CommandResult.Children.OfType<ArgumentResult>();
        Files = [.. arguments.SelectMany(result => result.Tokens).Select(token => token.Value), .. Parsed.UnmatchedTokens];
    }

    public ParseResult Parsed { get; }

    /// <summary>Words that are neither options, nor commands, nor the connection.</summary>
    public IReadOnlyList<string> Files { get; }

    /// <summary>The last command that is named; a word that names no command is among the files.</summary>
    public Command Command => Parsed.CommandResult.Command;

    /// <summary>The option whose value would be the next word; null: none.</summary>
    public Option? Waiting => _typed.Waiting;

    /// <summary>Whether no option can follow.</summary>
    public bool HasEnded => _typed.HasEnded;

    /// <summary>Words behind a lone <c>-p</c> that are no commands: files, or passwords that should have been attached.</summary>
    public IReadOnlyList<string> AfterPassword => _typed.AfterPassword;

    /// <summary>For people. Errors of the parsers appear only if there are no others.</summary>
    public IReadOnlyList<string> Errors =>
        _typed.Errors.Count > 0 ? _typed.Errors
        : (CommandLineErrors.OfUrls(Command, _typed.Urls) ?? CommandLineErrors.OfNumber(Command, Files)) is { } wrong ? [wrong]
        : [.. Parsed.Errors.Select(error => error.Message)];

    public bool Has(Option option) => Parsed.GetResult(option) is { Implicit: false };

    /// <summary>The last value of an option; null: it was not typed, or takes none.</summary>
    public string? ValueOf(string name) =>
        Command.Find(name) is { } option && Parsed.GetResult(option)?.Tokens is [.., var last] ? last.Value : null;
}

internal static class CommandOptions
{
    /// <summary>Those that are for typing, with inherited ones.</summary>
    public static IEnumerable<Option> Known(this Command command) =>
        command.Options.Where(option => option.Name != ConnectionArguments.Url).Concat(command.Inherited());

    /// <summary>Options of the commands above that are options of the command too.</summary>
    public static IEnumerable<Option> Inherited(this Command command) => command.Parents.OfType<Command>()
        .SelectMany(parent => parent.Options.Where(option => option.Recursive).Concat(parent.Inherited()));

    /// <summary>Null: there is none.</summary>
    public static Option? Find(this Command command, string name) =>
        command.Known().FirstOrDefault(option => option.Name == name || option.Aliases.Contains(name));

    /// <summary>Whether it does nothing itself: only the commands below it do.</summary>
    public static bool IsGroup(this Command command) => command is { Arguments.Count: 0, Subcommands.Count: > 0 };

    /// <summary>The words that name it, the program's first.</summary>
    public static string Path(this Command command) => command switch
    {
        { Name: ThisProgram.Name } => ThisProgram.Name,
        _ when command.Parents.OfType<Command>().FirstOrDefault() is { } parent => $"{parent.Path()} {command.Name}",
        _ => $"{ThisProgram.Name} {command.Name}",
    };
}
