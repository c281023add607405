namespace BulkLoad.Core.Common;

/// <summary>Parses values of options and option files. A <see cref="FormatException"/> says what is wrong.</summary>
internal static class TypedValue
{
    public static int Whole(string text, int least, int most) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number >= least && number <= most
            ? number
            : throw new FormatException($"'{text}' is not a whole number from {least} to {most}");

    /// <summary>Ignores case.</summary>
    public static T Choice<T>(string text, ReadOnlySpan<(string Name, T Value)> choices)
    {
        var names = new string[choices.Length];
        for (var i = 0; i < choices.Length; i++)
        {
            (names[i], var value) = choices[i];
            if (names[i].Equals(text, StringComparison.OrdinalIgnoreCase))
            {
                return value;
            }
        }

        throw new ChoiceException(text, names);
    }
}

/// <summary>A value is none of those that an option takes.</summary>
internal sealed class ChoiceException(string text, IReadOnlyList<string> names)
    : FormatException($"'{text}' is not one of {string.Join(", ", names)}"
        + (ValueSynonyms.Find(text, names) is { } ours ? $": that is {ours}" : Suggestions.Hint(text, names)))
{
    public IReadOnlyList<string> Names { get; } = names;
}

internal static class ValueSynonyms
{
    private static readonly (string Typed, string[] Ours)[] All =
    [
        ("skip", ["ignore", "repair"]),
        ("overwrite", ["replace"]),
        ("upsert", ["update"]),
        ("merge", ["update"]),
        ("fail", ["error"]),
        ("abort", ["error"]),
        ("nothing", ["ignore"]),
        ("ndjson", ["jsonl"]),
        ("jsonlines", ["jsonl"]),
        ("json-lines", ["jsonl"]),
        ("ldjson", ["jsonl"]),
        ("txt", ["tsv"]),
        ("tab", ["tsv"]),
        ("psql", ["postgres"]),
        ("pg", ["postgres"]),
        ("postgresql", ["postgres"]),
        ("gz", ["gzip"]),
        ("zst", ["zstd"]),
        ("bz2", ["bzip2"]),
        ("yes", ["always", "required"]),
        ("true", ["always", "required"]),
        ("on", ["always", "required"]),
        ("no", ["never", "none", "disabled"]),
        ("false", ["never", "none", "disabled"]),
        ("off", ["never", "none", "disabled"]),
        ("append", ["insert"]),
        ("full", ["checksum"]),
        ("md5", ["checksum"]),
    ];

    /// <summary>Null: no value of ours is known for it.</summary>
    public static string? Find(string word, IReadOnlyList<string> ours) => All
        .Where(entry => entry.Typed.Equals(word, StringComparison.OrdinalIgnoreCase)).SelectMany(entry => entry.Ours)
        .FirstOrDefault(ours.Contains);
}
