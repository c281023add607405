using System.Buffers.Text;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Values.Rules;

/// <summary>MariaDB's UUID (MariaDB documentation, "UUID Data Type"): 32 hexadecimal digits, with the usual four hyphens or without any.
/// Written as the server writes it: with hyphens, in lower case.</summary>
internal sealed class UuidRule : ValueRule
{
    private const int Length = 36;

    public static readonly ValueFault NotAUuid = new(
        "not-a-uuid", "is not a UUID of 32 hexadecimal digits, with hyphens (8-4-4-4-12) or without");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (!TryParse(text, out var value))
        {
            return NotAUuid;
        }

        Utf8Formatter.TryFormat(value, block.Reserve(Length), out var length);
        block.Take(length);
        return null;
    }

    public static bool TryParse(ReadOnlySpan<byte> text, out Guid value) =>
        Utf8Parser.TryParse(text, out value, out var used, text.Length == Length ? 'D' : 'N') && used == text.Length;
}
