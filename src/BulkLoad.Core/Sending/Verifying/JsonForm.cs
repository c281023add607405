using System.Buffers;
using System.Buffers.Text;
using System.Text.Json;

namespace BulkLoad.Core.Sending.Verifying;

/// <summary>A JSON document as MySQL writes it: an object's keys by their length and then their bytes, a blank behind commas and colons,
/// numbers as whole 64-bit ones or as the shortest text of their double (MySQL manual, "Normalization, Merging, and Autowrapping of JSON
/// Values").</summary>
internal static class JsonForm
{
    private const int MaxDepth = 101;

    /// <summary>With more digits before the point, MySQL writes a double with an exponent, unless it needs all of its digits there; the
    /// same for zeros behind the point.</summary>
    private const int MaxPlainDigits = 15;

    public static void Write(IBufferWriter<byte> output, ReadOnlySpan<byte> document)
    {
        var reader = new Utf8JsonReader(document, new JsonReaderOptions { MaxDepth = MaxDepth });
        using var parsed = JsonDocument.ParseValue(ref reader);
        Write(output, parsed.RootElement);
    }

    private static void Write(IBufferWriter<byte> output, JsonElement element)
    {
        switch (element.ValueKind)
        {
            case JsonValueKind.Object:
                WriteObject(output, element);
                break;
            case JsonValueKind.Array:
                output.Write("["u8);
                var isFirst = true;
                foreach (var item in element.EnumerateArray())
                {
                    output.Write(isFirst ? ""u8 : ", "u8);
                    isFirst = false;
                    Write(output, item);
                }

                output.Write("]"u8);
                break;
            case JsonValueKind.String:
                WriteString(output, Encoding.UTF8.GetBytes(element.GetString()!));
                break;
            case JsonValueKind.Number:
                WriteNumber(output, element.GetRawText());
                break;
            default:
                Encoding.UTF8.GetBytes(element.GetRawText(), output);
                break;
        }
    }

    private static void WriteObject(IBufferWriter<byte> output, JsonElement element)
    {
        var members = element.EnumerateObject().Select(member => (Key: Encoding.UTF8.GetBytes(member.Name), member.Value)).ToList();
        members.Sort((one, other) => one.Key.Length == other.Key.Length
            ? one.Key.AsSpan().SequenceCompareTo(other.Key)
            : one.Key.Length - other.Key.Length);
        output.Write("{"u8);
        for (var i = 0; i < members.Count; i++)
        {
            output.Write(i == 0 ? ""u8 : ", "u8);
            WriteString(output, members[i].Key);
            output.Write(": "u8);
            Write(output, members[i].Value);
        }

        output.Write("}"u8);
    }

    private static void WriteString(IBufferWriter<byte> output, ReadOnlySpan<byte> text)
    {
        output.Write("\""u8);
        foreach (var sign in text)
        {
            switch (sign)
            {
                case (byte)'"':
                    output.Write("\\\""u8);
                    break;
                case (byte)'\\':
                    output.Write("\\\\"u8);
                    break;
                case (byte)'\b':
                    output.Write("\\b"u8);
                    break;
                case (byte)'\f':
                    output.Write("\\f"u8);
                    break;
                case (byte)'\n':
                    output.Write("\\n"u8);
                    break;
                case (byte)'\r':
                    output.Write("\\r"u8);
                    break;
                case (byte)'\t':
                    output.Write("\\t"u8);
                    break;
                case < 0x20:
                    output.Write("\\u00"u8);
                    Utf8Formatter.TryFormat(sign, output.GetSpan(2), out var digits, new StandardFormat('x', 2));
                    output.Advance(digits);
                    break;
                default:
                    output.Write([sign]);
                    break;
            }
        }

        output.Write("\""u8);
    }

    private static void WriteNumber(IBufferWriter<byte> output, string text)
    {
        var isWhole = text.AsSpan().IndexOfAny('.', 'e', 'E') < 0;
        var form = isWhole && long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)
            ? number.ToString()
            : isWhole && ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var large) ? large.ToString()
            : Format(double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture));
        Encoding.UTF8.GetBytes(form, output);
    }

    /// <summary>The shortest digits that read back as the same double, with a point or an exponent.</summary>
    internal static string Format(double value)
    {
        // The lowest precision that is enough: the nearest of the shortest texts.
        var scientific = "";
        for (var precision = 0; precision < 17
            && (precision == 0 || double.Parse(scientific, CultureInfo.InvariantCulture) != Math.Abs(value)); precision++)
        {
            scientific = Math.Abs(value).ToString($"E{precision}", CultureInfo.InvariantCulture);
        }

        var sign = double.IsNegative(value) ? "-" : "";
        if (value == 0)
        {
            return $"{sign}0.0";
        }

        var mark = scientific.IndexOf('E', StringComparison.Ordinal);
        var digits = scientific[..mark].Replace(".", "", StringComparison.Ordinal).TrimEnd('0');
        var point = int.Parse(scientific.AsSpan(mark + 1), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture) + 1;
        if (point < 1 - MaxPlainDigits || (point > MaxPlainDigits && digits.Length <= point))
        {
            return $"{sign}{digits[..1]}{(digits.Length > 1 ? "." : "")}{digits[1..]}e{point - 1}";
        }

        return point <= 0 ? $"{sign}0.{new string('0', -point)}{digits}"
            : digits.Length > point ? $"{sign}{digits[..point]}.{digits[point..]}"
            : $"{sign}{digits.PadRight(point, '0')}.0";
    }
}
