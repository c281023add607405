namespace BulkLoad.Core.Sql;

/// <summary>A row of the index by which a start finds jobs.</summary>
/// <param name="Key">a name that no job can have</param>
/// <param name="Rank">its place under the key; 0: the row says that there are others</param>
/// <param name="Job">a job's name; of rows that several jobs share the last of these</param>
internal sealed record IndexRow(string Key, long Rank, string Job);

/// <summary>The highest ranks come first.</summary>
internal sealed record IndexRange(string Key, long From, long To, int Max);

/// <summary>The index of the ledger's jobs by their inputs' content: rows of source -3 in the same table, under names that begin with a
/// slash. Column <c>taken</c> counts the jobs that share a row. All questions name rows of the primary key, or read a range of it with a
/// limit.</summary>
internal sealed class JobIndexSql(string database)
{
    /// <summary>Rows of one statement.</summary>
    public const int MaxRows = 500;

    /// <summary>A job's longer details are read separately.</summary>
    public const int LongJobBytes = 32 * 1024;

    /// <summary>Keys of one question.</summary>
    public const int MaxKeys = 4_000;

    private readonly string _table = SqlName.Quote(database, LedgerSql.TableName);

    /// <param name="condition">null: none</param>
    public IEnumerable<string> Add(IReadOnlyList<IndexRow> rows, string? condition = null)
    {
        foreach (var some in rows.Chunk(MaxRows))
        {
            var text = new StringBuilder($"INSERT INTO {_table} (job, source, first_record, last_record, first_offset, last_offset, "
                + "content, taken, rejected, details, program, changed) ");
            if (condition is null)
            {
                text.Append("VALUES ").AppendJoin(", ", some.Select(row =>
                    $"({SqlLiteral.Quote(row.Key)}, -3, {row.Rank}, 0, 0, 0, {SqlLiteral.Quote(row.Job)}, 1, 0, '', "
                        + $"{SqlLiteral.Quote(LedgerSql.Program)}, UTC_TIMESTAMP())"));
            }
            else
            {
                text.Append($"SELECT n.k, -3, n.r, 0, 0, 0, n.j, 1, 0, '', {SqlLiteral.Quote(LedgerSql.Program)}, UTC_TIMESTAMP() FROM (")
                    .AppendJoin(" UNION ALL ", some.Select((row, i) => i == 0
                        ? $"SELECT {SqlLiteral.Quote(row.Key)} k, {row.Rank} r, {SqlLiteral.Quote(row.Job)} j"
                        : $"SELECT {SqlLiteral.Quote(row.Key)}, {row.Rank}, {SqlLiteral.Quote(row.Job)}"))
                    .Append($") n WHERE {condition}");
            }

            yield return text.Append(" ON DUPLICATE KEY UPDATE taken = taken + 1, content = VALUES(content)").ToString();
        }
    }

    /// <param name="rows">of one job, or of several; a row that these share is there for each</param>
    /// <param name="condition">null: none</param>
    public IEnumerable<string> Remove(IReadOnlyList<IndexRow> rows, string? condition = null)
    {
        var more = condition is null ? "" : $" AND {condition}";
        foreach (var shared in rows.CountBy(row => (row.Key, row.Rank)).GroupBy(row => row.Value).OrderBy(group => group.Key))
        {
            foreach (var some in shared.Select(row => row.Key).Chunk(MaxRows))
            {
                var these = string.Join(" OR ", some.Select(row =>
                    $"(job = {SqlLiteral.Quote(row.Key)} AND source = -3 AND first_record = {row.Rank})"));

                // Most rows belong to this job alone: they are deleted before others are counted down.
                yield return $"DELETE {_table} FROM {_table} FORCE INDEX (PRIMARY) WHERE ({these}) AND taken <= {shared.Key}{more}";
                yield return $"UPDATE {_table} FORCE INDEX (PRIMARY) SET taken = taken - {shared.Key} WHERE ({these}){more}";
            }
        }
    }

    /// <summary>The keys that exist.</summary>
    public string FindKeys(IEnumerable<string> keys) => $"SELECT job FROM {_table} FORCE INDEX (PRIMARY) WHERE job IN ("
        + $"{string.Join(", ", keys.Select(SqlLiteral.Quote))}) AND source = -3 AND first_record = 0";

    /// <summary>A row for each in the ranges: key, rank, job.</summary>
    public string FindRows(IEnumerable<IndexRange> ranges) => string.Join(" UNION ALL ", ranges.Select(range =>
        $"(SELECT job, first_record, content FROM {_table} FORCE INDEX (PRIMARY) WHERE job = {SqlLiteral.Quote(range.Key)} AND source = -3 "
            + $"AND first_record BETWEEN {range.From} AND {range.To} ORDER BY first_record DESC LIMIT {range.Max})"));

    /// <summary>A row for each job that exists: its name, its details, or null if they are long, their length, and the last change
    /// (UTC).</summary>
    public string ReadJobs(IEnumerable<string> jobs) => $"SELECT job, IF(LENGTH(details) <= {LongJobBytes}, details, "
        + $"NULL), LENGTH(details), changed{FromJobs(jobs)}";

    /// <summary>The same with all details, and without the length.</summary>
    public string ReadLongJobs(IEnumerable<string> jobs) => $"SELECT job, details, changed{FromJobs(jobs)}";

    /// <summary>Locks the jobs that nobody holds, and returns their names. Error 1064 on servers without SKIP LOCKED (before MySQL 8.0 and
    /// MariaDB 10.6).</summary>
    public string FindIdle(IEnumerable<string> jobs) => $"SELECT job{FromJobs(jobs)} FOR UPDATE SKIP LOCKED";

    private string FromJobs(IEnumerable<string> jobs) => $" FROM {_table} FORCE INDEX (PRIMARY) WHERE job IN ("
        + $"{string.Join(", ", jobs.Select(SqlLiteral.Quote))}) AND source = -1 AND first_record = 0";

    /// <summary>The details of a job's further rows with inputs, in order.</summary>
    /// <param name="after">number of rows before</param>
    public string ReadSources(string job, int after, int most) => $"SELECT details FROM {_table} FORCE INDEX (PRIMARY) WHERE job = "
        + $"{SqlLiteral.Quote(job)} AND source = -3 AND first_record > {after} ORDER BY first_record LIMIT {most}";

    public IEnumerable<string> WriteSources(string job, IEnumerable<string> rows, string? condition = null) =>
        rows.Select((details, i) => $"INSERT INTO {_table} SELECT {SqlLiteral.Quote(job)}, -3, {i + 1}, 0, 0, 0, '', 0, 0, "
            + $"{SqlLiteral.Quote(details)}, {SqlLiteral.Quote(LedgerSql.Program)}, UTC_TIMESTAMP() FROM DUAL "
            + $"WHERE {condition ?? "1 = 1"}");

    public string DeleteSources(string job, string? condition = null) =>
        $"DELETE {_table} FROM {_table} FORCE INDEX (PRIMARY) WHERE job = {SqlLiteral.Quote(job)} AND source = -3"
            + (condition is null ? "" : $" AND {condition}");

    /// <summary>A page: rank and name, by rank. Some names may have no job.</summary>
    public string ListFamily(string family, long after, int most) =>
        $"SELECT first_record, content FROM {_table} FORCE INDEX (PRIMARY) WHERE job = {SqlLiteral.Quote($"/{family}")} AND source = -2 "
            + $"AND first_record > {after} ORDER BY first_record LIMIT {most}";

    /// <summary>One row if a family has another name.</summary>
    public string HasOthers(string family, string name) =>
        $"SELECT 1 FROM {_table} FORCE INDEX (PRIMARY) WHERE job = {SqlLiteral.Quote($"/{family}")} AND source = -2 AND content <> "
            + $"{SqlLiteral.Quote(name)} LIMIT 1";

    /// <summary>One row if nobody holds a job; error 1064 on servers without SKIP LOCKED.</summary>
    public string IsIdle(string job) =>
        $"SELECT job FROM {_table} WHERE job = {SqlLiteral.Quote(job)} AND source = -1 AND first_record = 0 FOR UPDATE SKIP LOCKED";

    /// <summary>The first chunks without a reject of a job of one input: first and last record.</summary>
    public string WholeChunks(string job) => $"SELECT first_record, last_record FROM {_table} FORCE INDEX (PRIMARY) WHERE job = "
        + $"{SqlLiteral.Quote(job)} AND source = 0 AND rejected = 0 ORDER BY first_record LIMIT 1000";
}
