using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values;

namespace BulkLoad.Core.Feed;

/// <summary>One input, looked at and mapped, not yet read.</summary>
/// <param name="Opened">still open where it cannot be opened twice (a pipe), else null</param>
/// <param name="Spool">a pipe's bytes, where it has to be read more than once; else null</param>
internal sealed record LoadSource(SourceInfo Look, ColumnMapping Mapping, InputFile? Opened, Spool? Spool = null)
{
    /// <summary>Whether it can be read more than once.</summary>
    public bool CanReadAgain => Opened is null;

    /// <summary>What its records are by their bytes; null: nobody asks, or it can be read only once.</summary>
    public SourceContent? Content { get; init; }

    /// <summary>Opens the input for a pass, or gives the one that is open.</summary>
    /// <param name="tap">takes its bytes, unless it is open already; null: nobody does</param>
    public InputFile Open(SourceOptions options, ContentTap? tap, CancellationToken cancellationToken) =>
        Opened ?? (Spool is null ? InputFile.Open(Look.Path!, options, tap, cancellationToken)
            : InputFile.Open(Spool, options, tap, cancellationToken));

    /// <inheritdoc cref="Open(SourceOptions, ContentTap, CancellationToken)"/>
    public InputFile Open(SourceOptions options, CancellationToken cancellationToken) => Open(options, tap: null, cancellationToken);

    public IRecordReader CreateReader(InputFile input, SourceOptions options)
    {
        var reader = RecordReaders.Create(input, options, Look);
        reader.JoinsSurplus = Mapping.EndsWithText;
        return reader;
    }

    public RowMapper CreateMapper(ValueOptions values, ValueZone zone) => new(Mapping, values.In(Look.Format), zone);
}

internal static class LoadSources
{
    /// <summary>Bytes as stored; null where one is a pipe.</summary>
    public static long? TotalBytes(this IReadOnlyList<LoadSource> sources) =>
        sources.All(source => source.Look.Length is not null) ? sources.Sum(source => source.Look.Length) : null;
}
