using BulkLoad.Core.Jobs;
using BulkLoad.Core.Rows;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Seeding;

/// <summary>Reads all files of a seed that stopped at a bad record, and sends nothing: the user sees all bad records at once.</summary>
internal sealed class BadRecords(SeedSetup setup, SeedBoard board, ILoggerFactory loggers)
{
    private const string DuplicateKey = "duplicate-key";

    /// <summary>Adds the bad records of all tables that are not filled to their reports, and their number to the fault's message.</summary>
    public async Task FindAsync(BulkLoadException fault, CancellationToken cancellationToken)
    {
        var left = setup.Tasks.Where(task => !IsFilled(task)).ToList();
        try
        {
            await SeedSchedule.RunAsync(
                [.. left.Select(task => new List<SeedTask> { task })], setup.Request.Threads ?? SeedSchedule.DefaultThreads,
                (unit, token) => LookAsync(unit[0], token), cancellationToken, isOrdered: false);
        }
        catch (Exception other) when (other is BulkLoadException or OperationCanceledException)
        {
            // The fault that stopped the seed says more.
            return;
        }

        var reports = left.Select(task => board.Find(task.Table.Name)).OfType<SeedTableReport>()
            .Where(report => report.Rejected > 0).ToList();
        var bad = reports.Sum(report => report.Rejected);
        string?[] parts =
        [
            fault.Committed is null && !setup.Request.IsOneTransaction ? "nothing of this file was loaded" : fault.State,
            setup.Request is { Mode: SeedMode.Truncate, Atomic: false } ? "the tables were emptied" : null,
            setup.Tasks.Count(IsFilled) is > 0 and var filled && !setup.Request.IsOneTransaction
                ? $"{filled} of {Plural.Count(setup.Tasks.Count, "table")} {Plural.For(filled, "is", "are")} filled" : null,
            bad > 1 ? $"{Plural.Count(bad, "bad record")} in the files of {Plural.Count(reports.Count, "table")}" : null,
        ];
        fault.End(string.Join("; ", parts.OfType<string>()), fault.Committed, fault.WaysOn);
    }

    private bool IsFilled(SeedTask task) =>
        board.Find(task.Table.Name)?.Outcome is SeedOutcome.Loaded or SeedOutcome.LoadedBefore or SeedOutcome.Known;

    private async Task LookAsync(SeedTask task, CancellationToken cancellationToken)
    {
        var asked = task.Import.AsCheck() with { Table = SqlName.Quote(setup.Database, task.Table.Name) };
        var found = await new LoadJob(asked, loggers).RunAsync(cancellationToken);
        cancellationToken.ThrowIfCancellationRequested();

        // The file's options may allow equal keys.
        var ignored = task.Import.OnDuplicate == DuplicateMode.Error ? "" : DuplicateKey;
        var rejects = found.FirstRejects.Where(reject => reject.Code != ignored).ToList();
        board.Report(task, report =>
        {
            // A record that was refused before keeps its message: the server may have refused what a check does not see.
            var known = report.FirstRejects;
            var more = rejects.Where(one => !known.Any(other => IsSame(one, other))).ToList();
            return report with
            {
                Rejected = found.Counts.Rejected - found.RejectsByReason.GetValueOrDefault(ignored)
                    + known.Count - (rejects.Count - more.Count),
                FirstRejects = [.. known.Concat(more).OrderBy(reject => reject.Record)],
                Notes = report.Outcome != SeedOutcome.Failed && found.Failure is { } fault
                    ? [.. report.Notes, fault.Message] : report.Notes,
            };
        });
    }

    private static bool IsSame(Reject one, Reject other) => (one.Source, one.Record) == (other.Source, other.Record);
}
