using System.CommandLine;
using BulkLoad.Cli.Connecting;

namespace BulkLoad.Cli.Options;

/// <summary>
/// The words of a command line, brought into the one order that System.CommandLine reads without doubt: command, options
/// as <c>--name=value</c>, <c>--</c>, files. The reading itself is getopt_long's, as in every MySQL client: an option's
/// value is the next word (<c>--delimiter -</c>), a short option may have it attached (<c>-P3307</c>), <c>--opt=</c> is the empty
/// string, <c>-p</c> takes a value only attached, the last of a repeated option wins, and after <c>--</c> nothing is an option. Two
/// things differ from it: a word that is an option is never a value, unless it is attached, and a word with <c>://</c> is the
/// connection, wherever it is, and never a file. What may be a password (such a word, the one behind a lone <c>-p</c>, and the one
/// behind an option that is not known) is in no message.
/// </summary>
internal sealed class CommandLineWords
{
    // Response files are off: a column may be called @skip. Bundles are undone here.
    private static readonly ParserConfiguration AsWritten = new() { EnablePosixBundling = false, ResponseFileTokenReplacer = null };

    private readonly List<(Option Option, string? Value)> _options = [];
    private readonly List<string> _commands = [];
    private readonly List<string> _files = [];
    private readonly List<string> _behindPassword = [];
    private readonly List<string> _errors = [];
    private Command _command;
    private readonly IReadOnlyList<string> _args;
    private bool _commandIsUnknown;
    private bool _isBehindPassword;
    private bool _isBehindUnknown;
    private string? _url;

    private CommandLineWords(Command root, IReadOnlyList<string> args) => (_command, _args) = (root, args);

    /// <summary>The words as System.CommandLine understands them.</summary>
    public ParseResult Parse(Command root) => root.Parse(
        [.. _commands, .. _options.SelectMany(option => Spell(option.Option, option.Value)), "--", .. _files], AsWritten);

    /// <summary>Words that are neither options, nor commands, nor the connection.</summary>
    public IReadOnlyList<string> Files => _files;

    /// <summary>The command that they name; null: there is none of that name.</summary>
    public Command? Command => _commandIsUnknown ? null : _command;

    /// <summary>The option whose value would be the next word; null: none's.</summary>
    public Option? Waiting { get; private set; }

    /// <summary>Whether no option can come any more.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>The words that stand right behind <c>-p</c> or <c>--password</c> without being a command: files, or passwords that should
    /// have been attached.</summary>
    public IReadOnlyList<string> BehindPassword => _behindPassword;

    /// <summary>What cannot be read, for people; a value never stands in it.</summary>
    public IReadOnlyList<string> Errors => _errors;

    /// <summary>Program and command that the words name.</summary>
    public IReadOnlyList<string> CommandPath => [ThisProgram.Name, .. _commands];

    public bool Has(Option option) => _options.Any(typed => typed.Option == option);

    /// <summary>The last value of an option; null: it was not typed, or takes none.</summary>
    public string? ValueOf(string name) => _options.LastOrDefault(typed => typed.Option.Name == name).Value;

    /// <summary>Reads all words, be there errors in them, or the last ones missing yet.</summary>
    public static CommandLineWords Read(Command root, IReadOnlyList<string> args)
    {
        var words = new CommandLineWords(root, args);
        for (var i = 0; i < args.Count; i++)
        {
            var word = args[i];
            if (word == "--")
            {
                words.HasEnded = true;
                foreach (var file in args.Skip(i + 1))
                {
                    words.ReadFile(file);
                }

                break;
            }

            var known = true;
            if (word.StartsWith("--", StringComparison.Ordinal))
            {
                known = words.ReadLong(word, ref i);
            }
            else if (word.Length > 1 && word[0] == '-')
            {
                known = words.ReadShort(word, ref i);
            }
            else
            {
                words.ReadBare(word);
            }

            (words._isBehindPassword, words._isBehindUnknown) = (word is "-p" or ConnectionArguments.Password, !known);
            if (words._commandIsUnknown)
            {
                break;
            }
        }

        words.TakeUrl();
        words.CheckNumberOfFiles();
        return words;
    }

    private void ReadBare(string word)
    {
        // 'seed' takes a folder, or another command.
        if (IsConnection(word)
            || (
            _command.Subcommands.All(command => command.Name != word) && (_command.Subcommands.Count == 0 || _command.Arguments.Count > 0)))
        {
            ReadFile(word);
        }
        else if (_command.Subcommands.FirstOrDefault(command => command.Name == word) is { } command)
        {
            _commands.Add(word);
            _command = command;
        }
        else if (_isBehindPassword)
        {
            _commandIsUnknown = true;
            _behindPassword.Add(word);
        }
        else if (!_isBehindUnknown)
        {
            _commandIsUnknown = true;
            var load = word.Contains('.', StringComparison.Ordinal) ? $"; to load a file: bulkload import {word}" : "";
            _errors.Add($"unknown command '{word}'{(load.Length > 0 ? load
                : _commands.Count == 0 && Synonyms.OfCommand(word) is { } ours ? $": that is 'bulkload {ours}'"
                : Suggestions.Hint(word, _command.Subcommands.Select(known => known.Name)))}");
        }
    }

    /// <summary>More words than the command takes, or fewer. Where an option is unknown, its value may be one of them.</summary>
    private void CheckNumberOfFiles()
    {
        if (_errors.Count > 0 || _commandIsUnknown || (_command.Subcommands.Count > 0 && _command.Arguments.Count == 0))
        {
            return;
        }

        var path = string.Join(' ', CommandPath);
        var most = _command.Arguments.Sum(argument => argument.Arity.MaximumNumberOfValues);
        if (_files.Count > most)
        {
            _errors.Add(most == 0
                ? $"'{path}' takes options only, and '{_files[0]}' is none"
                : $"'{path}' takes one {_command.Arguments[0].Name}, and '{_files[most]}' is one more");
        }
        else if (_files.Count < _command.Arguments.Sum(argument => argument.Arity.MinimumNumberOfValues))
        {
            var missing = _command.Arguments[_files.Count];
            _errors.Add($"'{path} {missing.Name}': {missing.Name} is missing: {missing.Description}");
        }
    }

    private void ReadFile(string word)
    {
        if (LocalPath(word) is { } path)
        {
            word = path;
        }

        if (!IsConnection(word))
        {
            if (_isBehindPassword)
            {
                _behindPassword.Add(word);
            }

            _files.Add(word);
        }
        else if (_url is not null && _url != word)
        {
            _errors.Add("two words with '://' name two connections: leave one out");
        }
        else
        {
            _url = word;
        }
    }

    private void TakeUrl()
    {
        if (_url is null || _commandIsUnknown)
        {
            return;
        }

        if (_command.Options.FirstOrDefault(option => option.Name == ConnectionArguments.Url) is { } option)
        {
            _options.Add((option, _url));
        }
        else
        {
            _errors.Add("a word with '://' is the connection, which this command does not need");
        }
    }

    /// <summary>Of <c>file:///people.csv</c> (RFC 8089); null: no such word.</summary>
    private static string? LocalPath(string word) =>
        word.StartsWith("file://", StringComparison.OrdinalIgnoreCase) && Uri.TryCreate(word, UriKind.Absolute, out var address)
        && address is { IsFile: true, Host.Length: 0 } ? address.LocalPath : null;

    private static bool IsConnection(string word) => word.Contains("://", StringComparison.Ordinal)
        || ConnectionUrl.IsOfGo(word) || ConnectionUrl.IsOfPairs(word);

    private bool ReadLong(string word, ref int i)
    {
        var end = word.IndexOf('=', StringComparison.Ordinal);
        var name = end < 0 ? word : word[..end];
        var attached = end < 0 ? null : word[(end + 1)..];
        if (Find(name) is not { } option)
        {
            _errors.Add(UnknownLong(name));
            return attached is not null;
        }

        if (option.TakesNoValue() && attached is not null)
        {
            var isOff = attached.ToUpperInvariant() is "FALSE" or "NO" or "OFF" or "0" or "NONE";
            var opposite = $"--no-{name[2..]}";
            _errors.Add($"option '{name}' takes no value: "
                + (!isOff ? $"write {name}" : Find(opposite) is not null ? $"write {opposite}" : "leave it out"));
        }
        else
        {
            Add(option, name, attached, ref i);
        }

        return true;
    }

    private bool ReadShort(string word, ref int i)
    {
        for (var at = 1; at < word.Length; at++)
        {
            var name = $"-{word[at]}";
            if (Find(name) is not { } option)
            {
                _errors.Add($"unknown option '{name}'{(FindSynonym(name) is { } ours ? $": {ours}" : WhereItBelongs(name))}");
                return at + 1 < word.Length;
            }

            if (!option.TakesNoValue())
            {
                Add(option, name, at + 1 < word.Length ? word[(at + 1)..] : null, ref i);
                return true;
            }

            Add(option, name, null, ref i);
        }

        return true;
    }

    private void Add(Option option, string name, string? attached, ref int i)
    {
        var value = attached;
        if (value is null && option.Arity.MinimumNumberOfValues > 0)
        {
            if (i + 1 >= _args.Count)
            {
                Waiting = option;
                _errors.Add($"{name} needs {option.NeededValue()}, and no word follows");
                return;
            }

            value = _args[++i];
            if (OptionIn(option, value) is var (what, shown))
            {
                _errors.Add($"{name} needs {option.NeededValue()}, and {what}; write {option.Name}={shown} if it is meant");
                return;
            }
        }

        if (value is not null && option.HelpName != "URL" && ConnectionUrl.HasScheme(value))
        {
            _errors.Add($"option '{name}' takes no connection: write mysql://... as a word by itself");
            return;
        }

        if (option.Arity.MaximumNumberOfValues <= 1)
        {
            _options.RemoveAll(earlier => earlier.Option == option);
        }

        _options.Add((option, value));
    }

    /// <summary>The option of that name which the command takes; null: it takes none.</summary>
    public Option? Find(string name) => Known.FirstOrDefault(option => option.Name == name || option.Aliases.Contains(name));

    /// <summary>What a separate value is if it is an option, and how a message shows it: never with what is attached to it. Null: it may
    /// be a value.</summary>
    private (string What, string Shown)? OptionIn(Option option, string value)
    {
        if (value.Length < 2 || value[0] != '-')
        {
            return null;
        }

        var isLong = value[1] == '-';
        var end = isLong ? value.IndexOf('=', StringComparison.Ordinal) is >= 0 and var at ? at : value.Length : 2;
        var name = value[..end];
        return Find(name) is not null ? ($"'{name}' is an option", end == value.Length ? name : isLong ? $"{name}=..." : $"{name}...")
            : value == "--" ? option.NamesFile() ? ("'--' ends the options", value) : null
            : isLong ? char.IsLetter(value[2]) ? ("the word after it begins as an option does", "...") : null
            : option.NamesFile() && char.IsLetter(value[1]) ? ("the word after it begins as an option does", "...")
            : null;
    }

    /// <summary>The options that the command takes and that are for typing.</summary>
    public IEnumerable<Option> Known =>
        _command.Options.Where(option => option.Name != ConnectionArguments.Url).Concat(Inherited(_command));

    /// <summary>Options of the commands above that are options of the command too.</summary>
    internal static IEnumerable<Option> Inherited(Command command) => command.Parents.OfType<Command>()
        .SelectMany(parent => parent.Options.Where(option => option.Recursive).Concat(Inherited(parent)));

    private string UnknownLong(string name) => name.StartsWith("--password", StringComparison.Ordinal)
        ? "unknown option '--password...': write --password=VALUE"
        : _isBehindPassword || IsConnection(name) ? "unknown option after --password or with '://', which may be a secret and is not shown"
        : FindSynonym(name) is { } ours ? $"unknown option '{name}': {ours}"
        : $"unknown option '{name}'{Suggestions.Hint(name, ShownNames)}{WhereItBelongs(name)}";

    private IEnumerable<string> ShownNames =>
        Known.SelectMany(option => option.Aliases.Prepend(option.Name));

    /// <summary>What this command has for an option of other tools; null: nothing.</summary>
    private string? FindSynonym(string name) => Synonyms.Find(name).FirstOrDefault(
        ours => _commands.Count == 0 || Synonyms.OptionsOf(ours).All(option => Find(option) is not null));

    /// <summary>The command below this one that has it: the typed one, if it has.</summary>
    private string WhereItBelongs(string name) =>
        _command.Subcommands.Where(command => command.Options.Any(option => option.Name == name || option.Aliases.Contains(name)))
            .OrderByDescending(command => _args.Contains(command.Name)).FirstOrDefault() is { } command
            ? $"; it goes after the command, as in '{string.Join(' ', CommandPath)} {command.Name} {name} ...'"
            : "";

    private static string[] Spell(Option option, string? value) => value switch
    {
        null => [option.Name],
        "" => [option.Name, ""],
        _ => [$"{option.Name}={value}"],
    };
}
