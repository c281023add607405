using System.IO.Hashing;

namespace BulkLoad.Core.Inference;

/// <summary>Whether a column's whole numbers are unique. Of more than 200,000 only rising ones count.</summary>
internal sealed class KeyEvidence
{
    private const int Most = 200_000;

    private HashSet<ulong>? _seen = [];
    private Int128 _last = Int128.MinValue;
    private bool _rises = true;

    public long Values { get; private set; }

    public bool IsUnique => Values > 1 && (_rises || _seen is not null);

    /// <summary>As printed.</summary>
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
