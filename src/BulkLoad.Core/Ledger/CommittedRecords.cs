using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>What is committed of the inputs already: the reader skips these records, after it has found that they have not changed. It asks
/// for each record in order.</summary>
/// <param name="chunks">in the input's order</param>
/// <param name="isComplete">whether there must be no other records</param>
/// <param name="isSuperseded">whether a later record replaces one of an input, by its number, asked in order: records that were replaced
/// then must be so now, since the record that replaced them may not be committed and may have changed (more replaced records do no harm:
/// they were applied, and the later ones come); null: nothing is known of replaced records beforehand</param>
internal sealed class CommittedRecords(
    string job, ChunkList chunks, bool isComplete, IReadOnlyList<string> names, Func<int, long, bool>? isSuperseded = null)
        : ICommittedRecords
{
    private readonly ChunkHash _hash = new();
    private readonly IEnumerator<LedgerChunk> _chunks = chunks.GetEnumerator();
    private LedgerChunk? _next;
    private bool _isBegun;
    private long _superseded;
    private long _shift;
    private bool _isOneLost;

    public long Rejects { get; } = chunks.RejectCount;

    public long LastPlace { get; } = chunks.Last?.LastRecord ?? 0;

    private IReadOnlyList<WayOn> OwnWaysOn => JobText.WaysOn(chunks.Taken.Count);

    /// <summary>By what the records are sorted; their numbers are their places in that order. Empty: they are not sorted.</summary>
    public string SortedBy { get; init; } = "";

    /// <summary>Number of the records that come before the first one that is read.</summary>
    public long StartAt { get; init; }

    public bool Has(int source, long record, long offset, ReadOnlySpan<byte> bytes)
    {
        if (Next is not { } chunk)
        {
            return isComplete
                ? throw new ChangedInputException(
                    SortedBy.Length > 0
                        ? $"{All}: there are more records than when job {job} completed them, {Text(record - 1)}"
                        : $"{names[source]}: has more records than when job {job} completed it, from record {Text(record)} on",
                    [new WayOn("to load only the rest") { Words = ["--append"] }, .. OwnWaysOn])
                : false;
        }

        if (Compare(source, record, chunk.Source, chunk.FirstRecord) < 0)
        {
            throw new ChangedInputException(
                $"{names[source]}: has more records than when job {job} committed it, from record {Text(record)} on", OwnWaysOn);
        }

        if (StartAt > 0 && record == chunk.FirstRecord)
        {
            // The offsets of this start begin elsewhere; within a chunk they grow as before.
            _shift = chunk.FirstOffset - offset;
        }

        _hash.Add(offset + _shift, bytes);
        if (isSuperseded is not null)
        {
            var isSo = isSuperseded(source, record);
            _superseded += isSo ? 1 : 0;
            _isOneLost |= !isSo && source == chunk.Source && chunk.Superseded?.Has(record - chunk.FirstRecord) == true;
        }

        if (Compare(source, record, chunk.LastSource, chunk.LastRecord) == 0)
        {
            // Of a chunk that begins before the first record its content is not known.
            if (_hash.Finish() != chunk.Content && chunk.FirstRecord > StartAt)
            {
                throw Changed(chunk);
            }

            if (isSuperseded is not null && (_isOneLost || _superseded < chunk.Taken.Superseded))
            {
                throw new ChangedInputException(
                    $"{names[chunk.Source]}: the keys after record {Text(chunk.LastRecord)} have changed since job {job} committed it; "
                        + $"{Text(chunk.Taken.Superseded)} records up to there were left to later ones with the same key",
                    OwnWaysOn);
            }

            _superseded = 0;
            Move();
        }

        return true;
    }

    public void EndSource(int source)
    {
        if (Next is { } chunk && chunk.LastSource == source)
        {
            throw Changed(chunk);
        }
    }

    /// <summary>The chunk whose records are not all read yet; null: there is none.</summary>
    private LedgerChunk? Next
    {
        get
        {
            if (!_isBegun)
            {
                _isBegun = true;
                do
                {
                    Move();
                }
                while (_next?.LastRecord <= StartAt);
            }

            return _next;
        }
    }

    private void Move() => _next = _chunks.MoveNext() ? _chunks.Current : null;

    private static int Compare(int source, long record, int otherSource, long otherRecord) =>
        source == otherSource ? record.CompareTo(otherRecord) : source.CompareTo(otherSource);

    private static string Text(long record) => record.ToString("N0");

    private string All => Plural.Names(names);

    private ChangedInputException Changed(LedgerChunk chunk) => new(
        SortedBy.Length > 0
            ? $"{All}: has changed since job {job} committed it (sorted by {SortedBy}, records "
                + $"{Text(chunk.FirstRecord)}-{Text(chunk.LastRecord)} differ; if one is a record whose key was fixed, move it to a "
                + "separate file and import that)"
            : chunk.Source == chunk.LastSource
            ? $"{names[chunk.Source]}: has changed since job {job} committed it (records "
                + $"{Text(chunk.FirstRecord)}-{Text(chunk.LastRecord)} differ)"
            : $"{names[chunk.Source]} to {names[chunk.LastSource]}: have changed since job {job} committed them",
        OwnWaysOn);
}

/// <summary>Checks by a count of rows whether the table still has what former jobs have committed.</summary>
/// <param name="job">as this start would record it</param>
internal sealed class CommittedTable(LoadFacts facts, JobRecord job)
{
    /// <summary>Checks that the committed rows are still there, as far as a count shows it, and that the columns by which values are judged
    /// are the same.</summary>
    public async Task RequireSameAsync(
        LedgerView view, FoundJob found, ChunkList chunks, List<string> notes, CancellationToken cancellationToken)
    {
        var rows = chunks.Taken.Count;
        var isAltered = found.Job.Columns != job.Columns;
        var ways = JobText.WaysOn(rows);
        if (isAltered && facts.Request.Kind != JobKind.Import)
        {
            throw new PlanException($"the columns of {job.Table} that job {found.Id} uses were altered since it has committed "
                + $"{Plural.Count(rows, "record")}")
            {
                WaysOn = ways,
            };
        }

        var present = chunks.Taken.Present;
        if (present > 0 && await IsEmptyAsync(view, cancellationToken))
        {
            throw new PlanException($"{Plural.Names([.. found.Job.Sources.Select(source => source.Name)])} was "
                + $"{(facts.Request.Kind == JobKind.Import ? "loaded" : "done")} only in part "
                + $"({Plural.Count(present, "row")}), and table {job.Table} is empty now")
            {
                WaysOn = [new WayOn("to load all of it again") { Words = ["--reload"] }],
            };
        }

        if (await FindMissingAsync(view, chunks.Taken.Inserted, cancellationToken) is { } left)
        {
            throw new PlanException($"table {job.Table} has {Plural.Count(left, "row")}, and job {found.Id} has inserted "
                + $"{chunks.Taken.Inserted:N0}: some of them are gone")
            {
                WaysOn = ways,
            };
        }

        if (isAltered)
        {
            notes.Add($"columns of {job.Table} that job {found.Id} uses were altered since its earlier run: the rest was checked against "
                + "the columns as they are now");
        }
    }

    /// <summary>Refuses an empty table in which jobs have left rows.</summary>
    /// <param name="loaded">what was loaded, for people</param>
    /// <param name="present">number of rows that the jobs have left</param>
    public async Task RequireRowsAsync(LedgerView view, string loaded, long present, CancellationToken cancellationToken)
    {
        if (present > 0 && await IsEmptyAsync(view, cancellationToken))
        {
            throw new PlanException($"{loaded}, but the table is empty now")
            {
                WaysOn = [new WayOn("to do it again") { Words = ["--reload"] }],
            };
        }
    }

    public async Task<bool> IsEmptyAsync(LedgerView view, CancellationToken cancellationToken) =>
        !await HasRowsAsync(view, 1, cancellationToken);

    /// <summary>The number of rows where there are fewer than there should be; null: there are enough.</summary>
    public async Task<long?> FindMissingAsync(LedgerView view, long rows, CancellationToken cancellationToken) =>
        rows == 0 || await HasRowsAsync(view, rows, cancellationToken) ? null
            : await AskAsync(facts, view, RowCountSql.All(Table), cancellationToken);

    /// <param name="question">SQL whose answer is a number</param>
    public static async Task<long> AskAsync(LoadFacts facts, LedgerView view, string question, CancellationToken cancellationToken) =>
        long.Parse((await QueryAsync(facts, view, question, cancellationToken)).Scalar!, CultureInfo.InvariantCulture);

    private string Table => facts.Table.QuotedName;

    private async Task<bool> HasRowsAsync(LedgerView view, long rows, CancellationToken cancellationToken) =>
        (await QueryAsync(facts, view, RowCountSql.HasAtLeast(Table, rows), cancellationToken)).Rows.Count > 0;

    private static async Task<TextResultSet> QueryAsync(
        LoadFacts facts, LedgerView view, string question, CancellationToken cancellationToken)
    {
        view.Session.Bound(AnswerBound.Statement);
        try
        {
            return await view.Session.QueryAsync(question, cancellationToken);
        }
        catch (ServerException fault) when (fault.IsAccessDenied)
        {
            var grant = await AccountGrant.OfAsync(view.Session, "SELECT", facts.Table.Database, facts.Table.Name, cancellationToken);
            throw new PlanException($"it is not known whether the rows that were committed are still in {facts.Table.DisplayName}: "
                + $"{fault.ServerText}: {grant}", fault);
        }
        finally
        {
            view.Session.Bound(AnswerBound.Lock);
        }
    }
}
