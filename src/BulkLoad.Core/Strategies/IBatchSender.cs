using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Strategies;

/// <summary>Rows in the form in which a strategy sends them. Owned by the sender that made it.</summary>
internal abstract class EncodedBatch
{
    public int RowCount { get; protected set; }
}

internal enum RefusalKind
{
    /// <summary>The server named an error or a warning about the values of a row.</summary>
    Values,

    /// <summary>The server counted other rows than were sent, without a reason. A single row's values are not at fault.</summary>
    Miscount,

    /// <summary>This sender did not send the batch, which has several rows: the sender for refused batches takes it.</summary>
    Unsent,

    /// <summary>The statement is larger than the server takes, and was not sent.</summary>
    TooLarge,

    /// <summary>The rows before <see cref="BatchRefusal.Row"/> were taken and stay, since the engine cannot roll back; none after it was
    /// taken.</summary>
    PartlyTaken,
}

/// <summary>Why the server did not take a batch, or a row of it, exactly as sent. Nothing of it is left in the transaction, except with
/// <see cref="RefusalKind.PartlyTaken"/>.</summary>
/// <param name="Code">the server's error or warning number; 0: none</param>
/// <param name="Row">0-based in the batch; null: the server did not name it</param>
internal sealed record BatchRefusal(int Code, string Message, int? Row)
{
    public ServerError Error => (ServerError)Code;

    /// <summary>Range of rows of which one is at fault, 0-based in the batch: of several statements, this one failed, and those before it
    /// were taken. Null: the whole batch.</summary>
    public (int From, int Rows)? Among { get; init; }

    public RefusalKind Kind { get; init; }
}

/// <summary>Result of a batch: either the outcome of each row is known, or nothing of it is left in the transaction.</summary>
internal readonly record struct BatchOutcome
{
    /// <summary>All zero if the batch was refused.</summary>
    public RowCounts Taken { get; private init; }

    public BatchRefusal? Refusal { get; private init; }

    /// <summary>Rows whose key no row of the table has: 0-based in the batch, ascending, not counted in <see cref="Taken"/>.</summary>
    public IReadOnlyList<int> Missing
    {
        get => field ?? [];
        init;
    }

    /// <summary>Rows that the server refused while it took the others: 0-based in the batch, ascending, not counted in
    /// <see cref="Taken"/>.</summary>
    public IReadOnlyList<(int Row, BatchRefusal Refusal)> Refused
    {
        get => field ?? [];
        init;
    }

    /// <summary>The ids of the rows, in their order, if the request asks for them.</summary>
    public IReadOnlyList<GeneratedIds> Ids
    {
        get => field ?? [];
        init;
    }

    /// <summary>Whether it was a single row, first refused as a duplicate: in a larger batch it would have stopped the others.</summary>
    public bool WasDuplicate { get; init; }

    public BatchOutcome With(RowCounts taken) => this with { Taken = taken };

    public static implicit operator BatchOutcome(RowCounts taken) => new() { Taken = taken };

    public static implicit operator BatchOutcome(BatchRefusal refusal) => new() { Refusal = refusal };
}

/// <summary>Encodes and sends batches on one session. While one is sent, the next may be encoded: an encoded batch stays valid until the
/// second <see cref="Encode"/> after it.</summary>
/// <remarks>It sends no chunks: commit, rollback and checks are written once, and every strategy encodes while the server works.</remarks>
internal interface IBatchSender : IAsyncDisposable
{
    /// <summary>Encodes as many rows as are sent and undone together, at least one. No I/O.</summary>
    EncodedBatch Encode(RowBlock block, int from, int max);

    /// <summary>Sends a batch and reads the answer. Each of its rows must be taken as sent and without a warning, or have no row to find,
    /// or fail alone; else the batch is refused.</summary>
    /// <param name="batch">the batch that was encoded last</param>
    /// <param name="isMoreToCome">whether another batch of the same transaction follows at once if this one is taken; the refusal of a
    /// batch of several rows may then say less</param>
    /// <param name="onSent">called when the server has all of it: encoding the next batch earlier would delay this one</param>
    /// <exception cref="ServerException">a fault that is not about the rows</exception>
    ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken);
}
