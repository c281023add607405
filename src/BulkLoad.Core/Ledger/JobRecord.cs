using System.Globalization;

namespace BulkLoad.Core.Ledger;

/// <summary>One input of a job, as it was when the job was started last.</summary>
/// <param name="Name">as the user named it</param>
/// <param name="Bytes">as stored; null for a pipe</param>
/// <param name="Changed">when it was last written to; null for a pipe</param>
internal sealed record JobSource(string Name, long? Bytes, DateTime? Changed);

/// <summary>Who runs a job, or did so last.</summary>
/// <param name="Account">user and host of the operating system, as <c>ada@build7</c></param>
/// <param name="ProcessId">there</param>
/// <param name="Session">number of the session that holds the job</param>
/// <param name="Started">when, in UTC</param>
internal sealed record JobRunner(string Account, int ProcessId, uint Session, DateTime Started)
{
    /// <summary>For people.</summary>
    public string Describe() => string.Create(
        CultureInfo.InvariantCulture, $"{Account}, process {ProcessId}, since {Started:yyyy-MM-dd HH:mm:ss} UTC, session {Session}");
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

    /// <summary>When the table was made, in seconds since 1970; null where the server does not say.</summary>
    public string? TableCreated { get; init; }

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
            json.WriteEndObject();
        }

        json.WriteEndArray();
        WriteText("tableCreated", TableCreated);
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
                json.WriteString(name, moment.ToString("O", CultureInfo.InvariantCulture));
            }
        }
    });

    /// <exception cref="PlanException">it is none</exception>
    public static JobRecord Read(string? details)
    {
        using var document = LedgerJson.Read(details);
        var json = document.RootElement;
        var runner = json.TryGetProperty("runner", out var found) && found.ValueKind == System.Text.Json.JsonValueKind.Object ? found : default;
        return new JobRecord
        {
            Command = Text("command") ?? "",
            Table = Text("table") ?? "",
            Fingerprint = Text("fingerprint") ?? "",
            Sources = json.TryGetProperty("sources", out var sources)
                ? [.. sources.EnumerateArray().Select(source => new JobSource(
                    LedgerJson.ReadText(source, "name") ?? "",
                    source.TryGetProperty("bytes", out _) ? LedgerJson.ReadNumber(source, "bytes") : null,
                    Time(LedgerJson.ReadText(source, "changed"))))]
                : [],
            TableCreated = Text("tableCreated"),
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

        string? Text(string name) => LedgerJson.ReadText(json, name);

        static DateTime? Time(string? text) =>
            DateTime.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind | DateTimeStyles.AllowWhiteSpaces, out var time) ? time : null;
    }
}
