using System.Diagnostics.CodeAnalysis;

namespace BulkLoad.Core.Rows;

internal abstract record RecordIssue
{
    protected RecordIssue()
    {
    }

    [SetsRequiredMembers]
    protected RecordIssue(in RecordPlace place, string code, string message, string? column)
    {
        (Source, Record, Line, Offset, Text, At) = place;
        (Code, Message, Column) = (code, message, column);
    }

    public required string Source { get; init; }

    /// <summary>1-based number of the record in its input; for a line that is no record, the number of the record before it.</summary>
    public required long Record { get; init; }

    /// <summary>1-based line on which the record starts; 0: its input has no lines;
    /// <see cref="RowOrigin.UnknownLine"/>: not known.</summary>
    public required long Line { get; init; }

    /// <summary>0-based offset of the record's first byte in the decompressed, undecoded input.</summary>
    public required long Offset { get; init; }

    /// <summary>The column at fault, or null.</summary>
    public string? Column { get; init; }

    /// <summary>Stable kebab-case word.</summary>
    public required string Code { get; init; }

    public required string Message { get; init; }

    /// <summary>As the reader reads it: without its line end, decoded to UTF-8.</summary>
    public ReadOnlyMemory<byte> Text { get; init; }

    /// <summary>The place by which a record is ordered if records are sorted before they are sent.</summary>
    internal (long Record, long Offset)? SortedPlace { get; init; }

    /// <summary>Its place in an input without lines, such as <c>sheet 2026, cell D17</c>; null: see line or number.</summary>
    public string? At { get; init; }

    /// <summary>Such as <c>people.csv:17</c>.</summary>
    public string Where => At is null ? new RowOrigin(0, Record, Line, Offset).In(Source) : $"{Source}, {At}";

    internal (long Record, long Offset) Place => SortedPlace ?? (Record, Offset);

    public string Describe() => $"{Where}: {(Column is null ? "" : $"column '{Column}': ")}{Message}";
}

/// <summary>Where a record is in its input, and how it is written there; <see cref="RecordIssue"/> describes each.</summary>
internal readonly record struct RecordPlace(
    string Source, long Record, long Line, long Offset, ReadOnlyMemory<byte> Text, string? At = null);

internal sealed record Reject : RecordIssue
{
    /// <summary>The server's error number, or 0.</summary>
    public int ServerCode { get; init; }

    public Reject()
    {
    }

    [SetsRequiredMembers]
    public Reject(in RecordPlace place, string code, string message, string? column) : base(place, code, message, column)
    {
    }
}

/// <summary>A record that was not as its format wants it and was taken all the same, or a line that was skipped, as <c>--dirt</c>
/// says.</summary>
internal sealed record Repair : RecordIssue
{
    public Repair()
    {
    }

    [SetsRequiredMembers]
    public Repair(in RecordPlace place, string code, string message, string? column) : base(place, code, message, column)
    {
    }
}
