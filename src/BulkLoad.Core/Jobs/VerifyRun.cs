using BulkLoad.Core.Feed;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending.Verifying;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Compares every record with the row that has its key, and writes nothing. Records that differ become rejects.</summary>
/// <param name="rejects">also takes records that no column can hold</param>
internal sealed class VerifyRun(PreparedJob job, JobServices services, RejectLog rejects, RepairLog repairs)
    : JobRun(job, services, rejects, repairs)
{
    private readonly InputReader _reading = new(job.Sources, job.Facts, job.Decision.Sizes);
    private readonly RowComparer _comparer = new(job.Facts);
    private Reject? _first;
    private long _equal;
    private long _undecided;
    private long _different;
    private string? _optionsNote;

    public override ReadCounts Read => _reading.Read;

    private long Judged => _equal + _undecided + Rejects.Count;

    public override async Task RunAsync(IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            await CompareAsync(session, cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && cancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException(fault.Message, fault, cancellationToken);
        }
        catch (RefusedRecordException refused)
        {
            Rejects.Keep();
            BulkLoadException ended = _different > 0
                ? new ReconciliationException(refused.Message) { IsOfContent = true }
                : new RejectLimitException(refused.Message);
            ended.End(
                $"stopped after {Rejects.Count:N0} refused or different {Plural.For(Rejects.Count, "record")}, where --max-rejects "
                    + $"is {Request.MaxRejects}: a verification leaves the table as it was", null, []);
            throw ended;
        }

        RequireAll(Judged, "compared");
        if (_undecided > 0 && _equal + _different == 0)
        {
            throw new PlanException($"nothing could be verified: every record leaves a key or a value to the server "
                + $"({Job.Facts.Table.DisplayName}): name the columns that the file has with --columns, and those that distinguish its "
                + "records with --key");
        }

        _optionsNote = OptionsNote(cancellationToken);
        Services.Log.VerificationComplete(_equal, _different, _undecided);
        if (_first is not null)
        {
            var ended = new ReconciliationException(_first.Describe()) { IsOfContent = true };
            ended.End(
                $"{_different:N0} of {Read.Records:N0} {Plural.For(Read.Records, "record")} {Plural.For(_different, "is", "are")} not in "
                    + $"{Job.Facts.Table.DisplayName} as in the file{Where}", null, []);
            throw ended;
        }
    }

    public override LoadReport Complete(LoadReport report) => report with
    {
        Counts = report.Counts with { Verified = _equal, Undecided = _undecided, NotCommitted = report.Counts.Read - Judged },
        Notes = _optionsNote is null ? report.Notes : [.. report.Notes, _optionsNote],
        Verification = new VerificationReport(Request.Verify, Result(report.Counts.Read), _equal)
        {
            DifferentByReason = Rejects.CountsByCode.Where(count => RowDifference.IsCode(count.Key)).ToDictionary(),
            UndecidedRows = _undecided,
        },
    };

    private VerifyResult Result(long read) =>
        _different > 0 ? VerifyResult.Different : _undecided > 0 || read > Judged ? VerifyResult.Partial : VerifyResult.Equal;

    private string Where =>
        _different == 1
            ? ""
            : Request.RejectFile is null
            ? "; --reject-file keeps them"
            : $"; all of them are in {Request.RejectFile}";

    /// <summary>Names options of the import that this command lacks, if records may be refused for that; else null.</summary>
    private string? OptionsNote(CancellationToken cancellationToken)
    {
        var refused = Rejects.First.FirstOrDefault(reject => !RowDifference.IsCode(reject.Code));
        return Hints.Find(() => FormatHint.Of(refused, Job, cancellationToken), null, Services.Log) is { } ways
            ? $"verify needs the import's options for files and values: add {ways}"
            : refused is not null && _equal + _different + _undecided == 0
                ? "if the import had options for files or values, such as --date-format, --decimal, --encoding or --columns, verify needs "
                    + "them too"
            : null;
    }

    private async Task CompareAsync(IServerSession session, CancellationToken cancellationToken)
    {
        await foreach (var block in _reading.ReadAsync(cancellationToken))
        {
            var compared = await _comparer.CompareAsync(session, block, 0, block.RowCount, cancellationToken);

            // An open transaction would keep others from altering the table.
            await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            _equal += compared.Equal;
            _undecided += compared.Undecided.Count;
            AddIssues(block, compared.Differences);
            Rejects.Settle(Judged, block.EndsJob);
            Rejects.Keep();
            Repairs.Keep();
            Services.Progress?.Report(new LoadProgress(Read.Bytes, TotalBytes, Judged, 0));
        }
    }

    /// <summary>Adds differences and records that are no rows in the input's order.</summary>
    private void AddIssues(RowBlock block, IReadOnlyList<RowDifference> differences)
    {
        var next = 0;
        foreach (var difference in differences)
        {
            next = RefuseUpTo(block, next, block.Record(difference.Row));
            _different++;
            var reject = Reject(block, difference.Row, difference.Code, difference.Message, difference.Column);
            _first ??= reject;
            Refuse(reject);
        }

        RefuseRest(block, next);
    }
}
