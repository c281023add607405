using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;

namespace BulkLoad.Core.Feed;

/// <summary>One input, examined and mapped, not yet read.</summary>
/// <param name="Opened">null: it can be opened again; a pipe stays open</param>
/// <param name="Spool">the bytes of a pipe that must be read more than once; else null</param>
internal sealed record LoadSource(SourceInfo Look, ColumnMapping Mapping, InputFile? Opened, Spool? Spool = null)
{
    public bool CanReadAgain => Opened is null;

    /// <summary>Null: not needed, or the input can be read only once.</summary>
    public SourceContent? Content { get; init; }

    /// <summary>BIT columns whose fields are bytes, where no option says so.</summary>
    public IReadOnlyList<BinaryColumn> Bits { get; init; } = [];

    /// <summary>Opens the input for a pass, or gives the one that is open.</summary>
    /// <param name="tap">takes its bytes, unless it is open already; null: none</param>
    public InputFile Open(SourceOptions options, ContentTap? tap, CancellationToken cancellationToken) =>
        Opened ?? (Spool is null ? Look.Open(options, tap, cancellationToken)
            : InputFile.Open(Spool, options, tap, cancellationToken));

    public InputFile Open(SourceOptions options, CancellationToken cancellationToken) => Open(options, tap: null, cancellationToken);

    public IRecordReader CreateReader(InputFile input, SourceOptions options)
    {
        var reader = Look.CreateReader(input, options);
        reader.JoinsSurplus = Mapping.EndsWithText;
        return reader;
    }

    /// <param name="tellsAll">see <see cref="RowMapper.TellsAll"/></param>
    public RowMapper CreateMapper(ValueOptions values, ValueZone zone, bool tellsAll = false) =>
        new(Mapping, ValuesIn(values), zone, isJson: Look.Format.IsJson()) { TellsAll = tellsAll };

    public ValueOptions ValuesIn(ValueOptions values) =>
        Bits.Count == 0 ? values.In(Look.Format) : values.In(Look.Format) with { BinaryColumns = [.. values.BinaryColumns, .. Bits] };
}

internal static class LoadSources
{
    /// <summary>Bytes as stored; null: one is a pipe.</summary>
    public static long? TotalBytes(this IReadOnlyList<LoadSource> sources) =>
        sources.All(source => source.Look.Length is not null) ? sources.Sum(source => source.Look.Length) : null;
}

/// <summary>Whether each field that <c>--map</c> names appeared in some record of the job. A header says so at once, JSON lines only at
/// their end.</summary>
internal sealed class MappedFields(IReadOnlyList<LoadSource> sources, LoadRequest request)
{
    private readonly HashSet<string> _awaited = Await(sources, request);
    private long _records;

    /// <summary>Called at the end of an input.</summary>
    /// <exception cref="MappingException">it was the last input, and there were records, but none with such a field: nothing more may be
    /// committed</exception>
    public void EndSource(int source, IRecordReader reader)
    {
        _records += reader.RecordNumber;
        foreach (var (key, field) in sources[source].Mapping.Mapped)
        {
            if (_awaited.Contains(key) && reader.HasCome(field))
            {
                _awaited.Remove(key);
            }
        }

        if (source == sources.Count - 1 && _records > 0 && _awaited.FirstOrDefault() is { } missing)
        {
            var inputs = sources.Count == 1 ? sources[0].Look.Name : "the inputs";
            throw ColumnMapping.MissingField(missing, request.Map.First(pair => pair.Key == missing).Value, $"record of {inputs}");
        }
    }

    private static HashSet<string> Await(IReadOnlyList<LoadSource> sources, LoadRequest request) =>
        request.Part is null && sources.Any(source => source.Look.Format.IsJson())
        ? [.. request.Map.Select(pair => pair.Key).Where(key => !FieldMap.IsOptional(key))]
        : [];
}

/// <summary>Reads the first records of files, to see whether their keys rise.</summary>
internal static class OrderProbe
{
    private const int MaxRecords = 2_000;
    private const int MaxBytes = 1024 * 1024;
    private const int MaxSources = 8;

    /// <param name="columns">of the key; <see cref="KeyColumns"/> can write them</param>
    /// <exception cref="InputException">an input cannot be read</exception>
    public static KeyOrderInfo Look(
        IReadOnlyList<LoadSource> sources, LoadFacts facts, IEnumerable<TableColumn> columns, CancellationToken cancellationToken)
    {
        var key = new KeyColumns([.. columns.Select(column => (column, facts.IndexOf(column)))]);
        var (records, late) = (0, 0);
        foreach (var source in sources.Take(MaxSources))
        {
            var block = Read(source, facts, cancellationToken);
            records += block.RowCount;
            late += CountLate(block, key);
        }

        return new KeyOrderInfo(records, late, RoomIn(facts.Request.TempFolder));
    }

    private static RowBlock Read(LoadSource source, LoadFacts facts, CancellationToken cancellationToken)
    {
        var request = facts.Request;
        using var input = source.Open(request.Source, cancellationToken);
        using var reader = source.CreateReader(input, request.Source);
        var mapper = source.CreateMapper(request.Values, facts.Server.Zone);
        var block = new RowBlock(facts.RowColumns.Count, MaxBytes / 4, MaxRecords);
        while (block.RowCount < MaxRecords && block.OriginalByteCount < MaxBytes && reader.Read())
        {
            mapper.Add(reader, reader.ByteOffset, block);
        }

        return block;
    }

    /// <summary>Number of records in the second half whose key is below the largest one of the first: few where records are only slightly
    /// out of order, however many records there are.</summary>
    private static int CountLate(RowBlock block, KeyColumns key)
    {
        var largest = Array.Empty<byte>();
        var current = new byte[64];
        var late = 0;
        for (var row = 0; row < block.RowCount; row++)
        {
            var most = key.MaxBytes(block, row);
            current = current.Length >= most ? current : new byte[most];
            var written = current.AsSpan(0, key.Write(block, row, current));
            if (row >= block.RowCount / 2)
            {
                late += written.SequenceCompareTo(largest) < 0 ? 1 : 0;
            }
            else if (written.SequenceCompareTo(largest) > 0)
            {
                largest = written.ToArray();
            }
        }

        return late;
    }

    private static long RoomIn(string folder)
    {
        try
        {
            return Directory.Exists(folder) ? new DriveInfo(Path.GetFullPath(folder)).AvailableFreeSpace : 0;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return 0;
        }
    }
}
