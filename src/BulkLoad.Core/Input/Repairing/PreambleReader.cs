using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Repairing;

/// <summary>Delivers the lines before the header as faults or skipped lines, then the records of another reader. That reader is made late,
/// since it moves the input on, and the offsets of these lines are still needed.</summary>
internal sealed class PreambleReader(
    IEnumerable<(long Line, long Offset, byte[] Text)> lines, Dialect dialect, IReadOnlyList<string>? names, Func<IRecordReader> open)
    : IRecordReader
{
    private readonly Queue<(long Line, long Offset, byte[] Text)> _lines = new(lines);
    private (long Line, long Offset, byte[] Text) _current;
    private IRecordReader? _reader;
    private bool _joinsSurplus;
    private LinePassed? _onPassed;
    private long _refused;

    public IReadOnlyList<string>? FieldNames { get; } = names;

    public RecordFault? Fault => _reader is null ? RecordFaults.Preamble : _reader.Fault;

    public RecordRepair? Repair => _reader?.Repair;

    public LinePassed? OnPassed { set => _onPassed = value; }

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
            if (dialect.Dirt[DirtKind.Preamble] == DirtAction.Reject)
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
        var reader = open();
        reader.OnPassed = _onPassed;
        reader.JoinsSurplus = _joinsSurplus;
        return reader;
    }
}
