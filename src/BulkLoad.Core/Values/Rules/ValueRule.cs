using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Values.Rules;

/// <summary>One column type's rule: takes a field's text, and gives the canonical text of exactly the same value, or the reason why not.
/// Works on bytes and allocates nothing. Every strategy encodes from the canonical text, so all behave alike. The servers cannot do this:
/// LOAD DATA LOCAL turns errors into warnings whatever <c>sql_mode</c> says. Even in the strictest mode the servers round fractions of
/// seconds differently, take ENUM <c>'2'</c> as an index, and cut blanks off a CHAR, without a warning.</summary>
internal abstract class ValueRule
{
    /// <summary>Adds the canonical value to the block as its next value; on a fault nothing is added.</summary>
    /// <param name="text">UTF-8, never NULL</param>
    public abstract ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block);

    /// <summary>For a string in JSON: only a JSON column distinguishes it from other text.</summary>
    public virtual ValueFault? AddString(ReadOnlySpan<byte> text, RowBlock block) => Add(text, block);
}

/// <summary>What rules take from the request and the session.</summary>
/// <param name="Rounds">whether what is finer than the column is rounded, half away from zero; otherwise it is refused</param>
/// <param name="TakesZeroDates">whether a year, month or day of zero is a date</param>
/// <param name="BinaryOf">by column name</param>
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

/// <summary>A column's rule after the notation of its values. Not thread-safe: it has the room for a value.</summary>
internal sealed class NotatedRule(ValueRule rule, ValueNotation notation) : ValueRule
{
    private readonly byte[] _room = new byte[ValueNotation.MaxBytes];

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block) =>
        notation.TryRewrite(text, _room, out var value) ? rule.Add(value, block) : notation.Fault;
}
