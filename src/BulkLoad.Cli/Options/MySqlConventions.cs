using System.CommandLine;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Options;

/// <summary>Reads the words of a command line before System.CommandLine does. Words that MySQL's clients read differently are refused here,
/// or spelled so that they mean the same. Each rule says why it is needed.</summary>
internal sealed class MySqlConventions
{
    private readonly IReadOnlyList<string> _args;
    private readonly List<string> _commands = [];
    private readonly List<(Option Option, string[] Words)> _options = [];
    private readonly List<string> _files = [];

    /// <summary>Words after an unknown command are not read: nobody knows whose they are.</summary>
    private bool _isCommandUnknown;

    public MySqlConventions(Command root, IReadOnlyList<string> args)
    {
        (Command, _args) = (root, args);
        for (var at = 0; at < args.Count && !_isCommandUnknown; at++)
        {
            if (HasEnded || args[at] is not ['-', _, ..])
            {
                ReadBare(ConnectionUrl.LocalPath(args[at]) ?? args[at], IsAfterPassword(at));
            }
            else if (args[at] == "--")
            {
                HasEnded = true;
            }
            else
            {
                ReadOption(args[at], ref at);
            }
        }
    }

    /// <summary>For System.CommandLine. Words that it would take for the value of a lone <c>-p</c> stand behind <c>--</c>.</summary>
    public IReadOnlyList<string> Words =>
    [
        .. _commands, .. _options.SelectMany(option => option.Words),
        .. Urls.Take(1).SelectMany(url => (string[])[ConnectionArguments.Url, url]), "--", .. _files,
    ];

    public Command Command { get; private set; }

    /// <summary>The option whose value would be the next word; null: none.</summary>
    public Option? Waiting { get; private set; }

    /// <summary>Whether no option can follow.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Files behind a lone <c>-p</c>, or passwords that should have been attached.</summary>
    public List<string> AfterPassword { get; } = [];

    /// <summary>Words that are the connection, wherever they are.</summary>
    public HashSet<string> Urls { get; } = [];

    public List<string> Errors { get; } = [];

    private void ReadBare(string word, bool isAfterPassword)
    {
        if (ConnectionUrl.IsMeant(word))
        {
            Urls.Add(word);
        }
        else if (!HasEnded && Command.Subcommands.FirstOrDefault(command => command.Name == word) is { } called)
        {
            Command = called;
            _commands.Add(word);

            // System.CommandLine would make a file of an option that the commands before have, and this one has not.
            Errors.AddRange(_options.Where(typed => called.Find(typed.Option.Name) != typed.Option)
                .Select(typed => CommandLineErrors.OfUnknown(called, typed.Option.Name, isAfterPassword: false, _args)));
        }
        else
        {
            _files.Add(word);
            if (isAfterPassword)
            {
                AfterPassword.Add(word);
            }

            if (Command.IsGroup() && Errors.Count == 0)
            {
                _isCommandUnknown = true;
                Errors.Add(CommandLineErrors.OfCommand(Command, word));
            }
        }
    }

    private void ReadOption(string word, ref int at)
    {
        // System.CommandLine takes ':' for '=', and removes both behind a letter, where they belong to the value.
        var isLong = word[1] == '-';
        var end = !isLong ? 2 : word.IndexOf('=', StringComparison.Ordinal) is > 0 and var equals ? equals : word.Length;
        var (name, value) = (word[..end], end == word.Length ? null : word[(isLong ? end + 1 : end)..]);
        var option = Command.Find(name);
        if (option is null || (option.TakesNoValue() && value is not null))
        {
            // System.CommandLine makes a file of the word, or of the value.
            Errors.Add(option is null ? CommandLineErrors.OfUnknown(Command, name, IsAfterPassword(at), _args)
                : CommandLineErrors.OfFlag(Command, name, value!));
            return;
        }

        var isSeparate = value is null && option.Arity.MinimumNumberOfValues > 0;
        Waiting = isSeparate && at + 1 == _args.Count ? option : null;
        value = isSeparate && Waiting is null ? _args[++at] : value;

        // An option is no value: where a file's name was forgotten, a preview would become a deletion.
        if (CommandLineErrors.OfValue(Command, option, name, value, isSeparate) is { } wrong)
        {
            Errors.Add(wrong);
            return;
        }

        // The last of a repeated option counts; System.CommandLine refuses it.
        _options.RemoveAll(earlier => earlier.Option == option && option.Arity.MaximumNumberOfValues <= 1);
        _options.Add((option, value switch
        {
            null => [name],

            // '--opt=' would take the next word.
            "" => [name, ""],

            // '-pSECRET' would be '-p -S ECRET', and '--' the end of the options.
            _ => isLong && !isSeparate ? [word] : [$"{name}={value}"],
        }));
    }

    /// <summary>Whether a word follows a lone <c>-p</c>, with or without <c>--</c> between them.</summary>
    private bool IsAfterPassword(int at) => at > 0
        && (_args[at - 1] is "-p" or ConnectionArguments.Password ? !HasEnded
            : at > 1 && _args[at - 1] == "--" && _args[at - 2] is "-p" or ConnectionArguments.Password);
}
