using System.CommandLine;
using System.CommandLine.Parsing;

namespace BulkLoad.Cli.Options;

/// <summary>What an option decides about a job that is in the ledger.</summary>
internal enum OptionRole
{
    /// <summary>Nothing: only commands without such a job have it.</summary>
    None,

    /// <summary>How the work is done: it may differ at each start.</summary>
    Way,

    /// <summary>What is stored, or which rows are meant: it must be the same at each start (<c>JobRules</c> in the library).</summary>
    Rule,

    /// <summary>Which job it is: table, command or mapping.</summary>
    Identity,
}

/// <summary>What completion offers as an option's value.</summary>
internal enum Offer
{
    /// <summary>The words that its parser knows; if there are none, what its help's word for the value says.</summary>
    ByParser,

    Words,

    /// <summary>Words for all columns, or a field's name and <c>=</c> with one of the words.</summary>
    WordsOfColumn,

    /// <summary>Names of fields, separated by commas.</summary>
    Fields,

    /// <summary>Names of fields, each with <c>=</c> and something else.</summary>
    FieldPairs,
    Tables,
    Strategies,
    Dirt,
}

/// <summary>Which commands in messages repeat an option, as it was typed.</summary>
internal enum NextCommand
{
    Same,

    /// <summary>Commands that read the same files.</summary>
    Reading,

    /// <summary>Commands that may refuse their records.</summary>
    Rejects,

    /// <summary>The same command with what it has refused.</summary>
    Again,

    /// <summary>Commands that connect to the same server.</summary>
    Connection,

    /// <summary>None: the option is an output, or a secret.</summary>
    None,
}

/// <summary>The declaration of an option, beside what System.CommandLine keeps.</summary>
internal sealed class OptionNotes(Option option)
{
    /// <summary>No option takes it.</summary>
    private const string NoWord = "\0";

    private (string Names, string? Answer)[] _synonyms = [];

    public OptionRole Role { get; init; }

    /// <summary>Checks a value; null: any value is right.</summary>
    public Action<string>? Parse { get; init; }

    public NextCommand NextCommand { get; private set; }

    public Offer Offer { get; private set; }

    public IReadOnlyList<string> Words { get; private set; } = [];

    /// <summary>Whether a seed has it for all of its files, and no file for itself.</summary>
    public bool IsOfAllFiles { get; private set; }

    /// <summary>Rank in the short help; null: it is not there.</summary>
    public int? Place { get; private set; }

    /// <summary>For the short help; null: the description's first part.</summary>
    public string? Summary { get; private set; }

    /// <summary>Names that other tools have for it, each with what to write instead.</summary>
    public IEnumerable<(string Name, string Answer)> Synonyms =>
        from entry in _synonyms
        from name in entry.Names.Split(' ')
        select (name, entry.Answer ?? $"that is {option.Name}{(option.HelpName is { } value ? $" {value}" : "")}");

    /// <summary>Whether it names a file that the command reads.</summary>
    public bool IsInput { get; set; }

    /// <summary>Of a file that the command writes: the file that comes with it, or null; a null function: it names no such file.</summary>
    public Func<string, string?>? Beside { get; set; }

    /// <summary>The words that its parser takes, from the parser's error; empty: not only a few.</summary>
    public IReadOnlyList<string> WordsOfParser()
    {
        try
        {
            Parse?.Invoke(NoWord);
            return [];
        }
        catch (ChoiceException refused)
        {
            return refused.Names;
        }
        catch (FormatException)
        {
            return [];
        }
    }

    public OptionNotes Offers(Offer offer, params string[] words)
    {
        (Offer, Words) = (offer, words);
        return this;
    }

    public OptionNotes OfAllFiles()
    {
        IsOfAllFiles = true;
        return this;
    }

    /// <param name="place">the lower, the earlier; a command's first ones are shown</param>
    /// <param name="summary">null: the description's first part</param>
    public OptionNotes InShortHelp(int place, string? summary = null)
    {
        (Place, Summary) = (place, summary);
        return this;
    }

    /// <param name="names">of other tools, separated by blanks</param>
    /// <param name="answer">what to write instead; null: this option with its value</param>
    public OptionNotes AlsoCalled(string names, string? answer = null)
    {
        _synonyms = [.. _synonyms, (names, answer)];
        return this;
    }

    public OptionNotes In(NextCommand next)
    {
        NextCommand = next;
        return this;
    }
}

internal interface IDeclaredOption
{
    OptionNotes Notes { get; set; }
}

internal sealed class DeclaredOption<T>(string name, params string[] aliases) : Option<T>(name, aliases), IDeclaredOption
{
    public OptionNotes Notes { get; set; } = null!;
}

/// <summary>Options under one heading.</summary>
/// <param name="next">the default of its options</param>
internal abstract class OptionGroup(string title, NextCommand next)
{
    private readonly List<Option> _options = [];

    public string Title { get; } = title;

    /// <summary>In the order of the help.</summary>
    public IReadOnlyList<Option> Options => _options;

    public IEnumerable<Option> Inputs => _options.Where(option => option.Notes().IsInput);

    public IEnumerable<Option> Outputs => _options.Where(option => option.Notes().Beside is not null);

    public IEnumerable<string> InputFiles(ParseResult words) =>
        Inputs.Select(option => words.GetValue<string>(option.Name)).OfType<string>();

    /// <summary>With the files beside them.</summary>
    public IEnumerable<(string Option, string Path)> OutputFiles(ParseResult words)
    {
        foreach (var option in Outputs)
        {
            if (words.GetValue<string>(option.Name) is { Length: > 0 } path)
            {
                yield return (option.Name, path);
                if (option.Notes().Beside!(path) is { } beside)
                {
                    yield return (option.Name, beside);
                }
            }
        }
    }

    /// <summary>The typed options among these, as they were typed; flags have no value.</summary>
    /// <param name="isShort">whether an option that has a letter is printed by it</param>
    public static IEnumerable<string> Typed(ParseResult words, IEnumerable<Option> options, bool isShort = false)
    {
        foreach (var result in options.Select(words.GetResult).OfType<OptionResult>().Where(result => !result.Implicit))
        {
            var name = (isShort ? result.Option.Aliases.FirstOrDefault() : null) ?? result.Option.Name;
            var isAttached = result.Option.Arity.MinimumNumberOfValues == 0;
            var spelled = result.Tokens.SelectMany(token => Spell(name, token.Value, isAttached));
            foreach (var word in result.Tokens.Count == 0 ? [name] : spelled)
            {
                yield return word;
            }
        }
    }

    /// <summary>An optional value is no word of its own, and a value that looks like an option would be read as one.</summary>
    private static string[] Spell(string name, string value, bool isAttached) =>
        isAttached || (value.StartsWith('-') && value.Length > 1 && name.StartsWith("--", StringComparison.Ordinal))
            ? [$"{name}={value}"] : [name, value];

    protected OptionNotes Declare(Option option, string? helpName, string description, OptionRole role, Action<string>? parse = null)
    {
        (option.HelpName, option.Description) = (helpName, description);
        _options.Add(option);
        return ((IDeclaredOption)option).Notes = new OptionNotes(option) { Role = role, Parse = parse }.In(next);
    }

    /// <summary>Shows another group's options below these, under the same heading.</summary>
    protected void Include(OptionGroup other) => _options.AddRange(other._options);
}

/// <summary>Options that change one <typeparamref name="T"/>. Each is declared once, by a line in the constructor: name, value, help, role,
/// how its value is read, and what it changes. A command reads an option without a change by its name.</summary>
internal abstract class OptionGroup<T>(string title, NextCommand next = NextCommand.Same) : OptionGroup(title, next)
{
    private readonly List<Func<T, ParseResult, T>> _changes = [];

    /// <summary>Applies what was typed, in the order of the declarations.</summary>
    /// <exception cref="RequestException">two options contradict each other, or a value makes no sense</exception>
    public T Apply(T target, ParseResult words)
    {
        foreach (var change in _changes)
        {
            target = change(target, words);
        }

        return target;
    }

    protected OptionNotes Flag(string name, string description, OptionRole role, Func<T, T>? apply = null) => Declare(
        new DeclaredOption<bool>(name) { Arity = ArgumentArity.Zero }, helpName: null, description, role, parse: null,
        apply is null ? null : (target, _) => apply(target));

    /// <summary>An option whose value is taken as it is.</summary>
    protected OptionNotes Text(
        string name, string helpName, string description, OptionRole role, Func<T, string, T>? apply = null, params string[] aliases) =>
        Declare(new DeclaredOption<string>(name, aliases) { Arity = ArgumentArity.ExactlyOne }, helpName, description, role, null, apply!);

    protected OptionNotes Input(
        string name, string description, OptionRole role, Func<T, string, T>? apply = null, string helpName = "FILE",
        params string[] aliases)
    {
        var notes = Text(name, helpName, description, role, apply, aliases);
        notes.IsInput = true;
        return notes;
    }

    /// <summary>An option that names a file which the command writes, and must not read.</summary>
    /// <param name="beside">the file that comes with it; null: none</param>
    protected OptionNotes Output(
        string name, string description, OptionRole role, Func<T, string, T> apply, Func<string, string?>? beside = null)
    {
        var notes = Text(name, "FILE", description, role, apply);
        notes.Beside = beside ?? (_ => null);
        return notes;
    }

    /// <summary>An option whose value <paramref name="parse"/> reads; it throws <see cref="FormatException"/> with what is wrong.</summary>
    protected OptionNotes Value<TValue>(string name, string helpName, string description, OptionRole role, Func<string, TValue> parse,
        Func<T, TValue, T> apply, params string[] aliases)
    {
        var option = new DeclaredOption<TValue>(name, aliases) { Arity = ArgumentArity.ExactlyOne };
        option.CustomParser = result => Read(name, result, 0, parse);
        return Declare(option, helpName, description, role, text => parse(text), apply);
    }

    /// <summary>An option that has a value only if one is attached, as in <c>--name=value</c>; otherwise null.</summary>
    protected OptionNotes Optional<TValue>(string name, string helpName, string description, OptionRole role, Func<string, TValue> parse,
        Func<T, TValue?, T> apply, params string[] aliases)
    {
        var option = new DeclaredOption<TValue?>(name, aliases) { Arity = ArgumentArity.ZeroOrOne };
        option.CustomParser = result => result.Tokens.Count == 0 ? default : Read(name, result, 0, parse);
        return Declare(option, helpName, description, role, text => parse(text), apply);
    }

    /// <summary>An option that may be given several times.</summary>
    protected OptionNotes Several<TValue>(string name, string helpName, string description, OptionRole role, Func<string, TValue> parse,
        Func<T, TValue[], T>? apply = null)
    {
        var option = new DeclaredOption<TValue[]>(name) { Arity = ArgumentArity.OneOrMore };
        option.CustomParser = result => [.. Enumerable.Range(0, result.Tokens.Count).Select(i => Read(name, result, i, parse)!)];
        return Declare(option, helpName, description, role, text => parse(text), apply!);
    }

    private OptionNotes Declare<TValue>(Option<TValue> option, string? helpName, string description, OptionRole role, Action<string>? parse,
        Func<T, TValue, T>? apply)
    {
        if (apply is not null)
        {
            _changes.Add((target, words) =>
                words.GetResult(option) is { Implicit: false } ? apply(target, words.GetValue(option)!) : target);
        }

        return Declare(option, helpName, description, role, parse);
    }

    private static TValue? Read<TValue>(string name, ArgumentResult result, int token, Func<string, TValue> parse)
    {
        try
        {
            return parse(result.Tokens[token].Value);
        }
        catch (FormatException wrong)
        {
            result.AddError($"{name}: {wrong.Message}");
            return default;
        }
    }
}

/// <summary>What an option takes, by the help's word for its value.</summary>
internal static class OptionValues
{
    /// <summary>The option must have been declared by a group.</summary>
    public static OptionNotes Notes(this Option option) => ((IDeclaredOption)option).Notes;

    /// <summary>Whether the value is a file, a folder, or the name of something.</summary>
    public static bool NamesFile(this Option option) => option.HelpName is "NAME" or "FILE" or "PATH" or "FOLDER" or "DIR";

    public static bool TakesNoValue(this Option option) => option.Arity.MaximumNumberOfValues == 0;

    /// <summary>The value in a sentence, such as <c>a file name</c>.</summary>
    public static string NeededValue(this Option option) => option.HelpName switch
    {
        "FILE" => "a file name",
        "PATH" => "a path",
        "FOLDER" or "DIR" => "a folder",
        "NAME" => "a name",
        "N" => "a number",
        "SIZE" => "a size",
        "TIME" => "a time",
        "CHAR" => "a character",
        _ => "a value",
    };
}
