using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Ledger;

/// <summary>Decides about a start whose inputs, or parts of them, complete jobs have loaded: nothing to do, a new job, or a
/// refusal.</summary>
/// <param name="job">as it would be recorded</param>
internal sealed class KnownContent(
    LoadFacts facts, IReadOnlyList<LoadSource> sources, JobRecord job, LedgerView view, CommittedTable table,
    CancellationToken cancellationToken)
{
    private readonly LoadRequest _request = facts.Request;
    private readonly KnownContentText _words = new(facts.Request, sources, job);
    private readonly KnownKeys _keys = new(facts, sources, view, cancellationToken);
    private readonly List<string> _headlines = [];
    private readonly List<string> _notes = [];

    private bool IsImport => _request.Kind == JobKind.Import;

    /// <param name="matches">by input</param>
    /// <exception cref="PlanException">the start is refused, with what the user can do</exception>
    public async Task<JobDecision> DecideAsync(IReadOnlyList<ContentMatch> matches, Func<JobDecision> create)
    {
        // A job that took no record counts as if it had never been.
        ContentMatch[] all = [.. sources.Select((_, i) =>
            matches.ElementAtOrDefault(i) is { } match && match.Job?.Job.Total is not { Taken: 0 }
                ? match
                : new ContentMatch(ContentRelation.New))];
        if (_request.ReplacesKnownContent)
        {
            RequireKnown(all);
        }

        for (var i = 0; i < all.Length; i++)
        {
            all[i] = await JudgeAsync(i, all[i]);
        }

        FoundJob[] known = [.. all.Where(IsKnown).Select(match => match.Job!).DistinctBy(one => one.Id)];
        if (known.Length > 0 && all.All(one => one.Relation is ContentRelation.Same or ContentRelation.Empty))
        {
            await RequireRowsAsync(all, known);
            return new JobDecision
            {
                Id = known[0].Id,
                Job = job,
                IsNothingToDo = true,
                Headline = _words.NothingToDo(known),
                Notes = [.. _notes, .. _request.IsSeed ? [] : _words.NotesOnNothingToDo],
            };
        }

        if (!_request.Append && known.Length > 0)
        {
            throw await RefuseAsync(all, known);
        }

        long[] behind = [.. all.Select(match => match.Relation is ContentRelation.Same or ContentRelation.Longer ? match.Known.To : 0)];
        long?[] until = [.. all.Select(match => match.Relation == ContentRelation.Ends ? match.Known.From : (long?)null)];
        var decision = create();
        return decision with
        {
            Job = decision.Job with
            {
                Sources = [.. job.Sources.Select((source, i) => (source.LoadedUpTo, source.LoadedFrom) == (behind[i], until[i])
                    ? source : source with { LoadedUpTo = behind[i], LoadedFrom = until[i] })],
            },
            LoadedUpTo = behind,
            LoadedFrom = until,
            Headline = decision.Headline ?? (_headlines.Count > 0 ? string.Join("; ", _headlines) : null),
            Notes =
            [
                .. _notes,
                .. all.Select((match, i) => DescribeAppended(match, sources[i].Look.Name)).OfType<string>(),
                .. decision.Notes,
            ],
        };
    }

    /// <exception cref="PlanException">what a job has loaded is not exactly this start's input, or other options read it</exception>
    private void RequireKnown(ContentMatch[] all)
    {
        // A seed's empty file is known by its table.
        if (Array.FindIndex(all, one => one.Relation == ContentRelation.Same
            ? one.Difference is not null : !_request.IsSeed || one.Relation != ContentRelation.Empty) is >= 0 and var changed)
        {
            throw new PlanException(
                $"{sources[changed].Look.Name} differs from what an earlier "
                    + $"{(_request.IsSeed ? $"seed has loaded into {job.Table}" : "start has loaded")}, or its options do");
        }

        var known = all.Select(one => one.Job?.Job).OfType<JobRecord>().FirstOrDefault();
        if (!_request.IsSeed && known is not null && (known.SourceCount != all.Length
            || all.DistinctBy(one => one.Source).Count() < all.Length || known.Total?.Taken + known.Total?.Rejected > _request.Limit))
        {
            throw new PlanException("an earlier start has loaded other inputs, or other records of them");
        }
    }

    private static bool IsKnown(ContentMatch match) =>
        match.Relation is ContentRelation.Same or ContentRelation.Longer or ContentRelation.Ends;

    /// <summary>Decides about one input: refused, known, or new.</summary>
    /// <returns>what it counts as from here on</returns>
    private async Task<ContentMatch> JudgeAsync(int place, ContentMatch match)
    {
        var name = sources[place].Look.Name;
        if (IsKnown(match) && match.Difference is { } difference)
        {
            throw _words.OtherRules(match.Job!, difference, name);
        }

        switch (match.Relation)
        {
            case ContentRelation.Same when !match.HasSameName && !_request.IsSeed:
                return _request.Append ? match : throw _words.Refuse($"{name} has the content of {_words.Loaded(match)}",
                    [_words.AsAnotherJob("to load it all the same", name), new WayOn("to leave it out") { Words = ["--append"] }]);
            case ContentRelation.Half:
            case ContentRelation.Ends when !_request.Append:
                return await JudgeHalfAsync(place, match);
            case ContentRelation.Path:
                return await JudgePathAsync(match, name);
            case ContentRelation.First:
                _notes.Add($"{name} begins with the first record of {_words.Loaded(match)}, and is another file: all of it was loaded. "
                    + "If that file's records are in it, too, use --append, which leaves them out");
                return new ContentMatch(ContentRelation.New);
            default:
                return match;
        }
    }

    /// <summary>The input contains a good part of what is known. Where the keys of that part are not in the table any more, nothing is
    /// loaded twice.</summary>
    private async Task<ContentMatch> JudgeHalfAsync(int place, ContentMatch match)
    {
        var name = sources[place].Look.Name;
        if (IsImport && !_request.IsSeed && _keys.FillsKey && await _keys.FindAsync(place, match) is { Gone: > 0 } look)
        {
            _headlines.Add($"{name} has records of {_words.Loaded(match)}: {look.Gone:N0} of the {look.Looked:N0} of them that were looked "
                + "for are not in the table any more, so all of it is loaded");
            return new ContentMatch(ContentRelation.New);
        }

        var has = match.Relation == ContentRelation.Ends ? "ends with all of" : "begins like";
        var but = match.Relation == ContentRelation.Ends ? "" : ", but is not the same file";
        throw _words.Refuse($"{name} {has} {_words.Loaded(match)}{but}", await WaysOnAsync(match, name));
    }

    private async Task<ContentMatch> JudgePathAsync(ContentMatch match, string name)
    {
        if (!IsImport || _request.IsSeed || (!_keys.FillsKey && !await table.IsEmptyAsync(view, cancellationToken)))
        {
            throw _words.Refuse($"{name} begins with the same record as when it was {_words.Done} on "
                + $"{JobText.Time(match.Job!.Job.Completed)}, and is another file now", await WaysOnAsync(match, name));
        }

        _notes.Add($"{name} has changed since it was {_words.Done} on {JobText.Time(match.Job!.Job.Completed)}: all of it was loaded as a "
            + "new file");
        return new ContentMatch(ContentRelation.New);
    }

    private async Task<List<WayOn>> WaysOnAsync(ContentMatch match, string name)
    {
        List<WayOn> ways = [];
        if (match.Relation == ContentRelation.Ends)
        {
            ways.Add(new WayOn("to load only what is before that") { Words = ["--append"] });
        }

        if (IsImport && facts.Table.UniqueKeys.Count > 0 && _request.OnDuplicate == DuplicateMode.Error)
        {
            ways.Add(new WayOn("to add what is new and change the rest by its key") { Words = ["--on-duplicate", "update"] });
            ways.Add(new WayOn("to add only what is new by its key") { Words = ["--on-duplicate", "ignore"] });
        }

        ways.Add(_words.AsAnotherJob("if all of it is new", name));
        ways.Add(IsImport && await table.IsEmptyAsync(view, cancellationToken)
            ? new WayOn("to load all of it, since the table is empty") { Words = ["--reload"] }
            : new WayOn($"if it replaces {match.Source!.Name}: delete the old rows first, and then") { Words = ["--reload"] });
        return ways;
    }

    /// <summary>Checks before a start does nothing that the loaded rows are still there, by some keys or by the number of rows.</summary>
    private async Task RequireRowsAsync(IReadOnlyList<ContentMatch> all, IReadOnlyList<FoundJob> known)
    {
        if (_request.Append)
        {
            return;
        }

        var present = known.Sum(one => one.Job.Total?.Present ?? 0);
        if (!IsImport)
        {
            await table.RequireRowsAsync(view, _words.Loaded(known), present, cancellationToken);
            return;
        }

        if (present > 0 && await table.IsEmptyAsync(view, cancellationToken))
        {
            Tell("the table is empty now", new WayOn("to load it again") { Words = ["--reload"] });
            return;
        }

        var (looked, gone) = (0L, 0L);
        for (var i = 0; i < all.Count && _keys.FillsKey; i++)
        {
            if (all[i].Relation == ContentRelation.Same && await _keys.FindAsync(i, all[i]) is { } look)
            {
                (looked, gone) = (looked + look.Looked, gone + look.Gone);
            }
        }

        WayOn[] ways = [new WayOn("to load all of it again, in addition to what is there") { Words = ["--reload"] },
            new WayOn("to leave it as it is") { Words = ["--append"] }];
        if (gone > 0)
        {
            Tell($"{gone:N0} of the {looked:N0} rows that were looked for by key {Plural.For(gone, "is", "are")} gone", ways);
        }
        else if (looked == 0 && await table.FindMissingAsync(view, present, cancellationToken) is { } count)
        {
            Tell($"the table has only {Plural.Count(count, "row")} now", ways);
        }

        void Tell(string what, params WayOn[] waysOn)
        {
            if (!_request.IsSeed)
            {
                throw _words.Refuse($"{_words.Loaded(known)}, but {what}", waysOn);
            }

            _notes.Add($"{_words.Loaded(known)}, but {what}: --mode sync makes the table what the files say");
        }
    }

    private async Task<PlanException> RefuseAsync(IReadOnlyList<ContentMatch> all, IReadOnlyList<FoundJob> known)
    {
        var again = await table.IsEmptyAsync(view, cancellationToken)
            ? new WayOn("to load all of it, since the table is empty") { Words = ["--reload"] }
            : JobText.WaysOn(known.Sum(one => one.Job.Total?.Taken ?? 0))[0];
        if (all.ToList().FindIndex(match => match.Relation == ContentRelation.Longer) is >= 0 and var place)
        {
            return _words.Refuse($"{sources[place].Look.Name} begins with all of {_words.Loaded(all[place])}, and has more after it",
                [new WayOn("to load only the rest") { Words = ["--append"] }, again]);
        }

        var count = all.Count(match => match.Relation == ContentRelation.Same);
        var others = all.Count(match => match.Relation == ContentRelation.New);
        return _words.Refuse($"{_words.Inputs(all, ContentRelation.Same)} {_words.Were(count)} before (on "
            + $"{JobText.Time(known.Max(one => one.Job.Completed))}), {_words.Inputs(all, ContentRelation.New)} "
            + $"{Plural.For(others, "was", "were")} not", [new WayOn("to load only the others") { Words = ["--append"] }, again]);
    }

    private string? DescribeAppended(ContentMatch match, string name) => match.Relation switch
    {
        ContentRelation.Same when !match.HasSameName =>
            $"--append: {name} has the content of {_words.Loaded(match)}: it was left out",
        ContentRelation.Same => $"--append: {name} was {_words.Done} before, by job {match.Job!.Id}: it was left out",
        ContentRelation.Longer =>
            $"--append: {DescribeBeginning(match, name)} {_words.Done} before, by job {match.Job!.Id}: what follows was {_words.Done}",
        ContentRelation.Ends =>
            $"--append: {name} ends with all of {_words.Loaded(match)}: what is before that was {_words.Done}",
        _ => null,
    };

    /// <summary>What a job has loaded of an input that has grown since: in records, where the job had no other input.</summary>
    private static string DescribeBeginning(ContentMatch match, string name)
    {
        var records = match.Job?.Job is { SourceCount: 1, Sources: [{ LoadedUpTo: 0, LoadedFrom: null }], Total: { } total }
            ? total.Taken + total.Rejected
            : 0;
        return records > 0 ? $"{Plural.First(records, "record")} of {name} {Plural.For(records, "was", "were")}"
            : $"the first {Plural.Count(match.Source!.Length!.Value, "byte")} of {name} after its header were";
    }
}
