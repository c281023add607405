using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Values.Rules;

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

/// <summary>A column's rule behind the notation of its values. Of one reading: it has the room for a value.</summary>
internal sealed class NotatedRule(ValueRule rule, ValueNotation notation) : ValueRule
{
    private readonly byte[] _room = new byte[ValueNotation.MostBytes];

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block) =>
        notation.TryRewrite(text, _room, out var value) ? rule.Add(value, block) : notation.Fault;
}
