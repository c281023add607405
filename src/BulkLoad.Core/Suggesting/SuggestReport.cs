using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Suggesting;

/// <param name="Words">as typed, such as <c>--decimal</c> and <c>,</c></param>
/// <param name="Why">the evidence, for people</param>
internal sealed record SuggestedOption(IReadOnlyList<string> Words, string Why)
{
    public string Shell => ShellQuoting.Join(Words);
}

/// <summary>A question that the content does not answer.</summary>
/// <param name="What">column or file, and the reason, for people</param>
/// <param name="Alternatives">each takes all values; the more frequent first</param>
/// <param name="Subject">what can be read in several ways, such as <c>dates</c></param>
internal sealed record OpenChoice(string What, IReadOnlyList<SuggestedOption> Alternatives, string Subject);

/// <summary>What the files are in one encoding.</summary>
/// <param name="Encoding">null: they are UTF-8, or say their encoding, or the user has named it</param>
/// <param name="Options">those that are sure</param>
/// <param name="Choices">those that are not</param>
/// <param name="Unsolved">columns for which no option takes all values, for people</param>
internal sealed record SuggestVariant(
    EncodingCandidate? Encoding, IReadOnlyList<SuggestedOption> Options, IReadOnlyList<OpenChoice> Choices, IReadOnlyList<string> Unsolved)
{
    /// <summary>The options of each command: one for each combination of alternatives, the more frequent first.</summary>
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

    /// <summary>Leaves out alternatives that none of the commands has.</summary>
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

/// <param name="Words">its options, without the typed ones</param>
/// <param name="Check">report of its check</param>
internal sealed record TriedCommand(IReadOnlyList<string> Words, LoadReport Check)
{
    public bool TakesAll => Check is { Failure: null, Counts.Rejected: 0 };
}

/// <summary>The result of <c>check --suggest</c>.</summary>
internal sealed record SuggestReport
{
    /// <summary>As typed.</summary>
    public required IReadOnlyList<string> Files { get; init; }

    /// <summary>With its database.</summary>
    public required string Table { get; init; }

    public bool IsNewTable { get; init; }

    /// <summary>Columns of a new table by the first command, such as <c>born DATE</c>.</summary>
    public IReadOnlyList<string> NewColumns => Commands[0].Check.Plan?.NewTable?.Definitions ?? [];

    public IReadOnlyList<string> KeyColumns => Commands[0].Check.Plan?.NewTable?.UniqueColumns ?? [];

    /// <summary>Number of records that could be read.</summary>
    public long Records { get; init; }

    /// <summary>Number of records with a fault of the format, which are left out.</summary>
    public long Faulty { get; init; }

    /// <summary>For people.</summary>
    public IReadOnlyList<string> Guesses { get; init; } = [];

    /// <summary>Options for faults of the format and for names; the user has to want them.</summary>
    public IReadOnlyList<SuggestedOption> Form { get; init; } = [];

    /// <summary>One for each possible encoding, the most likely first.</summary>
    public required IReadOnlyList<SuggestVariant> Variants { get; init; }

    /// <summary>One for each combination of alternatives, the most likely first; if one takes all records, only such commands.</summary>
    public required IReadOnlyList<TriedCommand> Commands { get; init; }

    /// <summary>Whether one command takes every record, and no question is open.</summary>
    public bool IsSettled => Commands is [{ TakesAll: true }];
}
