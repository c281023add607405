using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Values;

/// <summary>Why a column cannot hold a value exactly.</summary>
/// <param name="Code">stable kebab-case word</param>
/// <param name="Message">reads on from the value: <c>'x17' is not an integer</c></param>
internal sealed record ValueFault(string Code, string Message)
{
    /// <summary>What is not text at all is no number or date either.</summary>
    public static readonly ValueFault InvalidText = new("invalid-text", "is not valid UTF-8 (name the file's encoding with --encoding)");
}

/// <summary>
/// One column type's rule: a field's text in, the canonical text of exactly the same value out, or the reason why not.
/// Works on bytes and allocates nothing. Every strategy encodes from the canonical text, so all answer alike.
/// </summary>
/// <remarks>
/// The servers are no substitute. LOAD DATA LOCAL turns errors into warnings whatever <c>sql_mode</c> says. Even in the strictest mode the
/// servers round fractions of seconds differently, take ENUM <c>'2'</c> as an index, and cut blanks off a CHAR, without a warning.
/// </remarks>
internal abstract class ValueRule
{
    /// <summary>Adds the canonical value to the block as its next value; on a fault nothing is added.</summary>
    /// <param name="text">the field's UTF-8 text, never NULL</param>
    /// <param name="block">takes the value</param>
    public abstract ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block);

    /// <summary>As <see cref="Add"/>, for what was a string in JSON: only a JSON column tells it from other text.</summary>
    public virtual ValueFault? AddString(ReadOnlySpan<byte> text, RowBlock block) => Add(text, block);
}
