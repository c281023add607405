using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Finds the jobs that a start must know, by their inputs' digests. The cost does not grow with the number of jobs: it reads rows
/// by their keys, in ranges of bounded length.</summary>
/// <param name="job">as this start would record it</param>
/// <param name="slot">the name that the job would have first</param>
/// <param name="compares">whether content that complete jobs have loaded makes a difference</param>
internal sealed class JobFinder(
    LoadFacts facts, IReadOnlyList<LoadSource> sources, JobRecord job, string slot, IJobIndex index, bool compares,
    CancellationToken cancellationToken)
{
    /// <summary>Incomplete jobs of one first record or path.</summary>
    private const int MaxOpen = 20;

    /// <summary>Complete jobs of one first record or path that another one replaces.</summary>
    private const int MaxReplaced = 100;

    /// <summary>Jobs that share a beginning, the longest first.</summary>
    private const int MaxLengths = 100;

    /// <summary>Jobs that share their last line, the longest first.</summary>
    private const int MaxEnds = 20;

    private const int MaxLineEndBytes = 2;

    private readonly LoadRequest _request = facts.Request;
    private readonly string _family = job.Family;
    private readonly ContentEnd?[] _ends = new ContentEnd?[sources.Count];

    private bool KnowsEnds => compares && _request is { Kind: JobKind.Import, Limit: null };

    public async Task<FoundJobs> FindAsync()
    {
        var (keys, meeting) = (FindKeys(), job.Sources.SelectMany(MeetingKeysOf).Distinct().ToArray());
        var (open, complete, others) = (new HashSet<string>(), new HashSet<string>(), new HashSet<string>());
        var unfinished = JobIndex.UnfinishedOf(_family);
        var (there, rows) = await index.FindAsync(keys, [new IndexRange(unfinished, 1, JobIndex.Last, JobText.MaxOthers + MaxOpen),
            .. meeting.SelectMany(RangesOf)]);
        foreach (var row in rows)
        {
            (row.Key == unfinished ? others : row.Rank >= JobIndex.Open ? open : complete).Add(row.Job);
        }

        others.ExceptWith(open);
        HashSet<string> ofPath = _request.Reload && compares ? await FindByPathAsync(there) : [];
        var jobs = (await index.ReadJobsAsync([.. open, .. complete, .. others, .. ofPath]))
            .ToDictionary(one => one.Id, StringComparer.Ordinal);
        return new FoundJobs
        {
            Open = Read(open, one => one.Job.Completed is null),
            Complete = Read(complete, one => one.Job.Completed is not null),
            OfPath = Read(ofPath, one => one.Job.Completed is not null),
            Others = Read(others, one => one.Job.Completed is null),
            Matches = compares ? await MatchAsync(there) : [],
        };

        FoundJob[] Read(IEnumerable<string> ids, Func<FoundJob, bool> fits) =>
            [.. ids.Where(jobs.ContainsKey).Select(id => jobs[id]).Where(fits).OrderByDescending(one => one.Job.Runner.Started)];
    }

    private IEnumerable<string> MeetingKeysOf(JobSource source)
    {
        if (source.First is not null)
        {
            yield return JobIndex.FirstOf(_family, source);
        }

        if (source.Path is not null)
        {
            yield return JobIndex.PathOf(_family, source);
        }
    }

    /// <summary>Jobs that a key of an input leads to.</summary>
    private IEnumerable<IndexRange> RangesOf(string key)
    {
        yield return new IndexRange(key, JobIndex.Open, JobIndex.Last, MaxOpen);
        if (!compares || _request.Kind == JobKind.Delete)
        {
            yield return new IndexRange(key, 1, JobIndex.Open - 1, MaxReplaced);
        }
    }

    private List<string> FindKeys()
    {
        var keys = job.Sources.SelectMany(MeetingKeysOf).ToList();
        for (var i = 0; compares && i < sources.Count; i++)
        {
            if (job.Sources[i] is { Path: { } path })
            {
                keys.Add(JobIndex.RejectsOf(_family, path));
            }

            if (KnowsEnds && sources[i].Content is { First: not null, IsPlain: true } content && sources[i].Spool is null)
            {
                _ends[i] = ContentEnd.Look(sources[i], content, _request.Source, cancellationToken);
                keys.Add(JobIndex.EndOf(_family, job.Sources[i], _ends[i]!.Last));
            }
        }

        return keys;
    }

    private async Task<HashSet<string>> FindByPathAsync(IReadOnlySet<string> there)
    {
        var keys = job.Sources.Where(source => source.Path is not null).Select(source => JobIndex.PathOf(_family, source));
        var rows = await index.FindRowsAsync([.. keys.Where(there.Contains).Distinct()
            .Select(key => new IndexRange(key, 1, JobIndex.Open - 1, MaxReplaced))]);
        return [.. rows.Select(row => row.Job)];
    }

    private async Task<IReadOnlyList<ContentMatch>> MatchAsync(IReadOnlySet<string> there)
    {
        var matches = new ContentMatch?[sources.Count];
        var first = new List<int>();
        for (var i = 0; i < sources.Count; i++)
        {
            if (sources[i].Content is { First: null })
            {
                matches[i] = new ContentMatch(ContentRelation.Empty);
            }
            else if (sources[i].Content is null
                || (job.Sources[i].Path is { } path && there.Contains(JobIndex.RejectsOf(_family, path))))
            {
                matches[i] = new ContentMatch(ContentRelation.New);
            }
            else if (there.Contains(JobIndex.FirstOf(_family, job.Sources[i])))
            {
                first.Add(i);
            }
        }

        await MatchBeginningsAsync(first, matches);
        await MatchPathsAsync(first.Where(i => matches[i] is null && job.Sources[i].Path is not null
            && there.Contains(JobIndex.PathOf(_family, job.Sources[i]))), matches);
        await MatchEndsAsync(there, matches);
        await MatchFirstAsync(first.Where(i => matches[i] is null), matches);
        return [.. matches.Select(match => match ?? new ContentMatch(ContentRelation.New))];
    }

    /// <summary>Matches inputs whose first record is known.</summary>
    private async Task MatchBeginningsAsync(List<int> places, ContentMatch?[] matches)
    {
        // The lengths of the beginnings that are half of what is known.
        var rows = await index.FindRowsAsync([.. places.Select(i =>
            new IndexRange(JobIndex.FirstOf(_family, job.Sources[i]), 1, JobIndex.Open - 1, (int)JobIndex.MaxByFirst + 2))]);
        var lengths = rows.ToLookup(row => row.Key, row => row.Rank, StringComparer.Ordinal);
        var large = places.Where(i => lengths[JobIndex.FirstOf(_family, job.Sources[i])].Contains(1 + JobIndex.MaxByFirst));
        var byHead = (await index.FindRowsAsync([.. large.Select(i =>
            new IndexRange(JobIndex.HeadOf(_family, job.Sources[i]), 1, JobIndex.Open - 1, MaxLengths))]))
            .ToLookup(row => row.Key, row => row.Rank, StringComparer.Ordinal);

        var halves = new List<(int Place, string Key, long Length)>();
        foreach (var i in places)
        {
            var source = job.Sources[i];
            long[] own = [.. lengths[JobIndex.FirstOf(_family, source)]
                .Where(rank => rank > JobIndex.NoHalf && rank <= JobIndex.MaxByFirst).Select(rank => rank - 1),
                .. byHead[JobIndex.HeadOf(_family, source)]];
            halves.AddRange(Hash(i, own).Select(one => (i, JobIndex.HalfOf(_family, source, one.Key, one.Value.Hash), one.Key)));
        }

        // All rows with this beginning that are no longer than it, and one that is longer.
        var known = (await index.FindRowsAsync([.. halves.SelectMany(half => new[]
        {
            new IndexRange(half.Key, 1, JobIndex.OfLength(LengthOf(half.Place)).To, MaxLengths),
            new IndexRange(half.Key, JobIndex.OfLength(LengthOf(half.Place)).To + 1, JobIndex.Open, 1),
        })])).ToLookup(row => row.Key, StringComparer.Ordinal);
        foreach (var all in halves.GroupBy(half => half.Place))
        {
            IndexRow[] candidates = [.. all.SelectMany(half => known[half.Key]).DistinctBy(row => (row.Key, row.Rank))];
            matches[all.Key] = candidates.Length == 0
                ? null
                : await MatchWholeAsync(all.Key, candidates) ?? await MatchHalfAsync(all.Key, [.. all], candidates);
        }
    }

    /// <summary>Upper limit of an input's bytes, as far as its last line end is known.</summary>
    private long LengthOf(int place) => sources[place].Content!.Length is { } length ? length + MaxLineEndBytes : int.MaxValue * 1024L;

    private Dictionary<long, ContentBeginning> Hash(int place, IEnumerable<long> lengths)
    {
        long[] some = [.. lengths.Where(length => length > 0 && length <= LengthOf(place)).Distinct()];
        return some.Length == 0 ? [] : sources[place].Content!.HashBeginnings(sources[place], _request.Source, some, cancellationToken);
    }

    /// <summary>Whether an input is, or begins with, all of what is known.</summary>
    private async Task<ContentMatch?> MatchWholeAsync(int place, IReadOnlyList<IndexRow> candidates)
    {
        var source = job.Sources[place];
        var beginnings = Hash(place, candidates.Select(row => JobIndex.LengthOf(row.Rank)))
            .Where(one => one.Value.IsAll || one.Value.EndsRecord).OrderBy(one => one.Key).ToArray();
        var (from, to) = JobIndex.OfName(source, job.Rules);
        var rows = (await index.FindRowsAsync([.. beginnings.Select(one => JobIndex.WholeOf(_family, source, one.Key, one.Value.Hash))
            .SelectMany(key => new[] { new IndexRange(key, from, to, 1), new IndexRange(key, 1, JobIndex.Open - 1, 1) })]))
            .ToLookup(row => row.Key, StringComparer.Ordinal);
        var jobs = (await index.ReadJobsAsync([.. rows.SelectMany(all => all).Select(row => row.Job).Distinct()]))
            .Where(one => one.Job.Completed is not null).ToDictionary(one => one.Id, StringComparer.Ordinal);
        ContentMatch? best = null;
        var known = new Dictionary<long, ContentMatch>();
        foreach (var (length, beginning) in beginnings)
        {
            foreach (var row in rows[JobIndex.WholeOf(_family, source, length, beginning.Hash)]
                .OrderBy(row => row.Rank >= from && row.Rank <= to ? 0 : 1))
            {
                if (!jobs.TryGetValue(row.Job, out var one) || one.Job.Sources.FirstOrDefault(
                    other => other.Mapping == source.Mapping && other.Length == length && other.Whole == beginning.Hash) is not { } input)
                {
                    continue;
                }

                var match = new ContentMatch(beginning.IsAll || IsLimit(one) ? ContentRelation.Same : ContentRelation.Longer, one, input)
                {
                    HasSameName = ContentName.Of(input) == ContentName.Of(source),
                    Difference = DifferenceOf(one, input, source),
                    Known = (0, length),
                    Before = known.GetValueOrDefault(input.LoadedUpTo),
                };
                known.TryAdd(length, match);
                best = match.Relation == ContentRelation.Same && best?.Relation == ContentRelation.Same ? best : known[length];
                break;
            }
        }

        return best;
    }

    /// <summary>Whether a job has loaded as many records as this start may read.</summary>
    private bool IsLimit(FoundJob one) =>
        _request is { Limit: { } limit, Append: false } && one.Job is { SourceCount: 1, Total: { } total }
            && total.Taken + total.Rejected == limit;

    private async Task<ContentMatch?> MatchHalfAsync(
        int place, IReadOnlyList<(int Place, string Key, long Length)> halves, IReadOnlyList<IndexRow> candidates)
    {
        var source = job.Sources[place];
        foreach (var row in candidates)
        {
            if (await FindAsync(row.Job) is { } one
                && one.Job.Sources.FirstOrDefault(known => known.Mapping == source.Mapping && known.First == source.First
                    && JobIndex.HalfOf(_family, known, known.HalfLength, known.Half) == row.Key) is { } input)
            {
                return new ContentMatch(ContentRelation.Half, one, input)
                {
                    Difference = DifferenceOf(one, input, source),
                    Known = (0, halves.First(half => half.Key == row.Key).Length),
                };
            }
        }

        return null;
    }

    private async Task MatchPathsAsync(IEnumerable<int> places, ContentMatch?[] matches)
    {
        int[] all = [.. places];
        var rows = (await index.FindRowsAsync([.. all.Select(i => (Key: JobIndex.PathOf(_family, job.Sources[i]),
            Ranks: JobIndex.OfFirst(job.Sources[i].First))).Select(one => new IndexRange(one.Key, one.Ranks.From, one.Ranks.To, 1))]))
            .ToLookup(row => row.Key, StringComparer.Ordinal);
        foreach (var i in all)
        {
            var source = job.Sources[i];
            if (rows[JobIndex.PathOf(_family, source)].FirstOrDefault() is { Job: { } id } && await FindAsync(id) is { } one
                && one.Job.Sources.FirstOrDefault(known => known.Path == source.Path && known.First == source.First) is { } input)
            {
                matches[i] = new ContentMatch(ContentRelation.Path, one, input);
            }
        }
    }

    private async Task MatchEndsAsync(IReadOnlySet<string> there, ContentMatch?[] matches)
    {
        var packed = Enumerable.Range(0, sources.Count)
            .Where(i => KnowsEnds && matches[i] is null && _ends[i] is null && sources[i].Content is not null).ToArray();
        if (packed.Length > 0 && await index.HasOthersAsync(_family, slot))
        {
            foreach (var i in packed)
            {
                _ends[i] = ContentEnd.Look(sources[i], sources[i].Content!, _request.Source, cancellationToken);
            }

            there = new HashSet<string>([.. there, .. await index.FindKeysAsync(
                [.. packed.Select(i => JobIndex.EndOf(_family, job.Sources[i], _ends[i]!.Last))])]);
        }

        for (var i = 0; i < sources.Count; i++)
        {
            if (matches[i] is null && _ends[i] is { } end
                && JobIndex.EndOf(_family, job.Sources[i], end.Last) is var key && there.Contains(key))
            {
                matches[i] = await MatchEndAsync(i, end, key);
            }
        }
    }

    private async Task<ContentMatch?> MatchEndAsync(int place, ContentEnd end, string key)
    {
        var source = job.Sources[place];
        foreach (var row in await index.FindRowsAsync([new IndexRange(key, 1, JobIndex.OfLength(end.Length).To, MaxEnds)]))
        {
            if (await FindAsync(row.Job) is { } one
                && one.Job.Sources.FirstOrDefault(known => known.Mapping == source.Mapping && known.Last == end.Last
                    && known is { Whole: not null, Length: > 0 }) is { } input
                && end.Find(input.Length!.Value, input.Whole!, sources[place], sources[place].Content!, _request.Source, cancellationToken)
                    is { } from)
            {
                return new ContentMatch(ContentRelation.Ends, one, input)
                {
                    Difference = DifferenceOf(one, input, source),
                    Known = (from, long.MaxValue),
                };
            }
        }

        return null;
    }

    private async Task MatchFirstAsync(IEnumerable<int> places, ContentMatch?[] matches)
    {
        int[] all = [.. places];
        var rows = (await index.FindRowsAsync([.. all.Select(i =>
            new IndexRange(JobIndex.FirstOf(_family, job.Sources[i]), 1, JobIndex.Open - 1, MaxEnds))]))
            .ToLookup(row => row.Key, StringComparer.Ordinal);
        foreach (var i in all)
        {
            var ids = rows[JobIndex.FirstOf(_family, job.Sources[i])].Select(row => row.Job).ToArray();
            var known = (await index.ReadJobsAsync(ids)).Where(one => one.Job.Completed is not null)
                .Select(one => (Job: one, Input: one.Job.Sources.FirstOrDefault(input => input.First == job.Sources[i].First)))
                .OrderByDescending(one => one.Job.Job.Completed).FirstOrDefault(one => one.Input is not null);
            matches[i] = known.Input is null ? null : new ContentMatch(ContentRelation.First, known.Job, known.Input);
        }
    }

    private async Task<FoundJob?> FindAsync(string id) =>
        await index.ReadJobsAsync([id]) is [{ Job.Completed: not null } one] ? one : null;

    private string? DifferenceOf(FoundJob one, JobSource known, JobSource source) =>
        JobRules.FindDifference(one.Job.Rules, job.Rules) ?? JobRules.FindDifference(known.Rules, source.Rules);
}
