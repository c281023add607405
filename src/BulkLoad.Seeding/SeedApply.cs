using BulkLoad.Core.Jobs;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Seeding;

/// <summary>Brings staged records into their tables, in one transaction that the caller commits.</summary>
/// <param name="stages">in the order of the seed</param>
internal sealed class SeedApply(SeedSetup setup, IReadOnlyList<SeedStage> stages)
{
    /// <summary>Each round deletes the rows whose unique values the round before has set free.</summary>
    private const int MaxRounds = 100;

    /// <summary>Statements in one round trip: a chain of 10,000 rows has 10,000 levels.</summary>
    private const int LevelsAtOnce = 64;

    private IServerSession Session => setup.Session;

    /// <summary>Deletes all rows of tables, children before parents.</summary>
    /// <returns>rows by table</returns>
    public static async Task<Dictionary<string, long>> EmptyAsync(
        SeedSetup setup, IReadOnlyList<SeedTask> tasks, CancellationToken cancellationToken)
    {
        var session = setup.Session;
        var deleted = new Dictionary<string, long>();
        await RequireUnreferencedAsync(setup, tasks, cancellationToken);
        foreach (var task in tasks.Reverse())
        {
            var late = task.Step.Deferred.SelectMany(key => task.Table.NullableOf(key)).Distinct().ToList();
            if (late.Count > 0)
            {
                await session.ExecuteAsync(SeedSql.SetNull(task.Table, late), cancellationToken);
            }
        }

        foreach (var task in tasks.Reverse())
        {
            long rows = 0;
            try
            {
                if (task.Step.ByLevels.Count > 0)
                {
                    var sql = LevelSql.OfAll(task.Table, task.Step.ByLevels);
                    await DeleteByLevelsAsync(sql, RunAllAsync);
                    rows = Number(await RunAllAsync([sql.Count]));
                    await RunAllAsync([sql.Clear]);
                }

                rows += (long)(await session.ExecuteAsync(SeedSql.Empty(task.Table), cancellationToken)).AffectedRows;
            }
            catch (ServerException fault)
                when (task.Step.ByLevels is [var key, ..] && fault.Error is ServerError.RowIsReferenced or ServerError.RowIsReferenced2)
            {
                var refused = new PlanException($"--mode truncate: rows of {task.Table.Name} refer to themselves ({key.Show()}), and "
                    + $"InnoDB cannot delete such a row where {string.Join(", ", key.Columns)} may not be NULL", fault);
                refused.End("nothing was deleted", null, [SeedAdvice.Replace(task)]);
                throw refused;
            }

            deleted[task.Table.Name] = rows;
        }

        return deleted;

        async Task<TextResultSet> RunAllAsync(IReadOnlyList<string> statements) =>
            (await session.QueryAllAsync(statements, cancellationToken))[^1];
    }

    /// <summary>Numbers the levels of rows that refer to rows of their own table.</summary>
    /// <param name="runAsync">runs statements in one round trip, and gives the answer of the last one</param>
    /// <returns>the number of levels; rows in a circle, and those that refer to them, have no level</returns>
    private static async Task<int> FindLevelsAsync(LevelSql sql, Func<IReadOnlyList<string>, Task<TextResultSet>> runAsync)
    {
        await runAsync([sql.Begin]);
        var levels = 1;
        for (var more = 1; ; more = Math.Min(more * 2, LevelsAtOnce))
        {
            var next = Enumerable.Range(levels - 1, more).SelectMany(sql.Next);
            levels += more;
            var found = Number(await runAsync([.. next, sql.CountOf(levels - 1)]));
            if (found == 0)
            {
                return levels;
            }
        }
    }

    /// <summary>Deletes rows that have a level, the lowest first.</summary>
    private static async Task DeleteByLevelsAsync(LevelSql sql, Func<IReadOnlyList<string>, Task<TextResultSet>> runAsync)
    {
        var levels = await FindLevelsAsync(sql, runAsync);
        foreach (var some in Enumerable.Range(0, levels).Reverse().Chunk(LevelsAtOnce))
        {
            await runAsync([.. some.Select(sql.Delete)]);
        }
    }

    /// <summary>The number of records in each stage: a file's option may keep one of several records with the same key.</summary>
    public static async Task<IReadOnlyList<SeedStage>> CountRecordsAsync(
        SeedSetup setup, IReadOnlyList<SeedStage> stages, CancellationToken cancellationToken)
    {
        var counts = await setup.Session.QueryAllAsync([.. stages.Select(stage => stage.Sql.CountRecords)], cancellationToken);
        return [.. stages.Zip(counts, (stage, count) => stage with { Records = Number(count) })];
    }

    /// <summary>Inserts all records; their keys must not be in the tables.</summary>
    public async Task InsertAsync(CancellationToken cancellationToken)
    {
        foreach (var stage in stages.Where(stage => stage.Task.Table.PrimaryKey.Count > 0))
        {
            if ((await Session.QueryAsync(stage.Sql.FindPresent, cancellationToken)).Rows is [[var key], ..])
            {
                throw new PlanException(
                    $"{setup.Database}.{stage.Task.Table.Name} has rows with keys of {stage.Task.Entry.Name} already, such as {key}: "
                    + "nothing was inserted; --mode sync makes the table equal to the file");
            }
        }

        foreach (var stage in stages)
        {
            await InsertAsync(stage, onlyMissing: false, cancellationToken);
        }

        foreach (var stage in stages.Where(stage => stage.Task.Step.Deferred.Count > 0))
        {
            await RunAsync(stage, stage.Sql.Update, cancellationToken);
        }

        await RequireEqualAsync(stages.Where(stage => stage.Task.Table.PrimaryKey.Count > 0), extra: false, cancellationToken);
    }

    /// <summary>Inserts and updates parents before children, and deletes afterwards.</summary>
    /// <param name="changes">for each stage, from <see cref="RowDifferences.CountAsync"/></param>
    public async Task SyncAsync(IReadOnlyList<(long New, long Changed, long Extra)> changes, CancellationToken cancellationToken)
    {
        var all = stages.Zip(changes, (stage, change) => (Stage: stage, Change: change)).ToList();
        await RequireNoLossOutsideAsync(all.Where(one => one.Change.Extra > 0).Select(one => one.Stage), cancellationToken);

        // A unique value may move from one row to another: the rows that lose it are deleted first, as far as other rows allow it.
        var hasUnique = all.Any(one => one.Stage.Task.Table.OtherKeys.Any() && one.Change.New + one.Change.Changed > 0);
        foreach (var (stage, change) in all.AsEnumerable().Reverse().Where(_ => hasUnique))
        {
            if (change.Extra > 0)
            {
                await TryAsync(stage.Sql.Delete, cancellationToken);
            }

            if (stage.Sql.MakeRoom is { } room)
            {
                await TryAsync(room, cancellationToken);
            }
        }

        // A cascade may have deleted rows of other tables too: then every table is looked through again.
        foreach (var (stage, _) in all.Where(one => hasUnique || one.Change.New > 0))
        {
            await InsertAsync(stage, onlyMissing: true, cancellationToken);
        }

        foreach (var (stage, _) in all.Where(
            one => hasUnique || one.Change.Changed > 0 || (one.Change.New > 0 && one.Stage.Task.Step.Deferred.Count > 0)))
        {
            await UpdateAsync(stage, cancellationToken);
        }

        var shrinking = all.Where(one => one.Change.Extra > 0).Select(one => one.Stage).Reverse().ToList();
        foreach (var stage in shrinking.Where(stage => stage.Sql.Unlink is not null))
        {
            await RunAsync(stage, stage.Sql.Unlink!, cancellationToken);
        }

        foreach (var stage in shrinking)
        {
            foreach (var key in stage.Task.Step.ByLevels)
            {
                if (stage.Sql.Repoint(key) is { } repoint)
                {
                    await RunAsync(stage, repoint, cancellationToken);
                }
            }

            if (stage.Task is { Step.ByLevels: { Count: > 0 } keys, Table: var table })
            {
                var sql = LevelSql.OfExtra(table, keys);
                await RunAsync(stage, sql.Clear, cancellationToken);
                await DeleteByLevelsAsync(sql, statements => RunAllAsync(stage, statements, cancellationToken));
            }

            await RunAsync(stage, stage.Sql.Delete, cancellationToken);
        }

        await RequireEqualAsync(stages, extra: true, cancellationToken);
    }

    private async Task InsertAsync(SeedStage stage, bool onlyMissing, CancellationToken cancellationToken)
    {
        if (stage.Task.Step.ByLevels.Count == 0)
        {
            await RunAsync(stage, stage.Sql.Insert(onlyMissing), cancellationToken);
            return;
        }

        await FindLevelsAsync(
            LevelSql.OfNew(stage.Task.Table, stage.Task.Step.ByLevels), statements => RunAllAsync(stage, statements, cancellationToken));
        await RunAsync(stage, stage.Sql.InsertByLevels, cancellationToken);

        // The remaining rows refer to each other in a circle: the server's own error says so.
        await RunAsync(stage, stage.Sql.Insert(onlyMissing: true), cancellationToken);
    }

    /// <summary>Where a row gets a unique value that another row still has, the rows are deleted and inserted again, unless a foreign key
    /// refers to the table; then the rows whose values are free go first.</summary>
    private async Task UpdateAsync(SeedStage stage, CancellationToken cancellationToken)
    {
        try
        {
            await RunAsync(stage, stage.Sql.Update, cancellationToken);
            return;
        }
        catch (RejectLimitException fault)
            when (fault.InnerException is ServerException { Error: ServerError.DupEntry or ServerError.DupEntryWithKeyName })
        {
            // The server has undone the statement.
        }

        var table = stage.Task.Table.Name;
        if (setup.Catalog.Tables.All(other => other.References.All(key => key.ToTable != table))
            && setup.Catalog.Outside.All(key => key.ToTable != table))
        {
            await RunAsync(stage, stage.Sql.DeleteChanged, cancellationToken);
            await RunAsync(stage, stage.Sql.Insert(onlyMissing: true), cancellationToken);
            return;
        }

        for (var round = 0; round < MaxRounds && await RunAsync(stage, stage.Sql.UpdateFree, cancellationToken) > 0; round++)
        {
        }

        await RunAsync(stage, stage.Sql.Update, cancellationToken);
    }

    private async Task<long> RunAsync(SeedStage stage, string statement, CancellationToken cancellationToken)
    {
        try
        {
            return (long)(await Session.ExecuteAsync(statement, cancellationToken)).AffectedRows;
        }
        catch (ServerException fault) when (Session.IsUsable)
        {
            throw await ExplainAsync(stage, fault, cancellationToken);
        }
    }

    /// <returns>the answer of the last statement</returns>
    private async Task<TextResultSet> RunAllAsync(SeedStage stage, IReadOnlyList<string> statements, CancellationToken cancellationToken)
    {
        try
        {
            return (await Session.QueryAllAsync(statements, cancellationToken))[^1];
        }
        catch (ServerException fault) when (Session.IsUsable)
        {
            throw await ExplainAsync(stage, fault, cancellationToken);
        }
    }

    /// <summary>Runs a statement that only prepares later ones: when it fails, the server has undone it.</summary>
    private async Task TryAsync(string statement, CancellationToken cancellationToken)
    {
        try
        {
            await Session.ExecuteAsync(statement, cancellationToken);
        }
        catch (ServerException fault)
            when (Session.IsUsable
            && fault.Error is ServerError.RowIsReferenced or ServerError.RowIsReferenced2 or ServerError.DupEntry
            or ServerError.DupEntryWithKeyName)
        {
        }
    }

    private async Task<BulkLoadException> ExplainAsync(SeedStage stage, ServerException fault, CancellationToken cancellationToken)
    {
        var (table, file) = (stage.Task.Table, stage.Task.Entry.Name);
        switch (fault.Error)
        {
            case ServerError.NoReferencedRow or ServerError.NoReferencedRow2:
                foreach (var key in table.References)
                {
                    var parent = stages.FirstOrDefault(other => other.Task.Table.Name == key.ToTable);
                    if (await FindOrphansAsync(stage.Task, stage.Sql, parent, key, cancellationToken) is { } orphans)
                    {
                        return orphans;
                    }
                }

                break;
            case ServerError.RowIsReferenced or ServerError.RowIsReferenced2
                when stage is { Records: 0, Task.Step.ByLevels: [var itself, ..] }:
                return new PlanException($"{file} is empty, and rows of {table.Name} refer to themselves ({itself.Show()}): InnoDB cannot "
                    + $"delete the last of them where {string.Join(", ", itself.Columns)} may not be NULL; "
                    + "keep one record, or empty the table yourself", fault);
            case ServerError.RowIsReferenced or ServerError.RowIsReferenced2:
                return new PlanException($"{file}: rows of {table.Name} that are not in it any more cannot be deleted, since other rows "
                    + $"refer to them: {fault.ServerText}", fault);
            case ServerError.DupEntry or ServerError.DupEntryWithKeyName:
                return new RejectLimitException(
                    $"{file}: two rows of {table.Name} would have the same unique value: {fault.ServerText}", fault);
        }

        return new ServerException($"{file}: {fault.Message}", fault);
    }

    /// <summary>Refuses records that refer to rows which the files do not have any more, before rows are deleted: a cascade could change
    /// the records.</summary>
    /// <param name="known">tables that are equal to their files, and have no stage</param>
    /// <param name="changes">for each stage, from <see cref="RowDifferences.CountAsync"/></param>
    /// <exception cref="RejectLimitException">there are such records</exception>
    public async Task RequireParentsAsync(
        IReadOnlyList<SeedTask> known, IReadOnlyList<(long New, long Changed, long Extra)> changes, CancellationToken cancellationToken)
    {
        var children = stages.Select(stage => (stage.Task, stage.Sql))
            .Concat(known.Select(task => (Task: task, Sql: new StageSql(task.Table, [], [])))).ToList();
        foreach (var parent in stages.Zip(changes).Where(one => one.Second.Extra > 0).Select(one => one.First))
        {
            foreach (var (child, sql, key) in children.SelectMany(child => child.Task.Table.References
                .Where(key => key.ToTable == parent.Task.Table.Name && key.ToDatabase == setup.Database)
                .Select(key => (child.Task, child.Sql, key))))
            {
                if (await FindOrphansAsync(child, sql, parent, key, cancellationToken) is { } orphans)
                {
                    throw orphans;
                }
            }
        }
    }

    /// <summary>Null: all records of a foreign key have their rows.</summary>
    /// <param name="parent">the stage of the records that are referred to; null: rows of the table</param>
    private async Task<RejectLimitException?> FindOrphansAsync(
        SeedTask child, StageSql sql, SeedStage? parent, ForeignKey key, CancellationToken cancellationToken)
    {
        var parents = parent is null
            ? SqlName.Quote(key.ToDatabase, key.ToTable)
            : SqlName.Quote(setup.Database, StageSql.NameOf(key.ToTable));
        var isInTable = !stages.Any(stage => stage.Task == child);
        var rows = (await Session.QueryAsync(sql.FindOrphans(key, parents, isInTable), cancellationToken)).Rows;
        if (rows.Count == 0)
        {
            return null;
        }

        var shown = string.Join("; ", rows.Select(row =>
            (row[0] is { Length: > 0 } id ? $"{string.Join('+', child.Table.PrimaryKey)} {id}: " : "")
            + $"{string.Join('+', key.Columns)} {row[1]}"));
        var file = setup.Tasks.FirstOrDefault(task => task.Table.Name == key.ToTable)?.Entry.Name ?? "the table";
        return new RejectLimitException($"{child.Entry.Name}: records refer to rows of {key.ToTable} that {file} does not have "
            + $"({shown}): add them, or correct the records");
    }

    /// <summary>Checks before the commit that each table is equal to its file: triggers and cascades may have changed rows.</summary>
    private async Task RequireEqualAsync(IEnumerable<SeedStage> some, bool extra, CancellationToken cancellationToken)
    {
        foreach (var stage in some)
        {
            var left = await RowDifferences.CountAsync(Session, stage.Sql, cancellationToken);
            if (left.New + left.Changed + (extra ? left.Extra : 0) > 0)
            {
                var why = stage.Task.Table.HasTriggers
                    ? "its triggers change rows"
                    : "a foreign key that cascades, or another session, has changed it";
                throw new ReconciliationException($"{setup.Database}.{stage.Task.Table.Name} would not be what {stage.Task.Entry.Name} "
                    + $"says: {left.New} rows would be missing, {left.Changed} other ones, {(extra ? left.Extra : 0)} too many; "
                    + why);
            }
        }
    }

    /// <summary>Checks that no cascade deletes or changes rows of tables that the seed does not fill.</summary>
    private async Task RequireNoLossOutsideAsync(IEnumerable<SeedStage> shrinking, CancellationToken cancellationToken)
    {
        foreach (var stage in shrinking)
        {
            foreach (var key in Outside(setup, [.. setup.Tasks], stage.Task.Table.Name))
            {
                if (Number(await Session.QueryAsync(stage.Sql.CountReferring(key), cancellationToken)) is > 0 and var rows)
                {
                    throw new PlanException($"{rows} {Plural.For(rows, "row")} of {key.Database}.{key.Table} refer to rows of "
                        + $"{stage.Task.Table.Name} that {stage.Task.Entry.Name} does not have, and no file is for {key.Table}: "
                        + $"add a file for {key.Table}, or delete these rows first");
                }
            }
        }
    }

    private static async Task RequireUnreferencedAsync(SeedSetup setup, IReadOnlyList<SeedTask> tasks, CancellationToken cancellationToken)
    {
        foreach (var task in tasks)
        {
            foreach (var key in Outside(setup, tasks, task.Table.Name))
            {
                if ((await setup.Session.QueryAsync(
                    CatalogSql.HasReference(key.Database, key.Table, key.Columns), cancellationToken)).Rows.Count > 0)
                {
                    throw new PlanException($"--mode truncate: rows of {key.Database}.{key.Table} refer to {task.Table.Name}, and no file "
                        + $"is for {key.Table}: nothing was deleted; add a file for {key.Table}, or empty it first");
                }
            }
        }
    }

    private static IEnumerable<ForeignKey> Outside(SeedSetup setup, IReadOnlyList<SeedTask> tasks, string table) =>
        setup.Catalog.Outside.Where(key => key.ToTable == table).Concat(
            setup.Catalog.Tables.Where(other => !tasks.Any(task => task.Table.Name == other.Name))
                .SelectMany(other => other.References.Where(key => key.ToTable == table && key.ToDatabase == setup.Database)));

    private static long Number(TextResultSet answer) => long.Parse(answer.Scalar!);
}
