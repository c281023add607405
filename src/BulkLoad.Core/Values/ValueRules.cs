using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Values;

/// <summary>The rule of each kind of column.</summary>
internal static class ValueRules
{
    /// <param name="notation">how its values are written; null: as the servers have them</param>
    public static ValueRule For(TableColumn column, RuleOptions options, ValueNotation? notation) => notation switch
    {
        _ when column.Kind == ColumnKind.Bit && options.HasRawBits(column.Name) => new BitRule(column),
        null => For(column, options),
        PatternNotation pattern when column.Behaviour.Family == ColumnFamily.Date =>
            new DateTimeRule(column, options, pattern),
        NumberNotation number when column.Kind == ColumnKind.Decimal => new DecimalRule(column, options, number),
        _ => new NotatedRule(For(column, options), notation),
    };

    public static ValueRule For(TableColumn column, RuleOptions options) => column.Kind switch
    {
        ColumnKind.Integer or ColumnKind.UnsignedInteger or ColumnKind.Bit => new IntegerRule(column, options),
        ColumnKind.Decimal => new DecimalRule(column, options),
        ColumnKind.Float or ColumnKind.Double => new FloatRule(column),
        ColumnKind.Char or ColumnKind.Varchar or ColumnKind.Text => new TextRule(column),
        ColumnKind.Date or ColumnKind.DateTime or ColumnKind.Timestamp => new DateTimeRule(column, options),
        ColumnKind.Time => new TimeRule(column, options),
        ColumnKind.Year => new YearRule(),
        ColumnKind.Enum or ColumnKind.Set => new LabelRule(column),
        ColumnKind.Blob when column.VectorSize > 0 => new VectorRule(column, options.BinaryOf(column.Name) == BinaryForm.Raw),
        ColumnKind.Binary or ColumnKind.Blob => new BinaryRule(column, options.BinaryOf(column.Name)),
        ColumnKind.Json => new JsonRule(),
        ColumnKind.Uuid => new UuidRule(),
        ColumnKind.Inet4 or ColumnKind.Inet6 => new InetRule(column),
        ColumnKind.Geometry => new GeometryRule(column),
        _ => throw new ArgumentOutOfRangeException(nameof(column), column.Kind, "no rule for this kind"),
    };
}

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

/// <summary>One column type's rule: a field's text in, the canonical text of exactly the same value out, or the reason why not. Works on
/// bytes and allocates nothing. Every strategy encodes from the canonical text, so all answer alike.</summary>
/// <remarks>The servers are no substitute. LOAD DATA LOCAL turns errors into warnings whatever <c>sql_mode</c> says. Even in the strictest
/// mode the servers round fractions of seconds differently, take ENUM <c>'2'</c> as an index, and cut blanks off a CHAR, without a
/// warning.</remarks>
internal abstract class ValueRule
{
    /// <summary>Adds the canonical value to the block as its next value; on a fault nothing is added.</summary>
    /// <param name="text">the field's UTF-8 text, never NULL</param>
    public abstract ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block);

    /// <summary>As <see cref="Add"/>, for what was a string in JSON: only a JSON column tells it from other text.</summary>
    public virtual ValueFault? AddString(ReadOnlySpan<byte> text, RowBlock block) => Add(text, block);
}

/// <summary>What rules take from the request and the session.</summary>
/// <param name="Rounds">whether what is finer than the column is rounded, half away from zero, instead of refused</param>
/// <param name="TakesZeroDates">whether a year, month or day of zero is a date</param>
/// <param name="BinaryOf">how a binary column's bytes are written, by its name</param>
internal sealed record RuleOptions(ValueZone Zone, bool Rounds, bool TakesZeroDates, Func<string, BinaryForm> BinaryOf)
{
    public RuleOptions(ValueZone zone, bool rounds, bool takesZeroDates)
        : this(zone, rounds, takesZeroDates, _ => BinaryForm.Hex)
    {
    }

    /// <summary>Whether a BIT column's fields are its bytes, by its name.</summary>
    public Func<string, bool> HasRawBits { get; init; } = _ => false;

    public static RuleOptions Of(ValueOptions values, ValueZone zone) =>
        new(zone, values.Round, values.ZeroDates, values.BinaryOf) { HasRawBits = values.HasRawBits };
}

/// <summary>The texts that mean NULL in the unquoted fields of one column.</summary>
internal sealed class NullWords(ValueOptions values, string column)
{
    private readonly byte[][] _texts =
    [
        .. values.NullTexts
            .Where(text => text.Column is null || text.Column.Equals(column, StringComparison.OrdinalIgnoreCase))
            .Select(text => text.Text).Append(@"\N").Distinct().Select(Encoding.UTF8.GetBytes),
    ];

    public bool Contain(ReadOnlySpan<byte> text)
    {
        foreach (var known in _texts)
        {
            if (text.SequenceEqual(known))
            {
                return true;
            }
        }

        return false;
    }
}
