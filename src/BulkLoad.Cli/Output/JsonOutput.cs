using System.Text.Encodings.Web;
using System.Text.Json;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>
/// What the JSON outputs share: documents are written by hand, the plain records in them by <see cref="JsonForms"/>.
/// </summary>
internal static class JsonOutput
{
    public const int Version = 1;

    private static readonly JsonWriterOptions Indented = OneLine with { Indented = true };

    /// <summary>Without line breaks, and with &lt; and ' as they are: nothing here goes into a web page.</summary>
    public static JsonWriterOptions OneLine => new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static void Document(Stream to, string kind, Action<Utf8JsonWriter> content)
    {
        using (var json = new Utf8JsonWriter(to, Indented))
        {
            json.WriteStartObject();
            json.WriteNumber("version", Version);
            json.WriteString("kind", kind);
            json.WriteString("program", ThisProgram.Version);
            content(json);
            json.WriteEndObject();
        }

        to.WriteByte((byte)'\n');
    }

    /// <summary>As text, for standard output.</summary>
    public static void Document(TextWriter to, string kind, Action<Utf8JsonWriter> content)
    {
        using var bytes = new MemoryStream();
        Document(bytes, kind, content);
        to.Write(Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length)));
    }

    /// <summary>A value as <see cref="JsonForms"/> has it, or null.</summary>
    public static void Value<T>(this Utf8JsonWriter json, string name, T value)
    {
        json.WritePropertyName(name);
        JsonSerializer.Serialize(json, value, JsonForms.Default.GetTypeInfo(typeof(T))!);
    }

    /// <summary>An enum's name in kebab-case, which JSON and some texts have.</summary>
    public static string WordOf(Enum value) => JsonNamingPolicy.KebabCaseLower.ConvertName(value.ToString());

    /// <summary>What helps after an error, under <c>waysOn</c>.</summary>
    public static void WaysOn(this Utf8JsonWriter json, IReadOnlyList<WayOn> ways, TypedCommand? typed) =>
        json.Objects("waysOn", [.. ways.Where(way => typed?.Allows(way) != false)], way =>
        {
            json.WriteString("purpose", way.Purpose);
            json.WriteString("command", typed?.LineOf(way));
            json.Value("words", way.Words);
        });

    public static void Objects<T>(this Utf8JsonWriter json, string name, IReadOnlyList<T> values, Action<T> members)
    {
        json.WriteStartArray(name);
        foreach (var value in values)
        {
            json.WriteStartObject();
            members(value);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    public static void Number(this Utf8JsonWriter json, string name, long? value)
    {
        if (value is { } number)
        {
            json.WriteNumber(name, number);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    /// <summary>To the millisecond.</summary>
    public static void Seconds(this Utf8JsonWriter json, string name, double? value)
    {
        json.WritePropertyName(name);
        json.Rounded(value);
    }

    /// <summary>Three digits behind the point; null where it is no finite number.</summary>
    public static void Rounded(this Utf8JsonWriter json, double? value)
    {
        if (value is { } number && double.IsFinite(number))
        {
            json.WriteNumberValue(Math.Round(number, 3));
        }
        else
        {
            json.WriteNullValue();
        }
    }

    /// <summary>A plan's members, alone or inside a report.</summary>
    public static void Plan(this Utf8JsonWriter json, LoadPlan plan)
    {
        json.WriteString("command", plan.Command);
        json.WriteString("table", plan.Table);
        json.Value("server", plan.Server);
        json.Value("sources", plan.Sources);
        json.Value("columns", plan.Columns);
        json.Value("newTable", plan.NewTable);
        if (plan.AddedColumns is { } added)
        {
            json.Value("addedColumns", added);
        }

        json.Value("key", plan.Key);
        json.Value("verify", plan.Verification);
        json.WriteString("onDuplicate", DuplicateModes.Of(plan.OnDuplicate));
        json.WriteString("strategy", plan.Strategy);
        json.Value("verdicts", plan.Verdicts);
        json.Value("sizes", plan.Sizes);
        json.Value("profile", plan.Profile);
        json.WriteNumber("sessions", plan.Sessions);
        json.WriteString("sessionsReason", plan.SessionsReason);
        json.Value("readers", plan.Readers);
        json.WriteString("sortedBy", plan.Order?.SortedBy);
        json.WriteString("orderReason", plan.Order?.Reason ?? "");
        json.Value("rebuild", plan.Rebuild);
        json.WriteString("transactions", plan.Transactions);
        json.WriteString("timeZone", plan.TimeZone);
        json.Value("sql", plan.Sql);
        json.Value("notes", plan.Notes);
    }
}
