using BulkLoad.Core.Jobs;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Seeding;

/// <summary>A table's file in its staging table.</summary>
/// <param name="Records">of the file</param>
/// <param name="Report">of the import</param>
internal sealed record SeedStage(SeedTask Task, StageSql Sql, long Records, LoadReport Report);

internal sealed class SeedStages(SeedSetup setup, ILoggerFactory loggers, Action<SeedTask, LoadProgress> onProgress)
{
    private readonly List<string> _made = [];

    public async Task DropLeftoversAsync(CancellationToken cancellationToken)
    {
        var rows = (await setup.Session.QueryAsync(SeedSql.StagingTables(setup.Database), cancellationToken)).Rows;
        if (rows.Count > 0)
        {
            await setup.Session.ExecuteAsync(SeedSql.Drop(setup.Database, rows.Select(row => row[0]!)), cancellationToken);
            setup.Notes.Add($"{rows.Count} staging {Plural.For(rows.Count, "table")} of a seed that was killed "
                + $"{(rows.Count == 1 ? "was" : "were")} dropped");
        }
    }

    /// <summary>Makes the staging tables of some tasks; commits what is open.</summary>
    /// <exception cref="PlanException">a table that is no staging table of a seed has the name of one</exception>
    public async Task MakeAsync(IEnumerable<SeedTask> tasks, CancellationToken cancellationToken)
    {
        var all = tasks.ToList();
        await MakeLevelsAsync(all, cancellationToken);
        foreach (var task in all)
        {
            var sql = new StageSql(task.Table, [], []);
            await MakeAsync(StageSql.NameOf(task.Table.Name), sql.Create, cancellationToken);
            try
            {
                await setup.Session.ExecuteAsync(sql.Mark, cancellationToken);
            }
            catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && setup.Session.IsUsable)
            {
                // The account has no ALTER: if the seed is killed, the table stays, and the next seed's error says so.
            }
        }
    }

    /// <summary>Makes missing tables of levels, for rows that refer to rows of their own table; commits what is open.</summary>
    public async Task MakeLevelsAsync(IEnumerable<SeedTask> tasks, CancellationToken cancellationToken)
    {
        foreach (var task in tasks)
        {
            var name = LevelSql.NameOf(task.Table.Name);
            if (task.Step.ByLevels.Count > 0 && !_made.Contains(name))
            {
                await MakeAsync(name, LevelSql.Create(task.Table), cancellationToken);
            }
        }
    }

    private async Task MakeAsync(string name, string create, CancellationToken cancellationToken)
    {
        _made.Add(name);
        try
        {
            await setup.Session.ExecuteAsync(create, cancellationToken);
        }
        catch (ServerException fault) when (fault.Error == ServerError.TableExists)
        {
            // A seed that is killed between CREATE and ALTER leaves an empty table without the comment.
            var drop = SeedSql.Drop(setup.Database, [name]);
            _made.Remove(name);
            if ((await setup.Session.QueryAsync(ConstraintSql.AnyRow(setup.Database, name), cancellationToken)).Rows.Count > 0)
            {
                throw new PlanException($"{setup.Database}.{name} is in the way of a staging table, and has not the comment of one: it "
                    + $"is kept; rename it, or if nobody needs it: {drop}", fault);
            }

            await setup.Session.ExecuteAsync(drop, cancellationToken);
            await setup.Session.ExecuteAsync(create, cancellationToken);
            _made.Add(name);
            setup.Notes.Add($"an empty table {name}, as a seed that was killed leaves it, was dropped");
        }
    }

    public async Task<(SeedStage? Stage, LoadReport Report)> LoadAsync(SeedTask task, CancellationToken cancellationToken)
    {
        var stage = StageSql.NameOf(task.Table.Name);
        var request = task.Import with
        {
            Table = SqlName.Quote(setup.Database, stage),
            NoLedger = true,
            LedgerSchema = null,
            JobId = null,
            Reload = false,
            Append = false,
            Truncate = false,
            AllowedDatabase = null,
            RebuildIndexes = false,
        };
        var report = await new LoadJob(request, loggers, new Progress(progress => onProgress(task, progress))).RunAsync(cancellationToken);
        report = report with
        {
            Failure = report.Failure is { } fault
            ? WithName(fault, stage, task)
            : null,
            Notes = [.. report.Notes.Select(note => note.Replace(stage, task.Table.Name, StringComparison.Ordinal))]
        };
        if (report.Outcome != LoadOutcome.Complete)
        {
            return (null, report);
        }

        var filled = report.Plan!.Columns.Select(column => column.Column).OfType<string>().Select(column => task.Table.Find(column)!)
            .Where(column => !column.IsGenerated).Select(column => column.Name).Distinct(StringComparer.OrdinalIgnoreCase).ToList();
        if ((setup.Request.Mode == SeedMode.Sync || task.Step.NeedsStage)
            && task.Table.PrimaryKey.FirstOrDefault(key => !filled.Contains(key, StringComparer.OrdinalIgnoreCase)) is { } missing)
        {
            var why = setup.Request.Mode == SeedMode.Sync
                ? "--mode sync finds rows by it"
                : "rows that refer to each other are found by it";
            var refusal = new PlanException($"{task.Entry.Name}: no field fills {missing}, a column of the primary key of "
                + $"{task.Table.Name}: {why}; add it to the file");
            return (null, report with { Outcome = LoadOutcome.Failed, Failure = refusal });
        }

        return (new SeedStage(task, new StageSql(task.Table, filled, task.Step.Deferred), report.Counts.Inserted, report), report);
    }

    /// <summary>Drops the staging tables, also after a failure; the next seed drops what this one cannot.</summary>
    public async Task DropAsync()
    {
        if (_made.Count == 0)
        {
            return;
        }

        var statement = SeedSql.Drop(setup.Database, _made);
        _made.Clear();
        try
        {
            if (setup.Session.IsUsable)
            {
                await setup.Session.ExecuteAsync(TransactionSql.RollBack, CancellationToken.None);
                await setup.Session.ExecuteAsync(statement, CancellationToken.None);
                return;
            }

            await using var session = await ServerSession.ConnectAsync(setup.Connection, CancellationToken.None);
            await session.ExecuteAsync(statement, CancellationToken.None);
        }
        catch (BulkLoadException)
        {
            // The earlier failure says more.
        }
    }

    /// <summary>Replaces the staging table's name in a fault by the table's.</summary>
    private BulkLoadException WithName(BulkLoadException fault, string stage, SeedTask task)
    {
        var message = fault.Message.Replace(stage, task.Table.Name, StringComparison.Ordinal);
        var named = message == fault.Message ? fault : fault switch
        {
            RequestException => new RequestException(message),
            RejectLimitException => new RejectLimitException(message),
            ConnectException => new ConnectException(message, fault),
            InputException => new InputException(message, fault),
            MappingException => new MappingException(message),
            ReconciliationException => new ReconciliationException(message),
            PlanException => new PlanException(message, fault),
            _ => fault,
        };
        if (fault.State is not null)
        {
            // Its rows went into the staging table only.
            SeedAdvice.End(named, "nothing was changed", fault.WaysOn, setup.Request, task);
        }

        return named;
    }
}

/// <summary>Calls at once, on the reporting thread.</summary>
internal sealed class Progress(Action<LoadProgress> report) : IProgress<LoadProgress>
{
    public void Report(LoadProgress value) => report(value);
}
