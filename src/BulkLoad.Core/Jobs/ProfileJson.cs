using System.Text.Encodings.Web;
using System.Text.Json;
using BulkLoad.Core.Options;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Jobs;

/// <summary>Reads and writes a profile as a JSON object; docs/bench.md has the form. Unknown members are refused, not skipped.</summary>
internal static class ProfileJson
{
    private const string VersionName = "bulkload-profile";
    private const int Version = 1;
    private const double MaxMicroseconds = 1e9;
    private const int LongestText = 1000;

    private static readonly JsonWriterOptions Indented = new() { Indented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
    private static readonly JsonDocumentOptions Strict = new() { AllowDuplicateProperties = false };

    /// <param name="to">stays open</param>
    public static void Write(Stream to, ServerProfile profile)
    {
        using (var json = new Utf8JsonWriter(to, Indented))
        {
            json.WriteStartObject();
            json.WriteNumber(VersionName, Version);
            json.WriteStartObject("server");
            json.WriteString("kind", profile.Kind);
            json.WriteString("version", profile.Version);
            json.WriteString("endpoint", profile.Endpoint);
            json.WriteEndObject();
            json.WriteString("measured", profile.Measured.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'"));
            json.WriteString("with", profile.With);
            if (profile.Sessions is { } sessions)
            {
                json.WriteNumber("sessions", sessions);
            }
            else
            {
                json.WriteNull("sessions");
            }

            json.WriteStartArray("strategies");
            foreach (var strategy in profile.Strategies)
            {
                Write(json, strategy);
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        to.WriteByte((byte)'\n');
    }

    /// <param name="json">a whole file</param>
    /// <param name="name">its name, for messages</param>
    /// <exception cref="RequestException">it is no profile, has another version, or has an impossible value</exception>
    public static ServerProfile Read(ReadOnlyMemory<byte> json, string name)
    {
        try
        {
            using var document = JsonDocument.Parse(json, Strict);
            var root = document.RootElement;
            if (root.ValueKind != JsonValueKind.Object || !root.TryGetProperty(VersionName, out var version)
                || version.GetInt32() != Version)
            {
                throw new RequestException(
                    $"--profile: '{name}' is no profile of version {Version}: write one with bulkload bench tune --profile");
            }

            return Read(root);
        }
        catch (Exception wrong) when (wrong is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new RequestException($"--profile: '{name}' is not as bench tune writes it: {JsonFile.WhyNot(wrong)}");
        }
    }

    private static void Write(Utf8JsonWriter json, StrategyProfile strategy)
    {
        json.WriteStartObject();
        json.WriteString("strategy", strategy.Strategy);
        if (strategy.MicrosecondsPerRow is { } microseconds)
        {
            json.WriteNumber("microseconds-per-row", Math.Round(microseconds, 4));
        }
        else
        {
            json.WriteNull("microseconds-per-row");
        }

        json.WriteStartObject("sizes");
        foreach (var (name, value) in strategy.Sizes)
        {
            json.WriteNumber(name, value);
        }

        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static ServerProfile Read(JsonElement root)
    {
        RequireOnly(root, VersionName, "server", "measured", "with", "sessions", "strategies");
        var server = root.GetProperty("server");
        RequireOnly(server, "kind", "version", "endpoint");
        var profile = new ServerProfile
        {
            Kind = Text(server, "kind") is "MariaDB" or "MySQL"
                ? Text(server, "kind")
                : throw new FormatException("the server's kind is neither MariaDB nor MySQL"),
            Version = Text(server, "version"),
            Endpoint = Text(server, "endpoint"),
            Measured = root.GetProperty("measured").GetDateTimeOffset(),
            With = Text(root, "with"),
            Sessions = root.GetProperty("sessions").ValueKind == JsonValueKind.Null
                ? null
                : (int)Whole(root.GetProperty("sessions"), "sessions", LoadRequest.MaxThreads),
            Strategies = [.. root.GetProperty("strategies").EnumerateArray().Select(ReadStrategy)],
        };
        return profile.Strategies.GroupBy(strategy => strategy.Strategy).FirstOrDefault(group => group.Count() > 1) is { Key: var twice }
            ? throw new FormatException($"strategy {twice} appears twice")
            : profile;
    }

    private static StrategyProfile ReadStrategy(JsonElement json)
    {
        RequireOnly(json, "strategy", "microseconds-per-row", "sizes");
        var name = Text(json, "strategy");
        var strategy = StrategyCatalog.Import.FirstOrDefault(one => one.Name == name)
            ?? throw new FormatException(
                $"{Show(name)} is no strategy of an import: known are {string.Join(", ", StrategyCatalog.Import.Select(one => one.Name))}");
        return new StrategyProfile(name, Microseconds(json.GetProperty("microseconds-per-row")),
            [.. json.GetProperty("sizes").EnumerateObject().Select(size => ReadSize(strategy, size))]);
    }

    private static double? Microseconds(JsonElement json) => json.ValueKind == JsonValueKind.Null ? null
        : json.GetDouble() is > 0 and < MaxMicroseconds and var microseconds ? microseconds
        : throw new FormatException($"microseconds-per-row is {Show(json.GetRawText())}, which no row takes");

    private static KeyValuePair<string, long> ReadSize(ILoadStrategy strategy, JsonProperty json)
    {
        var size = strategy.TunedSizes.FirstOrDefault(one => one.Name == json.Name)
            ?? throw new FormatException($"{strategy.Name} has no size {Show(json.Name)}: known are "
                + $"{string.Join(", ", strategy.TunedSizes.Select(one => one.Name))}");
        return new(size.Name, Whole(json.Value, $"{size.Name} of {strategy.Name}", size.Max));
    }

    private static long Whole(JsonElement json, string name, long max) =>
        json.ValueKind == JsonValueKind.Number && json.TryGetInt64(out var value) && value >= 1 && value <= max
        ? value
        : throw new FormatException($"{name} is {Show(json.GetRawText())}, and can be 1 to {max}");

    private static string Text(JsonElement of, string name) =>
        of.GetProperty(name).GetString() is { Length: > 0 and <= LongestText } text && text.EnumerateRunes().All(VisibleText.IsVisible)
        ? text
        : throw new FormatException($"{name} is not a line of text");

    private static void RequireOnly(JsonElement json, params ReadOnlySpan<string> names)
    {
        foreach (var property in json.EnumerateObject())
        {
            if (!names.Contains(property.Name))
            {
                throw new FormatException($"{Show(property.Name)} is not known: known are {string.Join(", ", names)}");
            }
        }
    }

    /// <summary>A text of a file on one line, for a message.</summary>
    private static string Show(string text) => FieldText.Show(Encoding.UTF8.GetBytes(text));
}
