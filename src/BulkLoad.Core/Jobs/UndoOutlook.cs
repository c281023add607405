using BulkLoad.Core.Facts;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Whether the rows of a job can be taken back, as far as its row in the ledger and the table tell. Which columns the input fills
/// is not known here.</summary>
/// <param name="Obstacle">why they cannot, for people; null: nothing is known against it</param>
/// <param name="Command">that does it, with the options of the import; null: they cannot</param>
internal sealed record UndoOutlook(string? Obstacle, string? Command)
{
    /// <summary>Whether somebody has begun, and the command continues that.</summary>
    public bool Begun { get; init; }

    /// <summary>Until when the job's rows are kept as they were, in UTC, so that no input is read; null: they are not kept.</summary>
    public DateTime? KeptUntil { get; init; }

    /// <returns>null: the job's row cannot be read</returns>
    public static async Task<UndoOutlook?> LookAsync(
        IServerSession session, LedgerSql sql, JobSummary job, CancellationToken cancellationToken)
    {
        var view = new LedgerView(sql, session, holds: false, cancellationToken);
        if (job.IsUnreadable || await view.ReadJobsAsync([job.Id]) is not [var found])
        {
            return null;
        }

        if (found.Job.Kept is { } kept)
        {
            return await LookAsync(session, found, kept, cancellationToken);
        }

        var undoable = UndoableJob.Of(job.Id, found.Job, job.Taken);
        var obstacle = undoable.Obstacle is { } why ? $"it {why}"
            : job.IsRunning == true ? "it is running: stop it first"
            : await FindObstacleAsync(session, undoable, found.Job.Images is not null, cancellationToken);
        string[] ids = found.Job.IdsFile is { } file ? ["--ids-file", file] : [];
        return new UndoOutlook(obstacle, obstacle is null ? ShellQuoting.Join(["bulkload", "undo", job.Id, .. ids]) : null)
        {
            Begun = found.Job.Undo is not null,
            KeptUntil = found.Job.Images?.Until,
        };
    }

    /// <summary>Of a full refresh. Its sums are not computed here.</summary>
    private static async Task<UndoOutlook> LookAsync(
        IServerSession session, FoundJob job, KeptTable kept, CancellationToken cancellationToken)
    {
        var begun = job.Job.Undo is not null;
        var isThere = begun || await TableProbe.IsThereAsync(session, kept.Database, kept.Name, cancellationToken);
        return job.Job.Completed is null ? new UndoOutlook("its last step is not done: the same import command does it", null)
            : isThere ? new UndoOutlook(null, $"bulkload undo {job.Id}") { Begun = begun }
            : new UndoOutlook($"{kept.DisplayName}, which {kept.TargetName} was, is not there any more", null);
    }

    private static async Task<string?> FindObstacleAsync(
        IServerSession session, UndoableJob job, bool isKept, CancellationToken cancellationToken)
    {
        try
        {
            var table = await TableProbe.LookAsync(session, job.Database, job.Table, cancellationToken);
            return isKept ? UndoRules.FindTableObstacle(table) : UndoRules.FindObstacle(table);
        }
        catch (PlanException fault)
        {
            return fault.Message;
        }
    }
}
