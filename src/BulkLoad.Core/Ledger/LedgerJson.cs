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

    public static IReadOnlyDictionary<string, long> NoCounts { get; } = new Dictionary<string, long>();

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
            // The error is thrown below, as for a value that is no object.
        }

        throw Unreadable();
    }

    public static PlanException Unreadable() => new(
        "the ledger has a row whose details cannot be read: was it changed by hand, or written by a newer version of this program?");

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
        ? ReadCounts(counts)
        : NoCounts;

    public static IReadOnlyDictionary<string, long> ReadCounts(JsonElement counts) => counts.EnumerateObject()
        .ToDictionary(count => count.Name, count => count.Value.TryGetInt64(out var number) ? number : 0, StringComparer.Ordinal);

    public static IReadOnlyDictionary<string, string>? ReadTexts(JsonElement json, string name) =>
        json.TryGetProperty(name, out var texts) && texts.ValueKind == JsonValueKind.Object
        ? texts.EnumerateObject()
            .ToDictionary(
            text => text.Name, text => text.Value.ValueKind == JsonValueKind.String ? text.Value.GetString()! : "", StringComparer.Ordinal)
        : null;

    public static void WriteList(Utf8JsonWriter json, string name, IReadOnlyList<string> texts)
    {
        json.WriteStartArray(name);
        foreach (var text in texts)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }

    /// <returns>null: there is none, or not each is a text that fits</returns>
    public static string[]? ReadList(JsonElement json, string name, Func<string, bool> fits) =>
        json.TryGetProperty(name, out var list) && list.ValueKind == JsonValueKind.Array
        && list.EnumerateArray().All(one => one.ValueKind == JsonValueKind.String && fits(one.GetString()!))
            ? [.. list.EnumerateArray().Select(one => one.GetString()!)]
            : null;

    /// <summary>0: there is none.</summary>
    public static long ReadNumber(JsonElement json, string name) =>
        json.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out var number)
            ? number
            : 0;

    public static string? ReadText(JsonElement json, string name) =>
        json.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}

/// <summary>The members of a row's details, one after the other: a ledger may have millions of rows.</summary>
internal ref struct LedgerMembers
{
    private Utf8JsonReader _json;

    /// <exception cref="PlanException">it is no JSON object</exception>
    public LedgerMembers(ReadOnlySpan<byte> text)
    {
        _json = new Utf8JsonReader(text);
        if (!Read() || _json.TokenType != JsonTokenType.StartObject)
        {
            throw LedgerJson.Unreadable();
        }
    }

    /// <summary>Goes to the next member's name; false: there is none.</summary>
    /// <exception cref="PlanException">the text is no JSON</exception>
    public bool Move()
    {
        if (_json.TokenType == JsonTokenType.PropertyName)
        {
            MoveToValue();
        }

        if (Read() && _json.TokenType == JsonTokenType.PropertyName)
        {
            return true;
        }

        Read(); // Nothing may follow.
        return false;
    }

    /// <summary>The member's place among some names; -1: it has none.</summary>
    /// <param name="from">where the search begins</param>
    public readonly int IndexIn(string[] names, int from)
    {
        for (var i = 0; i < names.Length; i++)
        {
            if ((from + i) % names.Length is var at && Is(names[at]))
            {
                return at;
            }
        }

        return -1;
    }

    public readonly bool Is(string name) => _json.ValueTextEquals(name);

    /// <summary>0: it is no number.</summary>
    public long Number => MoveToValue() == JsonTokenType.Number && _json.TryGetInt64(out var number) ? number : 0;

    /// <summary>Null: it is no text.</summary>
    public string? Text => MoveToValue() == JsonTokenType.String ? _json.GetString() : null;

    public IReadOnlyDictionary<string, long> Counts
    {
        get
        {
            Read();
            using var json = JsonDocument.ParseValue(ref _json);
            return json.RootElement.ValueKind == JsonValueKind.Object ? LedgerJson.ReadCounts(json.RootElement) : LedgerJson.NoCounts;
        }
    }

    private JsonTokenType MoveToValue()
    {
        Read();
        var type = _json.TokenType;
        try
        {
            _json.Skip();
        }
        catch (JsonException)
        {
            throw LedgerJson.Unreadable();
        }

        return type;
    }

    private bool Read()
    {
        try
        {
            return _json.Read();
        }
        catch (JsonException)
        {
            throw LedgerJson.Unreadable();
        }
    }
}
