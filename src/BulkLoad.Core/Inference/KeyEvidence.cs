using System.IO.Hashing;

namespace BulkLoad.Core.Inference;

/// <summary>Whether no whole number of a column is there twice. Bounded: of more than 200,000 values only those are known that
/// rise.</summary>
internal sealed class KeyEvidence
{
    private const int Most = 200_000;

    private HashSet<ulong>? _seen = [];
    private Int128 _last = Int128.MinValue;
    private bool _rises = true;

    /// <summary>Values so far.</summary>
    public long Values { get; private set; }

    public bool IsUnique => Values > 1 && (_rises || _seen is not null);

    /// <param name="text">a whole number as it would be printed</param>
    public void Add(ReadOnlySpan<byte> text)
    {
        Values++;
        if (!_rises && _seen is null)
        {
            return;
        }

        if (_rises)
        {
            _rises = Int128.TryParse(text, CultureInfo.InvariantCulture, out var number) && number > _last;
            _last = number;
        }

        if (_seen is not null && (_seen.Count == Most || !_seen.Add(XxHash64.HashToUInt64(text))))
        {
            // A number that is there twice does not rise either.
            _seen = null;
        }
    }
}
