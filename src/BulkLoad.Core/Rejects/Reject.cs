using System.Globalization;

namespace BulkLoad.Core.Rejects;

/// <summary>A refused record.</summary>
internal sealed record Reject
{
    /// <summary>The input's name.</summary>
    public required string Source { get; init; }

    /// <summary>1-based.</summary>
    public required long Record { get; init; }

    /// <summary>1-based line on which the record starts.</summary>
    public required long Line { get; init; }

    /// <summary>0-based offset of the record's first byte.</summary>
    public required long Offset { get; init; }

    /// <summary>Last line of the range where the single record is not known; else equal to <see cref="Line"/>.</summary>
    public long LastLine { get; init; }

    /// <summary>The column at fault, or null.</summary>
    public string? Column { get; init; }

    /// <summary>Stable kebab-case word.</summary>
    public required string Code { get; init; }

    /// <summary>What is wrong, for people.</summary>
    public required string Message { get; init; }

    /// <summary>The server's error number, or 0.</summary>
    public int ServerCode { get; init; }

    /// <summary>Where and what, on one line.</summary>
    public string Describe()
    {
        var place = LastLine > Line
            ? string.Create(CultureInfo.InvariantCulture, $"{Source}:{Line}-{LastLine}: one of these lines (a small --rows-per-batch tells which): ")
            : string.Create(CultureInfo.InvariantCulture, $"{Source}:{Line}: ");
        return place + (Column is null ? "" : $"column '{Column}': ") + Message;
    }
}
