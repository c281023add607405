using System.CommandLine;
using BulkLoad.Cli.Options;

namespace BulkLoad.Cli.Completion;

/// <summary>The words of a command line before the one that is completed, read as <see cref="CommandLineWords"/> reads them, but for what
/// is wrong in them.</summary>
internal sealed class TypedWords
{
    private readonly List<(Option Option, string? Value)> _options = [];
    private readonly List<string> _others = [];

    private TypedWords(Command command) => Command = command;

    /// <summary>The command that they name.</summary>
    public Command Command { get; private set; }

    /// <summary>The option whose value comes next; null: none's.</summary>
    public Option? Waiting { get; private set; }

    /// <summary>Whether no option can come any more.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Words that are neither commands nor options.</summary>
    public IReadOnlyList<string> Others => _others;

    /// <summary>The options that the command takes and that are for typing.</summary>
    public IEnumerable<Option> Known => Command.Options.Where(option => option.Name != ConnectionArguments.Url).Concat(
        CommandLineWords.Inherited(Command)).Where(option => !option.Hidden);

    public static TypedWords Read(Command root, IReadOnlyList<string> words)
    {
        var typed = new TypedWords(root);
        foreach (var word in words)
        {
            typed.Add(word);
        }

        return typed;
    }

    public Option? Find(string name) => Known.FirstOrDefault(option => option.Name == name || option.Aliases.Contains(name));

    public bool Has(Option option) => _options.Any(typed => typed.Option == option);

    /// <summary>The last value of an option; null: it was not typed, or takes none.</summary>
    public string? ValueOf(string name) => _options.LastOrDefault(typed => typed.Option.Name == name).Value;

    private void Add(string word)
    {
        if (Waiting is { } option)
        {
            _options.Add((option, word));
            Waiting = null;
        }
        else if (HasEnded)
        {
            _others.Add(word);
        }
        else if (word == "--")
        {
            HasEnded = true;
        }
        else if (word.StartsWith("--", StringComparison.Ordinal))
        {
            var end = word.IndexOf('=', StringComparison.Ordinal);
            AddOption(end < 0 ? word : word[..end], end < 0 ? null : word[(end + 1)..]);
        }
        else if (word.Length > 1 && word[0] == '-')
        {
            AddShort(word);
        }
        else if (_others.Count == 0 && Command.Subcommands.FirstOrDefault(sub => sub.Name == word) is { } sub)
        {
            Command = sub;
        }
        else
        {
            _others.Add(word);
        }
    }

    private void AddShort(string word)
    {
        for (var at = 1; at < word.Length && Find($"-{word[at]}") is { } option; at++)
        {
            if (option.Arity.MaximumNumberOfValues > 0 && option.ValueType != typeof(bool))
            {
                AddOption($"-{word[at]}", at + 1 < word.Length ? word[(at + 1)..] : null);
                return;
            }

            _options.Add((option, null));
        }
    }

    private void AddOption(string name, string? attached)
    {
        if (Find(name) is not { } option)
        {
            return;
        }

        if (attached is null && option.Arity.MinimumNumberOfValues > 0)
        {
            Waiting = option;
        }
        else
        {
            _options.Add((option, attached));
        }
    }
}
