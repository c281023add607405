using System.Text.Json;

namespace BulkLoad.Core.Input.Formats;

internal static class JsonFaults
{
    private const int NamesShown = 20;

    private const string FromArray = " (of arrays, one a line, jq -c '{id: .[0], name: .[1]}' makes objects)";

    public static RecordFault NotAnObjectOfALine { get; } = new(
        "not-an-object", "not a JSON object; each line must be one (--format json reads an array of objects)");

    public static RecordFault NotAnObject { get; } = new("not-an-object", "not a JSON object; each element of the array must be one");

    public static RecordFault ArrayOfALine { get; } = new(
        "not-an-object", $"not a JSON object, but an array, whose values have no names{FromArray}");

    public static RecordFault Array { get; } = new(
        "not-an-object", $"not a JSON object, but an array; each element of the array must be one{FromArray}");

    public static RecordFault InvalidUtf8 { get; } = new(
        "invalid-utf-8", "the object is not valid UTF-8; name the file's encoding with --encoding");

    public static RecordFault LoneSurrogate { get; } = new(
        "lone-surrogate", "a \\u escape is half of a surrogate pair, which is no character");

    public static RecordFault NotComplete { get; } = new(
        "invalid-json",
        "a JSON value begins here and is not complete on its line; each line must be one object (--format json reads objects of several " +
        "lines)");

    public static RecordFault DuplicateKey(string key, int field) => new("duplicate-name", $"the key '{key}' appears twice", field);

    public static RecordFault UnknownKey(string key, IReadOnlyList<string> known) => new(
        "unknown-key",
        $"the key '{key}' is not among the expected ones: " +
        $"{string.Join(", ", known.Take(NamesShown))}{(known.Count > NamesShown ? ", ..." : "")} (--ignore-unknown ignores it, " +
        "--columns names all keys)");

    /// <summary><paramref name="line"/> is where the record begins.</summary>
    public static RecordFault Invalid(ReadOnlySpan<byte> text, JsonException cause, bool isLine, long line)
    {
        // The reader counts from 0, in lines too.
        var lines = cause.LineNumber ?? 0;
        var place = isLine ? "the line" : lines == 0 ? "the object" : $"line {line + lines}";
        var at = 0;
        for (var i = 0; i < lines; i++)
        {
            at += text[at..].IndexOf((byte)'\n') + 1;
        }

        at = (int)Math.Min(at + (cause.BytePositionInLine ?? 0), text.Length);
        return new RecordFault(
            "invalid-json", $"not valid JSON at byte {cause.BytePositionInLine + 1} of {place}: {JsonErrorText.Why(text, at)}");
    }
}
