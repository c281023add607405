using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Repairing;

/// <summary>Gives the lines before the header as records with a fault, or, by the policy, as lines skipped; then the records of another
/// reader, which is made only then: it moves on in the input, and the places of these lines are still to be reported.</summary>
internal sealed class PreambleReader : IRecordReader
{
    private readonly Dialect _dialect;
    private readonly Func<IRecordReader> _open;
    private readonly Queue<(long Line, long Offset, byte[] Text)> _lines;
    private (long Line, long Offset, byte[] Text) _current;
    private IRecordReader? _reader;
    private bool _joinsSurplus;
    private LinePassed? _onPassed;
    private long _refused;

    /// <param name="lines">of the preamble, without those that are empty</param>
    public PreambleReader(
        IEnumerable<(long Line, long Offset, byte[] Text)> lines, Dialect dialect, IReadOnlyList<string>? names, Func<IRecordReader> open)
    {
        _lines = new Queue<(long, long, byte[])>(lines);
        _dialect = dialect;
        _open = open;
        FieldNames = names;
    }

    public IReadOnlyList<string>? FieldNames { get; }

    public RecordFault? Fault => _reader is null ? RecordFaults.Preamble : _reader.Fault;

    public RecordRepair? Repair => _reader?.Repair;

    public LinePassed? OnPassed
    {
        set => _onPassed = value;
    }

    public bool JoinsSurplus
    {
        set => _joinsSurplus = value;
    }

    public int FieldCount => _reader?.FieldCount ?? 0;

    public long RecordNumber => _refused + (_reader?.RecordNumber ?? 0);

    public long LineNumber => _reader?.LineNumber ?? _current.Line;

    public long ByteOffset => _reader?.ByteOffset ?? _current.Offset;

    public ReadOnlySpan<byte> RawRecord => _reader is null ? _current.Text : _reader.RawRecord;

    public bool Read()
    {
        while (_lines.TryDequeue(out var line))
        {
            if (_dialect.Dirt[DirtKind.Preamble] == DirtAction.Reject)
            {
                _current = line;
                _refused++;
                return true;
            }

            _onPassed?.Invoke(DirtKind.Preamble, line.Line, line.Offset, line.Text);
        }

        _reader ??= Open();
        return _reader.Read();
    }

    public FieldKind GetField(int index, out ReadOnlySpan<byte> value) => _reader!.GetField(index, out value);

    public void Dispose() => _reader?.Dispose();

    private IRecordReader Open()
    {
        var reader = _open();
        reader.OnPassed = _onPassed;
        reader.JoinsSurplus = _joinsSurplus;
        return reader;
    }
}
