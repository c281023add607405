using BulkLoad.Core.Jobs;

namespace BulkLoad.Cli.Output;

internal static class JobsText
{
    /// <param name="width">columns of a line</param>
    public static void Write(TextWriter to, JobPage page, JobFilter filter, int width = int.MaxValue)
    {
        var jobs = page.Jobs;
        if (jobs.Count == 0)
        {
            to.WriteLine(filter == JobFilter.All ? "no jobs" : "no such jobs");
            return;
        }

        TextTable.Write(to,
        [
            ["job", "state", "records", "rejected", "chunks", "last change (UTC)", "what"],
            .. jobs.Select(job => new[] { job.Id, State(job), Amounts.Count(job.Taken), Amounts.Count(job.Rejected), Amounts.Count(
                job.Chunks), job.Changed, What(job) }),
        ], width);
        if (page.Count > jobs.Count)
        {
            var complete = page.Complete - jobs.Count(job => job.Completed is not null);
            to.WriteLine($"and {Amounts.Count(page.Count - jobs.Count, "job")} more, {Amounts.Count(complete)} of them complete: 'bulkload "
                + $"jobs --limit N' lists up to {Amounts.Count(JobList.MaxListed)}, 'bulkload jobs show JOB' any of them, 'bulkload jobs "
                + "forget --complete --older-than 90d' forgets the old ones");
        }

        foreach (var job in jobs.Where(job => job.IsUnreadable))
        {
            to.WriteLine(
                $"the row of job {job.Id} was changed by hand, or written by a newer version of this program: "
                + $"'bulkload jobs forget {job.Id}' removes the job from the ledger");
        }

        foreach (var job in jobs.Where(job => job.IsBeingUndone))
        {
            to.WriteLine($"job {job.Id} is being undone: the same 'bulkload undo {job.Id}' continues that");
        }

        foreach (var job in jobs.Where(job => job.DroppedIndexes.Count > 0))
        {
            to.WriteLine($"job {job.Id} has dropped {Indexes(job)} of {job.Table}: {Restoring(job)}");
        }
    }

    public static void Write(TextWriter to, IReadOnlyList<string> done)
    {
        foreach (var line in done)
        {
            to.WriteLine(line);
        }
    }

    /// <param name="width">columns of a line</param>
    public static void Write(TextWriter to, JobSummary job, IReadOnlyList<JobChunk> chunks, long count, int width = int.MaxValue)
    {
        var since = job is { Completed: { } completed, IsBeingUndone: false } ? $" since {completed:yyyy-MM-dd HH:mm:ss} UTC" : "";
        Lines(to,
        [
            ["job", job.Id],
            ["what", What(job)],
            .. job.Written is var (bytes, written)
                ? [["file", $"{Amounts.Bytes(bytes)}, last written on {written:yyyy-MM-dd HH:mm:ss} UTC"]]
                : Array.Empty<string[]>(),
            ["state", $"{State(job)}{since}"],
            [job.IsRunning == true ? "run by" : "last run by", job.Runner],
            ["records", $"{Amounts.Count(job.Taken)} taken, {Amounts.Count(job.Rejected)} rejected"],
            .. job.SortedBy is null
                ? Array.Empty<string[]>()
                : [["order", $"sorted by {job.SortedBy}: refused records first, then all others; records are counted in that order"]],
            .. job.DroppedIndexes.Count == 0 ? Array.Empty<string[]>() : [["dropped", $"{Indexes(job)}: {Restoring(job)}"]],
            ["reject file", VisibleText.OneLine(job.RejectFile ?? "none")],
            .. job.Undo is null ? Array.Empty<string[]>() : [["undo", VisibleText.OneLine(Undoing(job, job.Undo))]],
        ]);
        to.WriteLine();
        if (chunks.Count < count)
        {
            to.WriteLine($"the last {Amounts.Count(chunks.Count)} of {Amounts.Count(count, "chunk")} (--limit N):");
        }

        TextTable.Write(to,
        [
            ["file", "from record", "to record", "taken", "rejected"],
            .. chunks.Select(chunk => new[] { ReportText.FileName(chunk.Source), Amounts.Count(chunk.FirstRecord), Amounts.Count(
                chunk.LastRecord), Amounts.Count(chunk.Taken), Amounts.Count(chunk.Rejected) }),
        ], width);
    }

    internal static string State(JobSummary job) => job switch
    {
        { IsUnreadable: true } => "not readable",
        { IsBeingUndone: true } => "being undone",
        { Completed: not null } => "complete",
        { IsRunning: true } => "running",
        { IsRunning: null } => "running or stopped",
        _ => "stopped",
    };

    private static string Indexes(JobSummary job) =>
        $"{Plural.For(job.DroppedIndexes.Count, "index", "indexes")} {string.Join(", ", job.DroppedIndexes)}";

    private static string Restoring(JobSummary job) => job.IsRunning == true
        ? $"{Plural.For(job.DroppedIndexes.Count, "it is", "they are")} added again when the job is done"
        : $"its command adds {Plural.For(job.DroppedIndexes.Count, "it", "them")} again when it is done, 'bulkload jobs restore {job.Id}' "
            + "at once";

    private static string Undoing(JobSummary job, UndoOutlook undo) => undo.Command is { } command
        ? job.Kept is { } kept
            ? undo.Begun ? $"begun: {command} continues"
            : $"{command}, unless {kept.TargetName} or {kept.DisplayName} was changed since; --preview says it"
        : undo.KeptUntil is { } until
            ? undo.Begun ? $"begun: {command} continues"
            : $"{command} puts its rows back as they were, which are kept until {until:yyyy-MM-dd HH:mm} UTC"
        : undo.Begun ? $"begun: {command}, with the import's options for reading and values, continues"
        : $"{command}, with the import's options for reading and values; --preview shows what would go"
        : $"not possible: {undo.Obstacle}";

    private static string What(JobSummary job) =>
        VisibleText.OneLine($"{job.Command} {Files(job)} -> {job.Table}{(job.Kept is { } kept ? $", which has kept {kept.Name}" : "")}");

    private static string Files(JobSummary job) => string.Join(", ", job.Sources.Take(Plural.Shown).Select(ReportText.FileName))
        + (job.SourceCount > Plural.Shown ? $" and {Amounts.Count(job.SourceCount - Plural.Shown)} more" : "");

    private static void Lines(TextWriter to, IReadOnlyList<string[]> rows)
    {
        foreach (var line in PlanText.Aligned(rows))
        {
            to.WriteLine(line);
        }
    }
}
