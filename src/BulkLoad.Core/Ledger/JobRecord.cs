using System.Text.Json;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>One input of a job, as it was when the job was started last.</summary>
/// <param name="Bytes">as stored; null for a pipe</param>
/// <param name="Changed">when it was last written to; null for a pipe</param>
internal sealed record JobSource(string Name, long? Bytes, DateTime? Changed)
{
    private static readonly Dictionary<string, string> NoRules = [];

    /// <summary>Full path; null for a pipe, and in rows of the version before.</summary>
    public string? Path { get; init; }

    /// <summary>Where its fields go, in one word; null in rows of the version before.</summary>
    public string? Mapping { get; init; }

    /// <summary>Hash of the first record; null: there is none, or it is not known.</summary>
    public string? First { get; init; }

    /// <summary>Hash of the first bytes from the first record on.</summary>
    public string? Head { get; init; }

    /// <summary>Bytes from the first record on.</summary>
    public long? Length { get; init; }

    /// <summary>Hash of all bytes from the first record on; null: it was not read to its end.</summary>
    public string? Whole { get; init; }

    /// <summary>Bytes from the first record on that another job has loaded.</summary>
    public long Behind { get; init; }

    public IReadOnlyDictionary<string, string> Rules { get; init; } = NoRules;
}

internal sealed record JobTotal(long Chunks, long Taken, long Present, long Rejected);

/// <summary>Who runs a job, or did so last.</summary>
/// <param name="Account">user and host of the operating system, as <c>ada@build7</c></param>
/// <param name="Started">when, in UTC</param>
internal sealed record JobRunner(string Account, int ProcessId, uint Session, DateTime Started)
{
    public string Describe() => $"{Account}, process {ProcessId}, since {Started:yyyy-MM-dd HH:mm:ss} UTC, session {Session}";
}

/// <summary>A job, as its row in the ledger has it.</summary>
internal sealed record JobRecord
{
    /// <summary>What it does, such as <c>import</c>.</summary>
    public required string Command { get; init; }

    /// <summary><c>database.table</c>, for people.</summary>
    public required string Table { get; init; }

    /// <summary>Of command, table and mapping: two jobs of one name must agree in it.</summary>
    public required string Fingerprint { get; init; }

    public required IReadOnlyList<JobSource> Sources { get; init; }

    /// <summary>Of command and table: jobs of one family may know each other's inputs. Null in rows of the version before.</summary>
    public string? Family { get; init; }

    /// <summary>The rules that hold for all inputs; null in rows of the version before.</summary>
    public IReadOnlyDictionary<string, string>? Rules { get; init; }

    /// <summary><see cref="UsedColumns"/> of the table; null in rows of the version before.</summary>
    public string? Columns { get; init; }

    public bool Truncates { get; init; }

    /// <summary>When jobs were done that had the same content, in UTC; null: none had, or that makes no difference.</summary>
    public DateTime? RepeatOf { get; init; }

    /// <summary>Complete jobs that this one makes superfluous when it is done.</summary>
    public IReadOnlyList<string> Replaces { get; init; } = [];

    /// <summary>What it came to; null: it is not complete, or in rows of the version before.</summary>
    public JobTotal? Total { get; init; }

    public required JobRunner Runner { get; init; }

    /// <summary>When it was done, in UTC; null: it is not.</summary>
    public DateTime? Completed { get; init; }

    /// <summary>By what its records are sorted before they are sent, as <c>(id)</c>; empty: they are not.</summary>
    public string SortedBy { get; init; } = "";

    /// <summary>Full paths of the files that take refused and repaired records; null where there are none.</summary>
    public string? RejectFile { get; init; }

    /// <inheritdoc cref="RejectFile"/>
    public string? RepairsFile { get; init; }

    /// <summary>Indexes of the table that are to be added again; null: none.</summary>
    public DroppedIndexes? Dropped { get; init; }

    public string Write() => LedgerJson.Write(json =>
    {
        json.WriteString("command", Command);
        json.WriteString("table", Table);
        json.WriteString("fingerprint", Fingerprint);
        json.WriteStartArray("sources");
        foreach (var source in Sources)
        {
            json.WriteStartObject();
            json.WriteString("name", source.Name);
            if (source.Bytes is { } bytes)
            {
                json.WriteNumber("bytes", bytes);
            }

            WriteTime("changed", source.Changed);
            WriteText("path", source.Path);
            WriteText("mapping", source.Mapping);
            WriteText("first", source.First);
            WriteText("head", source.Head);
            if (source.Length is { } length)
            {
                json.WriteNumber("length", length);
            }

            WriteText("whole", source.Whole);
            if (source.Behind > 0)
            {
                json.WriteNumber("behind", source.Behind);
            }

            WriteRules(source.Rules);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        WriteText("family", Family);
        if (Rules is not null)
        {
            WriteRules(Rules);
            WriteText("rulesDigest", JobRules.Digest(Rules));
        }

        WriteText("columns", Columns);
        if (Truncates)
        {
            json.WriteBoolean("truncates", true);
        }

        WriteTime("repeatOf", RepeatOf);
        if (Replaces.Count > 0)
        {
            json.WriteStartArray("replaces");
            foreach (var job in Replaces)
            {
                json.WriteStringValue(job);
            }

            json.WriteEndArray();
        }

        if (Total is { } total)
        {
            json.WriteStartObject("total");
            json.WriteNumber("chunks", total.Chunks);
            json.WriteNumber("taken", total.Taken);
            json.WriteNumber("present", total.Present);
            json.WriteNumber("rejected", total.Rejected);
            json.WriteEndObject();
        }

        json.WriteStartObject("runner");
        json.WriteString("account", Runner.Account);
        json.WriteNumber("process", Runner.ProcessId);
        json.WriteNumber("session", Runner.Session);
        WriteTime("started", Runner.Started);
        json.WriteEndObject();
        WriteTime("completed", Completed);
        WriteText("sortedBy", SortedBy.Length == 0 ? null : SortedBy);
        WriteText("rejectFile", RejectFile);
        WriteText("repairsFile", RepairsFile);
        Dropped?.Write(json);

        void WriteRules(IReadOnlyDictionary<string, string> rules)
        {
            json.WriteStartObject("rules");
            foreach (var (name, value) in rules)
            {
                json.WriteString(name, value);
            }

            json.WriteEndObject();
        }

        void WriteText(string name, string? text)
        {
            if (text is not null)
            {
                json.WriteString(name, text);
            }
        }

        void WriteTime(string name, DateTime? time)
        {
            if (time is { } moment)
            {
                json.WriteString(name, moment.ToString("O"));
            }
        }
    });

    public static JobRecord Read(string? details)
    {
        using var document = LedgerJson.Read(details);
        var json = document.RootElement;
        var runner = json.TryGetProperty("runner", out var found) && found.ValueKind == JsonValueKind.Object ? found : default;
        return new JobRecord
        {
            Command = Text("command") ?? "",
            Table = Text("table") ?? "",
            Fingerprint = Text("fingerprint") ?? "",
            Sources = json.TryGetProperty("sources", out var sources) && sources.ValueKind == JsonValueKind.Array
                ? [.. sources.EnumerateArray().Select(Source)]
                : [],
            Family = Text("family"),
            Rules = LedgerJson.ReadTexts(json, "rules"),
            Columns = Text("columns"),
            Truncates = json.TryGetProperty("truncates", out var truncates) && truncates.ValueKind == JsonValueKind.True,
            RepeatOf = Time(Text("repeatOf")),
            Replaces = json.TryGetProperty("replaces", out var replaces) && replaces.ValueKind == JsonValueKind.Array
                ? [.. replaces.EnumerateArray().Where(job => job.ValueKind == JsonValueKind.String).Select(job => job.GetString()!)] : [],
            Total = json.TryGetProperty("total", out var total) && total.ValueKind == JsonValueKind.Object
                ? new JobTotal(LedgerJson.ReadNumber(total, "chunks"), LedgerJson.ReadNumber(total, "taken"),
                    LedgerJson.ReadNumber(total, "present"), LedgerJson.ReadNumber(total, "rejected"))
                : null,
            Runner = new JobRunner(
                runner.ValueKind == default ? "" : LedgerJson.ReadText(runner, "account") ?? "",
                runner.ValueKind == default ? 0 : (int)LedgerJson.ReadNumber(runner, "process"),
                runner.ValueKind == default ? 0 : (uint)LedgerJson.ReadNumber(runner, "session"),
                (runner.ValueKind == default ? null : Time(LedgerJson.ReadText(runner, "started"))) ?? default),
            Completed = Time(Text("completed")),
            SortedBy = Text("sortedBy") ?? "",
            RejectFile = Text("rejectFile"),
            RepairsFile = Text("repairsFile"),
            Dropped = DroppedIndexes.Read(json),
        };

        static JobSource Source(JsonElement source) => source.ValueKind != JsonValueKind.Object ? new JobSource("", null, null)
            : new JobSource(
                LedgerJson.ReadText(source, "name") ?? "", Number(source, "bytes"), Time(LedgerJson.ReadText(source, "changed")))
            {
                Path = LedgerJson.ReadText(source, "path"),
                Mapping = LedgerJson.ReadText(source, "mapping"),
                First = LedgerJson.ReadText(source, "first"),
                Head = LedgerJson.ReadText(source, "head"),
                Length = Number(source, "length"),
                Whole = LedgerJson.ReadText(source, "whole"),
                Behind = LedgerJson.ReadNumber(source, "behind"),
                Rules = LedgerJson.ReadTexts(source, "rules") ?? new Dictionary<string, string>(),
            };

        static long? Number(JsonElement json, string name) => json.TryGetProperty(name, out _) ? LedgerJson.ReadNumber(json, name) : null;

        string? Text(string name) => LedgerJson.ReadText(json, name);

        static DateTime? Time(string? text) =>
            DateTime.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind | DateTimeStyles.AllowWhiteSpaces,
                out var time) ? time : null;
    }
}

/// <summary>What a job has dropped of its table's indexes, or is about to, until they are added again.</summary>
/// <param name="Definitions">as SHOW CREATE TABLE had them, in its order; at least one</param>
/// <param name="IsLoaded">whether all records are committed, so that nothing else is left to do</param>
internal sealed record DroppedIndexes(string Database, string Table, IReadOnlyList<string> Definitions, bool IsLoaded = false)
{
    public IReadOnlyList<string> Names => [.. Definitions.Select(TableText.NameOf)];

    /// <summary>The statement that adds them, for people.</summary>
    public string Statement => new IndexSql(Database, Table).Add(Definitions, tag: "");

    /// <summary>Such as <c>indexes age, name of shop.people</c>.</summary>
    public string Describe() => $"{Plural.For(Names.Count, "index", "indexes")} {string.Join(", ", Names)} of {Database}.{Table}";

    /// <summary>The ways to have them again, for people.</summary>
    /// <param name="isLasting">whether the job can be started again</param>
    public string WaysBack(string job, bool isLasting) =>
        isLasting
            ? $"the same command adds {Them} again when it is done, 'bulkload jobs restore {job}' at once"
            : $"'bulkload jobs restore {job}' adds {Them} again";

    /// <summary>What they are called in a sentence that has named them.</summary>
    public string Them => Plural.For(Names.Count, "it", "them");

    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject("dropped");
        json.WriteString("database", Database);
        json.WriteString("table", Table);
        json.WriteStartArray("definitions");
        foreach (var definition in Definitions)
        {
            json.WriteStringValue(definition);
        }

        json.WriteEndArray();
        json.WriteBoolean("isLoaded", IsLoaded);
        json.WriteEndObject();
    }

    /// <summary>Null: the job has dropped none.</summary>
    /// <exception cref="PlanException">what is there is not what <see cref="Write"/> writes, and must not pass for nothing</exception>
    public static DroppedIndexes? Read(JsonElement job)
    {
        if (!job.TryGetProperty("dropped", out var json))
        {
            return null;
        }

        return json.ValueKind == JsonValueKind.Object
            && LedgerJson.ReadText(json, "database") is { } database && LedgerJson.ReadText(json, "table") is { } table
            && json.TryGetProperty("definitions", out var definitions) && definitions.ValueKind == JsonValueKind.Array
            && definitions.EnumerateArray()
                .All(definition => definition.ValueKind == JsonValueKind.String && TableText.IsIndex(definition.GetString()!))
            && definitions.GetArrayLength() > 0
            ? new DroppedIndexes(database, table, [.. definitions.EnumerateArray().Select(definition => definition.GetString()!)],
                json.TryGetProperty("isLoaded", out var isLoaded) && isLoaded.ValueKind == JsonValueKind.True)
            : throw new PlanException("the ledger has a row whose dropped indexes cannot be read: was it changed by hand, or written by a "
                + "newer version of this program?");
    }
}

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
