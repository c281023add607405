using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending.Verifying;

/// <summary>
/// Looks at rows again that the server has just taken, in the transaction that inserted them: what is asked sees them, nobody else has
/// changed them, and what is not as it should be is rolled back with its chunk. Whoever sends or narrows by it notices nothing else.
/// </summary>
/// <param name="sender">the strategy at work; owned from here on</param>
internal sealed class VerifyingSender(IBatchSender sender, IServerSession session, LoadFacts facts) : IBatchSender
{
    private readonly RowComparer _comparer = new(facts);
    private readonly Batch[] _batches = [new(), new()];
    private int _turn;

    /// <summary>The sender itself where nothing is verified.</summary>
    public static IBatchSender Around(IBatchSender sender, IServerSession session, LoadFacts facts) =>
        facts.Verify is { Unverifiable: null } ? new VerifyingSender(sender, session, facts) : sender;

    public bool IsOpen => sender.IsOpen;

    public bool SpansChunks => sender.SpansChunks;

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = _batches[_turn++ & 1];
        batch.Set(sender.Encode(block, from, most), block, from);
        return batch;
    }

    /// <inheritdoc/>
    /// <exception cref="ReconciliationException">a row that was taken is not what its record says</exception>
    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var rows = (Batch)batch;

        // What follows is a question, not another batch.
        var outcome = await sender.SendAsync(rows.Encoded, isMoreToCome: false, onSent, cancellationToken);
        if (outcome.Refusal is not null)
        {
            return outcome;
        }

        var compared = await _comparer.CompareAsync(session, rows.Block, rows.From, rows.RowCount, cancellationToken);
        if (compared.Differences.Count > 0)
        {
            throw Explain(rows, compared.Differences);
        }

        return outcome.With(facts.Verify!.Mode == VerifyMode.Count
            ? outcome.Taken with { Counted = compared.Equal }
            : outcome.Taken with { Compared = compared.Equal });
    }

    public ValueTask EndAsync(CancellationToken cancellationToken) => sender.EndAsync(cancellationToken);

    public ValueTask DisposeAsync() => sender.DisposeAsync();

    private ReconciliationException Explain(Batch rows, IReadOnlyList<RowDifference> differences)
    {
        var first = differences[0];
        var where = $"{facts.Sources[rows.Block.Origin(first.Row).Source].Name}:{rows.Block.Line(first.Row)}: "
            + $"{(first.Column is null ? "" : $"column '{first.Column}': ")}";
        var others = differences.Count == 1 ? "" : $", and {differences.Count - 1} more of {Plural.Count(rows.RowCount, "row")}";
        return new ReconciliationException($"{where}--verify {VerifyWords.Of(facts.Verify!.Mode)}: {first.Message}{others}; the chunk was "
            + "rolled back")
        { IsOfContent = true };
    }

    /// <summary>An encoded batch, and the rows that it is made of.</summary>
    private sealed class Batch : EncodedBatch
    {
        public EncodedBatch Encoded { get; private set; } = null!;

        public RowBlock Block { get; private set; } = null!;

        public int From { get; private set; }

        public void Set(EncodedBatch encoded, RowBlock block, int from)
        {
            (Encoded, Block, From) = (encoded, block, from);
            RowCount = encoded.RowCount;
        }
    }
}
