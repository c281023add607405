using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Suggesting;

/// <summary>An option that the files' content asks for.</summary>
/// <param name="Words">as typed, such as <c>--decimal</c> and <c>,</c></param>
/// <param name="Why">what shows it, for people</param>
public sealed record SuggestedOption(IReadOnlyList<string> Words, string Why)
{
    /// <summary>As it is typed in a shell.</summary>
    public string Shell => ShellWords.Join(Words);
}

/// <summary>What the content leaves open.</summary>
/// <param name="What">of which column or file, and why, for people</param>
/// <param name="Alternatives">each of which takes all values; the first one is the more usual</param>
public sealed record OpenChoice(string What, IReadOnlyList<SuggestedOption> Alternatives);

/// <summary>What files are, read in one encoding.</summary>
/// <param name="Encoding">null: they are UTF-8, or say themselves what they are, or the user did</param>
/// <param name="Options">what is sure</param>
/// <param name="Choices">what is not</param>
/// <param name="Unsolved">columns for which no option takes all values, for people</param>
public sealed record SuggestVariant(
    EncodingCandidate? Encoding, IReadOnlyList<SuggestedOption> Options, IReadOnlyList<OpenChoice> Choices, IReadOnlyList<string> Unsolved);

/// <summary>What <c>check --suggest</c> has found.</summary>
public sealed record SuggestReport
{
    /// <summary>As they are typed.</summary>
    public required IReadOnlyList<string> Files { get; init; }

    /// <summary>The table that they are for, with its database.</summary>
    public required string Table { get; init; }

    /// <summary>Whether there is no such table yet.</summary>
    public bool IsNewTable { get; init; }

    /// <summary>Of a new table: its columns with the first of <see cref="Variants"/>, such as <c>born DATE</c>.</summary>
    public IReadOnlyList<string> NewColumns { get; init; } = [];

    /// <summary>Of a new table: columns of which no two records have the same value.</summary>
    public IReadOnlyList<string> KeyColumns { get; init; } = [];

    /// <summary>Records that could be read.</summary>
    public long Records { get; init; }

    /// <summary>Records with a fault of the format, which take no part.</summary>
    public long Faulty { get; init; }

    /// <summary>What was guessed of the files, for people.</summary>
    public IReadOnlyList<string> Guesses { get; init; } = [];

    /// <summary>One for each encoding that the files may be in, the likeliest first.</summary>
    public required IReadOnlyList<SuggestVariant> Variants { get; init; }

    /// <summary>The check with the first of <see cref="Variants"/>, and in it the first of each of its choices; null: there is no
    /// table.</summary>
    public LoadReport? Check { get; init; }

    /// <summary>Whether one command line takes every record, and nothing is left open.</summary>
    public bool IsSettled =>
        Variants is [{ Choices.Count: 0, Unsolved.Count: 0 }] && Faulty == 0 && Check is null or { Failure: null, Counts.Rejected: 0 };
}
