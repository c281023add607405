namespace BulkLoad.Core.Protocol;

/// <summary>The rows of a text result as they came, for many rows. Refilled without allocating.</summary>
internal sealed class RawResultSet : IRowSink
{
    private byte[] _bytes = [];
    private int[] _ends = [];
    private int _length;
    private int _cells;

    /// <summary>0: there was no row yet.</summary>
    public int Columns { get; private set; }

    public int Count => _cells / Math.Max(1, Columns);

    /// <summary>Empty for NULL. Valid until the rows are replaced.</summary>
    public ReadOnlySpan<byte> this[int row, int column]
    {
        get
        {
            var cell = (row * Columns) + column;
            var start = cell == 0 ? 0 : _ends[cell - 1];
            return _bytes.AsSpan(start, _ends[cell] - start);
        }
    }

    /// <summary>Keeps the memory.</summary>
    public void Clear()
    {
        _length = 0;
        _cells = 0;
    }

    void IRowSink.AddColumn(ReadOnlySpan<byte> definition)
    {
    }

    void IRowSink.AddRow(ReadOnlySpan<byte> payload, int columns)
    {
        Columns = columns;
        if (_bytes.Length - _length < payload.Length)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, _length + payload.Length));
        }

        if (_ends.Length - _cells < columns)
        {
            Array.Resize(ref _ends, Math.Max(_ends.Length * 2, _cells + columns));
        }

        var reader = new PayloadReader(payload);
        for (var i = 0; i < columns; i++)
        {
            reader.TryReadValue(out var value);
            value.CopyTo(_bytes.AsSpan(_length));
            _length += value.Length;
            _ends[_cells++] = _length;
        }
    }
}

/// <summary>Takes the rows of a text result as they arrive (MySQL protocol, "Text Resultset"). The packets are valid during the
/// call.</summary>
internal interface IRowSink
{
    void AddColumn(ReadOnlySpan<byte> definition);

    void AddRow(ReadOnlySpan<byte> payload, int columns);
}

/// <summary>A null string is SQL NULL.</summary>
internal readonly record struct TextResultSet(IReadOnlyList<string> Columns, IReadOnlyList<string?[]> Rows)
{
    /// <summary>For a question that always has a row. Without one a proxy has answered something else, which is thrown.</summary>
    public string?[] FirstRow =>
        Rows.Count > 0 ? Rows[0] : throw ProtocolViolation.Of("a question that always has an answer was answered without a row");

    public string? Scalar => FirstRow[0];
}
