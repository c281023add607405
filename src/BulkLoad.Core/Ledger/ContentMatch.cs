using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Ledger;

/// <summary>How an input's content relates to what complete jobs have loaded.</summary>
internal enum ContentRelation
{
    /// <summary>It has no record.</summary>
    Empty,

    /// <summary>No job has its first record.</summary>
    New,

    /// <summary>It is what a job has loaded.</summary>
    Same,

    /// <summary>It begins with all that a job has loaded.</summary>
    Longer,

    /// <summary>It has the first record of what a job has loaded, and differs after it.</summary>
    Different,
}

/// <summary>An input beside what a job has loaded.</summary>
internal readonly record struct ContentMatch(ContentRelation Relation, FoundJob? Job = null, JobSource? Source = null)
{
    /// <summary>Compares an input with those of complete jobs. Only where first record, length and first bytes fit is it read, once, as far
    /// as it takes.</summary>
    /// <param name="source">with its content; null there: nobody knows it</param>
    /// <param name="mapping">as <see cref="JobIdentity.MappingOf"/> has it</param>
    /// <param name="isSame">whether a job and its input have the rules of this start: such a one is preferred</param>
    public static ContentMatch Find(
        LoadSource source, string mapping, LoadRequest request, IEnumerable<FoundJob> jobs, Func<FoundJob, JobSource, bool> isSame,
        CancellationToken cancellationToken)
    {
        if (source.Content is not { } content)
        {
            return new ContentMatch(ContentRelation.New);
        }

        if (content.First is null)
        {
            return new ContentMatch(ContentRelation.Empty);
        }

        var known = jobs.SelectMany(job => job.Job.Sources.Select(input => (Job: job, Source: input)))
            .Where(pair => pair.Source is { Whole: not null, Length: > 0 } && pair.Source.Mapping == mapping
                && pair.Source.First == content.First)
            .ToArray();
        if (known.Length == 0)
        {
            return new ContentMatch(ContentRelation.New);
        }

        var fitting = known.Where(pair => Fits(content, pair.Source)).ToArray();
        var beginnings = fitting.Length == 0
            ? []
            : content.HashBeginnings(source, request.Source, fitting.Select(pair => pair.Source.Length!.Value), cancellationToken);
        ContentMatch? same = null;
        ContentMatch? longer = null;
        foreach (var (job, input) in fitting)
        {
            if (!beginnings.TryGetValue(input.Length!.Value, out var beginning) || beginning.Hash != input.Whole)
            {
                continue;
            }

            if (beginning.IsAll || (beginning.EndsRecord && IsLimit(request, job)))
            {
                same = same is null || isSame(job, input) ? new ContentMatch(ContentRelation.Same, job, input) : same;
            }
            else if (beginning.EndsRecord && (longer is null || input.Length > longer.Value.Source!.Length))
            {
                longer = new ContentMatch(ContentRelation.Longer, job, input);
            }
        }

        return same ?? longer ?? new ContentMatch(ContentRelation.Different, known[0].Job, known[0].Source);
    }

    /// <summary>Whether a job has taken as many records as this start may read.</summary>
    private static bool IsLimit(LoadRequest request, FoundJob job) =>
        request is { Limit: { } limit, Append: false } && job.Job is { Sources.Count: 1, Total: { } total }
            && total.Taken + total.Rejected == limit;

    private const int MostLineEndBytes = 2;

    private static bool Fits(SourceContent content, JobSource known) =>
        (content.Length is null || content.Length + MostLineEndBytes >= known.Length)
        && (known.Length < SourceContent.HeadBytes || content.Head == known.Head);
}
