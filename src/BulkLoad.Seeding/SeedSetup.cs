using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Seeding;

/// <summary>A table of the seed, with all that is known before anything is done.</summary>
/// <param name="Import">of its files into it, with the options of <c>seed.yaml</c></param>
/// <param name="Content">hash of files and options</param>
/// <param name="Known">as an earlier seed has left it; null: no seed has filled it</param>
/// <param name="Checksum">of the table now; null: not known</param>
/// <param name="HasRows">only asked for a table that an earlier seed has filled</param>
internal sealed record SeedTask(
    SeedStep Step, SeedEntry Entry, LoadRequest Import, string Content, SeedKnown? Known, string? Checksum, bool HasRows)
{
    public TableFacts Table => Step.Table;

    public bool IsKnown =>
        Known is { Checksum: not null } known && known.Content == Content && known.Created == Table.Status.Created
            && known.Checksum == Checksum;

    /// <summary>Whether rows were changed since the last seed.</summary>
    public bool IsChanged => Known is { Checksum: { } sum } && Checksum is not null && sum != Checksum;

    /// <summary>Whether an earlier seed has filled the table, which still has rows. Files and rows may have changed since then.</summary>
    public bool IsFilled => Known is not null && HasRows;
}

/// <summary>Folder, server and tables of a seed, and its leading session. Holds a lock, so that a database has one seed at a
/// time.</summary>
internal sealed class SeedSetup : IAsyncDisposable
{
    private readonly Dictionary<SeedEntry, LoadRequest> _imports;

    private SeedSetup(SeedRequest request, SeedFolder folder, Dictionary<SeedEntry, LoadRequest> imports, ReadySession ready,
        ConnectionOptions connection)
    {
        (Request, Folder, Ready, Connection, _imports) = (request, folder, ready, connection, imports);
        State = new SeedState(Database);
    }

    public SeedRequest Request { get; }

    public SeedFolder Folder { get; }

    public ReadySession Ready { get; }

    public IServerSession Session => Ready.Session;

    /// <summary>For the sessions that fill no table.</summary>
    public ConnectionOptions Connection { get; }

    public string Database => Connection.Database!;

    public SeedState State { get; }

    public SeedCatalog Catalog { get; private set; } = new([], []);

    /// <summary>In the order of the seed.</summary>
    public IReadOnlyList<SeedTask> Tasks { get; private set; } = [];

    public bool IsDone(SeedTask task) => !Request.Force && task.IsKnown && Request.Mode switch
    {
        SeedMode.Truncate => false,
        SeedMode.Sync => task.Known!.IsExact,
        _ => true,
    };

    /// <summary>Statements of the schema file that must be run; empty: none.</summary>
    public IReadOnlyList<(string Text, int Line)> SchemaStatements { get; private set; } = [];

    public List<string> Notes { get; } = [];

    /// <summary>Adds notes that are not there yet. Thread-safe.</summary>
    public void Note(IEnumerable<string> notes)
    {
        lock (Notes)
        {
            Notes.AddRange(notes.Except(Notes).ToList());
        }
    }

    /// <summary>Reads the folder and the database's catalogue; changes nothing.</summary>
    public static async Task<SeedSetup> CreateAsync(SeedRequest request, TimeProvider time, CancellationToken cancellationToken)
    {
        request.Validate();
        var folder = SeedFolder.Read(request.Folder);
        var imports = folder.Entries.ToDictionary(entry => entry, request.CreateImport);
        foreach (var import in imports.Values)
        {
            import.Validate();
            new NotationSet(import.Values.Formats).Validate();
        }

        var database = folder.Database ?? request.Connection.Database;
        if (string.IsNullOrWhiteSpace(database))
        {
            throw new RequestException("no database: name it with --database (-D), or with 'database:' in seed.yaml");
        }

        if (request.Deletes && DatabaseGuard.FindObstacle(
            $"--mode {SeedModes.Of(request.Mode)}", database, request.AllowedDatabase) is { } obstacle)
        {
            throw new PlanException(obstacle);
        }

        var connection = request.Connection with { Database = database, OffersLocalInfile = false };

        // MySQL copies a TIMESTAMP by its time in the session's zone, and in that of the files no two moments of theirs have one time.
        var zones = imports.Values.Select(import => import.Values.TimeZone).Distinct().ToList();
        var values = new ValueOptions { ZeroDates = true, TimeZone = zones.Count > 1 ? "UTC" : zones.FirstOrDefault() };
        var ready = await ReadySession.OpenAsync(
            async token => await ServerSession.ConnectAsync(connection, token), values, time, cancellationToken);
        var setup = new SeedSetup(request, folder, imports, ready, connection);
        try
        {
            setup.SchemaStatements = request.Schema is { } schema ? SqlScript.Read(schema) : [];
            await setup.ReadCatalogAsync(cancellationToken);
            return setup;
        }
        catch
        {
            await setup.DisposeAsync();
            throw;
        }
    }

    /// <summary>Takes the lock, and runs the schema's statements where the database has no table.</summary>
    public async Task BeginAsync(CancellationToken cancellationToken)
    {
        if ((await Session.QueryAsync(SeedSql.TakeLock(Database), cancellationToken)).Scalar != "1")
        {
            throw new PlanException($"another seed of {Database} is running: wait for its end");
        }

        if (SchemaStatements.Count > 0)
        {
            if (Request.Atomic)
            {
                throw new PlanException($"--atomic: {Path.GetFileName(Request.Schema)} would make tables, which no transaction undoes: "
                    + "make the tables first, or leave --atomic out");
            }

            // A session of its own: a script may change any setting, as mysqldump's does.
            await using (var script = await ServerSession.ConnectAsync(Connection, cancellationToken))
            {
                var path = Request.Schema!;
                var count = await SqlScript.RunAsync(script, path, SqlScript.ReadText(path), cancellationToken);
                Notes.Add($"{Path.GetFileName(path)}: {Plural.Count(count, "statement")} run, since {Database} had no table");
            }

            SchemaStatements = [];
            await ReadCatalogAsync(cancellationToken);
        }
    }

    public SeedPlan CreatePlan(IReadOnlyDictionary<string, long>? rows = null) => new()
    {
        Folder = Request.Folder,
        Database = Database,
        Server = PlannedServer.Of(Ready.Server),
        Mode = Request.Mode,
        Atomic = Request.Atomic,
        SchemaStatements = SchemaStatements.Count,
        Tables = Tasks.Count == 0
            ? [.. Folder.Entries.Select(
                entry => new SeedPlanTable(entry.Table, [.. entry.Files.Select(file => Path.GetFileName(file))], []))]
            : [.. Tasks.Select(task => new SeedPlanTable(
                task.Table.Name, [.. task.Entry.Files.Select(file => Path.GetFileName(file))], task.Step.Before)
            {
                IsKnown = IsDone(task),
                Rows = rows?.GetValueOrDefault(task.Table.Name),
                Notes = [.. Specials(task)],
            })],
        Notes = [.. LossNotes(rows),
            .. Folder.Unused.Select(file => $"{file} is not read: its name does not end in .csv, .tsv, .jsonl, .ndjson, .json or .txt"),
            .. Notes],
    };

    public ValueTask DisposeAsync() => Ready.DisposeAsync();

    private IEnumerable<string> LossNotes(IReadOnlyDictionary<string, long>? rows) => (Request.Mode, rows) switch
    {
        (SeedMode.Truncate, not null) =>
            [.. rows.Where(pair => pair.Value > 0)
                .Select(pair => $"all {pair.Value} {Plural.For(pair.Value, "row")} of {pair.Key} will be deleted")],
        (SeedMode.Sync, not null) => ["rows that no file has will be deleted: --preview counts and shows them"],
        _ => [],
    };

    private static IEnumerable<string> Specials(SeedTask task)
    {
        foreach (var key in task.Step.Deferred)
        {
            yield return $"{key.Show()}: {string.Join(", ", task.Table.NullableOf(key))} is NULL at first, and is set when all rows are "
                + "there";
        }

        foreach (var key in task.Step.ByLevels)
        {
            yield return $"{key.Show()}: parents go before their children, level by level";
        }
    }

    private async Task ReadCatalogAsync(CancellationToken cancellationToken)
    {
        await Session.ExecuteAsync(SessionSql.FreshStatistics, cancellationToken);
        Catalog = await SeedCatalog.ReadAsync(Session, Database, cancellationToken);
        if (SchemaStatements.Count > 0)
        {
            if (Catalog.Tables.Count == 0)
            {
                return;
            }

            Notes.Add($"{Path.GetFileName(Request.Schema)} is skipped, since {Database} has tables already");
            SchemaStatements = [];
        }

        var (tables, entries) = Match();
        var steps = SeedOrder.Of(tables, tables.Zip(entries).ToDictionary(pair => pair.First.Name, pair => pair.Second.After));
        var known = await State.ReadAsync(Session, cancellationToken);
        var sums = await SeedState.SumAsync(
            Session, [.. tables.Where(table => known.GetValueOrDefault(table.Name) is { Checksum: not null })], cancellationToken);

        // A sum begins with the number of rows.
        var withRows = sums.Where(sum => !sum.Value.StartsWith("0:", StringComparison.Ordinal)).Select(sum => sum.Key).ToHashSet();
        List<TableFacts> unknown = [.. tables.Where(table => known.ContainsKey(table.Name) && !sums.ContainsKey(table.Name))];
        if (unknown.Count > 0)
        {
            var first = await Session.QueryAllAsync(
                [.. unknown.Select(table => RowCountSql.HasAtLeast(table.QuotedName, 1))], cancellationToken);
            withRows.UnionWith(unknown.Zip(first).Where(pair => pair.Second.Rows.Count > 0).Select(pair => pair.First.Name));
        }

        await Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        var tasks = new List<SeedTask>();
        foreach (var step in steps)
        {
            var entry = entries[tables.IndexOf(step.Table)];
            var name = step.Table.Name;
            tasks.Add(new SeedTask(step, entry, _imports[entry], await SeedState.HashAsync(entry, cancellationToken),
                known.GetValueOrDefault(name), sums.GetValueOrDefault(name), withRows.Contains(name)));
        }

        Tasks = tasks;
        foreach (var task in Tasks.Where(task => task.Table.Engine is not "InnoDB"))
        {
            throw new PlanException($"{Database}.{task.Table.Name} has engine {task.Table.Engine}, which cannot undo what was begun: seed "
                + "fills tables of InnoDB");
        }

        if (Request.Mode == SeedMode.Sync && Tasks.FirstOrDefault(task => task.Table.PrimaryKey.Count == 0) is { } keyless)
        {
            throw new PlanException($"--mode sync: {Database}.{keyless.Table.Name} has no primary key, by which its rows could be "
                + $"compared with {keyless.Entry.Name}: add one, or use --mode truncate");
        }
    }

    private (List<TableFacts> Tables, List<SeedEntry> Entries) Match()
    {
        var (tables, entries) = (new List<TableFacts>(), new List<SeedEntry>());
        foreach (var entry in Folder.Entries)
        {
            if (Request.Only.Count > 0 && !Request.Only.Contains(entry.Table, StringComparer.OrdinalIgnoreCase))
            {
                continue;
            }

            var table = Catalog.Find(entry.Table) ?? throw new PlanException(
                $"{entry.Name}: {Database} has no table "
                    + $"{entry.Table}{Names.DidYouMean(entry.Table, Catalog.Tables.Select(table => table.Name))}"
                + (Catalog.Tables.Count == 0 ? "; --schema FILE.sql makes the tables first" : ""));
            if (tables.Contains(table))
            {
                throw new PlanException($"{entry.Name} and {entries[tables.IndexOf(table)].Name} are both for table {table.Name}");
            }

            tables.Add(table);
            entries.Add(entry);
        }

        var missing = Request.Only.Where(name => !entries.Any(entry => entry.Table.Equals(name, StringComparison.OrdinalIgnoreCase)))
            .ToList();
        return missing.Count == 0 ? (tables, entries)
            : throw new RequestException($"--only: {Request.Folder} has no file for table "
                + $"{missing[0]}{Names.DidYouMean(missing[0], Folder.Entries.Select(entry => entry.Table))}");
    }
}

internal static class SeedModes
{
    /// <summary>In the order of the help.</summary>
    public static IReadOnlyList<(string Name, SeedMode Mode)> All { get; } = [("insert", SeedMode.Insert), ("sync", SeedMode.Sync),
        ("truncate", SeedMode.Truncate)];

    public static string Of(SeedMode mode) => All.First(word => word.Mode == mode).Name;
}
