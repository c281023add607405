namespace BulkLoad.Core.Protocol;

/// <summary>The rows of a text result set as the bytes that came: for many of them. Refilled without allocating.</summary>
internal sealed class RawResultSet : IRowSink
{
    private byte[] _bytes = [];
    private int[] _ends = [];
    private int _length;
    private int _cells;

    /// <summary>Values of a row, as the server has it; 0 where there was none yet.</summary>
    public int Columns { get; private set; }

    /// <summary>How many rows there are.</summary>
    public int Count => _cells / Math.Max(1, Columns);

    /// <summary>A value, empty where it is NULL; valid until the rows are replaced.</summary>
    public ReadOnlySpan<byte> this[int row, int column]
    {
        get
        {
            var cell = (row * Columns) + column;
            var start = cell == 0 ? 0 : _ends[cell - 1];
            return _bytes.AsSpan(start, _ends[cell] - start);
        }
    }

    /// <summary>Forgets the rows and keeps the room.</summary>
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

/// <summary>Takes the rows of a text result set as they arrive (MySQL protocol, "Text Resultset").</summary>
internal interface IRowSink
{
    /// <summary>Takes the next column's description.</summary>
    /// <param name="definition">the packet; not the sink's</param>
    void AddColumn(ReadOnlySpan<byte> definition);

    /// <summary>Takes the next row.</summary>
    /// <param name="payload">the packet; not the sink's</param>
    /// <param name="columns">how many values it has</param>
    void AddRow(ReadOnlySpan<byte> payload, int columns);
}

/// <summary>The rows of a text result set, in memory. A null string is SQL NULL.</summary>
/// <param name="Columns">column names in order</param>
/// <param name="Rows">each row has as many values as there are columns</param>
internal readonly record struct TextResultSet(IReadOnlyList<string> Columns, IReadOnlyList<string?[]> Rows)
{
    /// <summary>The row of a question that always has one.</summary>
    /// <exception cref="ServerException">there is none: a proxy has answered something else</exception>
    public string?[] FirstRow =>
        Rows.Count > 0 ? Rows[0] : throw ProtocolViolation.Of("a question that always has an answer was answered without a row");

    /// <summary>The only value of the only row.</summary>
    /// <exception cref="ServerException">there is no row</exception>
    public string? Scalar => FirstRow[0];
}
