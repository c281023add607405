using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using Microsoft.Extensions.Logging;

namespace BulkLoad;

/// <summary>What a job of the library does beside its rows. The defaults are those of the program, but for the ledger: without
/// <see cref="JobId"/> none is kept.</summary>
public record BulkOptions
{
    /// <summary>Of a load: what happens to a row whose key is there.</summary>
    public DuplicateMode OnDuplicate { get; init; }

    /// <summary>How many records may be refused; one more stops the job, and undoes its open chunk.</summary>
    public RejectLimit MaxRejects { get; init; } = RejectLimit.None;

    /// <summary>Gets each refused record once, in order, when its chunk is committed, or when it has stopped the job. It is called on a
    /// thread of the job, which waits for it. What it throws stops the job, and comes out of the call.</summary>
    public Action<RejectedRow>? Rejected { get; init; }

    /// <summary>Of a load: gets the id that the server has generated (AUTO_INCREMENT) for each inserted row, in the order of the input,
    /// when the row's chunk is committed. Rows go by INSERT then, which is slower than the fastest way; a load whose ids are not known
    /// for sure is refused. Rows that an earlier start of the job has committed are not among them. It is called on a thread of the job,
    /// which waits for it. What it throws stops the job, and comes out of the call; the chunk stays.</summary>
    public Action<GeneratedId>? IdGenerated { get; init; }

    /// <summary>Gets the progress after each batch, on a thread of the job.</summary>
    public IProgress<LoadProgress>? Progress { get; init; }

    /// <summary>Whether all is one transaction: all or nothing.</summary>
    public bool Atomic { get; init; }

    /// <summary>Limit of the rows in one transaction; null: what the strategy suits, some 100,000.</summary>
    public long? RowsPerChunk { get; init; }

    /// <summary>Sessions that carry rows at the same time, where their order cannot matter; null: as many as are known to help.</summary>
    public int? Threads { get; init; }

    /// <summary>A strategy's name, as in docs/strategies.md; null: the planner chooses.</summary>
    public string? Strategy { get; init; }

    /// <summary>When the job slows down, waits or stops for the sake of others.</summary>
    public ThrottleOptions Throttle { get; init; } = ThrottleOptions.None;

    /// <summary>How often a chunk is sent again after a fault that passes.</summary>
    public RetryOptions Retry { get; init; } = RetryOptions.Default;

    /// <summary>The job's name in the ledger, a table beside the target. A job that was killed resumes behind its last commit when it is
    /// started again with the same name and the same records; one that is complete loads only what comes behind its records. Null: no
    /// ledger is kept.</summary>
    public string? JobId { get; init; }

    /// <summary>With <see cref="JobId"/>, of objects: number of the job's records that come before the first one given now. At most as many
    /// as <see cref="BulkLoader.FindPositionAsync"/> says; records below that are skipped.</summary>
    public long StartAt { get; init; }

    /// <summary>The schema of the ledger; null: the table's.</summary>
    public string? LedgerSchema { get; init; }

    /// <summary>Columns that the server computes for each row: name and SQL expression, such as <c>NOW()</c>. Only text of your own: it
    /// is executed.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Set { get; init; } = [];

    /// <summary>The zone of the job: <c>UTC</c>, an offset such as <c>+02:00</c>, or a zone's name. Moments are converted to it. Null: the
    /// server's own.</summary>
    public string? TimeZone { get; init; }

    /// <summary>Whether numbers and fractions of a second finer than the column are rounded instead of refused.</summary>
    public bool Round { get; init; }

    /// <summary>Whether inserted rows are compared with their records before they are committed: keys and values.</summary>
    public bool Verify { get; init; }

    /// <summary>Of an update or a delete: whether a record whose key no row has is only counted; otherwise it is a reject.</summary>
    public bool IgnoreMissing { get; init; }

    /// <summary>Of an update or a delete: whether a key may find several rows; otherwise a unique index must cover it.</summary>
    public bool AllowMultiple { get; init; }

    /// <summary>Of an update or a delete: whether rows may be found without an index, which reads the whole table.</summary>
    public bool AllowScan { get; init; }

    /// <summary>Of an update or a delete: SQL that must be true for a row. Only text of your own: it is executed.</summary>
    public string? Where { get; init; }

    /// <summary>Takes the job's log; null: nobody does.</summary>
    public ILoggerFactory? Loggers { get; init; }

    /// <summary>A folder for what does not fit into memory, such as the records of an update.</summary>
    public string TempFolder { get; init; } = Path.GetTempPath();

    internal virtual LoadRequest ToRequest(ConnectionOptions connection, string table) => new()
    {
        Connection = connection,
        Table = table,
        Files = [InputPaths.StandardInput],
        OnDuplicate = OnDuplicate,
        MaxRejects = MaxRejects,
        Atomic = Atomic,
        RowsPerChunk = RowsPerChunk,
        Threads = Threads,
        Strategy = Strategy,
        Throttle = Throttle,
        Retry = Retry,
        JobId = JobId,
        NoLedger = JobId is null,
        Append = JobId is not null,
        StartAt = StartAt,
        LedgerSchema = LedgerSchema,
        Assignments = [.. Set.Select(pair => new ColumnAssignment(pair.Key, pair.Value))],
        Values = new ValueOptions { TimeZone = TimeZone, Round = Round },
        Verify = Verify ? Core.Common.VerifyMode.Checksum : Core.Common.VerifyMode.None,
        Key = new KeyOptions
        {
            IgnoreMissing = IgnoreMissing,
            AllowMultiple = AllowMultiple,
            AllowScan = AllowScan,
            Where = Where,
        },
        TempFolder = TempFolder,
    };
}

/// <summary>How a file is read, beside what <see cref="BulkOptions"/> say. What is null is found out, as the program does.</summary>
public sealed record BulkFileOptions : BulkOptions
{
    /// <summary>The format of the records.</summary>
    public InputFormat Format { get; init; }

    /// <summary>How the file is compressed.</summary>
    public InputCompression Compression { get; init; }

    /// <summary>Field separator; one ASCII character.</summary>
    public char? Delimiter { get; init; }

    /// <summary>Quote character; one ASCII character, or <c>'\0'</c> for none.</summary>
    public char? Quote { get; init; }

    /// <summary>Whether the first record has the names of the columns.</summary>
    public bool? HasHeader { get; init; }

    /// <summary>.NET name of the encoding.</summary>
    public string? Encoding { get; init; }

    /// <summary>The target column of each field in order; <c>@name</c> skips a field. Empty: by the names of the header.</summary>
    public IReadOnlyList<string> Columns { get; init; } = [];

    /// <summary>Names of fields, and the columns they go to where those are called otherwise.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Map { get; init; } = [];

    /// <summary>Unquoted texts that mean NULL.</summary>
    public IReadOnlyList<string> NullTexts { get; init; } = [];

    internal override LoadRequest ToRequest(ConnectionOptions connection, string table)
    {
        Features.RequireFiles();
        var request = base.ToRequest(connection, table);
        return request with
        {
            Source = new SourceOptions
            {
                Format = Format,
                Compression = Compression,
                Delimiter = Delimiter,
                Quote = Quote,
                HasHeader = HasHeader,
                Encoding = Encoding,
            },
            Columns = Columns.Count > 0 ? Columns : null,
            Map = Map,
            Values = request.Values with { NullTexts = [.. NullTexts.Select(text => new NullText(null, text))] },
        };
    }
}
