using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Formats;

internal static class RecordReaders
{
    /// <summary>For UTF-8 bytes. <paramref name="start"/> is before skipped lines.</summary>
    public static IRecordReader Create(LookAheadStream content, ReaderStart start, Dialect dialect, IReadOnlyList<string>? keys)
    {
        start = SkipLines(content, start, dialect);
        TakePreamble(content, start, dialect, out start);
        return CreateAfterPreamble(content, start, dialect, JsonFieldNames.Of(keys));
    }

    /// <summary>Skips whole lines (<c>--skip-lines</c>).</summary>
    public static ReaderStart SkipLines(LookAheadStream content, ReaderStart start, Dialect dialect)
    {
        var skipped = LineSkipper.Skip(content, dialect.SkipLines, new LineEnds(dialect.Newline));
        return start with { ByteOffset = start.ByteOffset + skipped, LineNumber = start.LineNumber + dialect.SkipLines };
    }

    /// <summary>Returns its lines, without empty ones, comments and the line with the delimiter.</summary>
    public static List<(long Line, long Offset, byte[] Text)> TakePreamble(
        LookAheadStream content, ReaderStart start, Dialect dialect, out ReaderStart behind)
    {
        var lineEnds = new LineEnds(dialect.Newline);
        var lines = new List<(long, long, byte[])>();
        for (var i = 0; i < dialect.PreambleLines; i++)
        {
            // The lines were found within as many bytes.
            var bytes = content.Peek(LookAheadStream.SampleBytes).Span;
            var length = lineEnds.IndexIn(bytes, isAll: true, out var lineEnd);
            var isMeant = i == 0 && SeparatorLine.Find(bytes) is not null;
            if (length > 0 && bytes[0] != dialect.Comment && !isMeant)
            {
                lines.Add((start.LineNumber, start.ByteOffset, bytes[..length].ToArray()));
            }

            content.Skip(length + lineEnd);
            start = start with { ByteOffset = start.ByteOffset + length + lineEnd, LineNumber = start.LineNumber + 1 };
        }

        behind = start;
        return lines;
    }

    /// <summary>For UTF-8 bytes behind skipped lines and those before the header.</summary>
    public static IRecordReader CreateAfterPreamble(LookAheadStream content, ReaderStart start, Dialect dialect, JsonFieldNames keys) =>
        !Features.Files || dialect.Format == InputFormat.Objects ? new ObjectReader(content, start, dialect) : dialect.Format switch
        {
            InputFormat.Jsonl => new JsonLinesReader(content, start, dialect, keys),
            InputFormat.Json => new JsonArrayReader(content, start, dialect, keys),
            InputFormat.Keys => new KeyListReader(content, start, dialect),
            _ => CreateScanning(content, start, dialect),
        };

    private static ScanningReader CreateScanning(LookAheadStream content, ReaderStart start, Dialect dialect)
    {
        var reader = dialect.IsDelimited ? new DelimitedReader(content, start, dialect) : new ScanningReader(content, start, dialect);
        try
        {
            reader.Begin();
            return reader;
        }
        catch
        {
            reader.Dispose();
            throw;
        }
    }
}

/// <summary>The start of a reader: offset and 1-based line of its first byte. <paramref name="FieldCount"/> is for inputs without a header;
/// 0: as many as the first good record.</summary>
internal readonly record struct ReaderStart(
    string Name, long ByteOffset = 0, long LineNumber = 1, int FieldCount = 0, SourceOrigin? Origin = null)
{
    /// <summary>Whether nobody knows which lines of the file the records have.</summary>
    public bool LacksLines { get; init; }
}

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
