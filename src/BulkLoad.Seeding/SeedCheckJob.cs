using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Seeding;

/// <summary>Checks every record of a folder as a seed of empty tables would, without a server: by the rules of a check, the tables that a
/// file of SQL makes, and the folder's other files. What only a server can decide is counted as undecided.</summary>
/// <param name="progress">called after each batch; must be quick</param>
internal sealed class SeedCheckJob(
    SeedCheckRequest request, ILoggerFactory loggers, IProgress<SeedProgress>? progress = null, TimeProvider? time = null)
{
    private const long DefaultPacket = 64L * 1024 * 1024;

    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private readonly ILogger _log = loggers.CreateLogger<SeedCheckJob>();
    private readonly List<string> _notes = [];
    private long _records;

    /// <summary>Every <see cref="BulkLoadException"/> ends up in the report, where possible with the table that it is about.</summary>
    public async Task<SeedCheckReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var started = _time.GetTimestamp();
        var report = new SeedCheckReport { Outcome = LoadOutcome.Complete, Folder = request.Folder, Schema = request.Schema };
        var work = new List<TableWork>();
        try
        {
            var schema = SchemaReader.Read(SqlScript.Read(request.Schema), request.Schema);
            _notes.AddRange(schema.Notes);
            report = report with { Server = schema.Dialect == SqlDialect.MariaDb ? "MariaDB" : "MySQL" };
            BulkLoadException? failure = Prepare(schema, work, cancellationToken);
            await CollectAsync(work, cancellationToken);
            foreach (var table in work)
            {
                await JudgeAsync(table, work, cancellationToken);
            }

            failure = work.Select(table => table.Report.Failure).OfType<BulkLoadException>().FirstOrDefault() ?? failure;
            report = report with { Outcome = failure is null ? LoadOutcome.Complete : LoadOutcome.Failed, Failure = failure };
        }
        catch (BulkLoadException fault)
        {
            report = report with { Outcome = LoadOutcome.Failed, Failure = fault };
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            report = report with { Outcome = LoadOutcome.Interrupted };
        }
        finally
        {
            work.ForEach(table => table.Sources?.Dispose());
        }

        return report with { Tables = [.. work.Select(table => table.Report)], Notes = _notes, Elapsed = _time.GetElapsedTime(started) };
    }

    /// <summary>Finds the table of each file, and sorts both into the order of a seed.</summary>
    /// <returns>null: there is such an order</returns>
    private PlanException? Prepare(SchemaReader schema, List<TableWork> work, CancellationToken cancellationToken)
    {
        var folder = SeedFolder.Read(request.Folder);
        var database = folder.Database ?? Path.GetFileNameWithoutExtension(request.Schema);
        _notes.AddRange(folder.Unused.Select(file => $"{file} is no file of a table, by its ending: it was not looked at"));
        foreach (var entry in folder.Entries)
        {
            var table = new TableWork(entry);
            work.Add(table);
            table.Try(() =>
            {
                var made = schema.Find(entry.Database, entry.Table) ?? throw new PlanException(
                    $"{entry.Name}: {request.Schema} makes no table "
                        + $"{entry.Table}{Names.DidYouMean(entry.Table, schema.Tables.Select(one => one.Name))}");
                if (work.Find(other => other.Made == made) is { } other)
                {
                    throw new PlanException($"{entry.Name} and {other.Entry.Name} are both for table {made.Name}");
                }

                table.Made = made;
                table.Table = SchemaRows.ToFacts(made, database, schema);
                Map(table, table.Table, schema.Dialect, cancellationToken);
            });
        }

        var known = work.Where(table => table.Table is not null).ToList();
        try
        {
            var order = SeedOrder.Of([.. known.Select(table => table.Table!)],
                known.ToDictionary(table => table.Table!.Name, table => table.Entry.After)).Select(step => step.Table.Name).ToList();
            work.Sort((one, other) => Place(one).CompareTo(Place(other)));
            return null;

            int Place(TableWork table) => table.Table is null ? -1 : order.IndexOf(table.Table.Name);
        }
        catch (PlanException fault)
        {
            return fault;
        }
    }

    /// <summary>Reads the heads of a table's files, and maps their columns to the table's.</summary>
    private void Map(TableWork table, TableFacts facts, SqlDialect dialect, CancellationToken cancellationToken)
    {
        var import = request.CreateImport(table.Entry);
        if (import.OnDuplicate != DuplicateMode.Error)
        {
            facts = facts with { UniqueKeys = [] };
            table.Notes.Add("records with the same key are no fault here, since its options say what becomes of them (on-duplicate)");
        }

        var check = import.AsCheck() with
        {
            Files = table.Entry.Files,
            Table = facts.QuotedName,
            TempFolder = request.TempFolder ?? import.TempFolder,
        };
        check.Validate();
        new NotationSet(check.Values.Formats).Validate();
        table.Request = check;
        table.Sources = SourceSet.Look(check, _log, cancellationToken);
        table.Facts = FactFinder.Suppose(
            check, table.Sources, Suppose(check, dialect), facts, SchemaRows.ToConstraints(table.Made!) with { ForeignKeys = [] });
    }

    /// <summary>A server with its default settings; nothing is asked.</summary>
    private static ServerFacts Suppose(LoadRequest check, SqlDialect dialect) => new()
    {
        IsMariaDb = dialect == SqlDialect.MariaDb,
        VersionText = "",
        Endpoint = "",
        Security = "",
        User = "",
        Identity = "",
        ConnectionId = 0,
        MaxAllowedPacket = DefaultPacket,
        MaxPreparedStatements = 0,
        Zone = ValueZone.Asked(check.Values.TimeZone) ?? new ValueZone("UTC", TimeZoneInfo.Utc),
        LogsStatements = false,
        RoundTrip = TimeSpan.Zero,
    };

    private static async Task CollectAsync(List<TableWork> work, CancellationToken cancellationToken)
    {
        foreach (var parent in work.Where(table => table.Table is not null))
        {
            var wanted = work.Where(table => table.Table is not null)
                .SelectMany(table => table.Table!.References)
                    .Where(key => key.ToDatabase == parent.Table!.Database && key.ToTable == parent.Table.Name).Select(key => key.ToColumns)
                    .ToList();
            foreach (var columns in wanted.Where(columns => !parent.Keys.ContainsKey(NameOf(columns))))
            {
                parent.Keys.TryAdd(
                    NameOf(columns), new ParentKeys(parent.Entry.Name, parent.Table!.Name, parent.Facts?.EstimatedRecords ?? 0)
                    {
                        Key = parent.Facts is { } facts ? ReferenceKey.Of(columns, facts) : null,
                        HasOtherRows = parent.Made!.HasRows,
                    });
            }

            var keys = parent.Keys.Values.Where(key => key.Key is not null).ToList();
            if (keys.Count > 0)
            {
                await parent.TryAsync(async () =>
                {
                    var job = Decide(parent);
                    await foreach (
                        var block in new InputReader(job.Sources, job.Facts, job.Decision.Sizes).ReadAsync(cancellationToken))
                    {
                        keys.ForEach(key => key.Add(block));
                    }
                });
            }
        }
    }

    private async Task JudgeAsync(TableWork table, List<TableWork> work, CancellationToken cancellationToken)
    {
        var started = _time.GetTimestamp();
        if (table.Report.Failure is null)
        {
            await table.TryAsync(() => CheckAsync(table, work, cancellationToken));
        }

        table.Report = table.Report with { Notes = table.Notes, Elapsed = _time.GetElapsedTime(started) };
    }

    private async Task CheckAsync(TableWork table, List<TableWork> work, CancellationToken cancellationToken)
    {
        var references = table.Table!.References.Select(reference =>
        {
            var parent = work.Find(
                other => other.Table is { } to && to.Database == reference.ToDatabase && to.Name == reference.ToTable);
            if (parent is null)
            {
                table.Notes.Add($"the folder has no file for {reference.ToTable}: whether rows that {string.Join('+', reference.Columns)} "
                    + "refers to are there, only a server can tell");
            }

            var parents = parent?.Report.Failure is null ? parent?.Keys.GetValueOrDefault(NameOf(reference.ToColumns)) : null;
            return (Reference: reference, Own: ReferenceKey.Of(reference.Columns, table.Facts!), Parents: parents);
        }).Where(one => RowJudge.IsUsed(one.Reference, table.Facts!)).ToList();
        var reporter = new Progress(step => Tell(table, work, step.RecordsSent));
        using var rejectFile = new RejectFile(table.Request!);
        var services = new JobServices(_log, _time, reporter);
        var job = Decide(table);
        var run = new CheckRun(job, services, new RejectLog(table.Request!.StoppingRejects, rejectFile),
            new RepairLog(rejectFile))
        { References = new FolderReferences(references) };
        await run.RunAsync(cancellationToken);
        var report = RunResult.Of(LoadOutcome.Complete, null, table.Request!, job.Decision.Plan, run, services.Elapsed);
        _records += report.Counts.Read;
        table.IsDone = true;
        table.Report = table.Report with
        {
            Records = report.Counts.Read,
            Accepted = report.Counts.Accepted,
            Undecided = report.Counts.Undecided,
            UndecidedByReason = report.UndecidedByReason,
            Rejected = report.Counts.Rejected,
            FirstRejects = report.FirstRejects,
            IsBeyondMaxRejects = report.IsBeyondMaxRejects,
        };
    }

    private void Tell(TableWork table, List<TableWork> work, long records) =>
        progress?.Report(new SeedProgress(work.Count(one => one.IsDone), work.Count, table.Entry.Table, _records + records));

    private static PreparedJob Decide(TableWork table) =>
        new(table.Sources!.Mapped, table.Facts!, LoadPlanner.Decide(table.Facts!));

    private static string NameOf(IReadOnlyList<string> columns) => string.Join('\n', columns).ToUpperInvariant();

    private sealed class TableWork(SeedEntry entry)
    {
        public SeedEntry Entry { get; } = entry;

        public SchemaTable? Made { get; set; }

        /// <summary>Null: the schema has no such table.</summary>
        public TableFacts? Table { get; set; }

        public LoadRequest? Request { get; set; }

        public SourceSet? Sources { get; set; }

        /// <summary>Null: the files could not be mapped.</summary>
        public LoadFacts? Facts { get; set; }

        /// <summary>Key: the columns that foreign keys refer to.</summary>
        public Dictionary<string, ParentKeys> Keys { get; } = [];

        public List<string> Notes { get; } = [];

        public bool IsDone { get; set; }

        public SeedCheckTable Report { get; set; } = new(entry.Table, [.. entry.Files.Select(file => Path.GetFileName(file))]);

        /// <summary>Keeps a fault with the table, so that the others are checked too.</summary>
        public void Try(Action look)
        {
            try
            {
                look();
            }
            catch (BulkLoadException fault)
            {
                Report = Report with { Failure = fault };
            }
        }

        public async Task TryAsync(Func<Task> look)
        {
            try
            {
                await look();
            }
            catch (BulkLoadException fault)
            {
                Report = Report with { Failure = fault };
            }
        }
    }
}

internal sealed record SeedCheckRequest
{
    public required string Folder { get; init; }

    public required string Schema { get; init; }

    /// <summary>The folder for what does not fit into memory; null: the system's.</summary>
    public string? TempFolder { get; init; }

    public required Func<SeedEntry, LoadRequest> CreateImport { get; init; }
}

/// <summary>What became of a table's files.</summary>
/// <param name="Table">without its database</param>
/// <param name="Files">in the order in which they are read</param>
internal sealed record SeedCheckTable(string Table, IReadOnlyList<string> Files)
{
    public long Records { get; init; }

    /// <summary>Records that an import would insert into an empty table.</summary>
    public long Accepted { get; init; }

    /// <summary>Records that only a server can decide.</summary>
    public long Undecided { get; init; }

    public IReadOnlyList<UndecidedCount> UndecidedByReason { get; init; } = [];

    public long Rejected { get; init; }

    /// <summary>The first hundred.</summary>
    public IReadOnlyList<Reject> FirstRejects { get; init; } = [];

    /// <summary>Whether the rejects exceed the files' own limit, <c>max-rejects</c>.</summary>
    public bool IsBeyondMaxRejects { get; init; }

    /// <summary>Null: its records were checked.</summary>
    public BulkLoadException? Failure { get; init; }

    public IReadOnlyList<string> Notes { get; init; } = [];

    public TimeSpan Elapsed { get; init; }
}

internal sealed record SeedCheckReport
{
    public required LoadOutcome Outcome { get; init; }

    /// <summary>The first thing that could not be checked; null: all was.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>As the user typed it.</summary>
    public required string Folder { get; init; }

    /// <summary>As the user typed it.</summary>
    public required string Schema { get; init; }

    /// <summary>Whose SQL the schema was taken for: MySQL or MariaDB; null: the check ended before.</summary>
    public string? Server { get; init; }

    /// <summary>Parents before children, as far as there is such an order.</summary>
    public IReadOnlyList<SeedCheckTable> Tables { get; init; } = [];

    public IReadOnlyList<string> Notes { get; init; } = [];

    public TimeSpan Elapsed { get; init; }
}
