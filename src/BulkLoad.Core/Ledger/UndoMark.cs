using System.Text.Json;

namespace BulkLoad.Core.Ledger;

/// <summary>That the rows of a job are being taken back: no start may resume it, or count its rows as loaded.</summary>
/// <param name="Table">the table beside the target that has what became of each row</param>
internal sealed record UndoMark(string Table)
{
    private const int DigestCharacters = 8;

    /// <summary>How many rows had each end, once every row has one; null: some have none yet.</summary>
    public IReadOnlyDictionary<string, long>? Counts { get; init; }

    /// <summary>How the names of tables beside the target begin that have the rows of a job.</summary>
    public static string StemOf(string job) => $"bulkload_undo_{TextDigest.Of(job, DigestCharacters)}";

    /// <summary>Whether a name that the ledger has can be that of such a table of the job: nothing else is dropped.</summary>
    public static bool IsNameOf(string job, string name) => name.StartsWith(StemOf(job), StringComparison.Ordinal);

    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject("undo");
        json.WriteString("table", Table);
        if (Counts is not null)
        {
            LedgerJson.WriteCounts(json, "counts", Counts);
            json.WriteBoolean("isDone", true);
        }

        json.WriteEndObject();
    }

    /// <summary>Null: nobody has begun to take the job's rows back.</summary>
    /// <exception cref="PlanException">the text is not what <see cref="Write"/> writes; it must not count as nothing</exception>
    public static UndoMark? Read(JsonElement job) => !job.TryGetProperty("undo", out var json) ? null
        : json.ValueKind == JsonValueKind.Object && LedgerJson.ReadText(json, "table") is { Length: > 0 } table
            ? new UndoMark(table)
            {
                Counts = json.TryGetProperty("isDone", out var isDone) && isDone.ValueKind == JsonValueKind.True
                    ? LedgerJson.ReadCounts(json, "counts") : null,
            }
            : throw LedgerJson.Unreadable();

    /// <summary>The refusal of a start of the job.</summary>
    public static PlanException Refuse(string job) => new($"job {job} is being undone, and some of its rows may be gone already")
    {
        WaysOn = [new WayOn($"'bulkload undo {job}' with the options of the import continues that; 'bulkload jobs forget {job}' "
            + "leaves it as it is")],
    };
}
