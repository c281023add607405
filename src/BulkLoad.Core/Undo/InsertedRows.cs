using BulkLoad.Core.Jobs;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Refresh;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Undo;

/// <summary>The table beside the target that has exactly the rows which a job has inserted.</summary>
internal sealed class InsertedRows
{
    private const int DigestCharacters = 8;

    private readonly HeldJob _held;
    private readonly UndoneJob _undone;
    private readonly TableFacts _table;
    private readonly string _definition;
    private readonly GivenIds? _given;
    private readonly RefreshSql _sql;
    private readonly string _stem;

    /// <param name="definition">the table's statement, as the server writes it</param>
    public InsertedRows(HeldJob held, UndoneJob undone, TableFacts table, string definition, UndoOptions options)
    {
        (_held, _undone, _table, _definition) = (held, undone, table, definition);
        _sql = new RefreshSql(table.Database);
        _stem = $"{StemOf(held.Id)}{(options.Preview ? "p" : "")}";
        _given = options.IdsFile is { } file ? new GivenIds(held, table, definition, _stem, file) : null;
        var lasting = TwinText.Lasting(table.Name, definition);
        var state = $"{held.Chunks.Tally}\0{table.DisplayName}\0{lasting}";
        Name = SqlName.Fit($"{_stem}{Digest(state)}_{table.Name}");
    }

    /// <summary>Another one once the table was altered, or the job has committed more.</summary>
    public string Name { get; }

    /// <summary>Whether a name that the ledger has can be that of such a table of the job: nothing else is dropped.</summary>
    public static bool IsNameOf(string job, string name) => name.StartsWith(StemOf(job), StringComparison.Ordinal);

    /// <summary>Whether an earlier start has loaded it.</summary>
    public static async Task<bool> IsThereAsync(IServerSession session, UndoSql sql, CancellationToken cancellationToken) =>
        (await session.QueryAsync(sql.FindState, cancellationToken)).Rows.Count > 0;

    /// <summary>Makes and loads the table.</summary>
    /// <exception cref="PlanException">the rows are not known from the input</exception>
    public async Task MakeAsync(IServerSession session, UndoSql sql, ILoggerFactory loggers, IProgress<LoadProgress>? progress,
        CancellationToken cancellationToken)
    {
        foreach (var left in (await session.QueryAsync(_sql.Tables($"{_stem.Replace("_", @"\_", StringComparison.Ordinal)}%"),
            cancellationToken)).Rows)
        {
            await session.ExecuteAsync(_sql.Drop(left[0]!), cancellationToken);
        }

        var create = CopyText.Create(_definition, _sql.Name(Name));
        await BesideStatements.RunAsync(session, _table.Database, [_given?.CreateRows ?? create],
            $"the server does not make a table beside {_table.DisplayName}", cancellationToken);
        var request = RequestOf(_given?.Rows ?? Name);
        var job = new LoadJob(request, loggers, progress) { Only = () => new ChosenRecords(_held.Id, _held.Chunks, Names) };
        Require(await job.RunAsync(cancellationToken), cancellationToken);
        if (_given is not null)
        {
            await _given.MakeAsync(session, request, create, Name, loggers, cancellationToken);
        }

        await BesideStatements.RunAsync(session, _table.Database, [sql.AddState],
            $"the table beside {_table.DisplayName} gets no column for what becomes of a row", cancellationToken);
    }

    public async Task DropAsync(IServerSession session)
    {
        foreach (var statement in (string[])[_sql.Drop(Name), .. _given?.Drops ?? []])
        {
            await session.ExecuteAsync(statement, CancellationToken.None);
        }
    }

    private IReadOnlyList<string> Names => [.. _held.Job.Sources.Select(source => source.Name)];

    /// <param name="table">that is filled</param>
    private LoadRequest RequestOf(string table) => _undone.Request.AsTrial() with
    {
        Connection = _undone.Request.Connection with { Database = _table.Database },
        Table = SqlName.Quote(table),
        Threads = _given is null ? _undone.Request.Threads : 1,
        MaxRejects = RejectLimit.OfPercent(100),
        SortedBefore = _held.Job.SortedBy,
    };

    private void Require(LoadReport report, CancellationToken cancellationToken)
    {
        if (report.Failure is { } failure)
        {
            throw failure is ReconciliationException
                ? new PlanException($"the rows of job {_held.Id} could not be made again from its input: {failure.Message}", failure)
                : failure;
        }

        cancellationToken.ThrowIfCancellationRequested();
        var (before, now) = (_held.Chunks.Rejects, report.RejectsByReason);
        if (before.Keys.Union(now.Keys).FirstOrDefault(code => before.GetValueOrDefault(code) != now.GetValueOrDefault(code)) is { } code)
        {
            throw new PlanException($"job {_held.Id} had {Plural.Count(before.GetValueOrDefault(code), "record")} refused for {code}, and "
                + $"the input alone would have {now.GetValueOrDefault(code):N0}: the server has judged them by other rows, and which of "
                + "its rows the job has inserted is not known");
        }

        if (report.Counts.Inserted != _held.Chunks.Taken.Inserted)
        {
            throw new PlanException($"job {_held.Id} has inserted {Plural.Count(_held.Chunks.Taken.Inserted, "row")}, and its input gives "
                + $"{report.Counts.Inserted:N0}");
        }
    }

    private static string StemOf(string job) => $"bulkload_undo_{Digest(job)}";

    private static string Digest(string text) => RefreshNames.Digest(text)[..DigestCharacters];
}
