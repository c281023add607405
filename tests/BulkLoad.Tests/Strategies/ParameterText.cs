using System.Buffers.Binary;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Strategies;

/// <summary>Reads binary parameters back, as a server would (client/server protocol, "Binary Protocol Value").</summary>
internal static class ParameterText
{
    public static List<string> Decode(BinaryParameters parameters) => parameters is BulkParameters
        ? DecodeBulk(parameters.Types.Span, parameters.Values.Span)
        : Decode(parameters.Nulls.Span, parameters.Types.Span, parameters.Values.Span);

    /// <summary>Rows whose values have indicators before them (MariaDB protocol, "COM_STMT_BULK_EXECUTE").</summary>
    public static List<string> DecodeBulk(ReadOnlySpan<byte> types, ReadOnlySpan<byte> values)
    {
        var shown = new List<string>();
        while (!values.IsEmpty)
        {
            for (var i = 0; i < types.Length; i += 2)
            {
                shown.Add(Cut(ref values, 1)[0] switch
                {
                    0 => Take((ParameterType)BinaryPrimitives.ReadUInt16LittleEndian(types[i..]), ref values),
                    1 => "NULL",
                    2 => "DEFAULT",
                    var indicator => throw new InvalidOperationException($"there is no indicator {indicator}"),
                });
            }
        }

        return shown;
    }

    public static List<string> Decode(ReadOnlySpan<byte> nulls, ReadOnlySpan<byte> types, ReadOnlySpan<byte> values)
    {
        var shown = new List<string>();
        for (var i = 0; i < types.Length / 2; i++)
        {
            if ((nulls[i >> 3] & (1 << (i & 7))) != 0)
            {
                shown.Add("NULL");
                continue;
            }

            shown.Add(Take((ParameterType)BinaryPrimitives.ReadUInt16LittleEndian(types[(i * 2)..]), ref values));
        }

        return values.IsEmpty ? shown : throw new InvalidOperationException($"{values.Length} bytes are left");
    }

    private static string Take(ParameterType type, ref ReadOnlySpan<byte> values)
    {
        switch (type)
        {
            case ParameterType.Int64:
                return BinaryPrimitives.ReadInt64LittleEndian(Cut(ref values, 8)).ToString();
            case ParameterType.UInt64:
                return $"{BinaryPrimitives.ReadUInt64LittleEndian(Cut(ref values, 8)).ToString()}u";
            case ParameterType.Double:
                return $"{BinaryPrimitives.ReadDoubleLittleEndian(Cut(ref values, 8)).ToString("R")}d";
            case ParameterType.Date or ParameterType.DateTime:
                var date = Cut(ref values, Cut(ref values, 1)[0]);
                return $"{type} {BinaryPrimitives.ReadUInt16LittleEndian(date):d4}-{date[2]:d2}-{date[3]:d2}"
                    + (date.Length > 4 ? $" {date[4]:d2}:{date[5]:d2}:{date[6]:d2}" : "")
                    + Fraction(date.Length > 7 ? date[7..] : default);
            case ParameterType.Time:
                var time = Cut(ref values, Cut(ref values, 1)[0]);
                return time.IsEmpty ? "Time 0" : $"Time {(time[0] == 1 ? "-" : "")}{BinaryPrimitives.ReadUInt32LittleEndian(time[1..])} "
                    + $"days {time[5]:d2}:{time[6]:d2}:{time[7]:d2}"
                    + Fraction(time.Length > 8 ? time[8..] : default);
            case ParameterType.Decimal:
                return $"Decimal {Encoding.UTF8.GetString(CutCounted(ref values))}";
            case ParameterType.Bytes:
                return $"Bytes {Convert.ToHexString(CutCounted(ref values))}";
            default:
                return $"'{Encoding.UTF8.GetString(CutCounted(ref values))}'";
        }
    }

    private static string Fraction(ReadOnlySpan<byte> microseconds) =>
        microseconds.IsEmpty ? "" : $".{BinaryPrimitives.ReadUInt32LittleEndian(microseconds):d6}";

    private static ReadOnlySpan<byte> CutCounted(ref ReadOnlySpan<byte> values)
    {
        var first = Cut(ref values, 1)[0];
        var length = first switch
        {
            0xfc => BinaryPrimitives.ReadUInt16LittleEndian(Cut(ref values, 2)),
            0xfd => Cut(ref values, 3) is var three ? three[0] | (three[1] << 8) | (three[2] << 16) : 0,
            0xfe => (int)BinaryPrimitives.ReadUInt64LittleEndian(Cut(ref values, 8)),
            _ => first,
        };
        return Cut(ref values, length);
    }

    private static ReadOnlySpan<byte> Cut(ref ReadOnlySpan<byte> values, int count)
    {
        var cut = values[..count];
        values = values[count..];
        return cut;
    }
}
