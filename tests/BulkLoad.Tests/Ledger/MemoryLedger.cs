using System.Text.RegularExpressions;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Strategies;

namespace BulkLoad.Tests.Ledger;

/// <summary>A ledger, and the table that its jobs have loaded, as the questions of a start find them.</summary>
internal sealed partial class MemoryLedger(IReadOnlyList<FoundJob> jobs)
{
    private readonly MemoryJobIndex _index = new(jobs);

    /// <summary>By job: the chunks that it has committed, as the ledger has them.</summary>
    public Dictionary<string, string?[][]> Chunks { get; init; } = [];

    public long TableRows { get; init; }

    /// <summary>Of the keys that are looked for, how many have no row.</summary>
    public long KeysGone { get; init; }

    /// <summary>A session with the server that holds it.</summary>
    public RecordingSession Open() => new RecordingSession()
        .Answers("SELECT '' job, ", sql => [["", LedgerSql.RightShape], .. JobsIn(sql).Select(one => new[] { one.Id, one.Job.Write() })])
        .Answers("SELECT job FROM ", sql => sql.Contains("source = -3", StringComparison.Ordinal)
            ? [.. _index.FindKeysAsync(TextsIn(sql)).Result.Select(key => new[] { key })]
            : ChunksIn(sql))
        .Answers("(SELECT job, first_record", sql => [.. _index.FindRowsAsync([.. Ranges().Matches(sql).Select(RangeOf)]).Result
            .Select(row => new[] { row.Key, $"{row.Rank}", row.Job })])
        .Answers("SELECT job, IF(", sql => [.. JobsIn(sql).Select(one => new[] { one.Id, one.Job.Write(), "1", "2026-01-01 00:00:00" })])
        .Answers("SELECT first_record, content",
            sql => sql.Contains("> -1", StringComparison.Ordinal) ? [.. jobs.Select((one, i) => new[] { $"{i}", one.Id })] : [])
        .Answers("SELECT source, ",
            sql => sql.Contains("DESC LIMIT 1", StringComparison.Ordinal) ? [.. ChunksIn(sql).TakeLast(1)] : ChunksIn(sql))
        .Answers("SELECT 1 FROM ", sql => sql.Contains(LedgerSql.TableName, StringComparison.Ordinal) ? [["1"]]
            : long.Parse(sql.Split("OFFSET ")[1], CultureInfo.InvariantCulture) < TableRows ? [["1"]] : [])
        .Answers("SELECT COUNT(*) FROM ", sql =>
            [[$"{(sql.Contains(" WHERE ", StringComparison.Ordinal) ? sql.Count(letter => letter == ',') + 1 - KeysGone : TableRows)}"]]);

    private IEnumerable<FoundJob> JobsIn(string sql) => jobs.Where(one => TextsIn(sql).Contains(one.Id));

    private string?[][] ChunksIn(string sql) => [.. TextsIn(sql).SelectMany(one => Chunks.GetValueOrDefault(one) ?? [])];

    private static HashSet<string> TextsIn(string sql) => [.. Texts().Matches(sql).Select(text => text.Groups[1].Value)];

    private static IndexRange RangeOf(Match found)
    {
        long Number(int group) => long.Parse(found.Groups[group].Value, CultureInfo.InvariantCulture);
        return new IndexRange(found.Groups[1].Value, Number(2), Number(3), (int)Number(4));
    }

    [GeneratedRegex("'([^']*)'")]
    private static partial Regex Texts();

    [GeneratedRegex(@"job = '(/[^']+)' AND source = -3 AND first_record BETWEEN (-?\d+) AND (\d+) ORDER BY first_record DESC LIMIT (\d+)")]
    private static partial Regex Ranges();
}
