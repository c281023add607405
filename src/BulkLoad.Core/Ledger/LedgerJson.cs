using System.Text.Json;

namespace BulkLoad.Core.Ledger;

/// <summary>The details of a ledger's row: one JSON object, written and read by hand.</summary>
internal static class LedgerJson
{
    public static string Write(Action<Utf8JsonWriter> members)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            members(json);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length));
    }

    /// <exception cref="PlanException">it is no JSON object</exception>
    public static JsonDocument Read(string? text)
    {
        try
        {
            var json = JsonDocument.Parse(text ?? "");
            if (json.RootElement.ValueKind == JsonValueKind.Object)
            {
                return json;
            }

            json.Dispose();
        }
        catch (JsonException)
        {
            // Told below, as an object that is none.
        }

        throw new PlanException(
            "the ledger has a row whose details cannot be read: was it changed by hand, or written by a newer version of this program?");
    }

    public static void WriteCounts(Utf8JsonWriter json, string name, IReadOnlyDictionary<string, long> counts)
    {
        if (counts.Count == 0)
        {
            return;
        }

        json.WriteStartObject(name);
        foreach (var (word, count) in counts)
        {
            json.WriteNumber(word, count);
        }

        json.WriteEndObject();
    }

    public static IReadOnlyDictionary<string, long> ReadCounts(JsonElement json, string name) =>
        json.TryGetProperty(name, out var counts) && counts.ValueKind == JsonValueKind.Object
        ? counts.EnumerateObject()
            .ToDictionary(count => count.Name, count => count.Value.TryGetInt64(out var number) ? number : 0, StringComparer.Ordinal)
        : [];

    public static IReadOnlyDictionary<string, string>? ReadTexts(JsonElement json, string name) =>
        json.TryGetProperty(name, out var texts) && texts.ValueKind == JsonValueKind.Object
        ? texts.EnumerateObject()
            .ToDictionary(
            text => text.Name, text => text.Value.ValueKind == JsonValueKind.String ? text.Value.GetString()! : "", StringComparer.Ordinal)
        : null;

    /// <summary>0 where there is none.</summary>
    public static long ReadNumber(JsonElement json, string name) =>
        json.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out var number)
            ? number
            : 0;

    public static string? ReadText(JsonElement json, string name) =>
        json.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}
