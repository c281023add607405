namespace BulkLoad.Core.Input.Formats;

/// <summary>The format of an input: what the user said, else by its extension, else by its first bytes.</summary>
internal static class SourceFormat
{
    private const int FirstBytes = 4096;

    /// <summary>Never <see cref="InputFormat.Auto"/>.</summary>
    /// <param name="input">is looked at, not consumed</param>
    /// <param name="wanted">what the user said; <see cref="InputFormat.Keys"/> gives way to an extension that says something else</param>
    /// <exception cref="InputException">a JSON array, which no format reads</exception>
    public static InputFormat Resolve(InputFile input, InputFormat wanted, List<string> guesses)
    {
        if (wanted == InputFormat.Keys)
        {
            return ByExtension(input.Path) is { } other ? Guessed(other, guesses) : wanted;
        }

        if (wanted != InputFormat.Auto)
        {
            return wanted;
        }

        if (ByExtension(input.Path) is { } known)
        {
            return Guessed(known, guesses);
        }

        var first = input.Content.Peek(FirstBytes).Span.TrimStart(" \t\r\n"u8);
        if (first.StartsWith((byte)'{'))
        {
            guesses.Add("format jsonl (by first bytes)");
            return InputFormat.Jsonl;
        }

        if (first.StartsWith((byte)'[') && first[1..].TrimStart(" \t\r\n"u8).StartsWith((byte)'{'))
        {
            throw new InputException(
                $"{input.Name}: holds one JSON array; JSON is read as an object a line: pipe it: jq -c " +
                $"'.[]'{(input.Path is { } path ? $" {path}" : "")} | bulkload import - --format jsonl ..., or say --format csv");
        }

        guesses.Add("format csv (as nothing says otherwise)");
        return InputFormat.Csv;
    }

    private static InputFormat Guessed(InputFormat known, List<string> guesses)
    {
        guesses.Add($"format {NameOf(known)} (by extension)");
        return known;
    }

    private static InputFormat? ByExtension(string? path)
    {
        var name = Path.GetFileName(path.AsSpan());
        if (name.EndsWith(".gz", StringComparison.OrdinalIgnoreCase))
        {
            name = name[..^3];
        }

        return Path.GetExtension(name) switch
        {
            var e when e.Equals(".csv", StringComparison.OrdinalIgnoreCase) => InputFormat.Csv,
            var e when e.Equals(".tsv", StringComparison.OrdinalIgnoreCase) => InputFormat.Tsv,
            var e when e.Equals(".tab", StringComparison.OrdinalIgnoreCase) => InputFormat.Tsv,
            var e when e.Equals(".jsonl", StringComparison.OrdinalIgnoreCase) => InputFormat.Jsonl,
            var e when e.Equals(".ndjson", StringComparison.OrdinalIgnoreCase) => InputFormat.Jsonl,
            _ => null,
        };
    }

    private static string NameOf(InputFormat format) => format switch
    {
        InputFormat.Csv => "csv",
        InputFormat.Tsv => "tsv",
        _ => "jsonl",
    };
}
