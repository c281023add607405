namespace BulkLoad.Core.Ledger;

/// <summary>
/// Some of a chunk's records, by their 0-based places in it: a bit for each. Of a chunk so large that no statement should carry that many,
/// none.
/// </summary>
internal sealed class RecordMarks
{
    /// <summary>Records of a chunk of which some can be marked.</summary>
    public const long MostRecords = 4_000_000;

    private byte[] _bits = [];
    private int _length;
    private bool _isOver;

    /// <summary>Whether it has none.</summary>
    public bool IsEmpty => _length == 0 || _isOver;

    /// <summary>Adds a record.</summary>
    public void Add(long place)
    {
        _isOver |= place >= MostRecords;
        if (_isOver)
        {
            return;
        }

        var at = (int)(place / 8);
        if (at >= _bits.Length)
        {
            Array.Resize(ref _bits, Math.Max(at + 1, Math.Max(256, _bits.Length * 2)));
        }

        _length = Math.Max(_length, at + 1);
        _bits[at] |= (byte)(1 << (int)(place % 8));
    }

    public bool Has(long place) => place >= 0 && place / 8 < _length && (_bits[place / 8] & (1 << (int)(place % 8))) != 0;

    public void Clear()
    {
        Array.Clear(_bits);
        (_length, _isOver) = (0, false);
    }

    /// <summary>For the ledger, in base64.</summary>
    public string Write() => Convert.ToBase64String(_bits.AsSpan(0, _length));

    /// <summary>Reads what <see cref="Write"/> made.</summary>
    /// <exception cref="PlanException">it is not that</exception>
    public static RecordMarks Read(string text)
    {
        try
        {
            var bits = Convert.FromBase64String(text);
            return new RecordMarks { _bits = bits, _length = bits.Length };
        }
        catch (FormatException fault)
        {
            throw new PlanException("the ledger has a row whose details cannot be read: was it changed by hand?", fault);
        }
    }
}
