namespace BulkLoad.Core.Values;

/// <summary>Numbers in their most frequent form: a hyphen, digits, perhaps in groups of three, a decimal character, digits. They become
/// canonical in one pass.</summary>
/// <param name="point">the byte before the fraction; -1: none</param>
/// <param name="group">the byte between thousands; -1: none</param>
internal readonly struct PlainNumber(int point, int group)
{
    public static PlainNumber Standard { get; } = new('.', -1);

    /// <summary>Writes the number without zeros at either end.</summary>
    /// <returns>bytes; 0: the text has another form, or too many digits, and must be parsed the longer way</returns>
    public int Write(ReadOnlySpan<byte> text, int maxWhole, int maxFraction, bool takesMinus, Span<byte> output)
    {
        var start = text.Length > 0 && text[0] == '-' ? 1 : 0;
        if (text.Length > output.Length || (start > 0 && !takesMinus))
        {
            return 0;
        }

        output[0] = (byte)'-';
        var (at, length, run, hasGroups) = (start, start, 0, false);
        for (; at < text.Length; at++)
        {
            var sign = text[at];
            if ((uint)(sign - '0') <= 9)
            {
                output[length++] = sign;
                run++;
            }
            else if (sign == group && (run == 3 || (!hasGroups && run is 1 or 2)))
            {
                (run, hasGroups) = (0, true);
            }
            else
            {
                break;
            }
        }

        var isZero = length == start + 1 && output[start] == '0';
        if (run == 0 || (hasGroups && run != 3) || length - start > maxWhole + (isZero ? 1 : 0) || (output[start] == '0' && !isZero))
        {
            return 0;
        }

        if (at < text.Length)
        {
            var fraction = text[(at + 1)..];
            if (text[at] != point || fraction.IsEmpty)
            {
                return 0;
            }

            var end = length;
            output[length] = (byte)'.';
            for (var i = 0; i < fraction.Length; i++)
            {
                if ((uint)(fraction[i] - '0') > 9)
                {
                    return 0;
                }

                output[length + 1 + i] = fraction[i];
                end = fraction[i] == '0' ? end : length + 2 + i;
            }

            if (end - length - 1 > maxFraction)
            {
                return 0;
            }

            isZero &= end == length;
            length = end;
        }

        // Zero has no sign.
        return isZero && start > 0 ? 0 : length;
    }
}
