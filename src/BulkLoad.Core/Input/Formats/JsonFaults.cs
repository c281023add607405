using System.Text.Json;

namespace BulkLoad.Core.Input.Formats;

/// <summary>The faults of a line that should be one JSON object.</summary>
internal static class JsonFaults
{
    private const int NamesShown = 20;

    public static RecordFault NotAnObject { get; } = new(
        "not-an-object", "not a JSON object; each line must be one (an array becomes that with: jq -c '.[]')");

    public static RecordFault InvalidUtf8 { get; } = new(
        "invalid-utf-8", "the line is not valid UTF-8; name the file's encoding with --encoding");

    public static RecordFault LoneSurrogate { get; } = new(
        "lone-surrogate", "a \\u escape is half of a surrogate pair, which is no character");

    public static RecordFault NotComplete { get; } = new(
        "invalid-json", "a JSON value begins here and is not complete on its line; each line must be one object (several lines become that with: jq -c .)");

    public static RecordFault DuplicateKey(string key, int field) => new(
        "duplicate-name", $"the key '{key}' appears twice", field);

    public static RecordFault UnknownKey(string key, IReadOnlyList<string> known) => new(
        "unknown-key",
        $"the key '{key}' is not among the expected ones: {string.Join(", ", known.Take(NamesShown))}{(known.Count > NamesShown ? ", ..." : "")} (--ignore-unknown ignores it, --columns names all keys)");

    public static RecordFault Invalid(JsonException cause)
    {
        // The reader's text ends with a position that counts from 0, in lines too.
        var text = cause.Message;
        var end = text.IndexOf(" LineNumber:", StringComparison.Ordinal);
        return new RecordFault(
            "invalid-json", $"not valid JSON at byte {cause.BytePositionInLine + 1} of the line: {(end < 0 ? text : text[..end])}");
    }
}
