using System.Buffers.Text;

namespace BulkLoad.Core.Values;

/// <summary>Spans of time as a TIME column has them: <c>[-]hh:mm[:ss[.f]]</c>.</summary>
internal static class TimeText
{
    /// <summary>838:59:59.</summary>
    public const long MaxTicks = ((838 * 3600) + (59 * 60) + 59) * TimeSpan.TicksPerSecond;

    /// <param name="ticks">.NET's ticks, with the first seven digits of the fraction</param>
    public static bool TryParse(ReadOnlySpan<byte> text, out bool isNegative, out long ticks, out int fractionDigits)
    {
        ticks = 0;
        fractionDigits = 0;
        isNegative = text.Length > 0 && text[0] == '-';
        text = isNegative ? text[1..] : text;
        if (!Utf8Parser.TryParse(text, out uint hours, out var used, 'D') || used > 4 || text[0] is (byte)'+')
        {
            return false;
        }

        text = text[used..];
        if (!TryTakePart(ref text, out var minute) || minute > 59)
        {
            return false;
        }

        var second = 0;
        if (!text.IsEmpty && (!TryTakePart(ref text, out second) || second > 59))
        {
            return false;
        }

        var fraction = 0;
        if (text.Length > 0 && (text[0] != '.' || !FractionText.TryTake(ref text, out fraction, out fractionDigits) || !text.IsEmpty))
        {
            return false;
        }

        ticks = (((hours * 3600) + (minute * 60) + second) * TimeSpan.TicksPerSecond) + fraction;
        return true;
    }

    private static bool TryTakePart(ref ReadOnlySpan<byte> text, out int value)
    {
        value = 0;
        if (text.Length < 3 || text[0] != ':' || text[1] is < (byte)'0' or > (byte)'9' || text[2] is < (byte)'0' or > (byte)'9')
        {
            return false;
        }

        value = ((text[1] - '0') * 10) + (text[2] - '0');
        text = text[3..];
        return true;
    }

    /// <summary>Writes <c>[-]hh:mm:ss</c>, with six more digits where there is a fraction.</summary>
    /// <param name="output">at least 20 bytes</param>
    public static int Write(bool isNegative, long ticks, Span<byte> output)
    {
        var seconds = (int)(ticks / TimeSpan.TicksPerSecond);
        var microsecond = (int)(ticks % TimeSpan.TicksPerSecond / 10);
        var length = 0;
        if (isNegative)
        {
            output[length++] = (byte)'-';
        }

        length += Put(output[length..], seconds / 3600, 2);
        output[length++] = (byte)':';
        length += Put(output[length..], seconds / 60 % 60, 2);
        output[length++] = (byte)':';
        length += Put(output[length..], seconds % 60, 2);
        if (microsecond > 0)
        {
            output[length++] = (byte)'.';
            length += Put(output[length..], microsecond, 6);
        }

        return length;
    }

    private static int Put(Span<byte> output, int value, byte digits)
    {
        Utf8Formatter.TryFormat(value, output, out var written, new System.Buffers.StandardFormat('D', digits));
        return written;
    }
}
