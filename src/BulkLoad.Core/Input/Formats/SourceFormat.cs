using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Formats;

/// <summary>Decides by option, extension, or first bytes.</summary>
internal static class SourceFormat
{
    private const int FirstBytes = 4096;

    private static ReadOnlySpan<byte> Blanks => " \t\r\n"u8;

    /// <summary>Never <see cref="InputFormat.Auto"/>. An extension comes before <see cref="InputFormat.Keys"/>. Consumes nothing.</summary>
    public static InputFormat Resolve(InputFile input, InputFormat wanted, List<string> guesses)
    {
        if (wanted == InputFormat.Keys)
        {
            return ByExtension(input.PackedName ?? input.Path) is { } other ? Guessed(other, guesses) : wanted;
        }

        if (wanted != InputFormat.Auto)
        {
            return wanted;
        }

        if (ByExtension(input.PackedName ?? input.Path) is { } known)
        {
            return Guessed(known, guesses);
        }

        if (ByFirstBytes(input.Content.Peek(FirstBytes).Span) is { } json)
        {
            guesses.Add($"format {json.Word()} (by first bytes)");
            return json;
        }

        guesses.Add("format csv (as nothing says otherwise)");
        return InputFormat.Csv;
    }

    /// <summary>Null: no JSON.</summary>
    private static InputFormat? ByFirstBytes(ReadOnlySpan<byte> bytes)
    {
        var first = bytes.TrimStart(Blanks);
        var line = first.IndexOf((byte)'\n');
        if (first.StartsWith((byte)'['))
        {
            // A line with an array is no record, and is refused as JSON.
            return first[1..].TrimStart(Blanks) is [(byte)'{', ..] or [(byte)']', ..] ? InputFormat.Json
                : JsonSyntax.IsList(line < 0 ? first : first[..line]) ? InputFormat.Jsonl
                : null;
        }

        return !first.StartsWith((byte)'{') ? null
            : line >= 0 && JsonSyntax.IsCutOff(first[..line]) ? InputFormat.Json
            : InputFormat.Jsonl;
    }

    private static InputFormat Guessed(InputFormat known, List<string> guesses)
    {
        guesses.Add($"format {known.Word()} (by extension)");
        return known;
    }

    private static InputFormat? ByExtension(string? path)
    {
        var extension = Path.GetExtension(CompressionFormat.Unpacked(Path.GetFileName(path ?? "")));
        return InputFormats.All.FirstOrDefault(one => one.Extensions.Contains(extension, StringComparer.OrdinalIgnoreCase))?.Format;
    }
}
