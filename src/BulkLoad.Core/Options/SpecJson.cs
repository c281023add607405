using System.Text.Encodings.Web;
using System.Text.Json;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Options;

/// <summary>A spec as a file: a JSON object whose names are the options'; docs/input.md has the format.</summary>
internal static class SpecJson
{
    private const string VersionName = "bulkload-spec";
    private const int Version = 1;

    private static readonly JsonWriterOptions Indented = new() { Indented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <param name="to">stays open</param>
    public static void Write(Stream to, SourceSpec spec)
    {
        using (var json = new Utf8JsonWriter(to, Indented))
        {
            json.WriteStartObject();
            json.WriteNumber(VersionName, Version);
            json.WriteString("format", spec.Format.Word());
            json.WriteString("encoding", spec.Encoding);
            json.WriteBoolean("byte-order-mark", spec.HasMark);
            json.WriteString("delimiter", spec.Delimiter);
            json.WriteString("quote", SpecText.Of(spec.Quote));
            json.WriteString("escape", SpecText.Of(spec.Escape));
            json.WriteString("newline", spec.Newline);
            json.WriteString("comment", SpecText.Of(spec.Comment));
            json.WriteNumber("skip-lines", spec.SkipLines);
            json.WriteNumber("preamble", spec.PreambleLines);
            Names(json, "header", spec.Header);
            json.WriteNumber("fields", spec.Fields);
            json.WriteStartArray("null-value");
            foreach (var text in spec.NullTexts)
            {
                json.WriteStartObject();
                json.WriteString("column", text.Column);
                json.WriteString("text", text.Text);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            Names(json, "columns", spec.Columns);
            json.WriteEndObject();
        }

        to.WriteByte((byte)'\n');
    }

    internal static string ToText(SourceSpec spec)
    {
        using var bytes = new MemoryStream();
        Write(bytes, spec);
        return Encoding.UTF8.GetString(bytes.GetBuffer(), 0, (int)bytes.Length);
    }

    /// <param name="json">a whole file</param>
    /// <exception cref="RequestException">it is no spec, or one of another version</exception>
    public static SourceSpec Read(ReadOnlyMemory<byte> json, string name)
    {
        try
        {
            using var document = JsonDocument.Parse(json);
            var root = document.RootElement;
            if (root.ValueKind != JsonValueKind.Object || !root.TryGetProperty(VersionName, out var version)
                || version.GetInt32() != Version)
            {
                throw new RequestException($"--spec: '{name}' is no spec of version {Version}: write one with --write-spec");
            }

            return Read(root);
        }
        catch (Exception wrong) when (wrong is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new RequestException($"--spec: '{name}' is not as --write-spec writes it: {JsonFile.WhyNot(wrong)}");
        }
    }

    private static SourceSpec Read(JsonElement root) => new()
    {
        Format = InputFormats.Find(Text(root, "format") ?? "") ?? throw new FormatException("its format is not known"),
        Encoding = InputEncoding.Find(Text(root, "encoding") ?? "").WebName,
        HasMark = root.GetProperty("byte-order-mark").GetBoolean(),
        Delimiter = Characters(root, "delimiter"),
        Quote = Character(root, "quote"),
        Escape = Character(root, "escape"),
        Newline = Text(root, "newline"),
        Comment = Character(root, "comment"),
        SkipLines = Count(root, "skip-lines"),
        PreambleLines = Count(root, "preamble"),
        Header = Names(root, "header"),
        Fields = Count(root, "fields"),
        NullTexts = [.. root.GetProperty("null-value").EnumerateArray()
            .Select(text => new NullText(Text(text, "column"), Text(text, "text") ?? ""))],
        Columns = Names(root, "columns"),
    };

    private static string? Text(JsonElement of, string name) => of.GetProperty(name).GetString();

    private static int Count(JsonElement of, string name) =>
        of.GetProperty(name).GetInt32() is >= 0 and var count ? count : throw new FormatException($"{name} is negative");

    private static string? Characters(JsonElement of, string name) => Text(of, name) switch
    {
        null => null,
        { Length: > 0 } text when Ascii.IsValid(text) => text,
        _ => throw new FormatException($"{name} is not one or more ASCII characters"),
    };

    private static char? Character(JsonElement of, string name) => Text(of, name) switch
    {
        null => null,
        "" => '\0',
        [< '\x80' and var only] => only,
        _ => throw new FormatException($"{name} is not one ASCII character"),
    };

    private static string[]? Names(JsonElement of, string name) => of.GetProperty(name) is { ValueKind: not JsonValueKind.Null } names
        ? [.. names.EnumerateArray().Select(one => one.GetString() ?? "")]
        : null;

    private static void Names(Utf8JsonWriter json, string name, IReadOnlyList<string>? names)
    {
        if (names is null)
        {
            json.WriteNull(name);
            return;
        }

        json.WriteStartArray(name);
        foreach (var one in names)
        {
            json.WriteStringValue(one);
        }

        json.WriteEndArray();
    }
}
