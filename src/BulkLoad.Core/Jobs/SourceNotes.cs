using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Core.Jobs;

/// <summary>What was guessed of the inputs, for people. Files with the same guess are named together.</summary>
internal static class SourceNotes
{
    public static IReadOnlyList<string> Of(IReadOnlyList<SourceInfo> looks, IReadOnlyList<string> headers) => looks.Count switch
    {
        1 => [.. looks[0].Guesses, .. headers],
        <= Plural.Shown => [.. looks.SelectMany(look => look.Guesses.Select(guess => $"{look.Name}: {guess}")), .. headers],
        _ =>
        [
            .. looks.SelectMany(look => look.Guesses.Select(guess => (Guess: guess, look.Name))).GroupBy(one => one.Guess)
                .Take(Plural.Shown).Select(group => $"{Plural.Names([.. group.Select(one => one.Name)])}: {group.Key}"),
            .. headers.Take(Plural.Shown),
            .. headers.Count <= Plural.Shown ? Array.Empty<string>() : [$"and {headers.Count - Plural.Shown:N0} more notes of this kind"],
        ],
    };
}
