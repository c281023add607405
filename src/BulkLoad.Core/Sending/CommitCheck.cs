using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

/// <summary>What became of committed chunks, as the ledger has it.</summary>
internal enum LedgerState
{
    /// <summary>All that count as committed are there, and no others.</summary>
    Same,

    /// <summary>So is the one whose COMMIT was not answered.</summary>
    SameWithOpen,

    /// <summary>Others: what counts as committed is now what is there.</summary>
    Other,
}

/// <summary>
/// After a fault, and before anything more is committed: compares what counts as committed with what the server has. Where it has less, and
/// that is a piece from the job's beginning on, the rest is sent again.
/// </summary>
/// <param name="ledger">knows what is committed; null: nobody does, and only a server that has run all the time is relied on</param>
/// <param name="server">that the first session has reached</param>
/// <param name="canReadAgain">whether the inputs can</param>
internal sealed class CommitCheck(
    JobLedger? ledger, CommittedState committed, ServerFacts server, IReadOnlyList<string> names, bool canReadAgain, ILogger log)
{
    private readonly List<string> _notes = [];
    private Incarnation? _before = server.Incarnation;

    /// <summary>What was lost, for people.</summary>
    public IReadOnlyList<string> Notes => _notes;

    /// <summary>The job's first session has been opened again. Without a ledger: the server that answers now must be one that can be relied
    /// on to have what was committed.</summary>
    /// <exception cref="ServerException">it is another one, or was started since</exception>
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

    /// <summary>A further session must lead to the server that the first one has reached: another one may lack what is committed. The nodes
    /// of a Galera cluster do not.</summary>
    /// <exception cref="ConnectException">it leads to another one</exception>
    public void RequireSameServer(ServerFacts now)
    {
        if (!now.IsGalera && !IsSameServer(now))
        {
            throw new ConnectException($"{now.Endpoint} leads to another server than before, or it was started again");
        }
    }

    private bool IsSameServer(ServerFacts now) =>
        now.Incarnation is not { } incarnation || _before is not { } before || incarnation.IsStill(before);

    /// <summary>Compares, and goes back to what is there.</summary>
    /// <param name="session">the first one, whose server is named</param>
    /// <param name="open">the chunk whose COMMIT was not answered; null: there is none</param>
    /// <exception cref="ReconciliationException">what is there is not one piece, or what is missing cannot be read again</exception>
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
