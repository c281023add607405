using BulkLoad.Core.Reports;

namespace BulkLoad.Seeding;

/// <summary>The state of each table and the progress of the seed. Thread-safe.</summary>
/// <param name="progress">called after each batch; null: no progress is shown</param>
internal sealed class SeedBoard(IProgress<SeedProgress>? progress)
{
    private readonly Dictionary<string, SeedTableReport> _reports = [];
    private readonly Dictionary<string, long> _records = [];
    private readonly HashSet<string> _running = [];
    private int _done;

    public int Tables { get; set; }

    /// <summary>Null: no table failed.</summary>
    public string? FailedTable => _reports.Values.FirstOrDefault(report => report.Outcome == SeedOutcome.Failed)?.Table;

    /// <summary>Null: nothing is known of the table.</summary>
    public SeedTableReport? Find(string table) => _reports.GetValueOrDefault(table);

    public void Begin(SeedTask task)
    {
        lock (_reports)
        {
            _running.Add(task.Table.Name);
        }
    }

    public void End(SeedTask task, LoadReport report)
    {
        Report(task, old => old with
        {
            Outcome = report.Outcome switch
            {
                LoadOutcome.Complete => SeedOutcome.Loaded,
                LoadOutcome.AlreadyComplete => SeedOutcome.LoadedBefore,
                _ => SeedOutcome.Failed,
            },
            Inserted = report.Counts.Inserted,
            Updated = report.Counts.Updated,
            Unchanged = report.Counts.Unchanged + report.Counts.Ignored,
            Rejected = report.Counts.Rejected,
            FirstRejects = report.FirstRejects,
            Notes = [.. report.Headline is { } headline ? [headline] : Array.Empty<string>(), .. report.Notes.Where(IsWorthSaying)],
            Elapsed = report.Elapsed,
        });
        if (report.Outcome is LoadOutcome.Complete or LoadOutcome.AlreadyComplete)
        {
            Finish(task);
            return;
        }

        throw report.Failure is { } failure ? failure : new OperationCanceledException();
    }

    public static bool IsOfLedger(string note) => note.StartsWith("the ledger ", StringComparison.Ordinal);

    /// <summary>Leaves out what would be said of each table: the format by the file's extension, and that a staging table has no
    /// ledger.</summary>
    private static bool IsWorthSaying(string note) => !IsOfLedger(note) &&
        !note.EndsWith("(by extension)", StringComparison.Ordinal) && !note.StartsWith("--no-ledger:", StringComparison.Ordinal);

    public void Finish(SeedTask task)
    {
        lock (_reports)
        {
            _running.Remove(task.Table.Name);
            _done = Math.Min(Tables, _done + 1);
        }
    }

    public void Report(SeedTask task, Func<SeedTableReport, SeedTableReport> change)
    {
        lock (_reports)
        {
            _reports[task.Table.Name] = change(_reports.GetValueOrDefault(task.Table.Name)
                ?? new SeedTableReport(task.Table.Name, [.. task.Entry.Files.Select(file => Path.GetFileName(file)!)]));
        }
    }

    /// <summary>Sets back the counts of a table of which nothing was committed.</summary>
    public void Undo(SeedTask task, SeedOutcome outcome = SeedOutcome.Undone) => Report(task, report => report with
    {
        Outcome = outcome,
        Inserted = 0,
        Updated = 0,
        Unchanged = 0,
        Deleted = 0,
    });

    public void ReportProgress(SeedTask task, LoadProgress step)
    {
        if (progress is null)
        {
            return;
        }

        SeedProgress now;
        lock (_reports)
        {
            _records[task.Table.Name] = step.RecordsSent;
            now = new SeedProgress(_done, Tables, string.Join(", ", _running.Order()), _records.Values.Sum());
        }

        progress.Report(now);
    }
}
