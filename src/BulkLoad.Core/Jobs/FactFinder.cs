using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Inference;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Keyed;
using BulkLoad.Core.Values.Mapping;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>Asks the server, the target table and the inputs for all facts that the plan needs; writes nothing.</summary>
/// <param name="sources">their heads are read; this maps them to the table</param>
/// <param name="session">stays the caller's; the probe of LOAD DATA LOCAL may break it</param>
/// <param name="isPlan">true: only a plan is wanted, for which a read-only server will do</param>
/// <param name="progress">used while the types of a new table or of new columns are read</param>
internal sealed class FactFinder(
    LoadRequest request, SourceSet sources, IServerSession session, bool isPlan = false, IProgress<LoadProgress>? progress = null)
{
    /// <summary>Columns that the table does not have yet: no statement can name them.</summary>
    private HashSet<string> _pending = [];

    /// <exception cref="PlanException">the server or the table does not allow what was asked for</exception>
    public async Task<LoadFacts> LookAsync(ServerFacts server, ILogger log, CancellationToken cancellationToken)
    {
        var facts = await FindAsync(server, log, cancellationToken);
        var notes = Features.Files ? Hints.Find(() => NotationNotes.Of(facts, sources.Mapped, cancellationToken), [], log) : [];
        return facts with
        {
            Guesses = [.. facts.Guesses, .. notes],

            // A plan comes before the other table is there.
            Table = isPlan && request.Known is { Other: var other } ? facts.Table with { Name = other, InsertTriggers = [] } : facts.Table,
        };
    }

    private async Task<LoadFacts> FindAsync(ServerFacts server, ILogger log, CancellationToken cancellationToken)
    {
        var name = TableName.Of(request, sources.FirstPath);
        var database = name.Database ?? server.Database
            ?? throw new PlanException($"no database named for table {name.Table}: add --database, or write --table database.{name.Table}");
        if (Features.Files && request.Create)
        {
            // In a method of its own: what comes behind an await is never left out.
            return await DesignAsync(server, database, name.Table, log, cancellationToken);
        }

        string[] questions = request.Kind == JobKind.Import ? [] : KeyProbe.Questions(session.Server, database, name.Table);
        var (table, keys) = await TableProbe.LookAsync(
            session, database, name.Table, questions, cancellationToken, request.Table is null ? " (named after the file)" : "",
            WaysOn);
        table = table with { Known = request.Known };
        if (request.Mode == JobMode.Check)
        {
            table = table.ToJudgeBy();
        }

        if (request.OnDuplicate == DuplicateMode.Replace)
        {
            table = table with { Referencing = await TableProbe.FindReferencingAsync(session, table, cancellationToken) };
        }

        if (!Features.Files || !request.AddColumns || await AddAsync(server, table, cancellationToken) is not { } addition)
        {
            return await MapAsync(server, table, keys, cancellationToken);
        }

        Log(addition.Columns, log);
        _pending = [.. addition.Columns.Select(column => column.Column.Name)];
        return await MapAsync(server, addition.AddTo(table), keys, cancellationToken) with { AddedColumns = addition.Describe(table) };
    }

    /// <summary>The table that the inputs need.</summary>
    private async Task<LoadFacts> DesignAsync(
        ServerFacts server, string database, string table, ILogger log, CancellationToken cancellationToken)
    {
        if (await FindStartedAsync(server, database, table, cancellationToken) is { } started)
        {
            return started;
        }

        await TableProbe.CheckFreeAsync(session, database, table, request.PrimaryKey.Count > 0, cancellationToken);

        // A read may wait for a pipe; a stop must not wait for it.
        var types = new GivenTypes(request.ColumnTypes, DialectOf(session));
        var design = await Task.Run(() => sources.Survey(server.Zone, types, Progress, cancellationToken), cancellationToken)
            .WaitAsync(cancellationToken);
        Log(design.Columns, log);

        var facts = await MapAsync(server, design.ToFacts(database, table), cancellationToken);
        return facts with { NewTable = design.Describe(database, table) };
    }

    /// <summary>What the user can do if the table is missing.</summary>
    private string WaysOn => (request.Table is null, request is { Kind: JobKind.Import, Mode.JudgesOnly: false, Part: null }) switch
    {
        (true, true) => ": name another with --table, or make it from the file with --create",
        (true, false) => ": name another with --table",
        (false, true) => "; --create makes it from the file",
        _ => "",
    };

    private PassProgress Progress => new(progress, "reading types", sources.TotalBytes);

    private static void Log(IReadOnlyList<InferredColumn> columns, ILogger log)
    {
        foreach (var column in columns)
        {
            log.ColumnInferred(column.Column.Name, column.Column.TypeText, column.Reason);
        }
    }

    private static SqlDialect DialectOf(IServerSession session) => session.Server.IsMariaDb ? SqlDialect.MariaDb : SqlDialect.MySql;

    /// <returns>the columns to add to the table; null: none</returns>
    /// <exception cref="PlanException">columns cannot be added, or a given type differs from that of an existing column</exception>
    private async Task<TableAddition?> AddAsync(ServerFacts server, TableFacts table, CancellationToken cancellationToken)
    {
        var collation = (await session.QueryAsync(AddColumnsSql.TableCollation(table.Database, table.Name), cancellationToken)).Scalar;
        var charset = collation?.Split('_')[0] is "utf8" ? "utf8mb3" : collation?.Split('_')[0];
        var types = new GivenTypes(request.ColumnTypes, DialectOf(session), charset, collation);
        var reading = Task.Run(
            () => sources.SurveyAddition(table, server.Zone, types, charset, Progress, cancellationToken), cancellationToken);
        var addition = await reading.WaitAsync(cancellationToken);
        var columns = addition?.AddTo(table).Columns ?? table.Columns;
        types.Require(
            [.. columns.Select(column => column.Name)],
            addition is null ? table.DisplayName : $"{table.DisplayName}, with its new {Plural.For(addition.Columns.Count, "column")},");
        foreach (var column in table.Columns)
        {
            if (types.Find(column.Name) is { } type && !GivenTypes.IsSame(column, type.Column))
            {
                throw new PlanException(
                    $"--type {column.Name}: {table.DisplayName} has that column, as {column.TypeText}: "
                    + "--type is for columns that are added; leave it out, or change the column with ALTER TABLE");
            }
        }

        return addition is null || TableAddition.FindObstacle(table) is not { } obstacle ? addition : throw new PlanException(obstacle);
    }

    /// <returns>the facts of a job whose table an earlier start has created; null: there is no such job</returns>
    private async Task<LoadFacts?> FindStartedAsync(ServerFacts server, string database, string name, CancellationToken cancellationToken)
    {
        if (!request.KeepsLedger || request.Reload
            || (await session.QueryAsync(CatalogSql.Table(database, name), cancellationToken)).Rows.Count == 0)
        {
            return null;
        }

        try
        {
            var table = await TableProbe.LookAsync(session, database, name, cancellationToken);
            var facts = await MapAsync(server, table, cancellationToken);
            return await JobStart.IsKnownAsync(facts, sources.Mapped, session, cancellationToken) ? facts : null;
        }
        catch (Exception fault) when (fault is MappingException or PlanException
            || fault is ServerException { Kind: FaultKind.Configuration } && session.IsUsable)
        {
            return null;
        }
    }

    /// <summary>For an import: maps the inputs to the table, and asks for the facts of both.</summary>
    public Task<LoadFacts> MapAsync(ServerFacts server, TableFacts table, CancellationToken cancellationToken) =>
        MapAsync(server, table, [], cancellationToken);

    /// <summary>For a check without a server: maps the inputs to a table of which all is known.</summary>
    /// <param name="sources">their heads are read; this maps them to the table</param>
    /// <exception cref="MappingException">the inputs do not fit the table</exception>
    public static LoadFacts Suppose(
        LoadRequest request, SourceSet sources, ServerFacts server, TableFacts table, TableConstraints constraints)
    {
        RequestedColumns.CheckNullTexts(table, request);
        RequestedColumns.CheckFormats(table, request);
        var assignments = RequestedColumns.ResolveAssignments(table, request);
        var columns = sources.MapTo(table, key: null);
        return Create(request, sources, server, table, columns, assignments) with { Constraints = constraints };
    }

    private static LoadFacts Create(
        LoadRequest request, SourceSet sources, ServerFacts server, TableFacts table, IReadOnlyList<TableColumn> columns,
        IReadOnlyList<ColumnAssignment> assignments) => new()
        {
            Request = request,
            Server = server,
            Table = table,
            Columns = columns,
            SetFields = sources.Mapped[0].Mapping.SetFields,
            Fields = sources.Mapped[0].Mapping.Fields,
            Sources = sources.Describe(),
            Cores = Environment.ProcessorCount,
            RecordBytes = sources.RecordBytes,
            RecordsCanLackColumns = sources.RecordsCanLackColumns,
            Assignments = assignments,
            Guesses = sources.Guesses,
        };

    /// <param name="keys">answers to the questions of <see cref="KeyProbe"/>; empty: an import</param>
    private async Task<LoadFacts> MapAsync(ServerFacts server, TableFacts table, TextResultSet[] keys, CancellationToken cancellationToken)
    {
        if ((NonTransactionalRules.FindObstacle(request, table) ?? EngineRules.FindObstacle(request, table)) is { } undoable)
        {
            throw new PlanException(undoable);
        }

        if (server.Topology is { Kind: SpeakerRules.Vitess } && request.KeepsLedger
            && SpeakerRules.FindLedgerObstacle(
                table.Database, await TopologyProbe.CountShardsAsync(session, table.Database, cancellationToken)) is { } sharded)
        {
            throw new PlanException(sharded);
        }

        server = await TopologyProbe.WithShardsAsync(session, server, table, cancellationToken);
        if (!table.IsTransactional)
        {
            var constraints = await ConstraintProbe.LookAsync(session, table, cancellationToken);
            var hasAny = constraints.HasChecks || constraints.CanLackPartition || constraints.ForeignKeys.Count > 0;
            table = table with { HasConstraints = hasAny };
        }

        if (request.Kind != JobKind.Delete && !request.Create && request.Mode != JobMode.Verify)
        {
            table = await EngineProbe.TryAsync(session, table, cancellationToken);
        }

        if (request.Truncate)
        {
            await TruncateProbe.RequireAsync(session, table, request, cancellationToken);
        }

        if (server.TransactionLimits.Count > 0 && table is { IsTransactional: true } && request.Mode.SendsRows && request.ChangesRows)
        {
            table = table with { RowBytes = await KeyProbe.EstimateRowBytesAsync(session, table, cancellationToken) ?? 0 };
            table = request.Undoable is null ? table : table with { RowBytes = table.RowBytes * ImageRules.CopiesWithRow };
        }

        RequestedColumns.CheckNullTexts(table, request);
        RequestedColumns.CheckFormats(table, request);
        var key = request.Kind == JobKind.Import ? null : KeyProbe.Read(session.Server, table, request.Key, keys);
        if (key is not null && KeyRules.FindObstacle(key, table, request.Key) is { } obstacle)
        {
            throw new PlanException(obstacle);
        }

        var assignments = RequestedColumns.ResolveAssignments(table, request);
        var columns = sources.MapTo(table, key?.Columns);
        var filled = columns.Select(column => column.Name).Concat(assignments.Select(set => set.Column));
        if (EngineRules.FindChange(table, filled) is { } change)
        {
            throw new PlanException(change);
        }

        var fields = sources.Mapped[0].Mapping.SetFields;
        if (request.Kind == JobKind.Delete)
        {
            key = key! with { Cascading = await KeyProbe.FindCascadingAsync(session, table, key, cancellationToken) };
        }

        if (request.Kind == JobKind.Update)
        {
            var refusal = await StageProbe.FindComparisonRefusalAsync(session, table, key!.Columns, cancellationToken);
            key = key with { StagingRefusal = refusal };
        }

        if (server.MaxPreparedStatements > 0)
        {
            await AssignmentProbe.CheckAsync(session, table, Known(columns), fields, assignments, request.Kind, cancellationToken);
        }

        if (key is null && server.LocalInfileRefusal is null && (request.Mode.SendsRows || request.Mode == JobMode.Preview))
        {
            server = await TryLoadAsync(server, table, [.. Known(columns), .. fields], assignments, cancellationToken);
        }

        var facts = Create(request, sources, server, table, columns, assignments) with
        {
            Key = key,
            Constraints = request.Mode != JobMode.Check ? null
                : request.Create ? TableConstraints.None : await ConstraintProbe.LookAsync(session, table, cancellationToken),
        };
        if (VerifyRules.Of(facts) is { Unverifiable: { } reason } && request.VerifiesIfPossible)
        {
            facts = facts with
            {
                Request = facts.Request with { Verify = VerifyMode.None },
                Guesses = [.. facts.Guesses, $"rows are counted, and not compared with their records: {reason}"],
            };
        }
        else if (VerifyRules.Of(facts) is { } rules)
        {
            var maxKeys = rules.Unverifiable is null
                ? await KeyProbe.FindMaxListKeysAsync(session, rules.Key.Count, cancellationToken)
                : 0;
            facts = facts with { Verify = rules, MaxVerifiedKeys = maxKeys };
        }

        facts = await ImageTables.LookAsync(session, facts, cancellationToken);
        facts = await CheckKeyAsync(facts, cancellationToken);
        if (SortPlanner.IsConsidered(facts))
        {
            facts = await LookAtOrderAsync(facts, cancellationToken);
        }

        if (SessionPlanner.NeedsLook(facts))
        {
            facts = facts with
            {
                Key = SessionPlanner.NeedsTableRows(facts)
                    ? facts.Key! with { TableRows = await KeyProbe.CountRowsAsync(session, table, cancellationToken) }
                    : facts.Key,
                KeyOrder = facts.KeyOrder ?? LookAtKeys(facts, key!.Columns, cancellationToken),
            };
        }

        if (request.Mode != JobMode.Verify
            && (request.Part is not null || SessionPlanner.NeedsOwnReferences(facts) || SortPlanner.NeedsOwnReferences(facts)))
        {
            table = table with { RefersToItself = await TableProbe.RefersToItselfAsync(session, table, cancellationToken) };
            facts = facts with { Table = table };
        }

        if ((PartRules.FindObstacle(facts) ?? IdRules.FindObstacle(facts)) is { } unfit)
        {
            throw new PlanException(unfit);
        }

        if (request.RebuildIndexes)
        {
            await IndexProbe.RequireRightAsync(session, table, cancellationToken);
        }

        if (request.RebuildIndexes || request.RebuildsIfFaster)
        {
            var indexes = await IndexProbe.LookAsync(session, table, cancellationToken);
            facts = facts with { Indexes = request.RebuildIndexes || RebuildRules.IsFaster(facts, indexes) ? indexes : null };
        }

        if (!table.IsTransactional)
        {
            // Some questions made temporary tables; servers complain about a transaction that has rows of several engines.
            await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            return facts;
        }

        return request.Kind == JobKind.Delete || (request.Kind == JobKind.Update && UpdateRules.FindSetObstacle(facts) is null)
            ? await LookAtStageAsync(facts, cancellationToken)
            : facts;
    }

    private IReadOnlyList<TableColumn> Known(IReadOnlyList<TableColumn> columns) =>
        _pending.Count == 0 ? columns : [.. columns.Where(column => !_pending.Contains(column.Name))];

    /// <summary>Adds to the server's facts whether it takes LOAD DATA LOCAL into the table.</summary>
    private async Task<ServerFacts> TryLoadAsync(
        ServerFacts server, TableFacts table, IReadOnlyList<TableColumn> row, IReadOnlyList<ColumnAssignment> assignments,
        CancellationToken cancellationToken)
    {
        try
        {
            // Every right is asked for now: a new table that cannot be dropped again would stop the next start.
            var rights = !request.Create ? null
                : request.KeepsLedger ? "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP" : "SELECT, INSERT, CREATE, DROP";
            var refusal = await LocalInfileProbe.FindRefusalAsync(session, table, row, assignments, cancellationToken, rights);
            return server with { LocalInfileRefusal = refusal };
        }
        catch (ServerException fault) when (isPlan && fault.IsReadOnly)
        {
            return server with { ReadOnlyRefusal = fault.Message };
        }
    }

    /// <summary>Shows the server a statement that finds rows, and looks at the input's first keys while it answers.</summary>
    /// <exception cref="PlanException">the account lacks the right, or the server does not understand <c>--where</c></exception>
    private async Task<LoadFacts> CheckKeyAsync(LoadFacts facts, CancellationToken cancellationToken)
    {
        var checking = Task.CompletedTask;
        if (facts.Key is not null && facts.Server.MaxPreparedStatements > 0)
        {
            var statement = request.Kind == JobKind.Update ? new UpdateSql(facts).PreparedRow() : KeySql.Of(facts).SampleDelete();
            checking = KeyProbe.CheckAsync(session, facts.Table.Database, statement, request.Key.Where, cancellationToken);
        }

        try
        {
            return facts.Key is not null && SortPlanner.IsConsidered(facts)
                ? facts with { KeyOrder = LookAtPrimaryKeys(facts, cancellationToken) }
                : facts;
        }
        finally
        {
            await checking;
        }
    }

    /// <summary>Adds the order of the input's first records, and the order in which the job has sent records so far.</summary>
    private async Task<LoadFacts> LookAtOrderAsync(LoadFacts facts, CancellationToken cancellationToken)
    {
        if (SortPlanner.IsInOrder(facts))
        {
            return facts;
        }

        if (request.SortedBefore is { } before)
        {
            return facts with { SortedBefore = before };
        }

        if (request is { KeepsLedger: true, Reload: false }
            && await JobStart.FindAsync(facts, sources.Mapped, session, cancellationToken) is { } found)
        {
            return facts with { SortedBefore = found.SortedBy };
        }

        return SortPlanner.NeedsLook(facts)
            ? facts with { KeyOrder = facts.KeyOrder ?? LookAtPrimaryKeys(facts, cancellationToken) }
            : facts;
    }

    private KeyOrderInfo? LookAtPrimaryKeys(LoadFacts facts, CancellationToken cancellationToken) =>
        LookAtKeys(facts, facts.Table.UniqueKeys[0].Columns.Select(name => facts.Table.Find(name)!), cancellationToken);

    /// <returns>null: the input can be read only once, or the server's order of a column is not known here</returns>
    private KeyOrderInfo? LookAtKeys(LoadFacts facts, IEnumerable<TableColumn> key, CancellationToken cancellationToken) =>
        key.All(KeyColumns.CanWrite) && sources.Mapped.All(source => source.CanReadAgain)
            ? OrderProbe.Look(sources.Mapped, facts, key, cancellationToken)
            : null;

    /// <summary>Adds whether the server makes a temporary table for the rows, if that matters.</summary>
    private async Task<LoadFacts> LookAtStageAsync(LoadFacts facts, CancellationToken cancellationToken)
    {
        (string? refusal, string? localInfileRefusal) = ("not tried, since another strategy is faster here", null);
        if (isPlan || request.Strategy is not null || Stage.MayPay(facts))
        {
            (refusal, localInfileRefusal) = await StageProbe.FindRefusalsAsync(session, facts.Table, facts.RowColumns, cancellationToken);
        }

        return facts with
        {
            Key = facts.Key! with { Stage = facts.Key.Stage! with { Refusal = refusal } },
            Server = facts.Server with { LocalInfileRefusal = facts.Server.LocalInfileRefusal ?? localInfileRefusal },
        };
    }
}
