using System.CommandLine;
using System.CommandLine.Parsing;

namespace BulkLoad.Cli.Options;

/// <summary>Options that belong together: declared once, shown under one heading, bound to one record.</summary>
internal abstract class ArgumentGroup(string title)
{
    /// <summary>No option takes it.</summary>
    private const string NoWord = "\0";

    private readonly List<Option> _options = [];
    private readonly List<(Option Option, Action<string> Parse)> _parsers = [];

    /// <summary>The heading in help and documentation.</summary>
    public string Title { get; } = title;

    /// <summary>In the order of the help.</summary>
    public IReadOnlyList<Option> Options => _options;

    /// <summary>The words that an option takes, as its parser says them; empty: others than a few.</summary>
    public IReadOnlyList<string> WordsOf(Option option)
    {
        try
        {
            _parsers.FirstOrDefault(known => known.Option == option).Parse?.Invoke(NoWord);
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

    /// <summary>Those of some options that were typed, as they were typed; flags without a value.</summary>
    /// <param name="isShort">whether an option that has a letter is printed by it</param>
    public static IEnumerable<string> Typed(ParseResult words, IEnumerable<Option> options, bool isShort = false)
    {
        foreach (var result in options.Select(words.GetResult).OfType<OptionResult>().Where(result => !result.Implicit))
        {
            var name = (isShort ? result.Option.Aliases.FirstOrDefault() : null) ?? result.Option.Name;
            foreach (var word in result.Tokens.Count == 0 ? [name] : result.Tokens.SelectMany(token => new[] { name, token.Value }))
            {
                yield return word;
            }
        }
    }

    protected Option<bool> Flag(string name, string description, params string[] aliases) =>
        Declare(new Option<bool>(name, aliases), description, helpName: null);

    protected Option<string?> Text(string name, string helpName, string description, params string[] aliases) =>
        Declare(new Option<string?>(name, aliases) { Arity = ArgumentArity.ExactlyOne }, description, helpName);

    /// <summary>An option whose value <paramref name="parse"/> reads; a <see cref="FormatException"/> says what is wrong with it.</summary>
    protected Option<T?> Value<T>(string name, string helpName, string description, Func<string, T> parse, params string[] aliases)
        where T : struct
    {
        var option = new Option<T?>(name, aliases) { Arity = ArgumentArity.ExactlyOne };
        option.CustomParser = result => Read(name, result, 0, text => (T?)parse(text));
        _parsers.Add((option, text => parse(text)));
        return Declare(option, description, helpName);
    }

    /// <summary>An option that has a value only where one is attached, as in <c>--name=value</c>.</summary>
    protected Option<T?> Optional<T>(string name, string helpName, string description, Func<string, T> parse)
        where T : struct
    {
        var option = new Option<T?>(name) { Arity = ArgumentArity.ZeroOrOne };
        option.CustomParser = result => result.Tokens.Count == 0 ? null : Read(name, result, 0, text => (T?)parse(text));
        return Declare(option, description, helpName);
    }

    /// <summary>One option of several commands.</summary>
    protected Option<long?> MaxMemory() => Value(
        "--max-memory", "SIZE",
        "memory that the job may use, in addition to about 60Mi of the program itself (default: what its largest record and its sessions "
            + "need); --plan shows the minimum",
        OptionParsers.Size);

    /// <inheritdoc cref="Value"/>
    protected Option<T?> Object<T>(string name, string helpName, string description, Func<string, T> parse, params string[] aliases)
        where T : class
    {
        var option = new Option<T?>(name, aliases) { Arity = ArgumentArity.ExactlyOne };
        option.CustomParser = result => Read(name, result, 0, parse);
        return Declare(option, description, helpName);
    }

    /// <summary>An option that may be given several times; each value is read by <paramref name="parse"/>.</summary>
    protected Option<T[]> Several<T>(string name, string helpName, string description, Func<string, T> parse, params string[] aliases)
        where T : class
    {
        var option = new Option<T[]>(name, aliases) { Arity = ArgumentArity.OneOrMore };
        option.CustomParser = result => [.. Enumerable.Range(0, result.Tokens.Count).Select(i => Read(name, result, i, parse)).OfType<T>()];
        return Declare(option, description, helpName);
    }

    /// <summary>The list that was typed, which may be empty; null: none was.</summary>
    protected static T[]? TypedList<T>(ParseResult words, Option<T[]?> option) =>
        words.GetResult(option) is null ? null : words.GetValue(option);

    protected T Declare<T>(T option, string description, string? helpName) where T : Option
    {
        option.Description = description;
        option.HelpName = helpName;
        _options.Add(option);
        return option;
    }

    private static T? Read<T>(string name, ArgumentResult result, int token, Func<string, T> parse)
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
