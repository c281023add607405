using System.Buffers.Binary;
using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Rules;

/// <summary>BIT(n) as its bytes, the highest first, as INTO OUTFILE writes it and LOAD DATA reads it (MySQL manual, "LOAD DATA Statement",
/// of BIT values). The canonical value is the number of the bits.</summary>
internal sealed class BitRule(TableColumn column) : ValueRule
{
    private const int LongestNumber = 20;

    private static readonly ValueFault Empty = new("too-short", "has no byte, and a BIT has at least one");

    private readonly ValueFault _tooLong = new("out-of-range", $"has more than {column.Precision} {Plural.For(column.Precision, "bit")}");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (text.IsEmpty)
        {
            return Empty;
        }

        var bytes = text.TrimStart((byte)0);
        if (bytes.Length > sizeof(ulong))
        {
            return _tooLong;
        }

        Span<byte> wide = stackalloc byte[sizeof(ulong)];
        wide.Clear();
        bytes.CopyTo(wide[^bytes.Length..]);
        var value = BinaryPrimitives.ReadUInt64BigEndian(wide);
        if (value > ulong.MaxValue >> (64 - column.Precision))
        {
            return _tooLong;
        }

        Utf8Formatter.TryFormat(value, block.Reserve(LongestNumber), out var length);
        block.Take(length);
        return null;
    }
}
