using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>Why a column cannot hold a value exactly.</summary>
/// <param name="Code">stable kebab-case word</param>
/// <param name="Message">reads on from the value: <c>'x17' is not an integer</c></param>
internal sealed record ValueFault(string Code, string Message)
{
    /// <summary>What is not text at all is no number or date either.</summary>
    public static readonly ValueFault InvalidText = new("invalid-text", "is not valid UTF-8 (name the file's encoding with --encoding)");

    /// <summary>Of a file whose encoding the user named.</summary>
    public static readonly ValueFault InvalidBytes = InvalidText with { Message = "is not valid in the encoding that --encoding names" };

    public static readonly ValueFault NotANumber = new("not-a-number", "is not a number");
    public static readonly ValueFault Negative = new("out-of-range", "is negative, and the column is UNSIGNED");

    public static ValueFault TooManyDigits(TableColumn column) =>
        new("out-of-range", $"has more than {column.Precision - column.Scale} digits before the point");

    public static ValueFault TooManyDecimals(TableColumn column) =>
        new("too-many-decimals", $"has more than {column.Scale} digits after the point");

    public static ValueFault TooFineTime(TableColumn column) =>
        new("too-many-decimals", $"has a finer fraction of a second than the column's {column.Scale} digits");
}
