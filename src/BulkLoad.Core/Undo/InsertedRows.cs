using BulkLoad.Core.Jobs;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Undo;

/// <summary>The table beside the target that has exactly the rows which a job has inserted, made from its input.</summary>
internal sealed class InsertedRows : RowsBeside
{
    private readonly HeldJob _held;
    private readonly UndoneJob _undone;
    private readonly TableFacts _table;
    private readonly string _definition;
    private readonly GivenIds? _given;
    private readonly ILoggerFactory _loggers;
    private readonly IProgress<LoadProgress>? _progress;

    /// <param name="definition">the table's statement, as the server writes it</param>
    /// <param name="progress">of the load</param>
    public InsertedRows(HeldJob held, UndoneJob undone, TableFacts table, string definition, UndoOptions options, ILoggerFactory loggers,
        IProgress<LoadProgress>? progress) : base(held, table, definition, options.Preview)
    {
        (_held, _undone, _table, _definition, _loggers, _progress) = (held, undone, table, definition, loggers, progress);
        _given = options.IdsFile is { } file ? new GivenIds(held, table, definition, Stem, file) : null;
    }

    protected override IEnumerable<string> Drops => [.. base.Drops, .. _given?.Drops ?? []];

    /// <exception cref="PlanException">the rows are not known from the input</exception>
    protected override async Task FillAsync(IServerSession session, UndoSql sql, CancellationToken cancellationToken)
    {
        await (_given?.BeginAsync(session, cancellationToken) ?? Task.CompletedTask);
        var name = _given?.Rows ?? Name;
        var request = RequestOf(name) with
        {
            Known = await BesideStatements.KnowAsync(session, _table, _definition, name, cancellationToken),
        };
        var job = new LoadJob(request, _loggers, _progress) { Only = () => new ChosenRecords(_held.Id, _held.Chunks, Names) };
        Require(await job.RunAsync(cancellationToken), cancellationToken);
        await (_given?.FillAsync(session, request, Name, _loggers, cancellationToken) ?? Task.CompletedTask);
        await AddAsync(session, sql.AddState, cancellationToken);
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
}
