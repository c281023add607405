using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Decides by the jobs of the ledger whether a start resumes one, has nothing to do, begins a new one, or is refused. Content
/// alone lets a start skip records; paths and names can only refuse it.</summary>
/// <param name="identity">before its name is decided</param>
/// <param name="job">as it would be recorded</param>
internal sealed class JobChooser(
    LoadFacts facts, IReadOnlyList<LoadSource> sources, JobIdentity identity, JobRecord job, CancellationToken cancellationToken)
{
    private readonly LoadRequest _request = facts.Request;
    private readonly bool _isIdempotent = RepeatRules.IsIdempotent(facts);
    private readonly CommittedTable _table = new(facts, job);
    private FoundJob? _holder;

    private string Done => _request.Kind == JobKind.Import ? "loaded" : "done";

    /// <param name="named">the job that has the first name of this one; null: there is none</param>
    /// <exception cref="PlanException">the start is refused, with what the user can do</exception>
    public async Task<JobDecision> DecideAsync(LedgerView view, FoundJob? named)
    {
        var decision = await DecideAnyAsync(view, named);
        if (_request.StartAt > (decision.Chunks.Last?.LastRecord ?? 0))
        {
            throw new PlanException($"records begin behind record {_request.StartAt:N0}, and job {decision.Id} has committed "
                + $"{Plural.Count(decision.Chunks.Last?.LastRecord ?? 0, "record")}: those between would be lost");
        }

        return !_request.Create || facts.NewTable is not null || decision.IsThere || decision.IsNothingToDo
            ? decision
            : throw new PlanException($"--create: table {job.Table} is there already, and this is a new job")
            {
                WaysOn = [new WayOn("to load into that table") { Without = ["--create"] }],
            };
    }

    private async Task<JobDecision> DecideAnyAsync(LedgerView view, FoundJob? named)
    {
        _holder = named;
        if (named is not null && identity.IsNamed)
        {
            RequireSameJob(named);
        }

        if (facts.NewTable is not null && identity.Family.Length > 0)
        {
            return await BeginTableAsync(view);
        }

        if (identity.Whole.Length > 0 && !_isIdempotent)
        {
            await RequireSamePartsAsync(view);
        }

        var found = await FindAsync(view, named);
        RequireNoUndo(found);
        var (begun, stale, others) = await SortAsync(view, found);
        List<string> notes = [.. await DescribeOthersAsync(view, [.. others, .. found.Others])];
        if (_request.Truncate && !begun.Any(one => one.Found.Job.Truncates))
        {
            return Add(notes, await TruncateAsync(view, stale, begun, found));
        }

        if (_request.Reload)
        {
            return Add(notes, Reload(stale, begun, found));
        }

        if (begun.Count > 0)
        {
            var (one, chunks) = begun.Find(one => !_request.Truncate || one.Found.Job.Truncates);
            return Add(notes, await ResumeAsync(view, one, chunks));
        }

        if (_isIdempotent)
        {
            return Add(notes, Repeat(stale, found));
        }

        if (found.Complete.FirstOrDefault(one => identity.IsNamed && one.Job.Total is not { Taken: 0 }
            && (one.Job.Sources.Any(source => source.Whole is null) || sources.Any(source => source.Content is null))) is { } unknown)
        {
            return await CompareAsync(view, unknown);
        }

        var content = new KnownContent(facts, sources, job, view, _table, cancellationToken);
        return Add(notes, await content.DecideAsync(found.Matches, () => New(stale)));
    }

    public JobDecision DecideFirst() => New([]);

    /// <summary>A job of these inputs that has committed records and is incomplete, or a complete one of the user's name; null: there is
    /// none. Reads a chunk or two of each.</summary>
    public async Task<JobRecord?> FindBegunAsync(LedgerView view, FoundJob? named)
    {
        if (named is { Job.Completed: not null } && identity.IsNamed)
        {
            return await view.FindLastChunkAsync(named.Id) is null ? null : named.Job;
        }

        foreach (var one in (await FindAsync(view, named)).Open)
        {
            if (await view.HasRowsAsync(one.Id) && HasHalf(one, await view.FindLastChunkAsync(one.Id)))
            {
                return one.Job;
            }
        }

        return null;
    }

    public async Task<FoundJobs> FindAsync(LedgerView view, FoundJob? named)
    {
        if (identity.Slot.Length == 0)
        {
            return FoundJobs.None;
        }

        var compares = !_isIdempotent || _request.Kind == JobKind.Delete;
        if (!identity.IsNamed)
        {
            return await new JobFinder(facts, sources, job, identity.Slot, view, compares, cancellationToken).FindAsync();
        }

        if (named is null)
        {
            return FoundJobs.None;
        }

        // A job that was killed before its first commit may replace a complete one, which has another name until then.
        var known = named.Job.Completed is null ? await view.ReadJobsAsync([.. named.Job.Replaces]) : [named];
        var index = new MemoryJobIndex([.. known.Prepend(named).DistinctBy(one => one.Id)]);
        var found = await new JobFinder(facts, sources, job, identity.Slot, index, compares, cancellationToken).FindAsync();
        return found with
        {
            Named = named,
            Open = named.Job.Completed is null ? [named] : [],
            Complete = [.. known.Where(one => one.Job.Completed is not null)],
            Others = [],

            // The name replaces the path.
            Matches = [.. found.Matches.Select(match => match with
            {
                HasSameName = true,
                Relation = match.Relation == ContentRelation.First ? ContentRelation.Path : match.Relation,
            })],
        };
    }

    /// <summary>The table is new: what former jobs have committed belonged to an earlier table of that name.</summary>
    /// <exception cref="PlanException">somebody runs one of them</exception>
    private async Task<JobDecision> BeginTableAsync(LedgerView view)
    {
        var all = await view.ListFamilyAsync(identity.Family);
        foreach (var one in all.Where(one => one.Job.Completed is null))
        {
            await view.ReadAsync(one);
        }

        List<string> notes = [];
        if (all.Count > 0)
        {
            notes.Add(
                $"{Plural.For(all.Count, "job", "jobs")} {JobText.Names(all, JobText.MaxOthers)} "
                + $"{Plural.For(all.Count, "is", "are")} forgotten: "
                + $"{Plural.For(all.Count, "its", "their")} rows were in an earlier table {job.Table}, which is gone");
        }

        return Add(notes, New(all) with { FormerFiles = null });
    }

    /// <summary>The table is emptied: so complete jobs count no more.</summary>
    private async Task<JobDecision> TruncateAsync(
        LedgerView view, IReadOnlyList<FoundJob> stale, IEnumerable<(FoundJob Found, ChunkList Chunks)> begun,
        FoundJobs found)
    {
        IEnumerable<FoundJob> complete = identity.IsNamed || identity.Family.Length == 0
            ? found.Complete
            : (await view.ListFamilyAsync(identity.Family)).Where(one => one.Job.Completed is not null);
        FoundJob[] outdated = [.. complete.Concat(begun.Select(one => one.Found)).DistinctBy(one => one.Id)];
        return New(stale) with { Outdated = outdated };
    }

    /// <summary>Loads everything again. Jobs of the same content or path are forgotten when that is complete.</summary>
    private JobDecision Reload(
        IReadOnlyList<FoundJob> stale, IEnumerable<(FoundJob Found, ChunkList Chunks)> begun, FoundJobs found)
    {
        var complete = _isIdempotent ? found.Complete : [
            .. found.Matches.Where(match => match.Relation == ContentRelation.Same).Select(match => match.Job!),
            .. found.OfPath,
            .. identity.IsNamed ? found.Complete : []];
        FoundJob[] forgotten = [.. begun.Select(one => one.Found).Concat(complete).DistinctBy(one => one.Id)];
        var decision = New(stale);
        return decision with
        {
            Job = decision.Job with
            {
                // The job that replaces another one adds the indexes that this has dropped.
                Dropped = decision.Job.Dropped ?? forgotten.Select(one => one.Job.Dropped).FirstOrDefault(dropped => dropped is not null),
                Replaces = NamesOf(forgotten.Where(one => one.Job.Images is null), decision),
            },
            Notes = forgotten.Length == 0 ? decision.Notes :
                [$"--reload: all of it is done again. {Plural.For(forgotten.Length, "Job", "Jobs")} {JobText.Names(forgotten)} "
                    + $"{Plural.For(forgotten.Length, "is", "are")} forgotten when that is complete", .. decision.Notes],
        };
    }

    /// <summary>The names that jobs have when this one is complete.</summary>
    private static IReadOnlyList<string> NamesOf(IEnumerable<FoundJob> jobs, JobDecision decision) =>
        [.. jobs.Select(one => one.Id == decision.Renamed?.Former.Id ? decision.Renamed.Value.Name : one.Id)];

    private async Task<(List<(FoundJob Found, ChunkList Chunks)> Begun, List<FoundJob> Stale, List<FoundJob> Others)>
        SortAsync(LedgerView view, FoundJobs found)
    {
        List<(FoundJob Found, ChunkList Chunks)> begun = [];
        List<FoundJob> stale = [], others = [];
        foreach (var one in found.Open)
        {
            if (await view.ReadAsync(one) is not { Completed: null } now)
            {
                continue;
            }

            var held = one with { Job = now };
            var chunks = await view.ReadChunksAsync(held);
            if (!_request.Reload)
            {
                LedgerPieces.RequireComplete(chunks, held.Id);
            }

            if (chunks.Taken.Count == 0)
            {
                stale.Add(held);
            }
            else if (HasHalf(held, chunks.Last))
            {
                begun.Add((held, chunks));
            }
            else
            {
                others.Add(held);
            }
        }

        stale.AddRange(found.Complete.Concat(found.Matches.Select(match => match.Job).OfType<FoundJob>())
            .Where(one => one.Job.Total is { Taken: 0 }).DistinctBy(one => one.Id));
        return (begun, stale, others);
    }

    /// <summary>Whether this start's input begins, or may begin, with at least half of what a job has committed.</summary>
    /// <param name="committed">its last chunk</param>
    private bool HasHalf(FoundJob one, LedgerChunk? committed)
    {
        if (identity.IsNamed || one.Job.SortedBy.Length > 0 || committed is not { Half: { } half } last
            || job.Sources.Any(source => source.Path is not null && one.Job.Sources.Any(known => known.Path == source.Path)))
        {
            return true;
        }

        var known = one.Job.Sources.ElementAtOrDefault(last.LastSource);
        for (var i = 0; i < sources.Count; i++)
        {
            if (known is not null && job.Sources[i].First == known.First && job.Sources[i].Mapping == known.Mapping
                && sources[i].Content is { } content)
            {
                return content.HashBeginnings(sources[i], _request.Source, [last.HalfLength], cancellationToken)
                    .GetValueOrDefault(last.HalfLength).Hash == half;
            }
        }

        return true;
    }

    /// <exception cref="PlanException">rows of a job that this start would count on are being taken back</exception>
    private static void RequireNoUndo(FoundJobs found)
    {
        if (found.Open.Concat(found.Complete).Concat(found.Matches.Select(match => match.Job)).Append(found.Named)
            .FirstOrDefault(one => one?.Job.Undo is not null) is { } undone)
        {
            throw UndoMark.Refuse(undone.Id);
        }
    }

    private void RequireSameJob(FoundJob one)
    {
        if (one.Job.Family != identity.Family || !one.Job.Sources.All(known => job.Sources.Any(source => source.Mapping == known.Mapping)))
        {
            throw new PlanException($"--job-id {identity.Id} is another job: {one.Job.Command} of "
                + $"{Plural.Names([.. one.Job.Sources.Select(source => source.Name)])} to {one.Job.Table}, or with other columns or "
                + "options: name another one");
        }
    }

    /// <summary>Requires that what other starts have loaded of the same file are other parts of the same division.</summary>
    /// <exception cref="PlanException">records would be loaded twice</exception>
    private async Task RequireSamePartsAsync(LedgerView view)
    {
        var part = sources is [{ Look.Part: { } one }] ? one : null;
        foreach (var other in await view.ReadJobsAsync(part is null ? view.Parts : [identity.Whole, .. view.Parts]))
        {
            var theirs = JobIdentity.FindPart(other.Id);
            var bytes = other.Job.Sources is [var source, ..] ? source.Bytes : null;
            if ((part is not null && theirs?.Count == part.Asked.Count && bytes == part.FileLength)
                || other.Job.Family != identity.Family || await view.FindLastChunkAsync(other.Id) is null)
            {
                continue;
            }

            var (name, again) = (sources[0].Look.Name, $"'bulkload jobs forget {other.Id}' forgets that");
            throw theirs is null
                ? new PlanException($"{name} was {Done} as a whole, by job {other.Id}: its records would come twice; {again}")
                : part is null
                ? new PlanException($"{name} was {Done} in parts, such as by job {other.Id}: its records would come twice; {again}")
                {
                    WaysOn = [new WayOn("to continue with that part") { Words = ["--part", $"{theirs}"] }],
                }
                : theirs.Count != part.Asked.Count
                ? new PlanException($"{name} was {Done} in {theirs.Count} parts, such as by job {other.Id}, and those of another number "
                    + $"have other records; {again}")
                {
                    WaysOn = [new WayOn("to continue with that part") { Without = ["--part"], Words = ["--part", $"{theirs}"] }],
                }
                : new PlanException($"{name} had {bytes:N0} bytes when job {other.Id} {Done} its part, and has {part.FileLength:N0} now: "
                    + $"its parts have other records; {again}");
        }
    }

    private async Task<IEnumerable<string>> DescribeOthersAsync(LedgerView view, IReadOnlyList<FoundJob> others)
    {
        List<string> notes = [];
        var rest = 0;
        foreach (var one in others)
        {
            var last = await view.FindLastChunkAsync(one.Id);
            if (last is null && await view.IsRunningAsync(one.Id) != true)
            {
                continue;
            }

            if (notes.Count == JobText.MaxOthers)
            {
                rest++;
                continue;
            }

            var name = Plural.Names([.. one.Job.Sources.Select(source => source.Name)], JobText.MaxOthers);
            notes.Add(last is not { LastRecord: var record, Source: var source } ? $"{name} is at work ({one.Job.Runner.Describe()})"
                : $"{name} was {Done} only in part ({Plural.Count(record, "record")}"
                    + $"{(one.Job.SourceCount > 1 && source > 0 ? $" of {one.Job.Sources.ElementAtOrDefault(source)?.Name}" : "")}): "
                    + "the same command finishes it, if it is not running now");
        }

        return notes.Count == 0 ? [] : [string.Join("; ", notes) + (rest > 0 ? "; and others (bulkload jobs lists all)" : "")];
    }

    /// <summary>Begins a new job. Jobs without a committed record are forgotten, and those that the user wants to be forgotten.</summary>
    private JobDecision New(IReadOnlyList<FoundJob> forgotten)
    {
        var dropped = forgotten.Select(one => one.Job.Dropped).FirstOrDefault(dropped => dropped is not null);
        var isTaken = _holder is not null && forgotten.All(one => one.Id != _holder.Id);

        // A name that no other job of the same first record has.
        var other = identity.Nth(1 + (int)((job.Runner.Started.Ticks ^ ((long)job.Runner.ProcessId << 20)) % int.MaxValue));
        var id = identity.Slot.Length == 0 || identity.IsNamed || !isTaken ? identity.Id : other;
        var former = forgotten.FirstOrDefault(one => (one.Job.RejectFile ?? one.Job.RepairsFile ?? one.Job.IdsFile) is not null)?.Job;
        return new JobDecision
        {
            Id = id,
            Job = job with
            {
                Dropped = dropped,
                Images = KeptImages.Join([.. forgotten.Select(one => one.Job.Images).OfType<KeptImages>()]),
                Truncates = _request.Truncate,
            },
            Forgotten = forgotten,
            Renamed = identity.IsNamed && isTaken ? (_holder!, other) : null,
            FormerFiles = _request.Reload ? null : former,
            Empties = _request.Truncate ? [LedgerSql.Empty(facts.Table.Database, facts.Table.Name, JobTag.Of(id))] : [],
            IsIdempotent = _isIdempotent,
            Notes = _request.Truncate
                ? [$"--truncate: all rows of {job.Table} are deleted in the transaction of the first chunk"
                    + (facts.Table.DeleteTriggers.Count == 0 ? "" : $", which fires {string.Join(", ", facts.Table.DeleteTriggers)}")]
                : [],
        };
    }

    private Task<JobDecision> ResumeAsync(LedgerView view, FoundJob found, ChunkList chunks) =>
        new JobResume(facts, sources, job, _table, cancellationToken).DecideAsync(view, found, chunks);

    /// <summary>Does a complete job again, which does no harm.</summary>
    private JobDecision Repeat(IReadOnlyList<FoundJob> stale, FoundJobs found)
    {
        FoundJob[] before = [.. found.Complete.Where(one => stale.All(other => other.Id != one.Id))];
        DateTime? repeatOf = null;

        // A job that can be undone stays: only its row names the tables that have the rows as they were.
        FoundJob[] replaced = [.. before.Where(one => one.Job.Images is null)];
        if (_request.Kind == JobKind.Delete)
        {
            var matches = found.Matches;
            var isRepeat = matches.Any(match => match.Relation == ContentRelation.Same)
                && matches.All(match => match.Relation == ContentRelation.Empty
                    || match is { Relation: ContentRelation.Same, Difference: null });
            repeatOf = isRepeat ? matches.Max(match => match.Job?.Job.Completed) : null;

            // What other lists have deleted must stay known.
            replaced = isRepeat && matches.Select(match => match.Job?.Id).OfType<string>().Distinct().ToArray() is [var id]
                && matches.First(match => match.Job is not null).Job is { } one && one.Job.SourceCount == matches.Count
                && replaced.Any(other => other.Id == id) ? [one] : [];
        }

        var last = before.MaxBy(one => one.Job.Completed);
        var triggers = OrderRules.TriggersOf(_request, facts.Table);
        var decision = New(identity.IsNamed ? [.. stale, .. replaced] : stale);
        return decision with
        {
            Job = decision.Job with
            {
                RepeatOf = repeatOf,
                Replaces = [.. NamesOf(replaced, decision).Except(decision.Forgotten.Select(one => one.Id))],
            },
            Headline = last is null || triggers.Count == 0
                ? null
                : $"done again, since job {last.Id} of the same input was complete on {JobText.Time(last.Job.Completed)}: triggers "
                    + $"{string.Join(", ", triggers)} run again",
        };
    }

    /// <summary>A complete job of which the ledger has only the chunks: they are compared with the inputs. Records behind them are sent
    /// with --append only.</summary>
    private async Task<JobDecision> CompareAsync(LedgerView view, FoundJob found)
    {
        var words = new KnownContentText(_request, sources, job);
        if (JobResume.FindDifference(found, job) is { } difference)
        {
            throw words.OtherRules(found, difference);
        }

        var chunks = await view.ReadChunksAsync(found);
        if (chunks.Count > 0 && chunks.LastSource >= sources.Count)
        {
            throw new PlanException($"job {found.Id} was complete with more inputs than {sources.Count}: name all of them, in that order")
            {
                WaysOn = JobText.WaysOn(chunks.Taken.Count),
            };
        }

        if (_request.Append && chunks.Count > 0)
        {
            return await ResumeAsync(view, found with { Job = found.Job with { Completed = null } }, chunks);
        }

        await _table.RequireRowsAsync(view, words.Loaded([found]), chunks.Taken.Present, cancellationToken);
        return new JobDecision
        {
            Id = found.Id,
            Job = job with { Dropped = found.Job.Dropped },
            IsThere = true,
            Former = found.Job,
            Chunks = chunks,
            Headline = words.NothingToDo([found]),
            Notes = words.NotesOnNothingToDo,
        };
    }

    private static JobDecision Add(List<string> notes, JobDecision decision) => decision with { Notes = [.. notes, .. decision.Notes] };
}
