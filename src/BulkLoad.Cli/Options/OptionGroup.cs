using System.CommandLine;
using System.CommandLine.Parsing;

namespace BulkLoad.Cli.Options;

/// <summary>What an option decides of a job that is in the ledger.</summary>
internal enum OptionRole
{
    /// <summary>Nothing: only commands without such a job have it.</summary>
    None,

    /// <summary>How the work is done: it may be another one at each start.</summary>
    Way,

    /// <summary>What is stored, or which rows are meant: it must be the same at each start (<c>JobRules</c> in the library).</summary>
    Rule,

    /// <summary>Which job it is: table, command or mapping.</summary>
    Identity,
}

/// <summary>What could be typed as an option's value.</summary>
internal enum Offer
{
    /// <summary>The words that its parser knows; if there are none, what its help's word for the value says.</summary>
    ByParser,

    /// <summary>A few words.</summary>
    Words,

    /// <summary>A few words for all columns, or a field's name and <c>=</c> with one of the words.</summary>
    WordsOfColumn,

    /// <summary>Names of fields, with commas in between.</summary>
    Fields,

    /// <summary>Names of fields, each with <c>=</c> and something else.</summary>
    FieldPairs,
    Tables,
    Strategies,
    Dirt,
}

/// <summary>What the declaration of an option says, beside what System.CommandLine keeps.</summary>
internal sealed class OptionNotes(OptionRole role, Action<string>? parse)
{
    public OptionRole Role => role;

    /// <summary>Reads a value; null: it is taken as it is.</summary>
    public Action<string>? Parse => parse;

    public Offer Offer { get; private set; }

    /// <summary>Words for <see cref="Offer"/>.</summary>
    public IReadOnlyList<string> Words { get; private set; } = [];

    /// <summary>Whether a seed says it for all of its files, and no file for itself.</summary>
    public bool IsOfAllFiles { get; private set; }

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
}

/// <summary>Options that belong together: shown under one heading.</summary>
internal abstract class OptionGroup(string title)
{
    /// <summary>No option takes it.</summary>
    private const string NoWord = "\0";

    private readonly List<Option> _options = [];
    private readonly List<OptionNotes> _notes = [];
    private readonly HashSet<Option> _inputs = [];
    private readonly Dictionary<Option, Func<string, string?>> _outputs = [];

    /// <summary>The heading in help and documentation.</summary>
    public string Title { get; } = title;

    /// <summary>In the order of the help.</summary>
    public IReadOnlyList<Option> Options => _options;

    public OptionRole RoleOf(Option option) => NotesOf(option).Role;

    /// <summary>What the declaration says of one of these options.</summary>
    public OptionNotes NotesOf(Option option) => _notes[_options.IndexOf(option)];

    /// <summary>Options that name a file which the command reads.</summary>
    public IEnumerable<Option> Inputs => _options.Where(_inputs.Contains);

    /// <summary>Options that name a file which the command writes.</summary>
    public IEnumerable<Option> Outputs => _options.Where(_outputs.ContainsKey);

    /// <summary>The files that were typed and are read.</summary>
    public IEnumerable<string> InputFiles(ParseResult words) =>
        Inputs.Select(option => words.GetValue<string>(option.Name)).OfType<string>();

    /// <summary>The files that were typed and are written, and those beside them, with the options that name them.</summary>
    public IEnumerable<(string Option, string Path)> OutputFiles(ParseResult words)
    {
        foreach (var option in Outputs)
        {
            if (words.GetValue<string>(option.Name) is { Length: > 0 } path)
            {
                yield return (option.Name, path);
                if (_outputs[option](path) is { } beside)
                {
                    yield return (option.Name, beside);
                }
            }
        }
    }

    /// <summary>The words that an option takes, as its parser says them; empty: others than a few.</summary>
    public IReadOnlyList<string> WordsOf(Option option)
    {
        try
        {
            NotesOf(option).Parse?.Invoke(NoWord);
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

    /// <summary>The options among these that were typed, as they were typed; flags have no value.</summary>
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

    /// <summary>A value that need not be there is no word of its own, and one that looks like an option would be read as one.</summary>
    private static string[] Spell(string name, string value, bool isAttached) =>
        isAttached || (value.StartsWith('-') && value.Length > 1 && name.StartsWith("--", StringComparison.Ordinal))
            ? [$"{name}={value}"] : [name, value];

    protected OptionNotes Declare(Option option, string? helpName, string description, OptionRole role, Action<string>? parse = null)
    {
        (option.HelpName, option.Description) = (helpName, description);
        _options.Add(option);
        _notes.Add(new OptionNotes(role, parse));
        return _notes[^1];
    }

    /// <summary>Says of the last option that it names a file which the command reads.</summary>
    protected void LastIsInput() => _inputs.Add(_options[^1]);

    /// <summary>Says of the last option that it names a file which the command writes.</summary>
    /// <param name="beside">the file that comes with it; null: none</param>
    protected void LastIsOutput(Func<string, string?>? beside = null) => _outputs.Add(_options[^1], beside ?? (_ => null));

    /// <summary>Shows another group's options below these, under the same heading.</summary>
    protected void Include(OptionGroup other)
    {
        _options.AddRange(other._options);
        _notes.AddRange(other._notes);
        _inputs.UnionWith(other._inputs);
    }
}

/// <summary>
/// Options that change one <typeparamref name="T"/>. Each is declared once, by a line in the constructor: name, value, help, role, how its
/// value is read, and what it changes. What changes nothing there, the command asks for by its name.
/// </summary>
internal abstract class OptionGroup<T>(string title) : OptionGroup(title)
{
    private readonly List<Func<T, ParseResult, T>> _changes = [];

    /// <summary>The target with what was typed, in the order of the declarations.</summary>
    /// <exception cref="RequestException">two options contradict each other, or a value cannot be meant</exception>
    public T Apply(T target, ParseResult words)
    {
        foreach (var change in _changes)
        {
            target = change(target, words);
        }

        return target;
    }

    protected OptionNotes Flag(string name, string description, OptionRole role, Func<T, T>? apply = null)
    {
        var option = new Option<bool>(name) { Arity = ArgumentArity.Zero };
        if (apply is not null)
        {
            _changes.Add((target, words) => words.GetValue(option) ? apply(target) : target);
        }

        return Declare(option, helpName: null, description, role);
    }

    /// <summary>An option whose value is taken as it is.</summary>
    protected OptionNotes Text(
        string name, string helpName, string description, OptionRole role, Func<T, string, T>? apply = null, params string[] aliases) =>
        Declare(new Option<string>(name, aliases) { Arity = ArgumentArity.ExactlyOne }, helpName, description, role, null, apply!);

    /// <summary>An option that names a file which the command reads.</summary>
    protected void Input(string name, string description, OptionRole role, Func<T, string, T>? apply = null, string helpName = "FILE")
    {
        Text(name, helpName, description, role, apply);
        LastIsInput();
    }

    /// <summary>An option that names a file which the command writes: it must be none that the command reads.</summary>
    /// <param name="beside">the file that comes with it; null: none</param>
    protected OptionNotes Output(
        string name, string description, OptionRole role, Func<T, string, T> apply, Func<string, string?>? beside = null)
    {
        var notes = Text(name, "FILE", description, role, apply);
        LastIsOutput(beside);
        return notes;
    }

    /// <summary>An option whose value <paramref name="parse"/> reads; a <see cref="FormatException"/> says what is wrong with it.</summary>
    protected OptionNotes Value<TValue>(string name, string helpName, string description, OptionRole role, Func<string, TValue> parse,
        Func<T, TValue, T> apply, params string[] aliases)
    {
        var option = new Option<TValue>(name, aliases) { Arity = ArgumentArity.ExactlyOne };
        option.CustomParser = result => Read(name, result, 0, parse);
        return Declare(option, helpName, description, role, text => parse(text), apply);
    }

    /// <summary>An option that has a value only where one is attached, as in <c>--name=value</c>; null: it has none.</summary>
    protected OptionNotes Optional<TValue>(string name, string helpName, string description, OptionRole role, Func<string, TValue> parse,
        Func<T, TValue?, T> apply, params string[] aliases)
    {
        var option = new Option<TValue?>(name, aliases) { Arity = ArgumentArity.ZeroOrOne };
        option.CustomParser = result => result.Tokens.Count == 0 ? default : Read(name, result, 0, parse);
        return Declare(option, helpName, description, role, text => parse(text), apply);
    }

    /// <summary>An option that may be given several times; each value is read by <paramref name="parse"/>.</summary>
    protected OptionNotes Several<TValue>(string name, string helpName, string description, OptionRole role, Func<string, TValue> parse,
        Func<T, TValue[], T>? apply = null)
    {
        var option = new Option<TValue[]>(name) { Arity = ArgumentArity.OneOrMore };
        option.CustomParser = result => [.. Enumerable.Range(0, result.Tokens.Count).Select(i => Read(name, result, i, parse)!)];
        return Declare(option, helpName, description, role, text => parse(text), apply!);
    }

    private OptionNotes Declare<TValue>(Option<TValue> option, string helpName, string description, OptionRole role, Action<string>? parse,
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

/// <summary>What an option takes, by the word that its help has for it.</summary>
internal static class OptionValues
{
    /// <summary>Whether the value is a file, a folder, or the name of something.</summary>
    public static bool NamesFile(this Option option) => option.HelpName is "NAME" or "FILE" or "PATH" or "FOLDER" or "DIR";

    /// <summary>Whether it is a flag.</summary>
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
