using BulkLoad.Core.Input;

namespace BulkLoad.Core.Values.Notations;

/// <summary>How the values of a column are written whose type is to be chosen by them.</summary>
/// <param name="notations">those that are said, in the order in which they are tried</param>
/// <param name="truth">words for true and false; null: the usual ones</param>
internal sealed class UntypedNotation(IReadOnlyList<(ValueAspect Aspect, ValueNotation Notation)> notations, TruthWords? truth)
{
    /// <summary>Whether something is said of times or numbers, so that those that are written otherwise are text.</summary>
    public bool Says(ValueAspect aspect)
    {
        foreach (var (said, _) in notations)
        {
            if (said == aspect)
            {
                return true;
            }
        }

        return false;
    }

    /// <param name="room"><see cref="ValueNotation.MostBytes"/> for the value</param>
    /// <param name="value">as the rules have it, where the result is not null</param>
    /// <returns>what it was written as; null: it is written as nothing of what is said</returns>
    public ValueAspect? Rewrite(ReadOnlySpan<byte> text, Span<byte> room, out ReadOnlySpan<byte> value)
    {
        if (truth?.TryParse(text, out var isTrue) == true)
        {
            value = isTrue ? "true"u8 : "false"u8;
            return ValueAspect.True;
        }

        foreach (var (aspect, notation) in notations)
        {
            if (notation.TryRewrite(text, room, out value))
            {
                return aspect;
            }
        }

        value = text;
        return null;
    }
}
