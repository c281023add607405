using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Strategies;

/// <summary>Rows in the form in which a strategy sends them. Owned by the sender that made it.</summary>
internal abstract class EncodedBatch
{
    public int RowCount { get; protected set; }
}

internal enum RefusalKind
{
    /// <summary>Values of a row: the server has named an error or a warning.</summary>
    Values,

    /// <summary>The server counted other rows than were sent and gave no reason: of a single row that is no fault of its values.</summary>
    Miscount,

    /// <summary>The batch, of more than one row, was not sent by this sender: the sender of refused batches takes it.</summary>
    Unsent,

    /// <summary>It was never sent: the statement that carries it is larger than the server takes.</summary>
    TooLarge,

    /// <summary>The rows before <see cref="BatchRefusal.Row"/> were taken and stay, since the engine cannot roll back; none behind it was
    /// taken.</summary>
    PartlyTaken,
}

/// <summary>Why the server did not take a batch exactly as sent, or a row of it. Nothing of it is left in the transaction, unless it is
/// <see cref="RefusalKind.PartlyTaken"/>.</summary>
/// <param name="Code">the server's error or warning number, or 0</param>
/// <param name="Row">0-based row of the batch where the server named it</param>
internal sealed record BatchRefusal(int Code, string Message, int? Row)
{
    public ServerError Error => (ServerError)Code;

    /// <summary>Rows of the batch of which one is at fault, where it was several statements and the rows before were taken: 0-based first
    /// one, and how many.</summary>
    public (int From, int Rows)? Among { get; init; }

    public RefusalKind Kind { get; init; }
}

/// <summary>What became of a batch: the outcome of each of its rows is known, or nothing of it is left in the transaction.</summary>
internal readonly record struct BatchOutcome
{
    /// <summary>The batch's rows; none where it was refused.</summary>
    public RowCounts Taken { get; private init; }

    public BatchRefusal? Refusal { get; private init; }

    /// <summary>Rows of the batch whose key no row of the table has, 0-based and in order; not among <see cref="Taken"/>.</summary>
    public IReadOnlyList<int> Missing
    {
        get => field ?? [];
        init;
    }

    /// <summary>Rows of the batch that the server refused while it took the others, 0-based and in order; not among
    /// <see cref="Taken"/>.</summary>
    public IReadOnlyList<(int Row, BatchRefusal Refusal)> Refused
    {
        get => field ?? [];
        init;
    }

    /// <summary>Whether the batch was one row, which the server first refused: in a larger batch it would have been in the way of the
    /// others.</summary>
    public bool WasDuplicate { get; init; }

    public BatchOutcome With(RowCounts taken) => this with { Taken = taken };

    public static implicit operator BatchOutcome(RowCounts taken) => new() { Taken = taken };

    public static implicit operator BatchOutcome(BatchRefusal refusal) => new() { Refusal = refusal };
}

/// <summary>Encodes and sends batches on one session. While one batch is under way the next may be encoded: an encoded batch stays valid
/// until the second <see cref="Encode"/> after it.</summary>
/// <remarks>It sends batches, not chunks: so commit, rollback and checks are written once, and every strategy encodes while the server
/// works.</remarks>
internal interface IBatchSender : IAsyncDisposable
{
    /// <summary>Encodes rows of a block, as many as are sent and undone together, at least one. No I/O.</summary>
    EncodedBatch Encode(RowBlock block, int from, int most);

    /// <summary>Sends a batch and settles it: it is taken when each of its rows was, as sent and without a warning, or has no row to find,
    /// or failed alone.</summary>
    /// <param name="batch">the batch encoded last</param>
    /// <param name="isMoreToCome">
    /// whether another batch of the same transaction will follow at once if this one is taken; the refusal of a batch of more than one
    /// row may then say less
    /// </param>
    /// <param name="onSent">
    /// called once the server has all of it: computing for the next batch any sooner would keep this one waiting for a core
    /// </param>
    /// <exception cref="ServerException">a fault that is not about the rows</exception>
    ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken);
}
