using System.Buffers.Binary;
using System.Security.Cryptography;
using BulkLoad.Core.Facts;

namespace BulkLoad.Core.Sql;

/// <summary>The ledger: one table, a row for each committed chunk and one, of source -1, for the job itself, with further ones, of source
/// -3, if its inputs need room. Rows of source -2 stand under the family's name, each with the name of a job that exists, or will soon;
/// <see cref="JobIndexSql"/> has the others by which a start finds jobs. Column order of the queries is part of their contract with the
/// readers in Ledger. Columns of text are ASCII or JSON.</summary>
internal sealed class LedgerSql(string database)
{
    public const string TableName = "bulkload_ledger";

    public const int ColumnCount = 12;

    /// <summary>A chunk's longer details are read separately.</summary>
    public const int LongChunkBytes = 1_000;

    /// <summary>How long another start of the job is waited for: the time that a job may take to end.</summary>
    public const string WaitBriefly = "SET SESSION innodb_lock_wait_timeout=1";

    /// <summary>How long a chunk of a former session is waited for.</summary>
    public const string WaitByDefault = "SET SESSION innodb_lock_wait_timeout=20";

    /// <summary>Keeps an idle session for as long as the longest job, whose row it has locked.</summary>
    public const string StayIdle = "SET SESSION wait_timeout=31536000";

    /// <summary>The version that writes a row.</summary>
    public static readonly string Program = typeof(LedgerSql).Assembly.GetName().Version?.ToString(3) ?? "";

    private readonly string _table = SqlName.Quote(database, TableName);

    public JobIndexSql Index { get; } = new(database);

    public string Database => database;

    public static LedgerSql Of(LoadFacts facts) => new(facts.Request.LedgerSchema ?? facts.Table.Database);

    public string DisplayName { get; } = $"{database}.{TableName}";

    public string Create => $"""
        CREATE TABLE IF NOT EXISTS {_table} (
          job VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'bulkload jobs lists them',
          source INT NOT NULL COMMENT 'number of the input, from 0; -1: the job itself',
          first_record BIGINT NOT NULL,
          last_record BIGINT NOT NULL,
          first_offset BIGINT NOT NULL COMMENT 'bytes before the first record',
          last_offset BIGINT NOT NULL COMMENT 'bytes before the last record',
          content VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'XXH128 of the records, and of where they begin',
          taken BIGINT NOT NULL COMMENT 'records that the server took',
          rejected BIGINT NOT NULL COMMENT 'records that were refused',
          details MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON',
          program VARCHAR(32) CHARACTER SET ascii NOT NULL,
          changed DATETIME NOT NULL COMMENT 'UTC',
          PRIMARY KEY (job, source, first_record)
        ) ENGINE=InnoDB COMMENT='What bulkload has committed: without these rows a job cannot be resumed'
        """;

    /// <summary>The expected result of <see cref="Shape"/>: engine, and columns by name and type in their order.</summary>
    public const string RightShape =
        "InnoDB|job varchar(64),source int,first_record bigint,last_record bigint,first_offset bigint,last_offset bigint,content "
            + "varchar(64),taken bigint,rejected bigint,details mediumtext,program varchar(32),changed datetime";

    /// <summary>One value in the form of <see cref="RightShape"/>, but types may have a meaningless number in parentheses. Both tables get
    /// schema and name as constants: MariaDB opens all tables of the server if they are joined by them.</summary>
    public string Shape =>
        "SELECT CONCAT(MAX(t.ENGINE), '|', GROUP_CONCAT(CONCAT(c.COLUMN_NAME, ' ', c.COLUMN_TYPE) ORDER BY c.ORDINAL_POSITION SEPARATOR "
            + $"',')) FROM information_schema.TABLES t JOIN information_schema.COLUMNS c WHERE {Is("t")} AND {Is("c")}";

    private string Is(string alias) => $"{alias}.TABLE_SCHEMA = {SqlLiteral.Quote(database)} AND {alias}.TABLE_NAME = '{TableName}'";

    /// <summary>Locks the place of a job's name in the family, so that only one start with that name looks and registers at a time; makes
    /// it if there is none.</summary>
    public string LockSlot(string family, string job) =>
        $"INSERT INTO {_table} (job, source, first_record, last_record, first_offset, last_offset, content, taken, rejected, details, "
            + $"program, changed) VALUES ({SqlLiteral.Quote(IndexOf(family))}, -2, {PlaceOf(job)}, 0, 0, 0, {SqlLiteral.Quote(job)}, 0, "
            + $"0, '{{}}', {SqlLiteral.Quote(Program)}, UTC_TIMESTAMP()) ON DUPLICATE KEY UPDATE changed = changed";

    /// <summary>The first row: no name, and the table's shape. Then a row if the job exists: name and details. Then a row for each job that
    /// has a part of a file: its name, and NULL.</summary>
    /// <param name="job">empty: none</param>
    /// <param name="whole">the name of a job of the whole file, with which those begin, and a <c>#</c>; empty: none is asked for</param>
    public string FindJob(string job, string whole) =>
        $"SELECT '' job, CONVERT(({Shape}) USING utf8mb4) COLLATE utf8mb4_bin details UNION ALL SELECT job, details FROM {_table} "
            + $"FORCE INDEX (PRIMARY) WHERE job = {SqlLiteral.Quote(job)} AND source = -1 AND first_record = 0"
            + (whole.Length == 0 ? "" : $" UNION ALL SELECT job, NULL FROM {_table} FORCE INDEX (PRIMARY) WHERE job > "
                + $"{SqlLiteral.Quote($"{whole}#")} AND job < {SqlLiteral.Quote($"{whole}$")} AND source = -1 AND first_record = 0");

    /// <summary>Forgets a job: its rows, under a condition or none, and then its places in the family and in the index.</summary>
    /// <param name="family">null: none</param>
    /// <param name="rows">of the index</param>
    public IEnumerable<string> DeleteJob(string job, string? family, IReadOnlyList<IndexRow> rows, string? condition = null)
    {
        yield return $"DELETE {_table} {FromJob(job)}{And(condition)}";
        if (!string.IsNullOrEmpty(family))
        {
            yield return $"DELETE FROM {_table} WHERE job = {SqlLiteral.Quote(IndexOf(family))} AND source = -2 AND first_record = "
                + $"{PlaceOf(job)}{And(condition)}";
        }

        foreach (var statement in Index.Remove(rows, condition))
        {
            yield return statement;
        }
    }

    /// <summary>The jobs may share rows of the index.</summary>
    public IEnumerable<string> DeleteJobs(IReadOnlyList<(string Job, string? Family, IReadOnlyList<IndexRow> Rows)> jobs) =>
    [
        .. jobs.SelectMany(one => DeleteJob(one.Job, one.Family, [])),
        .. Index.Remove([.. jobs.SelectMany(one => one.Rows).OrderBy(row => row.Key, StringComparer.Ordinal).ThenBy(row => row.Rank)]),
    ];

    /// <summary>A job's rows, found by its name in the primary key, whatever the server's statistics say: a statement that reads all rows
    /// waits for those that other jobs hold, and one that reads a range waits for the row behind it. So no further condition may be a range
    /// of the key: <c>source + 0</c> is none.</summary>
    private string FromJob(string job) => $"FROM {_table} FORCE INDEX (PRIMARY) WHERE job = {SqlLiteral.Quote(job)}";

    private static string And(string? condition) => condition is null ? "" : $" AND {condition}";

    public string RenameJob(string job, string name) =>
        $"UPDATE {_table} FORCE INDEX (PRIMARY) SET job = {SqlLiteral.Quote(name)} WHERE job = {SqlLiteral.Quote(job)}";

    /// <summary>Empties another table, in the transaction of its first rows.</summary>
    public static string Empty(string tableDatabase, string table, string tag) =>
        JobTag.Into($"DELETE FROM {SqlName.Quote(tableDatabase, table)}", tag);

    /// <summary>A name that no job can have.</summary>
    private static string IndexOf(string family) => $"/{family}";

    private static long PlaceOf(string job) =>
        BinaryPrimitives.ReadInt64BigEndian(SHA256.HashData(Encoding.ASCII.GetBytes(job))) & long.MaxValue;

    /// <summary>One row, or none: the job's details. Waits if it is locked.</summary>
    public string LockJob(string job) => $"{ReadJob(job)} FOR UPDATE";

    /// <summary>Committed data only, without locks.</summary>
    public string ReadJob(string job) =>
        $"SELECT details FROM {_table} WHERE job = {SqlLiteral.Quote(job)} AND source = -1 AND first_record = 0";

    public string InsertJob(string job, string details) =>
        $"INSERT INTO {_table} VALUES ({SqlLiteral.Quote(job)}, -1, 0, 0, 0, 0, '', 0, 0, {SqlLiteral.Quote(details)}, "
            + $"{SqlLiteral.Quote(Program)}, UTC_TIMESTAMP())";

    public string UpdateJob(string job, string details) =>
        $"UPDATE {_table} SET details = {SqlLiteral.Quote(details)}, program = {SqlLiteral.Quote(Program)}, changed = "
            + $"UTC_TIMESTAMP() WHERE job = {SqlLiteral.Quote(job)} AND source = -1 AND first_record = 0";

    /// <summary>A page of a job's chunks in the input's order: source, first and last record, offset of each, content, and details:
    /// <c>{}</c> if there are none, and empty if they are long.</summary>
    /// <param name="source">that of the chunk before the page</param>
    /// <param name="record">its first record</param>
    /// <param name="isLocked">whether this session has locked them; otherwise committed data is read</param>
    public string ReadChunks(string job, int source, long record, int most, bool isLocked) =>
        $"SELECT {ChunkColumns}, IF(details = '', '{{}}', IF(LENGTH(details) <= {LongChunkBytes}, details, '')) {FromJob(job)} AND "
            + $"((source = {source} AND first_record > {record}) OR source > {source}) ORDER BY source, first_record LIMIT {most}"
            + (isLocked ? " FOR UPDATE" : "");

    /// <summary>Columns of <see cref="ReadChunks"/>, with all details.</summary>
    public string ReadChunksAt(string job, IEnumerable<(int Source, long Record)> chunks) =>
        $"SELECT {ChunkColumns}, {AllDetails} {FromJob(job)} AND ("
            + $"{string.Join(" OR ", chunks.Select(one => $"(source = {one.Source} AND first_record = {one.Record})"))}) "
            + "ORDER BY source, first_record";

    /// <summary>One row, or none.</summary>
    public string ReadLastChunk(string job) =>
        $"SELECT {ChunkColumns}, {AllDetails} {FromJob(job)} AND source >= 0 ORDER BY source DESC, first_record DESC LIMIT 1";

    private const string ChunkColumns = "source, first_record, last_record, first_offset, last_offset, content";

    private const string AllDetails = "IF(details = '', '{}', details)";

    /// <summary>A row if a job has a chunk of which the server took a record; else none.</summary>
    public string FindTaken(string job) => $"SELECT job {FromJob(job)} AND source >= 0 AND taken > 0 LIMIT 1";

    /// <summary>One row: the number of committed chunks, and the sum of the CRC-32 of their contents. Waits for a session that is about to
    /// commit one.</summary>
    public string LockTally(string job) => $"SELECT {TallyOf} {FromChunks(job)} FOR UPDATE";

    /// <summary>Keeps the tally in two variables of the session.</summary>
    public string KeepTally(string job) => $"SELECT {TallyOf} INTO {TallyVariables} {FromChunks(job)} FOR UPDATE";

    /// <summary>One row behind <see cref="KeepTally"/>, or none: the job's details, and the tally. Waits if it is locked.</summary>
    public string LockJobWithTally(string job) =>
        LockJob(job).Replace("SELECT details", $"SELECT details, {TallyVariables}", StringComparison.Ordinal);

    /// <summary>A condition behind <see cref="KeepTally"/>.</summary>
    public static string IsTally(long chunks, long contents) => $"@bulkload_chunks = {chunks} AND @bulkload_contents = {contents}";

    /// <summary>A chunk's first statement: takes its place, which only one session can do. The key is the first record and not the offset:
    /// in a list of keys, one line <c>1..1000000</c> has a million records at one offset.</summary>
    public string BeginChunk(string job, int source, long firstRecord, long firstOffset) =>
        $"INSERT INTO {_table} VALUES ({SqlLiteral.Quote(job)}, {source}, {firstRecord}, 0, {firstOffset}, 0, '', 0, 0, '', "
            + $"{SqlLiteral.Quote(Program)}, UTC_TIMESTAMP())";

    /// <summary>A chunk's last statement before its COMMIT: records its content. Changes one row, or none if the condition is
    /// false.</summary>
    public string EndChunk(string job, int source, long firstRecord, long lastRecord, long lastOffset, string content, long taken,
        long rejected, string details, string? condition) =>
        $"UPDATE {_table} SET last_record = {lastRecord}, last_offset = {lastOffset}, content = {SqlLiteral.Quote(content)}, taken = "
            + $"{taken}, rejected = {rejected}, details = {SqlLiteral.Quote(details)} WHERE job = {SqlLiteral.Quote(job)} AND source = "
            + $"{source} AND first_record = {firstRecord}{And(condition)}";

    private const string TallyOf = "COUNT(*), COALESCE(SUM(CRC32(content)), 0)";

    private const string TallyVariables = "@bulkload_chunks, @bulkload_contents";

    private string FromChunks(string job) => $"{FromJob(job)} AND source + 0 >= 0";

    public string DeleteChunks(string job, string? condition = null) => $"DELETE {_table} {FromChunks(job)}{And(condition)}";

    /// <summary>One row: the number of jobs, and of complete ones.</summary>
    /// <param name="table">in JSON, such as <c>"database.table"</c>; null: any</param>
    public string CountJobs(string? table) => $"SELECT COUNT(*), COALESCE(SUM({IsComplete}), 0) {FromAllJobs}{AndIsOf(table)}";

    /// <summary>Incomplete jobs, and then the others, each with those first that changed last: name, time of change (UTC).</summary>
    /// <param name="table">see <see cref="CountJobs"/></param>
    /// <param name="isComplete">which jobs; null: all</param>
    /// <param name="areMixed">whether there are both; otherwise no details are read</param>
    public string ListNewest(int most, string? table, bool? isComplete, bool areMixed)
    {
        var some = isComplete is null || !areMixed ? "" : And(isComplete.Value ? IsComplete : $"NOT {IsComplete}");
        var order = isComplete is null && areMixed ? $"{IsComplete}, " : "";
        return $"SELECT job, changed {FromAllJobs}{AndIsOf(table)}{some} ORDER BY {order}changed DESC, job LIMIT {most}";
    }

    /// <summary>The second member of a job's details is its table.</summary>
    private static string AndIsOf(string? table) => table is null ? ""
        : And($"SUBSTRING_INDEX(SUBSTRING_INDEX(details, ',\"', 2), ',\"table\":', -1) = {SqlLiteral.Quote(table)}");

    /// <summary>Jobs that keep rows as they were: name, details.</summary>
    public string JobsWithImages => $"SELECT job, details {FromAllJobs} AND details LIKE '%,\"images\":{{%' ORDER BY job";

    /// <summary>In the order of names.</summary>
    public string ListJobs(string after, int most, bool isComplete = false) =>
        $"SELECT job {FromAllJobs} AND job > {SqlLiteral.Quote(after)}{(isComplete ? $" AND {IsComplete}" : "")} ORDER BY job LIMIT {most}";

    /// <summary>One row for each job that has chunks: name, chunks, records taken, records rejected, last change (UTC).</summary>
    public string SumChunks(IEnumerable<string> jobs) =>
        $"SELECT job, COUNT(*), SUM(taken), SUM(rejected), MAX(changed) FROM {_table} FORCE INDEX (PRIMARY) WHERE job IN ("
            + $"{string.Join(", ", jobs.Select(SqlLiteral.Quote))}) AND source >= 0 GROUP BY job";

    /// <summary>Whether a job's details say that it is complete: in JSON no other text has a quote with nothing before it. As bytes, which
    /// are compared faster than letters.</summary>
    private const string IsComplete = "LOCATE(',\"completed\":\"', CAST(details AS BINARY)) > 0";

    /// <summary>A name that begins with a slash is no job's; the digit is the character behind the slash.</summary>
    private string FromAllJobs =>
        $"FROM {_table} FORCE INDEX (PRIMARY) WHERE (job < '/' OR job >= '0') AND source = -1 AND first_record = 0";
}
