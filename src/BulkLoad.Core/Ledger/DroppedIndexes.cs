using System.Text.Json;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Indexes of the table that a job has dropped, or is about to drop, until they are added again.</summary>
/// <param name="Definitions">as SHOW CREATE TABLE writes them, in its order; at least one</param>
/// <param name="IsLoaded">whether all records are committed, so that only the indexes are missing</param>
internal sealed record DroppedIndexes(string Database, string Table, IReadOnlyList<string> Definitions, bool IsLoaded = false)
{
    public IReadOnlyList<string> Names => [.. Definitions.Select(TableText.NameOf)];

    /// <summary>For people.</summary>
    public string Statement => new IndexSql(Database, Table).Add(Definitions, tag: "");

    /// <summary>Such as <c>indexes age, name of shop.people</c>.</summary>
    public string Describe() => $"{Plural.For(Names.Count, "index", "indexes")} {string.Join(", ", Names)} of {Database}.{Table}";

    /// <summary>What the user can do to have them again.</summary>
    /// <param name="isLasting">whether the job can be started again</param>
    public string WaysBack(string job, bool isLasting) =>
        isLasting
            ? $"the same command adds {Them} again when it is done, 'bulkload jobs restore {job}' at once"
            : $"'bulkload jobs restore {job}' adds {Them} again";

    public string Them => Plural.For(Names.Count, "it", "them");

    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject("dropped");
        json.WriteString("database", Database);
        json.WriteString("table", Table);
        LedgerJson.WriteList(json, "definitions", Definitions);
        json.WriteBoolean("isLoaded", IsLoaded);
        json.WriteEndObject();
    }

    /// <summary>Null: the job has dropped none.</summary>
    /// <exception cref="PlanException">the text is not what <see cref="Write"/> writes; it must not count as nothing</exception>
    public static DroppedIndexes? Read(JsonElement job)
    {
        if (!job.TryGetProperty("dropped", out var json))
        {
            return null;
        }

        return json.ValueKind == JsonValueKind.Object
            && LedgerJson.ReadText(json, "database") is { } database && LedgerJson.ReadText(json, "table") is { } table
            && LedgerJson.ReadList(json, "definitions", TableText.IsIndex) is { Length: > 0 } definitions
            ? new DroppedIndexes(database, table, definitions,
                json.TryGetProperty("isLoaded", out var isLoaded) && isLoaded.ValueKind == JsonValueKind.True)
            : throw new PlanException("the ledger has a row whose dropped indexes cannot be read: was it changed by hand, or written by a "
                + "newer version of this program?");
    }
}
