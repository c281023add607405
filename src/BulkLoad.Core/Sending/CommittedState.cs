using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

internal sealed class CommittedState
{
    private readonly Dictionary<int, long> _ends = [];
    private int _earlier;

    public long Chunks { get; private set; }

    public long Batches { get; private set; }

    /// <summary>Records that the server accepted, by outcome.</summary>
    public RowCounts Taken { get; private set; }

    public long Records => Taken.Count;

    /// <summary>The last committed record's input and number; null: none.</summary>
    public (string Source, long Record)? Last { get; private set; }

    /// <summary>By what the records are sorted; then their numbers are their places in that order. Empty: they are not sorted.</summary>
    public string SortedBy { get; init; } = "";

    /// <summary>Whether the session was lost during a COMMIT, so that nobody here knows whether it took effect.</summary>
    public bool IsInDoubt { get; set; }

    /// <summary>The last record of a statement with unknown effect, and why, for people; null: there is none.</summary>
    public (string Source, long Record, string Reason)? Unknown { get; set; }

    /// <summary>Replaces the description of the committed records, for people, if the server may have lost them; null: they are
    /// there.</summary>
    public string? Unproved { get; set; }

    public void Add(OpenChunk chunk)
    {
        // A chunk of rejects alone carried no rows.
        Chunks += chunk.Taken.Count > 0 ? 1 : 0;
        Batches += chunk.Batches;
        Taken += chunk.Taken;
        Last = chunk.Last;
    }

    /// <summary>Adds chunks that an earlier start of the job has committed.</summary>
    public void Add(ChunkList chunks, IReadOnlyList<string> names)
    {
        Chunks += chunks.WithRows;
        Batches += chunks.Batches;
        Taken += chunks.Taken;
        Last = chunks.Last is { } last ? (names[last.LastSource], last.LastRecord) : Last;
        (_earlier, Earlier, EarlierTaken) = (chunks.Count, Chunks, Taken);
    }

    public void GoBack(ChunkList chunks, IReadOnlyList<string> names)
    {
        (Chunks, Batches, Taken, Last) = (0, 0, default, null);
        var i = 0;
        foreach (var chunk in chunks)
        {
            Add(chunk, names);
            if (++i == _earlier)
            {
                (Earlier, EarlierTaken) = (Chunks, Taken);
            }
        }

        if (i <= _earlier)
        {
            (_earlier, Earlier, EarlierTaken) = (i, Chunks, Taken);
        }
    }

    /// <summary>Whether an earlier start of the job has committed all of these chunks.</summary>
    public bool AreEarlier(ChunkList chunks) => chunks.Count <= _earlier;

    /// <param name="record">its last record; 0: it has none</param>
    public void EndSource(int source, long record) => _ends[source] = record;

    /// <summary>The last record of an input that has ended; null: it has not.</summary>
    public long? EndOf(int source) => _ends.TryGetValue(source, out var record) ? record : null;

    private void Add(LedgerChunk chunk, IReadOnlyList<string> names)
    {
        Chunks += chunk.Taken.Count > 0 ? 1 : 0;
        Batches += chunk.Batches;
        Taken += chunk.Taken;
        Last = (names[chunk.LastSource], chunk.LastRecord);
    }

    /// <summary>Number of chunks that an earlier start of the job has committed.</summary>
    public long Earlier { get; private set; }

    public RowCounts EarlierTaken { get; private set; }

    /// <summary>What is in the table, for people.</summary>
    /// <param name="isOneSource">whether record numbers need no file name</param>
    /// <param name="hasLedger">whether the next start can tell what is in doubt</param>
    public string Describe(JobKind kind, string table, bool isOneSource, bool hasLedger)
    {
        if (Unproved is not null)
        {
            return Unproved;
        }

        var doubt = IsInDoubt
            ? $"; {DescribeDoubt(hasLedger)}"
            : Unknown is { } unknown
            ? $"; {DescribeUnknown(unknown, isOneSource)}"
            : "";
        if (Chunks == 0)
        {
            // A chunk of rejects alone may have been committed, which nobody could find in the table.
            return IsInDoubt ? $"nothing is known to be committed{doubt}"
                : Unknown is not null ? $"no record is known to be in the table{doubt}"
                : DescribeNothing(kind);
        }

        return kind switch
        {
            JobKind.Update => $"{Rows(Taken.Updated)} of {table} {Plural.For(Taken.Updated, "is", "are")} updated",
            JobKind.Delete => $"{Rows(Taken.DeletedRows)} {Plural.For(Taken.DeletedRows, "is", "are")} deleted from {table}",
            _ => $"{Rows(Taken.Present)} {Plural.For(Taken.Present, "is", "are")} in {table}",
        } + doubt;
    }

    /// <summary>What is in the table before the first commit, for people.</summary>
    public static string DescribeNothing(LoadRequest request) => request.Mode.Nothing ?? DescribeNothing(request.Kind);

    private static string DescribeNothing(JobKind kind) => kind switch
    {
        JobKind.Update => "nothing was updated",
        JobKind.Delete => "nothing was deleted",
        _ => "nothing was loaded",
    };

    private static string Rows(long rows) => $"{rows:N0} {Plural.For(rows, "row")}";

    /// <summary>The committed chunks, for people who read the ledger; null: there are none.</summary>
    /// <param name="isOneSource">whether record numbers need no file name</param>
    /// <param name="stay">the verb</param>
    public string? DescribeChunks(bool isOneSource, string stay = "stay")
    {
        if (Chunks == 0 || Last is not { } last)
        {
            return null;
        }

        var chunks = Chunks == 1 ? "chunk 1" : $"chunks 1-{Chunks}";
        var records = SortedBy.Length > 0 ? $"the first {(last.Record == 1 ? "record" : $"{last.Record} records")} by {SortedBy}"
            : isOneSource ? $"records 1-{last.Record}"
            : $"everything up to record {last.Record} of {last.Source}";
        return $"{chunks}, {records}, {stay} committed";
    }

    /// <summary>What is not committed, for people: all after the last committed record.</summary>
    public string DescribeRest(bool isOneSource) => Last is not { } last ? "what follows"
        : SortedBy.Length > 0 ? $"what follows the first {(last.Record == 1 ? "record" : $"{last.Record:N0} records")} by {SortedBy}"
        : $"what follows record {last.Record:N0}{(isOneSource ? "" : $" of {last.Source}")}";

    private static string DescribeUnknown((string Source, long Record, string Reason) last, bool isOneSource) =>
        $"any other up to record {last.Record}{(isOneSource ? "" : $" of {last.Source}")} may be, since {last.Reason}";

    /// <summary>For people, see <see cref="IsInDoubt"/>.</summary>
    /// <param name="hasLedger">whether the next start can tell</param>
    public string DescribeDoubt(bool hasLedger = false) =>
        $"whether chunk {Chunks + 1:N0} was committed is not known, since the session was lost at that moment: "
            + $"{(hasLedger ? "the ledger knows it, and the next run asks it" : "look at the table before you continue")}";
}

internal enum LedgerState
{
    /// <summary>The ledger has exactly the chunks that count as committed.</summary>
    Same,

    /// <summary>The ledger also has the chunk whose COMMIT was not answered.</summary>
    SameWithOpen,

    /// <summary>The ledger has other chunks; these count as committed now.</summary>
    Other,
}

/// <summary>After a fault, and before the next commit: compares what counts as committed with what the server has. If the server has less,
/// but without a gap from the job's beginning on, the rest is sent again.</summary>
/// <param name="ledger">null: there is none, and only a server that was not restarted is trusted</param>
/// <param name="server">the one that the first session has reached</param>
internal sealed class CommitCheck(
    JobLedger? ledger, CommittedState committed, ServerFacts server, IReadOnlyList<string> names, bool canReadAgain, ILogger log)
{
    private readonly List<string> _notes = [];
    private Incarnation? _before = server.Incarnation;

    /// <summary>What was lost, for people.</summary>
    public IReadOnlyList<string> Notes => _notes;

    /// <summary>Called when the job's first session was opened again. Without a ledger, the server must be one that cannot have lost
    /// commits.</summary>
    /// <exception cref="ServerException">it is another server, or was restarted</exception>
    public void Follow(ServerFacts now)
    {
        if (IsSameServer(now) || now.Incarnation is not { } incarnation || _before is not { } before)
        {
            return;
        }

        if (ledger is not null || committed.Chunks == 0)
        {
            _before = incarnation;
            return;
        }

        var (source, record) = committed.Last!.Value;
        committed.Unproved = $"nothing from record 1 on up to record {record:N0}{(names.Count > 1 ? $" of {source}" : "")}, which was "
            + "committed, is proved to be in the table: look at it before you continue";
        throw new ServerException(
            FaultKind.Other,
            $"{now.Endpoint} {(incarnation.Server == before.Server ? "was started again" : "is another server now")}, which may have lost "
                + "what was committed, and without a ledger this is not known");
    }

    /// <summary>A further session must reach the first one's server: another one may lack what is committed. A node of a Galera cluster
    /// does not.</summary>
    /// <exception cref="ConnectException">it reaches another server</exception>
    public void RequireSameServer(ServerFacts now)
    {
        if (!now.IsGalera && !IsSameServer(now))
        {
            throw new ConnectException($"{now.Endpoint} leads to another server than before, or it was started again");
        }
    }

    private bool IsSameServer(ServerFacts now) =>
        now.Incarnation is not { } incarnation || _before is not { } before || incarnation.IsStill(before);

    /// <summary>Compares, and goes back to what the server has.</summary>
    /// <param name="session">the first session; messages name its server</param>
    /// <param name="open">the chunk whose COMMIT was not answered; null: there is none</param>
    /// <exception cref="ReconciliationException">the chunks have a gap, or the missing records cannot be read again</exception>
    public async Task<LedgerState> CompareAsync(
        IServerSession session, LedgerChunk? open, ChunkResults results, CancellationToken cancellationToken)
    {
        var truth = ledger!.Truth;
        var tally = await truth.AskAsync(cancellationToken);
        if (tally == truth.Counted)
        {
            return LedgerState.Same;
        }

        if (open is not null && tally == truth.Counted.With(open))
        {
            return LedgerState.SameWithOpen;
        }

        var chunks = await truth.ReadAsync(cancellationToken);
        LedgerPieces.RequireComplete(chunks, ledger.Identity.Id);
        var endpoint = session.Server.Endpoint;
        if (LedgerPieces.FindHole(chunks, committed.EndOf, ledger.LoadedBefore) is var (source, from, to))
        {
            committed.Unproved = "the other committed records stay";
            throw new ReconciliationException(
                $"{endpoint} has lost {LedgerPieces.Describe(names, source, from, to)}, which it had committed, and has records after "
                    + $"them (a failover or a crash?): nothing more is sent; {LedgerPieces.WayOn}");
        }

        var (chunksBefore, lastBefore) = (committed.Chunks, committed.Last);
        results.Rewind();
        results.GoBack(chunks);
        ledger.GoBack(chunks);
        if (Describe(endpoint, chunksBefore, lastBefore) is { } lost)
        {
            if (!canReadAgain)
            {
                throw new ReconciliationException(
                    $"{lost}: the input cannot be read again, and nothing more is sent; import the records from there on from a file");
            }

            _notes.Add($"{lost}; they are sent again");
            log.CommitsLost(lost);
        }
        else if (!canReadAgain)
        {
            throw new ReconciliationException($"{endpoint} has more chunks of job {ledger.Identity.Id} than this run has committed, and "
                + "the input cannot be read again: nothing more is sent");
        }

        return LedgerState.Other;
    }

    /// <summary>For people: what was committed before, and is not now; null: nothing.</summary>
    private string? Describe(string endpoint, long chunksBefore, (string Source, long Record)? lastBefore)
    {
        if (lastBefore is not var (source, record) || (committed.Last is { } last && Compare(last, (source, record)) >= 0))
        {
            return null;
        }

        var from = committed.Last is { } kept && kept.Source == source ? kept.Record + 1 : 1;
        var (first, end) = (committed.Chunks + 1, chunksBefore);
        var chunks = first > end ? "" : $"{(first == end ? $"chunk {first:N0}" : $"chunks {first:N0}-{end:N0}")}, ";
        var records = names.Count == 1 || committed.SortedBy.Length > 0 ? LedgerPieces.Describe([source], 0, from, record)
            : committed.Last is { } place && place.Source != source
                ? $"the records after {place.Record:N0} of {place.Source} up to {record:N0} of {source}"
                : $"the records {(committed.Last is null ? "" : $"from {from:N0} ")}up to {record:N0} of {source}";
        return $"{endpoint} has lost {chunks}{records}{(committed.SortedBy.Length > 0 ? $" by {committed.SortedBy}" : "")}, which it had "
            + "committed (a failover or a crash?)";
    }

    private int Compare((string Source, long Record) one, (string Source, long Record) other) =>
        one.Source == other.Source ? one.Record.CompareTo(other.Record) : PlaceOf(one.Source).CompareTo(PlaceOf(other.Source));

    private int PlaceOf(string source) => names.ToList().LastIndexOf(source);
}
