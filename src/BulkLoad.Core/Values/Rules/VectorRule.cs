using System.Buffers.Binary;
using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Rules;

/// <summary>VECTOR(n) (MySQL manual, "The VECTOR Type"): <c>[0.1, -2, 3e-5]</c>, or base64 of the numbers as 4 bytes each, the lowest
/// first; or these bytes themselves, where fields are raw. Each number is the nearest FLOAT and finite; there are at most n. The canonical
/// value is the bytes.</summary>
internal sealed class VectorRule(TableColumn column, bool takesBytes = false) : ValueRule
{
    private const int NumberBytes = sizeof(float);

    private static readonly ValueFault NotAVector = new(
        "not-a-vector", "is not a list of numbers such as [0.1, -2, 3e-5], nor base64 of FLOATs of 4 bytes");
    private static readonly ValueFault Empty = new("not-a-vector", "is a vector without a number");
    private static readonly ValueFault OutOfRange = new("out-of-range", "has a number that is beyond the largest FLOAT, or none");

    private static readonly ValueFault BecomesZero = new(
        "becomes-zero", "has a number that is not 0, and the nearest FLOAT is");

    private readonly int _most = column.VectorSize;
    private readonly ValueFault _tooLong = new("too-long", $"has more than {column.VectorSize} numbers");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block) =>
        text.Length > 0 && text[0] == '[' && AddList(text, block) is var ofList && (ofList is null || !takesBytes) ? ofList
        : AddBytes(text, block);

    private ValueFault? AddList(ReadOnlySpan<byte> text, RowBlock block)
    {
        var rest = text[1..];
        var output = block.Reserve(_most * NumberBytes);
        var count = 0;
        while (true)
        {
            rest = rest.TrimStart(" \t\r\n"u8);
            if (count == 0 && rest is [(byte)']'])
            {
                return Empty;
            }

            // The parser also takes words for infinity and NaN.
            if (rest.IsEmpty || rest[0] is not ((>= (byte)'0' and <= (byte)'9') or (byte)'-' or (byte)'+' or (byte)'.')
                || !Utf8Parser.TryParse(rest, out float number, out var used))
            {
                return NotAVector;
            }

            if (!float.IsFinite(number))
            {
                return OutOfRange;
            }

            if (number == 0 && !FloatRule.IsZero(rest[..used]))
            {
                return BecomesZero;
            }

            if (count == _most)
            {
                return _tooLong;
            }

            BinaryPrimitives.WriteSingleLittleEndian(output[(count++ * NumberBytes)..], number);
            rest = rest[used..].TrimStart(" \t\r\n"u8);
            if (rest is [(byte)']'])
            {
                block.Take(count * NumberBytes);
                return null;
            }

            if (rest.IsEmpty || rest[0] != ',')
            {
                return NotAVector;
            }

            rest = rest[1..];
        }
    }

    private ValueFault? AddBytes(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (!BinaryRule.TryDecodeBase64(text, block, out var length) || length % NumberBytes != 0)
        {
            if (!takesBytes || text.Length % NumberBytes != 0)
            {
                return NotAVector;
            }

            // The bytes of likely FLOATs are not only letters and digits of base64.
            length = text.Length;
            text.CopyTo(block.Reserve(length));
        }

        if (length == 0)
        {
            return Empty;
        }

        var output = block.Reserve(length);
        for (var at = 0; at < length; at += NumberBytes)
        {
            if (!float.IsFinite(BinaryPrimitives.ReadSingleLittleEndian(output[at..])))
            {
                return OutOfRange;
            }
        }

        if (length > _most * NumberBytes)
        {
            return _tooLong;
        }

        block.Take(length);
        return null;
    }
}
