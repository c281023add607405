using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Suggesting;

/// <summary>An option that the files' content asks for.</summary>
/// <param name="Words">as typed, such as <c>--decimal</c> and <c>,</c></param>
/// <param name="Why">what shows it, for people</param>
internal sealed record SuggestedOption(IReadOnlyList<string> Words, string Why)
{
    /// <summary>As it is typed in a shell.</summary>
    public string Shell => ShellWords.Join(Words);
}

/// <summary>What the content leaves open.</summary>
/// <param name="What">of which column or file, and why, for people</param>
/// <param name="Alternatives">each of which takes all values; the first one is the more usual</param>
/// <param name="Subject">what can be read in several ways, such as <c>dates</c></param>
internal sealed record OpenChoice(string What, IReadOnlyList<SuggestedOption> Alternatives, string Subject);

/// <summary>What files are, read in one encoding.</summary>
/// <param name="Encoding">null: they are UTF-8, or say themselves what they are, or the user did</param>
/// <param name="Options">what is sure</param>
/// <param name="Choices">what is not</param>
/// <param name="Unsolved">columns for which no option takes all values, for people</param>
internal sealed record SuggestVariant(
    EncodingCandidate? Encoding, IReadOnlyList<SuggestedOption> Options, IReadOnlyList<OpenChoice> Choices, IReadOnlyList<string> Unsolved)
{
    /// <summary>What the options of each command are, with one of the alternatives of each choice; the more usual one first.</summary>
    internal IEnumerable<IReadOnlyList<string>> Commands(IReadOnlyList<string> form)
    {
        IEnumerable<IReadOnlyList<string>> lines =
            [[.. Encoding is null ? [] : (string[])["--encoding", Encoding.Name], .. form, .. Options.SelectMany(option => option.Words)]];
        foreach (var choice in Choices)
        {
            lines = lines.SelectMany(line => choice.Alternatives, (line, way) => (IReadOnlyList<string>)[.. line, .. way.Words]);
        }

        return lines;
    }

    /// <summary>Without the alternatives that no command of those has.</summary>
    internal SuggestVariant With(IReadOnlyList<IReadOnlyList<string>> commands)
    {
        List<SuggestedOption> options = [.. Options];
        List<OpenChoice> choices = [];
        foreach (var choice in Choices)
        {
            var left = choice.Alternatives.Where(way => commands.Any(command => Contains(command, way.Words))).ToList();
            if (left.Count > 1)
            {
                choices.Add(choice with { Alternatives = left });
            }
            else if (left is [{ Words.Count: > 0 } only])
            {
                options.Add(only);
            }
        }

        return this with { Options = options, Choices = choices };
    }

    private static bool Contains(IReadOnlyList<string> command, IReadOnlyList<string> words) => words.Count == 0
        || Enumerable.Range(0, command.Count).Any(at => command.Skip(at).Take(words.Count).SequenceEqual(words));
}

/// <summary>A command that was tried on all records.</summary>
/// <param name="Words">its options beside those that were typed</param>
/// <param name="Check">what a check of it has found</param>
internal sealed record TriedCommand(IReadOnlyList<string> Words, LoadReport Check)
{
    /// <summary>Whether it takes every record.</summary>
    public bool TakesAll => Check is { Failure: null, Counts.Rejected: 0 };
}

/// <summary>What <c>check --suggest</c> has found.</summary>
internal sealed record SuggestReport
{
    /// <summary>As they are typed.</summary>
    public required IReadOnlyList<string> Files { get; init; }

    /// <summary>The table that they are for, with its database.</summary>
    public required string Table { get; init; }

    /// <summary>Whether there is no such table yet.</summary>
    public bool IsNewTable { get; init; }

    /// <summary>Of a new table: its columns by the first of <see cref="Commands"/>, such as <c>born DATE</c>.</summary>
    public IReadOnlyList<string> NewColumns => Commands[0].Check.Plan?.NewTable?.Definitions ?? [];

    /// <summary>Of a new table: columns of which no two records have the same value.</summary>
    public IReadOnlyList<string> KeyColumns => Commands[0].Check.Plan?.NewTable?.UniqueColumns ?? [];

    /// <summary>Records that could be read.</summary>
    public long Records { get; init; }

    /// <summary>Records with a fault of the format, which take no part.</summary>
    public long Faulty { get; init; }

    /// <summary>What was guessed of the files, for people.</summary>
    public IReadOnlyList<string> Guesses { get; init; } = [];

    /// <summary>Options for faults of the format and for names, which the user has to want.</summary>
    public IReadOnlyList<SuggestedOption> Form { get; init; } = [];

    /// <summary>One for each encoding that the files may be in, the likeliest first.</summary>
    public required IReadOnlyList<SuggestVariant> Variants { get; init; }

    /// <summary>One for each combination of what is not sure, the likeliest first; where one takes all records, only such ones.</summary>
    public required IReadOnlyList<TriedCommand> Commands { get; init; }

    /// <summary>Whether one command line takes every record, and nothing is left open.</summary>
    public bool IsSettled => Commands is [{ TakesAll: true }];
}
