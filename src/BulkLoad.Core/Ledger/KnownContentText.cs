using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Ledger;

internal sealed class KnownContentText(LoadRequest request, IReadOnlyList<LoadSource> sources, JobRecord job)
{
    public string Done => request.Kind == JobKind.Import ? "loaded" : "done";

    public IReadOnlyList<string> NotesOnNothingToDo => request.Verify == VerifyMode.None
        ? [$"to {(request.Kind == JobKind.Import ? "load" : "do")} it again: --reload"
            + (request.Kind == JobKind.Import ? "; to compare the table with the files: bulkload verify" : "")]
        : ["--verify compares what this run has sent, and nothing was: 'bulkload verify' compares the table with the files"];

    public string NothingToDo(IReadOnlyList<FoundJob> jobs)
    {
        var ids = string.Join(", ", jobs.Take(Plural.Shown).Select(one => one.Id));
        var done = $"{Plural.For(jobs.Count, "job")} {ids}{JobText.Outcome(jobs)}";
        return $"nothing to do: {Plural.Names([.. sources.Select(source => source.Look.Name)])} {Were(sources.Count)} on "
            + $"{JobText.Time(jobs.Max(one => one.Job.Completed))} ({done})";
    }

    /// <summary>Such as <c>people.csv was loaded on 2026-11-26 12:00:00 UTC (2 rows)</c>, with this start's names.</summary>
    public string Loaded(IReadOnlyList<FoundJob> jobs)
    {
        var rows = jobs.Sum(one => one.Job.Total?.Present ?? 0);
        return $"{Plural.Names([.. job.Sources.Select(source => source.Name)])} {Were(sources.Count)} on "
            + $"{JobText.Time(jobs.Max(one => one.Job.Completed))}{(rows > 0 ? $" ({Plural.Count(rows, "row")})" : "")}";
    }

    /// <summary>The same, of one input with the job's name for it.</summary>
    public string Loaded(ContentMatch match)
    {
        var (one, source) = (match.Job!, match.Source!);
        var rows = one.Job.SourceCount == 1 ? one.Job.Total?.Present ?? 0 : 0;
        return $"{source.Name}, which was {Done} on {JobText.Time(one.Job.Completed)}"
            + (rows > 0 ? $" ({Plural.Count(rows, "row")})" : "");
    }

    public string Were(int inputs) => $"{Plural.For(inputs, "was", "were")} {Done}";

    public string Inputs(IReadOnlyList<ContentMatch> matches, params ContentRelation[] relations) => Plural.Names(
        [.. Enumerable.Range(0, matches.Count).Where(i => relations.Contains(matches[i].Relation)).Select(i => sources[i].Look.Name)]);

    public PlanException OtherRules(FoundJob found, string difference, string? name = null) => Refuse(
        $"{name ?? Plural.Names([.. found.Job.Sources.Select(source => source.Name)])} was {Done} {difference} "
            + $"(job {found.Id}, complete on {JobText.Time(found.Job.Completed)})",
        JobText.WaysOn(found.Job.Total?.Taken ?? 0));

    /// <summary>A refusal before anything was begun.</summary>
    public PlanException Refuse(string what, IEnumerable<WayOn> ways)
    {
        var refusal = new PlanException(what);
        refusal.End($"nothing was {Done}", null, ways);
        return refusal;
    }

    public WayOn AsAnotherJob(string purpose, string file)
    {
        var name = new string([.. file.TakeLast(32).Select(letter => char.IsAsciiLetterOrDigit(letter) ? letter : '-')]).Trim('-');
        return new WayOn(purpose) { Words = ["--job-id", $"{name}-{job.Runner.Started:yyyyMMdd-HHmmss}".TrimStart('-')] };
    }
}
