namespace BulkLoad.Core.Values.Notations;

/// <summary>How the values of a column are written, where the user said so: rewrites them to what the column's rule reads. Allocates
/// nothing.</summary>
internal abstract class ValueNotation
{
    /// <summary>Bytes that a rewritten value has at most.</summary>
    public const int MostBytes = 256;

    /// <summary>The fault of a text that is not written so.</summary>
    public abstract ValueFault Fault { get; }

    /// <summary>Whether it says how JSON's own numbers and words are read, too; else these are always read as JSON has them.</summary>
    public virtual bool ReadsJsonLiterals => false;

    /// <param name="text">the field, never NULL</param>
    /// <param name="room"><see cref="MostBytes"/> for the value</param>
    /// <param name="value">the same value as the rule reads it: the text itself, or in <paramref name="room"/></param>
    /// <returns>false: the text is not written so</returns>
    public abstract bool TryRewrite(ReadOnlySpan<byte> text, Span<byte> room, out ReadOnlySpan<byte> value);
}
