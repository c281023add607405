using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Options;

/// <summary>What the user asked for: immutable, not yet resolved against files or server.</summary>
internal sealed record LoadRequest
{
    public JobKind Kind { get; init; }

    public JobMode Mode { get; init; } = JobMode.Write;

    /// <summary>Not for an import.</summary>
    public KeyOptions Key { get; init; } = new();

    /// <summary>How inserted rows are checked again; of a verification, how the table's rows are.</summary>
    public VerifyMode Verify { get; init; }

    /// <summary>Paths, glob patterns, or <c>-</c> for <see cref="StandardInput"/>; at least one.</summary>
    public required IReadOnlyList<string> Files { get; init; }

    /// <summary>The stream of <c>-</c>; owned by the caller.</summary>
    public Stream? StandardInput { get; init; }

    /// <summary>What the stream of <c>-</c> is called in messages.</summary>
    public string StandardInputName { get; init; } = "standard input";

    /// <summary>Number of the job's records that come before the stream of <c>-</c>, which begins in the middle; at most as many as the
    /// ledger has as committed.</summary>
    public long StartAt { get; init; }

    /// <summary><c>table</c> or <c>database.table</c>; null: the first file's base name, as with mysqlimport.</summary>
    public string? Table { get; init; }

    public DuplicateMode OnDuplicate { get; init; }

    public required ConnectionOptions Connection { get; init; }

    /// <summary>Whether the table does not exist yet and is made from the input.</summary>
    public bool Create { get; init; }

    /// <summary>Whether a new table's columns are the narrowest that store the values, without room for others.</summary>
    public bool ExactTypes { get; init; }

    /// <summary>Whether fields without a column become new columns of the table.</summary>
    public bool AddColumns { get; init; }

    public IReadOnlyList<ColumnType> ColumnTypes { get; init; } = [];

    /// <summary>In the key's order; empty: no key.</summary>
    public IReadOnlyList<string> PrimaryKey { get; init; } = [];

    public SourceOptions Source { get; init; } = new();

    /// <summary>The form that every input must have; null: any. <see cref="PinnedSpec.ApplyTo"/> makes it part of a request.</summary>
    public PinnedSpec? Spec { get; init; }

    /// <summary>Whether a spec of all inputs is written.</summary>
    public bool WritesSpec { get; init; }

    /// <summary>The target column of each field in order; <c>@name</c> skips a field. Null: by the header's names.</summary>
    public IReadOnlyList<string>? Columns { get; init; }

    /// <summary>Field name to column name, before names are compared.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Map { get; init; } = [];

    public IReadOnlyList<ColumnAssignment> Assignments { get; init; } = [];

    public ValueOptions Values { get; init; } = new();

    /// <summary>A strategy's name; null: the planner chooses.</summary>
    public string? Strategy { get; init; }

    /// <summary>Measured on the server; used only in an import's plan. Null: the default sizes and costs.</summary>
    public UsedProfile? Profile { get; init; }

    /// <summary>Sessions that carry rows at the same time, where their order cannot matter; null: as many as are known to help.</summary>
    public int? Threads { get; init; }

    /// <summary>Whether records keep the input's order even where sorting would pay.</summary>
    public bool NoSort { get; init; }

    /// <summary>Whether unneeded indexes are dropped before a load, and added again at its end.</summary>
    public bool RebuildIndexes { get; init; }

    /// <summary>Number of records that are read, of all inputs together; null: all.</summary>
    public long? Limit { get; init; }

    /// <summary>The part of the file that is loaded, as a job of its own; null: all of it.</summary>
    public PartOfFile? Part { get; init; }

    /// <summary>How many changes of each kind a preview shows.</summary>
    public int PreviewRows { get; init; }

    /// <summary>Where a preview writes all changes, as CSV; null: nowhere.</summary>
    public string? PreviewFile { get; init; }

    /// <summary>Rows in one statement or packet; null: the measured optimum.</summary>
    public int? RowsPerBatch { get; init; }

    /// <summary>Bytes in one statement or packet; null: the measured optimum.</summary>
    public long? BytesPerBatch { get; init; }

    /// <summary>Limit of the rows in one transaction; null: none.</summary>
    public long? RowsPerChunk { get; init; }

    /// <summary>Bytes of input committed in one transaction; null: as many as the job suits (ChunkSizes), 8 to 32 MiB.</summary>
    public long? BytesPerChunk { get; init; }

    /// <summary>Memory for the job, in bytes, beside that of the program itself; null: no limit.</summary>
    public long? MaxMemory { get; init; }

    /// <summary>All in one transaction or nothing.</summary>
    public bool Atomic { get; init; }

    /// <summary>The job's name in the ledger; null: made of server, table, command, mapping and the inputs' names.</summary>
    public string? JobId { get; init; }

    /// <summary>Whether the ledger forgets the job, and all of it is done again.</summary>
    public bool Reload { get; init; }

    /// <summary>Whether of inputs that complete jobs have loaded in part the rest is loaded; otherwise they are refused.</summary>
    public bool Append { get; init; }

    /// <summary>When the job is complete, older complete jobs of the same table and command are forgotten; null: all are kept.</summary>
    public TimeSpan? JobHistory { get; init; }

    /// <summary>That the table becomes exactly the input; null: records are added to it.</summary>
    public RefreshOptions? Refresh { get; init; }

    /// <summary>That the rows of a job are taken back, whose files these are; null: the request is no undo.</summary>
    public UndoOptions? Undo { get; init; }

    /// <summary>How long rows that are changed are kept as they were, so that the job can be undone; null: they are not kept.</summary>
    public TimeSpan? Undoable { get; init; }

    /// <summary>Whether the table is emptied before the first record, once a job.</summary>
    public bool Truncate { get; init; }

    /// <summary>The database that may be emptied whatever its name is; null: only one whose name says that it is for tests.</summary>
    public string? AllowedDatabase { get; init; }

    /// <summary>Whether the ledger is not used; then the job cannot be resumed.</summary>
    public bool NoLedger { get; init; }

    /// <summary>The schema of the ledger; null: the table's.</summary>
    public string? LedgerSchema { get; init; }

    public RetryOptions Retry { get; init; } = RetryOptions.Default;

    public ThrottleOptions Throttle { get; init; } = ThrottleOptions.None;

    /// <summary>How many records may be refused before the job stops.</summary>
    public RejectLimit MaxRejects { get; init; } = RejectLimit.None;

    /// <summary>Whether a check continues to the end however many records are refused, and only reports that an import would have
    /// stopped.</summary>
    public bool GoesOnBeyondMaxRejects { get; init; }

    /// <summary>Where refused records are saved, to be fixed and loaded; next to it a file of the reasons. Null: nowhere.</summary>
    public string? RejectFile { get; init; }

    /// <summary>Where the reasons go, one JSON object a reject: beside <see cref="RejectFile"/>, with <c>.jsonl</c> for an extension, or
    /// with <c>.reasons.jsonl</c> where it has that already.</summary>
    public string? RejectReasonsFile => RejectFile is null ? null : ReasonsFileOf(RejectFile);

    public static string ReasonsFileOf(string rejectFile) => Path.ChangeExtension(
        rejectFile, Path.GetExtension(rejectFile).Equals(".jsonl", StringComparison.OrdinalIgnoreCase) ? ".reasons.jsonl" : ".jsonl");

    /// <summary>Gets each reject once, in order, when nothing can undo it any more: its chunk is committed, or it has stopped the job.
    /// Null: nobody asks.</summary>
    public Action<Reject>? OnReject { get; init; }

    /// <summary>Where repaired records are listed, one JSON object each; null: nowhere.</summary>
    public string? RepairsFile { get; init; }

    /// <summary>Gets the ids that the server generates, a line a row; null: no file.</summary>
    public string? IdsFile { get; init; }

    /// <summary>Gets the input's name, the record's 1-based number there and the id of each row, in order, when its chunk is committed;
    /// again, with another id, if the server has lost that. Null: nobody asks.</summary>
    public Action<string, long, ulong>? OnId { get; init; }

    /// <summary>Whether somebody asks for the ids that the server generates.</summary>
    internal bool KeepsIds => IdsFile is not null || OnId is not null;

    /// <summary>Whether an existing <see cref="RejectFile"/>, <see cref="RepairsFile"/> or <see cref="IdsFile"/> is replaced.</summary>
    public bool OverwriteRejectFile { get; init; }

    /// <summary>For what does not fit into memory.</summary>
    public string TempFolder { get; init; } = Path.GetTempPath();

    /// <summary>Time limit of a graceful stop's wait for the server; then the connection is closed.</summary>
    public TimeSpan Grace { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Limit of the sessions that a user can ask for.</summary>
    public const int MaxThreads = 64;

    /// <summary>Checks what needs neither files nor server.</summary>
    /// <exception cref="RequestException">the first wrong option</exception>
    public void Validate()
    {
        RequestException.ThrowIf(Files.Count == 0 && Undo is null, "no input file: name at least one, or - for standard input");

        RequestException.ThrowIf(Files.Contains(""), "a file name is empty");

        RequestException.ThrowIf(Files.Count(file => file == "-") > 1, "standard input (-) can be read only once");

        RequestException.ThrowIf(Table is null && Files.Contains("-"), "standard input has no name to take the table's from: add --table");

        RequestException.ThrowIf(
            StartAt < 0 || (StartAt > 0 && (NoLedger || Source.Format != InputFormat.Objects)),
            $"{nameof(StartAt)}: only the objects of a job with a name begin behind others, of which there are 0 or more");

        RequestException.ThrowIf(
            Columns is { Count: > 0 } && Map.Count > 0,
            "--columns names the target of every field already: leave out --map");

        if (Kind != JobKind.Import)
        {
            Key.Validate(this);
        }

        RequestException.ThrowIf(
            Verify != VerifyMode.None && (Mode.IsCheck || Kind != JobKind.Import),
            "--verify: only rows that an import inserts can be verified: leave it out");

        CheckCreation();
        CheckAssignments();
        ValueZone.Asked(Values.TimeZone);
        CheckPositive(Threads, "--threads");
        RequestException.ThrowIf(Threads > MaxThreads, $"--threads: {Threads} is too much, the most is {MaxThreads}");

        RequestException.ThrowIf(
            Source.JsonPath is { } path && path.Split('.').Contains(""),
            "--json-path: needs keys with points between, such as results or data.items");
        RequestException.ThrowIf(
            Source.JsonPath is not null && Source.Format != InputFormat.Auto && !Source.Format.IsJson(),
            "--json-path is for JSON: leave it out, or say --format json");
        CheckPositive(Limit, "--limit");
        CheckPositive(RowsPerBatch, "--rows-per-batch");
        CheckPositive(BytesPerBatch, "--bytes-per-batch");
        CheckPositive(RowsPerChunk, "--rows-per-chunk");
        CheckPositive(BytesPerChunk, "--bytes-per-chunk");
        CheckMemory();
        CheckPositive(Source.MaxRecordBytes, "--max-record-bytes");
        RequestException.ThrowIf(Source.MaxRecordBytes > LargestRecord, "--max-record-bytes: a record can have at most 1G");

        RequestException.ThrowIf(RepairsFile is "" or "-", "--repairs-file: needs a file's name");
        IdOptions.Check(this);
        UndoableOptions.Check(this);

        RequestException.ThrowIf(RejectFile is "" or "-", "--reject-file: needs a file's name");

        if (CompressionFormat.ByName(RejectFile) is { } packed)
        {
            throw new RequestException(
                $"--reject-file: rejects are written as they are in the input, not compressed: leave out {packed.Ending}");
        }

        RequestException.ThrowIf(
            Mode.IsCheck && OnDuplicate != DuplicateMode.Error,
            "--on-duplicate: a check judges what a plain import would do: leave it out");

        RequestException.ThrowIf(
            Mode == JobMode.Check && Strategy is not null,
            "--strategy: a check sends nothing unless --on-server is given: add that, or leave this out");

        PartOptions.Check(this);
        CheckPreview();
        LedgerOptions.Check(this);
        CheckTruncation();
        RefreshOptions.Check(this);
        CheckRebuild();
        Throttle.Validate();
        RequestException.ThrowIf(
            IsOneChunk && HasChunkSize,
            $"{(Key.Expect is null ? "--atomic" : "--expect")} is one chunk: leave out --rows-per-chunk and --bytes-per-chunk");
    }

    /// <summary>Whether the table has rows of a former file that this one takes the place of. Then the inputs are refused unless the ledger
    /// knows their content.</summary>
    internal bool ReplacesKnownContent { get; init; }

    /// <summary>Whether rows are not compared where <see cref="Verify"/> can say nothing of them, instead of an error; a note says
    /// so.</summary>
    internal bool VerifiesIfPossible { get; init; }

    /// <summary>Whether indexes are dropped and added again where that is faster, since nobody but this job uses the table.</summary>
    internal bool RebuildsIfFaster { get; init; }

    /// <summary>Whether what is loaded goes away again.</summary>
    internal bool IsTrial { get; private init; }

    /// <summary>A load of which nothing stays, and so nothing in a ledger.</summary>
    internal LoadRequest AsTrial() => this with { IsTrial = true, NoLedger = true, JobId = null, LedgerSchema = null };

    /// <summary>By what an earlier job has sorted these records, empty for the inputs' order: they are sent in that order again;
    /// null: the plan decides.</summary>
    internal string? SortedBefore { get; init; }

    /// <summary>The table that people know, in whose place this one is loaded; null: they know this one.</summary>
    internal KnownTable? Known { get; init; }

    /// <summary>Whether a folder is seeded: then names of files do not count, and missing rows are only reported.</summary>
    internal bool IsSeed { get; init; }

    internal bool KeepsLedger => AsksLedger && Mode.Writes;

    internal bool AsksLedger => !NoLedger && Mode.UsesLedger;

    /// <summary>For the session that carries rows.</summary>
    internal ConnectionOptions WorkConnection =>
        Connection with { OffersLocalInfile = Kind is JobKind.Import or JobKind.Delete, CountsFoundRows = Key.CountsMatched };

    /// <summary>For sessions beside those that carry rows: the ledger's, and those that ask.</summary>
    internal ConnectionOptions SideConnection => Connection with { OffersLocalInfile = false };

    /// <summary>With the passwords to use.</summary>
    internal IEnumerable<ConnectionOptions> Replicas => Throttle.Replicas.Select(replica =>
        replica with { Password = replica.Password ?? (replica.User == Connection.User ? Connection.Password : null) });

    internal bool ReadsTwice => Create || AddColumns || Mode.ReadsTwice || Kind != JobKind.Import;

    /// <summary>Checks too, since records of one chunk can have the keys of another.</summary>
    internal bool IsOneChunk => Atomic || Key.Expect is not null || Mode == JobMode.ServerCheck;

    /// <summary>Whether rows that are there may be changed or deleted.</summary>
    internal bool ChangesRows => Kind != JobKind.Import || OnDuplicate is DuplicateMode.Update or DuplicateMode.Replace;

    internal bool HasChunkSize => (RowsPerChunk ?? BytesPerChunk) is not null;

    /// <summary>The limit at which the run really stops.</summary>
    internal RejectLimit StoppingRejects => GoesOnBeyondMaxRejects ? RejectLimit.OfPercent(100) : MaxRejects;

    /// <summary>A check of the same files that sends nothing, writes no files, and reads them to their ends.</summary>
    internal LoadRequest AsCheck() => this with
    {
        Mode = JobMode.Check,
        OnDuplicate = DuplicateMode.Error,
        GoesOnBeyondMaxRejects = true,
        Strategy = null,
        Atomic = false,
        Verify = VerifyMode.None,
        RebuildIndexes = false,
        Truncate = false,
        AllowedDatabase = null,
        Append = false,
        RejectFile = null,
        RepairsFile = null,
        IdsFile = null,
        OnId = null,
    };

    internal bool Assigns(string column) =>
        Assignments.Any(assignment => assignment.Column.Equals(column, StringComparison.OrdinalIgnoreCase));

    /// <summary>For buffers, session and first rejects of any job; measured.</summary>
    internal const long MinMemory = 40 * MiB;

    private const long MiB = 1024 * 1024;

    /// <summary>MySQL's limit of a packet, and so of a row.</summary>
    private const long LargestRecord = 1L << 30;

    private void CheckTruncation()
    {
        RequestException.ThrowIf(AllowedDatabase is not null && !Truncate, "--allow-database is for --truncate: leave it out, or add that");

        if (Truncate && (NoLedger || Append || Create))
        {
            var other = NoLedger ? "--no-ledger: without a ledger nobody would know that the table was emptied"
                : Append ? "--append: existing rows would be deleted" : "--create: a new table is empty";
            throw new RequestException($"--truncate with {other}: leave one out");
        }

        RequestException.ThrowIf(
            Append && (Reload || NoLedger),
            $"--append with {(Reload ? "--reload" : "--no-ledger")}: nothing would be known to have been loaded: leave one out");
    }

    private void CheckRebuild()
    {
        if (!RebuildIndexes)
        {
            return;
        }

        RequestException.ThrowIf(
            Kind != JobKind.Import || Mode.JudgesOnly,
            "--rebuild-indexes: only an import can do without indexes: leave it out");

        RequestException.ThrowIf(
            NoLedger && !IsTrial,
            "--rebuild-indexes with --no-ledger: if the job is killed, nobody knows what was dropped: leave one out");

        RequestException.ThrowIf(Create, "--rebuild-indexes with --create: a new table has no index that could be dropped: leave it out");
    }

    private void CheckPreview()
    {
        if (Mode != JobMode.Preview)
        {
            return;
        }

        RequestException.ThrowIf(
            Create, "--preview with --create: there is no row yet that could change; --plan shows the table: leave one out");

        RequestException.ThrowIf(
            Verify != VerifyMode.None,
            "--preview with --verify: nothing is written that could be compared: leave one out");
    }

    private void CheckCreation()
    {
        RequestException.ThrowIf(PrimaryKey.Count > 0 && !Create, "--primary-key is for a new table: add --create");

        ColumnType.Check(this);
        RequestException.ThrowIf(
            Create && Assignments.Count > 0,
            "--set with --create: no value of the file gives the column's type; create the table first");

        CheckDistinct("--primary-key", PrimaryKey);
    }

    private void CheckAssignments()
    {
        RequestException.ThrowIf(
            Values.Binary == BinaryForm.Number, "--binary number: say it of each BIT column, such as --binary flags=number");
        foreach (var (column, expression) in Assignments)
        {
            if (SqlExpression.FindFault(expression) is { } fault)
            {
                throw new RequestException($"--set {column}: '{expression}' {fault}");
            }

            CheckFields(column, expression);
        }

        CheckDistinct("--set", Assignments.Select(assignment => assignment.Column));
    }

    /// <summary>Every variable of an expression must be one field of the input.</summary>
    private void CheckFields(string column, string expression)
    {
        if (SetFields.FindAssigned(expression) is { } assigned)
        {
            throw new RequestException($"--set {column}: '{expression}' assigns a value to @{assigned}: a variable can only be read");
        }

        foreach (var name in SetFields.In(expression))
        {
            var filling = (Columns is { Count: > 0 } columns ? columns : Map.Select(pair => pair.Value))
                .Count(target => SetFields.Names.Equals(target, $"@{name}"));
            if (filling != 1)
            {
                throw new RequestException(filling == 0
                    ? $"--set {column}: no field fills @{name}: name the field so in --columns (id,@{name}) or with --map FIELD=@{name}"
                    : $"--set {column}: {filling} fields are named @{name}: give each a different name");
            }
        }
    }

    private void CheckMemory()
    {
        if (MaxMemory < MinMemory)
        {
            var unit = MaxMemory < MiB ? "; a number without a unit is bytes" : "";
            throw new RequestException(
                $"--max-memory: {MaxMemory} {Plural.For(MaxMemory.Value, "byte")} {(MaxMemory == 1 ? "is" : "are")} too little: "
                + $"the least is {MinMemory / MiB}Mi, and more for long records: write --max-memory 100Mi{unit}");
        }
    }

    internal static void CheckDistinct(string option, IEnumerable<string> columns)
    {
        if (columns.GroupBy(name => name, StringComparer.OrdinalIgnoreCase).FirstOrDefault(group => group.Count() > 1) is { } twice)
        {
            throw new RequestException($"{option} names column '{twice.Key}' twice");
        }
    }

    private static void CheckPositive(long? value, string option)
    {
        RequestException.ThrowIf(value is < 1, $"{option}: {value} is too small, the least is 1");
    }
}
