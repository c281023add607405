using System.Text.Json;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Tables beside the target that have its rows as they were before a job changed them, and as it has left them.</summary>
/// <param name="Database">of the target, and of these tables</param>
/// <param name="Table">the target</param>
/// <param name="Before">each row as it was</param>
/// <param name="After">each row as the job has left it; null: it leaves none</param>
/// <param name="Definition">hash of the target's definition when the job began</param>
/// <param name="Until">when they may be dropped, in UTC</param>
internal sealed record KeptImages(string Database, string Table, string Before, string? After, string Definition, DateTime Until)
{
    /// <summary>Whether the job inserts rows: those of <see cref="After"/> that it has inserted are marked there.</summary>
    public bool Inserts { get; init; }

    /// <summary>Whether the job changes or deletes rows that were there before.</summary>
    public bool Changes { get; init; } = true;

    /// <summary>Tables of jobs that this one has replaced, which had committed nothing: of no use.</summary>
    public IReadOnlyList<string> Left { get; init; } = [];

    private const string Prefix = "bulkload_undo_";
    private const int DigestCharacters = 16;

    public IEnumerable<string> Tables => After is null ? [Before] : [Before, After];

    /// <summary>Names that no other job has.</summary>
    /// <param name="seed">another one for each start of a new job</param>
    public static KeptImages New(TableFacts table, bool leavesRows, string definition, string seed, DateTime until)
    {
        return new KeptImages(table.Database, table.Name, Name("before"), leavesRows ? Name("after") : null, definition, until);

        string Name(string what) => SqlName.Fit($"{Prefix}{what}_{TextDigest.Of(seed, DigestCharacters)}_{table.Name}");
    }

    /// <returns>one of the tables that is not there; null: all are</returns>
    public async Task<string?> FindMissingAsync(IServerSession session, CancellationToken cancellationToken)
    {
        foreach (var table in Tables)
        {
            if (!await TableProbe.IsThereAsync(session, Database, table, cancellationToken))
            {
                return $"{Database}.{table}";
            }
        }

        return null;
    }

    /// <summary>Those of one job, which is to drop those of all.</summary>
    /// <param name="all">of jobs of one table; empty: null is returned</param>
    public static KeptImages? Join(IReadOnlyList<KeptImages> all) => all.Count == 0 ? null
        : all[0] with { Left = [.. all[0].Left, .. all.Skip(1).SelectMany(one => one.Tables.Concat(one.Left))] };

    public async Task DropAsync(IServerSession session, CancellationToken cancellationToken)
    {
        foreach (var table in Tables.Concat(Left))
        {
            await session.ExecuteAsync(new RefreshSql(Database).Drop(table), cancellationToken);
        }
    }

    public static string DigestOf(string lastingDefinition) => TextDigest.Of(lastingDefinition, DigestCharacters);

    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject("images");
        json.WriteString("database", Database);
        json.WriteString("table", Table);
        json.WriteString("before", Before);
        if (After is not null)
        {
            json.WriteString("after", After);
        }

        json.WriteBoolean("inserts", Inserts);
        json.WriteBoolean("changes", Changes);
        if (Left.Count > 0)
        {
            LedgerJson.WriteList(json, "left", Left);
        }

        json.WriteString("definition", Definition);
        json.WriteString("until", Until.ToString("O"));
        json.WriteEndObject();
    }

    /// <summary>Null: the job keeps none.</summary>
    /// <exception cref="PlanException">the text is not what <see cref="Write"/> writes, or names tables that are none of this program's:
    /// somebody who can write to the ledger must not choose what is dropped here</exception>
    public static KeptImages? Read(JsonElement job)
    {
        if (!job.TryGetProperty("images", out var json))
        {
            return null;
        }

        return json.ValueKind == JsonValueKind.Object
            && LedgerJson.ReadText(json, "database") is { Length: > 0 } database
            && LedgerJson.ReadText(json, "table") is { Length: > 0 } table
            && LedgerJson.ReadText(json, "before") is { } before && IsOurs(before)
            && LedgerJson.ReadText(json, "after") is var after && (after is null || IsOurs(after))
            && LedgerJson.ReadText(json, "definition") is { } definition
            && DateTime.TryParse(LedgerJson.ReadText(json, "until"), CultureInfo.InvariantCulture,
                DateTimeStyles.AdjustToUniversal | DateTimeStyles.AssumeUniversal, out var until)
            && (json.TryGetProperty("left", out _) ? LedgerJson.ReadList(json, "left", IsOurs) : []) is { } left
            && LedgerJson.ReadText(job, "table") == $"{database}.{table}"
            ? new KeptImages(database, table, before, after, definition, until)
            {
                // Updates and deletes kept rows before imports did.
                Inserts = after is not null && json.TryGetProperty("inserts", out var inserts) && inserts.ValueKind == JsonValueKind.True,
                Changes = !json.TryGetProperty("changes", out var changes) || changes.ValueKind != JsonValueKind.False,
                Left = left,
            }
            : throw LedgerJson.Unreadable();
    }

    private static bool IsOurs(string name) => name.StartsWith(Prefix, StringComparison.Ordinal);
}
