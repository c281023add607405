namespace BulkLoad.Core.Values.Notations;

/// <summary>How the user says that a column's values are written: rewrites them to what the column's rule reads. Allocates
/// nothing.</summary>
internal abstract class ValueNotation
{
    /// <summary>Limit of a rewritten value's bytes.</summary>
    public const int MaxBytes = 256;

    /// <summary>The fault of a text that is not written so.</summary>
    public abstract ValueFault Fault { get; }

    /// <summary>Whether it also reads JSON's own numbers and words; otherwise they are always read as JSON defines them.</summary>
    public virtual bool ReadsJsonLiterals => false;

    /// <param name="text">the field, never NULL</param>
    /// <param name="room"><see cref="MaxBytes"/> for the value</param>
    /// <param name="value">the same value as the rule reads it: the text itself, or in <paramref name="room"/></param>
    /// <returns>false: the text is not written so</returns>
    public abstract bool TryRewrite(ReadOnlySpan<byte> text, Span<byte> room, out ReadOnlySpan<byte> value);
}
