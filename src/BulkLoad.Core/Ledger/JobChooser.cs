using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Decides what a start is, by the jobs of its family that the ledger knows: one that is resumed, one that has nothing to do, a
/// new one, or none. Content alone lets a start skip records; paths and names can only refuse it.</summary>
/// <param name="identity">before its name is decided</param>
/// <param name="job">as it would be written down</param>
internal sealed class JobChooser(
    LoadFacts facts, IReadOnlyList<LoadSource> sources, JobIdentity identity, JobRecord job, CancellationToken cancellationToken)
{
    private readonly LoadRequest _request = facts.Request;
    private readonly bool _isIdempotent = RepeatRules.IsIdempotent(facts);
    private readonly CommittedTable _table = new(facts, job);

    /// <summary>The decision.</summary>
    /// <exception cref="PlanException">the start is refused, with the ways on</exception>
    public async Task<JobDecision> DecideAsync(LedgerView view, IReadOnlyList<FoundJob> found)
    {
        foreach (var one in found.Where(one => identity.IsNamed))
        {
            RequireSameJob(one);
        }

        var (begun, stale, complete) = await SortAsync(view, found);
        if (facts.NewTable is not null)
        {
            return await BeginTableAsync(view, found, stale);
        }

        List<string> notes = [.. NamesOfOthers(found, [.. begun.Select(one => one.Found), .. stale, .. complete])];
        if (_request.Reload)
        {
            FoundJob[] forgotten = [.. begun.Select(one => one.Found), .. stale, .. _isIdempotent && !identity.IsNamed
                ? []
                : complete.Where(IsKnown)];
            if (forgotten.Length > 0)
            {
                notes.Add($"--reload: {Plural.For(forgotten.Length, "job", "jobs")} {JobWords.Names(forgotten)} "
                    + $"{Plural.For(forgotten.Length, "is", "are")} forgotten, and all of it is done again");
            }

            return Add(notes, New([.. forgotten], found));
        }

        if (_request.Truncate && !begun.Any(one => one.Found.Job.Truncates))
        {
            FoundJob[] outdated = [.. complete, .. begun.Select(one => one.Found)];
            return Add(notes, New(stale, found)) with { Outdated = [.. outdated.Select(one => one.Id)] };
        }

        if (begun.Count > 0)
        {
            var (one, chunks) = begun.Find(one => !_request.Truncate || one.Found.Job.Truncates);
            return Add(notes, await ResumeAsync(view, one, chunks));
        }

        if (_isIdempotent)
        {
            return Add(notes, Repeat(stale, complete, found));
        }

        if (complete.FirstOrDefault(one => (identity.IsNamed || one.Id == identity.FormerId)
            && (one.Job.Sources.Any(source => source.Whole is null) || sources.Any(source => source.Content is null))) is { } unknown)
        {
            return await CompareAsync(view, unknown);
        }

        return Add(notes, await AddAsync(view, stale, complete, found));
    }

    /// <summary>The table is new: what former jobs have committed went with an earlier table of that name.</summary>
    /// <exception cref="PlanException">somebody runs one of them</exception>
    private async Task<JobDecision> BeginTableAsync(LedgerView view, IReadOnlyList<FoundJob> found, IReadOnlyList<FoundJob> stale)
    {
        FoundJob[] gone = [.. found.Where(one => stale.All(other => other.Id != one.Id))];
        foreach (var one in gone.Where(one => one.Job.Completed is null))
        {
            await view.ReadAsync(one);
        }

        List<string> notes = [];
        if (gone.Length > 0)
        {
            notes.Add(
                $"{Plural.For(gone.Length, "job", "jobs")} {JobWords.Names(gone, JobWords.MostOthers)} "
                + $"{Plural.For(gone.Length, "is", "are")} forgotten: "
                + $"{Plural.For(gone.Length, "its", "their")} rows were in an earlier table {job.Table}, which is gone");
        }

        return Add(notes, New([.. stale, .. gone], found) with { FormerFiles = New(stale, found).FormerFiles });
    }

    /// <summary>A job of these inputs that has committed something and is not done; null: there is none.</summary>
    public async Task<(JobRecord Job, IReadOnlyList<LedgerChunk> Chunks)?> FindBegunAsync(LedgerView view, IReadOnlyList<FoundJob> found) =>
        (await SortAsync(view, found)).Begun is [var first, ..] ? (first.Found.Job, first.Chunks) : null;

    /// <summary>A job of these inputs that is done; null: there is none.</summary>
    public FoundJob? FindComplete(IReadOnlyList<FoundJob> found) =>
        found.FirstOrDefault(one => one.Job.Completed is not null && IsMet(one));

    /// <summary>The ways on from a job that has rows in the table.</summary>
    public static string WaysOn(string job, long rows) =>
        $"--reload forgets job {job} and does all of it again, in addition to the {Plural.Count(rows, "record")} that it has "
            + "committed; --job-id NAME also does, as another job, and forgets nothing";

    private async Task<(List<(FoundJob Found, IReadOnlyList<LedgerChunk> Chunks)> Begun, List<FoundJob> Stale, List<FoundJob> Complete)>
        SortAsync(LedgerView view, IReadOnlyList<FoundJob> found)
    {
        List<(FoundJob Found, IReadOnlyList<LedgerChunk> Chunks)> begun = [];
        List<FoundJob> stale = [], complete = [];
        foreach (var one in found)
        {
            if (one.Job.Completed is not null)
            {
                (one.Job.Total is { Taken: 0 } && IsMet(one) ? stale : complete).Add(one);
            }
            else if (IsMet(one) && await view.ReadAsync(one) is { } now)
            {
                var held = one with { Job = now };
                if (now.Completed is not null)
                {
                    complete.Add(held);
                    continue;
                }

                var chunks = await view.ReadChunksAsync(held);
                if (!_request.Reload)
                {
                    LedgerPieces.RequireComplete(chunks, held.Id);
                }

                if (chunks.Sum(chunk => chunk.Taken.Count) == 0)
                {
                    stale.Add(held);
                }
                else
                {
                    begun.Add((held, chunks));
                }
            }
        }

        // That of the same first record goes before one of the same path.
        return ([.. begun.OrderBy(one => HasFirst(one.Found.Job.Sources[0], 0) ? 0 : 1)], stale, complete);
    }

    /// <summary>Whether a job has one of these inputs, by its first record or by its path.</summary>
    private bool IsMet(FoundJob one) => identity.IsNamed || one.Id == identity.FormerId
        || Enumerable.Range(0, sources.Count)
            .Any(i => one.Job.Sources.Any(known => HasFirst(known, i)
            || (known.Path is { } path && known.Mapping == job.Sources[i].Mapping && path == job.Sources[i].Path)));

    /// <summary>Whether a complete job is one because of which a start would be refused, or have nothing to do.</summary>
    private bool IsKnown(FoundJob one) =>
        identity.IsNamed || one.Id == identity.FormerId
            || Enumerable.Range(0, sources.Count).Any(i => one.Job.Sources.Any(known => HasFirst(known, i)));

    private bool HasFirst(JobSource known, int source) =>
        known.First is { } first && first == job.Sources[source].First && known.Mapping == job.Sources[source].Mapping;

    private void RequireSameJob(FoundJob one)
    {
        var isSame = one.Job.Family is { } family
            ? family == identity.Family
                && one.Job.Sources.All(known => known.Mapping is null || job.Sources.Any(source => source.Mapping == known.Mapping))
            : one.Job.Fingerprint == identity.Fingerprint;
        if (!isSame)
        {
            throw new PlanException($"--job-id {identity.Id} is another job: {one.Job.Command} of "
                + $"{string.Join(", ", one.Job.Sources.Select(source => source.Name))} to {one.Job.Table}, or with other columns or "
                + "options: name another one");
        }
    }

    private IEnumerable<string> NamesOfOthers(IReadOnlyList<FoundJob> found, IReadOnlyList<FoundJob> seen)
    {
        FoundJob[] others = [.. found.Where(one => one.Job.Completed is null && seen.All(other => other.Id != one.Id))];
        if (others.Length > 0)
        {
            yield return $"{Plural.For(others.Length, "another job", "other jobs")} of {job.Table} "
                + $"{Plural.For(others.Length, "is", "are")} running or not complete: "
                + JobWords.Names(others, JobWords.MostOthers) + (others.Length > JobWords.MostOthers ? " (bulkload jobs lists all)" : "");
        }
    }

    /// <summary>A new job. Rows without a committed record go, and those that the user wants to be forgotten.</summary>
    private JobDecision New(IReadOnlyList<FoundJob> forgotten, IReadOnlyList<FoundJob> found)
    {
        var kept = found.Where(one => forgotten.All(other => other.Id != one.Id)).Select(one => one.Id).ToHashSet(StringComparer.Ordinal);
        var dropped = forgotten.Select(one => one.Job.Dropped).FirstOrDefault(dropped => dropped is not null);
        var id = identity.Slot.Length == 0 || identity.IsNamed
            ? identity.Id
            : Enumerable.Range(0, int.MaxValue).Select(identity.Nth).First(name => !kept.Contains(name));
        var former = forgotten.FirstOrDefault(one => one.Job.RejectFile is not null || one.Job.RepairsFile is not null)?.Job;
        return new JobDecision
        {
            Id = id,
            Job = job with { Dropped = dropped, Truncates = _request.Truncate },
            Forgotten = [.. forgotten.Select(one => one.Id)],
            Renamed = identity.IsNamed && kept.Count > 0 ? identity.Nth(1 + (int)(found[0].Job.Runner.Started.Ticks % int.MaxValue)) : null,
            FormerFiles = _request.Reload ? null : former,
            Empties = _request.Truncate ? [LedgerSql.Empty(facts.Table.Database, facts.Table.Name, JobTag.Of(id))] : [],
            IsIdempotent = _isIdempotent,
            Notes = _request.Truncate
                ? [$"--truncate: all rows of {job.Table} are deleted in the transaction of the first chunk"
                    + (facts.Table.DeleteTriggers.Count == 0 ? "" : $", which fires {string.Join(", ", facts.Table.DeleteTriggers)}")]
                : [],
        };
    }

    private static JobDecision Add(List<string> notes, JobDecision decision) => decision with { Notes = [.. notes, .. decision.Notes] };

    private async Task<JobDecision> ResumeAsync(LedgerView view, FoundJob found, IReadOnlyList<LedgerChunk> chunks)
    {
        var former = found.Job;
        LedgerPieces.RequireWhole(
            chunks, found.Id, [.. former.Sources.Select(source => source.Name)], view.Session.Server.Endpoint,
            source => former.SortedBy.Length == 0 && former.Sources.ElementAtOrDefault(source) is { Behind: > 0 } ? null : 0);
        var rows = chunks.Sum(chunk => chunk.Taken.Count);
        if (FindDifference(found) is { } difference)
        {
            throw new PlanException(
                $"job {found.Id} was started {difference}, and has committed {Plural.Count(rows, "record")}: "
                + $"resume it with the options that it has; or {WaysOn(found.Id, rows)}");
        }

        if (chunks.Max(chunk => chunk.LastSource) >= sources.Count)
        {
            throw new PlanException($"job {found.Id} was started with {former.Sources.Count} inputs, and has committed records of more "
                + $"than {sources.Count}: name all of them, in that order; or {WaysOn(found.Id, rows)}");
        }

        List<string> notes = [], onSame = [];
        try
        {
            RequireSameOrder(found, rows);
            await _table.RequireSameAsync(view, found, chunks, notes, cancellationToken);
        }
        catch (PlanException fault) when (former.Dropped is { } dropped)
        {
            throw new PlanException($"{fault.Message}; {dropped.Describe()} may be missing, since an earlier run has dropped "
                + $"{dropped.Them}: 'bulkload jobs restore {found.Id}' adds {dropped.Them} again", fault.InnerException);
        }

        Describe(found, chunks[^1], notes, onSame);
        long[] behind = [.. sources.Select((_, i) => former.Sources.ElementAtOrDefault(i)?.Behind ?? 0)];
        return new JobDecision
        {
            Id = found.Id,
            Job = WithBehind(behind) with
            {
                Dropped = former.Dropped,
                RepeatOf = former.RepeatOf,
                Replaces = former.Replaces,
                Truncates = former.Truncates,
            },
            IsThere = true,
            Former = former,
            Chunks = chunks,
            Behind = behind,
            IsIdempotent = _isIdempotent,
            CanBeginAgain = _isIdempotent && _request.Kind == JobKind.Import && sources.All(source => source.CanReadAgain),
            Notes = notes,
            NotesOnSame = onSame,
        };
    }

    /// <summary>A job that was done before and does no harm when it is done once more.</summary>
    private JobDecision Repeat(IReadOnlyList<FoundJob> stale, List<FoundJob> complete, IReadOnlyList<FoundJob> found)
    {
        FoundJob[] before = [.. complete.Where(IsMet)];
        DateTime? repeatOf = null;
        FoundJob[] replaced = before;
        if (_request.Kind == JobKind.Delete)
        {
            var matches = sources.Select((source, i) => Match(source, i, complete)).ToArray();
            var isRepeat = matches.Any(match => match.Relation == ContentRelation.Same)
                && matches.All(match => match.Relation == ContentRelation.Empty
                    || (match.Relation == ContentRelation.Same && FindDifference(match.Job!, match.Source!) is null));
            repeatOf = isRepeat ? matches.Max(match => match.Job?.Job.Completed) : null;

            // What was deleted by other lists must stay known.
            replaced = isRepeat && matches.Select(match => match.Job?.Id).OfType<string>().Distinct().ToArray() is [var id]
                && matches.First(match => match.Job is not null).Job is { } one && one.Job.Sources.Count == matches.Length
                && before.Any(other => other.Id == id) ? [one] : [];
        }

        var forgotten = identity.IsNamed ? [.. stale, .. replaced] : stale;
        var last = before.MaxBy(one => one.Job.Completed);
        var triggers = OrderRules.TriggersOf(_request, facts.Table);
        var decision = New(forgotten, found);
        return decision with
        {
            Job = decision.Job with
            {
                RepeatOf = repeatOf,
                Replaces = [.. replaced.Select(one => one.Id).Except(forgotten.Select(one => one.Id))],
            },
            Headline = last is null || triggers.Count == 0
                ? null
                : $"done again, since job {last.Id} of the same input was complete on {JobWords.Time(last.Job.Completed)}: triggers "
                    + $"{string.Join(", ", triggers)} run again",
        };
    }

    /// <summary>A complete job of which the ledger has only the chunks: they are compared with the inputs. What is behind them is sent with
    /// --append alone.</summary>
    private async Task<JobDecision> CompareAsync(LedgerView view, FoundJob found)
    {
        if (FindDifference(found) is { } difference)
        {
            throw WasComplete(found, difference);
        }

        var chunks = await view.ReadChunksAsync(found);
        if (chunks.Count > 0 && chunks.Max(chunk => chunk.LastSource) >= sources.Count)
        {
            throw new PlanException($"job {found.Id} was complete with more inputs than {sources.Count}: name all of them, in that order; "
                + $"or {WaysOn(found.Id, chunks.Sum(chunk => chunk.Taken.Count))}");
        }

        if (_request.Append && chunks.Count > 0)
        {
            return await ResumeAsync(view, found with { Job = found.Job with { Completed = null } }, chunks);
        }

        await _table.RequireRowsAsync(view, found, chunks.Sum(chunk => chunk.Taken.Present), "was complete with", cancellationToken);
        return new JobDecision
        {
            Id = found.Id,
            Job = job with { Dropped = found.Job.Dropped },
            IsThere = true,
            Former = found.Job,
            Chunks = chunks,
            Headline = NothingToDo([found]),
            Notes = NotesOnNothingToDo,
        };
    }

    /// <summary>Inputs beside what complete jobs have loaded.</summary>
    private async Task<JobDecision> AddAsync(
        LedgerView view, IReadOnlyList<FoundJob> stale, List<FoundJob> complete, IReadOnlyList<FoundJob> found)
    {
        var matches = sources.Select((source, i) => (Match: Match(source, i, complete), source.Look.Name)).ToArray();
        if (_request.ReplacesKnownContent && matches.FirstOrDefault(one => one.Match is { Job: { } first, Relation: ContentRelation.Same }
            ? FindDifference(first, one.Match.Source!) is not null : one.Match.Relation != ContentRelation.Empty).Name is { } changed)
        {
            throw new PlanException($"{changed} differs from what an earlier seed has loaded into {job.Table}, or its options do");
        }

        foreach (var (match, name) in matches.Where(one => one.Match.Relation is ContentRelation.Same or ContentRelation.Longer))
        {
            if (FindDifference(match.Job!, match.Source!) is { } difference)
            {
                throw WasComplete(match.Job!, difference, name);
            }
        }

        if (Array.FindIndex(matches, one => one.Match.Relation == ContentRelation.Different) is >= 0 and var place)
        {
            var (match, name) = matches[place];
            var first = $"{name}: has the first record of {match.Source!.Name}, which job {match.Job!.Id} has {Done} on "
                + $"{JobWords.Time(match.Job.Job.Completed)}";
            var way = WaysOn(match.Job.Id, match.Job.Job.Total?.Taken ?? 0);
            throw new PlanException(sources[place].Content?.Length < match.Source.Length
                ? $"{first}, and is shorter: if a record of it is new, load that from a separate file; or {way}"
                : $"{first}, and differs after it: load what is new from a separate file; or {way}");
        }

        FoundJob[] known = [.. matches.Select(one => one.Match.Job).OfType<FoundJob>().DistinctBy(one => one.Id)];
        foreach (var one in known)
        {
            await _table.RequireRowsAsync(view, one, one.Job.Total?.Present ?? 0, "was complete with", cancellationToken);
        }

        if (known.Length > 0 && matches.All(one => one.Match.Relation is ContentRelation.Same or ContentRelation.Empty))
        {
            return new JobDecision
            {
                Id = known[0].Id,
                Job = job,
                IsNothingToDo = true,
                Headline = NothingToDo(known),
                Notes = NotesOnNothingToDo,
            };
        }

        if (!_request.Append && known.Length > 0)
        {
            throw matches.FirstOrDefault(
                one => one.Match.Relation == ContentRelation.Longer) is { Name: { } longer, Match: { Job: { } first } match }
                ? new PlanException($"{longer}: begins with all of {match.Source!.Name}, which job {first.Id} has {Done} on "
                    + $"{JobWords.Time(first.Job.Completed)}: --append loads the rest; {WaysOn(first.Id, first.Job.Total?.Taken ?? 0)}")
                : new PlanException($"{Inputs(ContentRelation.Same)} "
                    + $"{Were(matches.Count(one => one.Match.Relation == ContentRelation.Same))} before (job "
                    + $"{string.Join(", ", known.Select(one => one.Id))}), {Inputs(ContentRelation.New)} "
                    + $"{Plural.For(matches.Count(one => one.Match.Relation == ContentRelation.New), "was", "were")} not: --append loads "
                    + $"the others; {WaysOn(known[0].Id, known.Sum(one => one.Job.Total?.Taken ?? 0))}");
        }

        long[] behind = [.. matches.Select(
            one => one.Match.Relation is ContentRelation.Same or ContentRelation.Longer ? one.Match.Source!.Length!.Value : 0)];
        var decision = New(stale, found);
        return decision with
        {
            Job = WithBehind(behind) with { Dropped = decision.Job.Dropped },
            Behind = behind,
            Notes = [.. matches.Where(one => one.Match.Job is not null).Select(one => one.Match.Relation == ContentRelation.Same
                ? $"--append: {one.Name} was {Done} before, by job {one.Match.Job!.Id}: it was left out"
                : $"--append: {DescribeBeginning(one.Match, one.Name)} {Done} before, by job {one.Match.Job!.Id}: what follows was "
                    + $"{Done}")],
        };

        string Inputs(ContentRelation relation) =>
            JobWords.First([.. matches.Where(one => one.Match.Relation == relation).Select(one => one.Name)]);
    }

    /// <summary>What a job has done of an input that continues after it: in records, where the job had no other input.</summary>
    private static string DescribeBeginning(ContentMatch match, string name)
    {
        var records = match.Job?.Job is { Sources: [{ Behind: 0 }], Total: { } total } ? total.Taken + total.Rejected : 0;
        return records > 0 ? $"{Plural.First(records, "record")} of {name} {Plural.For(records, "was", "were")}"
            : $"the first {Plural.Count(match.Source!.Length!.Value, "byte")} of {name} after its header were";
    }

    private ContentMatch Match(LoadSource source, int place, IEnumerable<FoundJob> complete) =>
        ContentMatch.Find(
            source, job.Sources[place].Mapping!, _request, complete, (one, known) => FindDifference(one, known) is null, cancellationToken);

    private JobRecord WithBehind(IReadOnlyList<long> behind) =>
        job with { Sources = [.. job.Sources.Select((source, i) => source with { Behind = behind[i] })] };

    private string NothingToDo(IReadOnlyList<FoundJob> jobs)
    {
        var ids = string.Join(", ", jobs.Take(JobWords.MostNamed).Select(one => one.Id));
        var done = $"{Plural.For(jobs.Count, "job")} {ids}{JobWords.Outcome(jobs)}";
        return $"nothing to do: {JobWords.First([.. sources.Select(source => source.Look.Name)])} {Were(sources.Count)} on "
            + $"{JobWords.Time(jobs.Max(one => one.Job.Completed))} ({done})";
    }

    private string Done => _request.Kind == JobKind.Import ? "loaded" : "done";

    private string Were(int inputs) => $"{Plural.For(inputs, "was", "were")} {Done}";

    private IReadOnlyList<string> NotesOnNothingToDo => _request.Verify == VerifyMode.None ? []
        : ["--verify compares what this run has sent, and nothing was: 'bulkload verify' compares the table with the files"];

    private PlanException WasComplete(FoundJob found, string difference, string? name = null) => new(
        $"{name ?? string.Join(", ", found.Job.Sources.Take(JobWords.MostNamed).Select(source => source.Name))} was {Done} {difference} "
            + $"(job {found.Id}, complete on {JobWords.Time(found.Job.Completed)}): nothing was done; "
            + WaysOn(found.Id, found.Job.Total?.Taken ?? 0));

    private string? FindDifference(FoundJob found) => FindDifference(found, null)
        ?? found.Job.Sources.Zip(job.Sources).Where(pair => pair.First.Mapping is not null)
            .Select(pair => JobRules.FindDifference(pair.First.Rules, pair.Second.Rules))
            .FirstOrDefault(difference => difference is not null);

    /// <summary>Which rule is not the same; null: all are, or it is not known of a job of the version before.</summary>
    private string? FindDifference(FoundJob found, JobSource? known) => found.Job.Rules is not { } rules ? null
        : JobRules.FindDifference(rules, job.Rules!)
            ?? (known is null
                ? null
                : job.Sources.Where(source => source.First == known.First && source.Mapping == known.Mapping)
                    .Select(source => JobRules.FindDifference(known.Rules, source.Rules)).FirstOrDefault());

    private void Describe(FoundJob found, LedgerChunk last, List<string> notes, List<string> onSame)
    {
        var place = sources.Count == 1 ? "" : $" of {sources[last.LastSource].Look.Name}";
        notes.Add(job.SortedBy.Length > 0
            ? $"job {found.Id} resumed after {Plural.First(last.LastRecord, "record")} by {job.SortedBy}, which an earlier run had "
                + "committed"
            : $"job {found.Id} resumed after record {last.LastRecord:N0}{place}, which an earlier run had committed");
        foreach (var (before, now) in found.Job.Sources.Zip(job.Sources)
            .Where(pair => pair.First.Path == pair.Second.Path
            && (pair.First.Changed != pair.Second.Changed || pair.First.Bytes != pair.Second.Bytes)))
        {
            onSame.Add($"{now.Name} has changed since the earlier run, but not "
                + $"{(job.SortedBy.Length > 0 ? "in the records that were" : "up to the last record that was")} committed");
        }
    }

    /// <summary>What is committed is known by its place in the order in which the job goes.</summary>
    private void RequireSameOrder(FoundJob found, long rows)
    {
        if (found.Job.SortedBy != job.SortedBy)
        {
            throw new PlanException(found.Job.SortedBy.Length > 0
                ? $"job {found.Id} was started with its records sorted by {found.Job.SortedBy}, and cannot resume in "
                    + $"{(job.SortedBy.Length > 0 ? $"the order of {job.SortedBy}" : "the input's order")}: {WaysOn(found.Id, rows)}"
                : $"job {found.Id} was started in the input's order: add --no-sort to resume; or {WaysOn(found.Id, rows)}");
        }
    }
}
