using System.Text.Json;

namespace BulkLoad.Core.Ledger;

/// <summary>One input of a job, as it was at the job's last start.</summary>
/// <param name="Bytes">as stored; null for a pipe</param>
/// <param name="Changed">when it was last written to; null for a pipe</param>
internal sealed record JobSource(string Name, long? Bytes, DateTime? Changed)
{
    private static readonly Dictionary<string, string> NoRules = [];

    /// <summary>Full path; null for a pipe.</summary>
    public string? Path { get; init; }

    /// <summary>A hash of where its fields go.</summary>
    public string Mapping { get; init; } = "";

    /// <summary>Hash of the first record; null: there is none, or it is not known.</summary>
    public string? First { get; init; }

    /// <summary>Hash of the first bytes from the first record on.</summary>
    public string? Head { get; init; }

    /// <summary>Bytes from the first record on.</summary>
    public long? Length { get; init; }

    /// <summary>Hash of all bytes from the first record on; null: it was not read to its end.</summary>
    public string? Whole { get; init; }

    /// <summary>Length of the beginning that is half of it, as <see cref="Feed.ContentDigests"/> computes it; null: not known.</summary>
    public long? HalfLength { get; init; }

    /// <summary>Hash of that beginning; null: not known.</summary>
    public string? Half { get; init; }

    /// <summary>Hash of the last line; null: not known.</summary>
    public string? Last { get; init; }

    /// <summary>Bytes from the first record on that another job has loaded.</summary>
    public long LoadedUpTo { get; init; }

    /// <summary>The place from which on another job has loaded the bytes, counted from the first record; null: there are none.</summary>
    public long? LoadedFrom { get; init; }

    public IReadOnlyDictionary<string, string> Rules { get; init; } = NoRules;

    /// <summary>Estimate of its bytes in the ledger.</summary>
    public int WeightInBytes => 512 + (6 * (Name.Length + (Path?.Length ?? 0)))
        + Rules.Sum(rule => 16 + rule.Key.Length + (3 * rule.Value.Length));
}

internal sealed record JobTotal(long Chunks, long Taken, long Present, long Rejected);

/// <summary>Who runs a job, or ran it last.</summary>
/// <param name="Account">user and host of the operating system, as <c>ada@build7</c></param>
/// <param name="Started">in UTC</param>
internal sealed record JobRunner(string Account, int ProcessId, uint Session, DateTime Started)
{
    public string Describe() => $"{Account}, process {ProcessId}, since {Started:yyyy-MM-dd HH:mm:ss} UTC, session {Session}";
}

/// <summary>A job, as its row in the ledger has it.</summary>
internal sealed record JobRecord
{
    /// <summary>Limit of the inputs' bytes in a row of the ledger, without JSON's own.</summary>
    private const int MaxSourceBytes = 256 * 1024;

    private static readonly Dictionary<string, string> NoRules = [];

    private int? _sourceCount;

    /// <summary>Such as <c>import</c>.</summary>
    public required string Command { get; init; }

    /// <summary><c>database.table</c>, for people.</summary>
    public required string Table { get; init; }

    /// <summary>A row alone has only the first ones, see <see cref="SourceCount"/>.</summary>
    public required IReadOnlyList<JobSource> Sources { get; init; }

    public int SourceCount => _sourceCount ?? Sources.Count;

    /// <summary>A hash of command and table: jobs of one family may know each other's inputs.</summary>
    public string Family { get; init; } = "";

    public IReadOnlyDictionary<string, string> Rules { get; init; } = NoRules;

    /// <summary><see cref="UsedColumns"/> of the table.</summary>
    public string? Columns { get; init; }

    public bool Truncates { get; init; }

    /// <summary>When jobs with the same content were complete, in UTC; null: none were, or that makes no difference.</summary>
    public DateTime? RepeatOf { get; init; }

    /// <summary>Complete jobs that this one replaces when it is complete.</summary>
    public IReadOnlyList<string> Replaces { get; init; } = [];

    /// <summary>Null: it is not complete.</summary>
    public JobTotal? Total { get; init; }

    public required JobRunner Runner { get; init; }

    /// <summary>In UTC; null: it is not complete.</summary>
    public DateTime? Completed { get; init; }

    /// <summary>By what its records are sorted before they are sent, as <c>(id)</c>; empty: they are not.</summary>
    public string SortedBy { get; init; } = "";

    /// <summary>Full path of the file of refused records; null: there is none.</summary>
    public string? RejectFile { get; init; }

    /// <summary>Full path of the file of repaired records; null: there is none.</summary>
    public string? RepairsFile { get; init; }

    public string? IdsFile { get; init; }

    /// <summary>Indexes of the table that must be added again; null: none.</summary>
    public DroppedIndexes? Dropped { get; init; }

    /// <summary>Its rows are being taken back; null: they are not.</summary>
    public UndoMark? Undo { get; init; }

    /// <summary>What its full refresh has left; null: it is none, or keeps nothing.</summary>
    public KeptTable? Kept { get; init; }

    /// <summary>Rows that it has changed, as they were; null: it keeps none.</summary>
    public KeptImages? Images { get; init; }

    /// <summary>Whether it can be forgotten without a loss that nobody asked for.</summary>
    public bool IsForgettable => this is { Completed: not null, Dropped: null, Undo: null, Images: null, Kept: null };

    public string Write() => LedgerJson.Write(json =>
    {
        json.WriteString("command", Command);
        json.WriteString("table", Table);
        var own = Page(0);
        WriteSources(json, Sources.Take(own));
        if (own < SourceCount)
        {
            json.WriteNumber("sourceCount", SourceCount);
        }

        WriteText("family", Family.Length == 0 ? null : Family);
        WriteRules(json, Rules);
        WriteText("rulesDigest", JobRules.Digest(Rules));
        WriteText("columns", Columns);
        if (Truncates)
        {
            json.WriteBoolean("truncates", true);
        }

        WriteTime("repeatOf", RepeatOf);
        if (Replaces.Count > 0)
        {
            LedgerJson.WriteList(json, "replaces", Replaces);
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
        WriteText("idsFile", IdsFile);
        Dropped?.Write(json);
        Undo?.Write(json);
        Kept?.Write(json);
        Images?.Write(json);

        void WriteText(string name, string? text)
        {
            if (text is not null)
            {
                json.WriteString(name, text);
            }
        }

        void WriteTime(string name, DateTime? time) => WriteText(name, time?.ToString("O"));
    });

    public bool HasMoreSources => Page(0) < Sources.Count;

    /// <summary>The inputs that <see cref="Write"/> leaves out, in pieces for rows of their own.</summary>
    public IEnumerable<string> WriteMoreSources()
    {
        for (var (from, next) = (Page(0), 0); from < Sources.Count; from = next)
        {
            next = Page(from);
            var page = Sources.Skip(from).Take(next - from);
            yield return LedgerJson.Write(json => WriteSources(json, page));
        }
    }

    /// <summary>The job with the inputs of its further rows.</summary>
    /// <param name="rows">as <see cref="WriteMoreSources"/> writes them</param>
    /// <exception cref="PlanException">some are missing</exception>
    public JobRecord WithMoreSources(IEnumerable<string?> rows)
    {
        if (SourceCount == Sources.Count)
        {
            return this;
        }

        List<JobSource> all = [.. Sources];
        foreach (var row in rows)
        {
            using var page = LedgerJson.Read(row);
            all.AddRange(ReadSources(page.RootElement));
        }

        return all.Count == SourceCount
            ? this with { Sources = all, _sourceCount = null }
            : throw new PlanException($"the ledger has {all.Count:N0} of the {SourceCount:N0} inputs of a job: was it changed by hand?");
    }

    /// <summary>The number of the first input that does not fit into a row of the ledger with this one.</summary>
    private int Page(int from)
    {
        var bytes = 0;
        var next = from;
        while (next < Sources.Count && (next == from || bytes + Sources[next].WeightInBytes <= MaxSourceBytes))
        {
            bytes += Sources[next++].WeightInBytes;
        }

        return next;
    }

    private static void WriteSources(Utf8JsonWriter json, IEnumerable<JobSource> sources)
    {
        json.WriteStartArray("sources");
        foreach (var source in sources)
        {
            json.WriteStartObject();
            json.WriteString("name", source.Name);
            Text("changed", source.Changed?.ToString("O"));
            Text("path", source.Path);
            Text("mapping", source.Mapping);
            Text("first", source.First);
            Text("head", source.Head);
            Text("whole", source.Whole);
            Text("half", source.Half);
            Text("last", source.Last);
            Number("bytes", source.Bytes);
            Number("length", source.Length);
            Number("halfLength", source.HalfLength);
            Number("behind", source.LoadedUpTo == 0 ? null : source.LoadedUpTo);
            Number("until", source.LoadedFrom);
            WriteRules(json, source.Rules);
            json.WriteEndObject();
        }

        json.WriteEndArray();

        void Text(string name, string? text)
        {
            if (text is not null)
            {
                json.WriteString(name, text);
            }
        }

        void Number(string name, long? number)
        {
            if (number is { } one)
            {
                json.WriteNumber(name, one);
            }
        }
    }

    private static void WriteRules(Utf8JsonWriter json, IReadOnlyDictionary<string, string> rules)
    {
        json.WriteStartObject("rules");
        foreach (var (name, value) in rules)
        {
            json.WriteString(name, value);
        }

        json.WriteEndObject();
    }

    public static JobRecord Read(string? details)
    {
        using var document = LedgerJson.Read(details);
        var json = document.RootElement;
        var runner = json.TryGetProperty("runner", out var found) && found.ValueKind == JsonValueKind.Object ? found : default;
        return new JobRecord
        {
            Command = Text("command") ?? "",
            Table = Text("table") ?? "",
            Sources = ReadSources(json),
            _sourceCount = Number(json, "sourceCount") is { } count ? (int)count : null,
            Family = Text("family") ?? "",
            Rules = LedgerJson.ReadTexts(json, "rules") ?? NoRules,
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
            IdsFile = Text("idsFile"),
            Dropped = DroppedIndexes.Read(json),
            Undo = UndoMark.Read(json),
            Kept = KeptTable.Read(json),
            Images = KeptImages.Read(json),
        };

        string? Text(string name) => LedgerJson.ReadText(json, name);
    }

    private static JobSource[] ReadSources(JsonElement json)
    {
        return json.TryGetProperty("sources", out var sources) && sources.ValueKind == JsonValueKind.Array
            ? [.. sources.EnumerateArray().Select(Read)]
            : [];

        static JobSource Read(JsonElement source) => source.ValueKind != JsonValueKind.Object ? new JobSource("", null, null)
            : new JobSource(
                LedgerJson.ReadText(source, "name") ?? "", Number(source, "bytes"), Time(LedgerJson.ReadText(source, "changed")))
            {
                Path = LedgerJson.ReadText(source, "path"),
                Mapping = LedgerJson.ReadText(source, "mapping") ?? "",
                First = LedgerJson.ReadText(source, "first"),
                Head = LedgerJson.ReadText(source, "head"),
                Length = Number(source, "length"),
                Whole = LedgerJson.ReadText(source, "whole"),
                HalfLength = Number(source, "halfLength"),
                Half = LedgerJson.ReadText(source, "half"),
                Last = LedgerJson.ReadText(source, "last"),
                LoadedUpTo = LedgerJson.ReadNumber(source, "behind"),
                LoadedFrom = Number(source, "until"),
                Rules = LedgerJson.ReadTexts(source, "rules") ?? NoRules,
            };
    }

    private static long? Number(JsonElement json, string name) =>
        json.TryGetProperty(name, out _) ? LedgerJson.ReadNumber(json, name) : null;

    private static DateTime? Time(string? text) =>
        DateTime.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind | DateTimeStyles.AllowWhiteSpaces,
            out var time) ? time : null;
}
