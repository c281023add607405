using BulkLoad.Core.Rejects;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Ledger;

/// <summary>A committed chunk, as its row in the ledger has it.</summary>
internal sealed record LedgerChunk
{
    /// <summary>0-based number of the input of its first record.</summary>
    public required int Source { get; init; }

    public required long FirstRecord { get; init; }

    public required long FirstOffset { get; init; }

    /// <summary>The input of its last record: another one only where the job is one chunk.</summary>
    public required int LastSource { get; init; }

    public required long LastRecord { get; init; }

    public required long LastOffset { get; init; }

    /// <summary><see cref="ChunkHash"/> of its records.</summary>
    public required string Content { get; init; }

    /// <summary>Its records that the server took.</summary>
    public required RowCounts Taken { get; init; }

    /// <summary>Its records, from the first one on, for which another one stood, as far as that was known before anything was sent; null:
    /// none.</summary>
    public RecordMarks? Superseded { get; init; }

    /// <summary>Batches that carried them.</summary>
    public required long Batches { get; init; }

    /// <summary>Its records that were refused, by reason code.</summary>
    public required IReadOnlyDictionary<string, long> Rejects { get; init; }

    /// <summary>How many of its records were refused.</summary>
    public long RejectCount => Rejects.Values.Sum();

    /// <summary>What was repaired in it, by kind.</summary>
    public required IReadOnlyDictionary<string, long> Repairs { get; init; }

    /// <summary>How far the files of findings reach with it.</summary>
    public required IssuePositions Findings { get; init; }

    /// <summary>What has no column of its own.</summary>
    public string WriteDetails() => LedgerJson.Write(json =>
    {
        Write("lastSource", LastSource);
        Write("batches", Batches);
        Write("inserted", Taken.Inserted);
        Write("updated", Taken.Updated);
        Write("unchanged", Taken.Unchanged);
        Write("ignored", Taken.Ignored);
        Write("deleted", Taken.Deleted);
        Write("deletedRows", Taken.DeletedRows);
        Write("matchedRows", Taken.MatchedRows);
        Write("changedRows", Taken.ChangedRows);
        Write("counted", Taken.Counted);
        Write("compared", Taken.Compared);
        Write("superseded", Taken.Superseded);
        Write("notFound", Taken.NotFound);
        Write("rejectBytes", Findings.Records);
        Write("reasonBytes", Findings.Reasons);
        Write("repairBytes", Findings.Repairs);
        if (Superseded is { IsEmpty: false })
        {
            json.WriteString("supersededRecords", Superseded.Write());
        }

        LedgerJson.WriteCounts(json, "rejects", Rejects);
        LedgerJson.WriteCounts(json, "repairs", Repairs);

        void Write(string name, long number)
        {
            if (number != 0)
            {
                json.WriteNumber(name, number);
            }
        }
    });

    /// <summary>Reads a row.</summary>
    /// <param name="row">as <see cref="Sql.LedgerSql.ReadChunks"/> has it</param>
    /// <exception cref="PlanException">the row is none that this program writes</exception>
    public static LedgerChunk Read(string?[] row)
    {
        // A chunk that is not complete has none: LedgerPieces.RequireComplete.
        using var details = LedgerJson.Read(row[6] is { Length: 0 } ? "{}" : row[6]);
        var json = details.RootElement;
        return new LedgerChunk
        {
            Source = (int)Number(row[0]),
            FirstRecord = Number(row[1]),
            LastRecord = Number(row[2]),
            FirstOffset = Number(row[3]),
            LastOffset = Number(row[4]),
            Content = row[5] ?? "",
            LastSource = (int)Get("lastSource"),
            Batches = Get("batches"),
            Taken = new RowCounts(Get("inserted"), Get("updated"), Get("unchanged"), Get("ignored"))
            {
                Deleted = Get("deleted"),
                DeletedRows = Get("deletedRows"),
                MatchedRows = Get("matchedRows"),
                ChangedRows = Get("changedRows"),
                Counted = Get("counted"),
                Compared = Get("compared"),
                Superseded = Get("superseded"),
                NotFound = Get("notFound"),
            },
            Superseded = LedgerJson.ReadText(json, "supersededRecords") is { } marks ? RecordMarks.Read(marks) : null,
            Rejects = LedgerJson.ReadCounts(json, "rejects"),
            Repairs = LedgerJson.ReadCounts(json, "repairs"),
            Findings = new IssuePositions(Get("rejectBytes"), Get("reasonBytes"), Get("repairBytes")),
        };

        long Get(string name) => LedgerJson.ReadNumber(json, name);

        static long Number(string? text) => long.Parse(text ?? "0", CultureInfo.InvariantCulture);
    }
}
