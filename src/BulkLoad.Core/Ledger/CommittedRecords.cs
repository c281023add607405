using BulkLoad.Core.Feed;

namespace BulkLoad.Core.Ledger;

/// <summary>
/// What is committed of the inputs already: the reading side passes these records over, after they were found to be the same as then.
/// Asked for each record in order.
/// </summary>
/// <param name="chunks">in the input's order</param>
/// <param name="isComplete">whether there must be no other records</param>
/// <param name="isSuperseded">
/// whether a later record replaces one of an input, by its number, asked in order: it must be so of all of which it was so then, since
/// what stood for them may not be committed and have changed (more do no harm: they were applied, and the later ones come); null: of such
/// records nothing is known beforehand
/// </param>
internal sealed class CommittedRecords(
    string job, IReadOnlyList<LedgerChunk> chunks, bool isComplete, IReadOnlyList<string> names, Func<int, long, bool>? isSuperseded = null)
        : ICommittedRecords
{
    private readonly ChunkHash _hash = new();
    private int _next;
    private long _superseded;
    private bool _isOneLost;

    /// <inheritdoc/>
    public long Rejects { get; } = chunks.Sum(chunk => chunk.RejectCount);

    /// <inheritdoc/>
    public long LastPlace { get; } = chunks.Count == 0 ? 0 : chunks[^1].LastRecord;

    private string OwnWaysOn => JobChooser.WaysOn(job, chunks.Sum(chunk => chunk.Taken.Count));

    /// <summary>By what the records are sorted, so that their numbers are those of their places there; empty: they are not.</summary>
    public string SortedBy { get; init; } = "";

    /// <inheritdoc/>
    public bool Has(int source, long record, long offset, ReadOnlySpan<byte> bytes)
    {
        if (_next == chunks.Count)
        {
            return isComplete
                ? throw new ChangedInputException(
                    SortedBy.Length > 0
                        ? $"{All}: there are more records than when job {job} completed them, {Text(record - 1)}"
                        : $"{names[source]}: has more records than when job {job} completed it, from record {Text(record)} on",
                    $"--append loads the rest; {OwnWaysOn}")
                : false;
        }

        var chunk = chunks[_next];
        if (Compare(source, record, chunk.Source, chunk.FirstRecord) < 0)
        {
            throw new ChangedInputException(
                $"{names[source]}: has more records than when job {job} committed it, from record {Text(record)} on", OwnWaysOn);
        }

        _hash.Add(offset, bytes);
        if (isSuperseded is not null)
        {
            var isSo = isSuperseded(source, record);
            _superseded += isSo ? 1 : 0;
            _isOneLost |= !isSo && source == chunk.Source && chunk.Superseded?.Has(record - chunk.FirstRecord) == true;
        }

        if (Compare(source, record, chunk.LastSource, chunk.LastRecord) == 0)
        {
            if (_hash.Finish() != chunk.Content)
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
            _next++;
        }

        return true;
    }

    /// <inheritdoc/>
    public void EndSource(int source)
    {
        if (_next < chunks.Count && chunks[_next].LastSource == source)
        {
            throw Changed(chunks[_next]);
        }
    }

    private static int Compare(int source, long record, int otherSource, long otherRecord) =>
        source == otherSource ? record.CompareTo(otherRecord) : source.CompareTo(otherSource);

    private static string Text(long record) => record.ToString("N0");

    private string All => string.Join(", ", names);

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
