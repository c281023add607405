using System.Buffers;
using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Rules;

/// <summary>BINARY, VARBINARY and the BLOB types (MySQL manual, "The BINARY and VARBINARY Types", "The BLOB and TEXT Types"): the same
/// bytes, not too many; in a BINARY not too few either, since the server would add zeros. The canonical value is the bytes.</summary>
internal sealed class BinaryRule(TableColumn column, BinaryForm form) : ValueRule
{
    private static readonly ValueFault NotHex = new(
        "not-hex", "is not an even count of hexadecimal digits (--binary base64, uuid or raw says that the file has these)");
    private static readonly ValueFault NotBase64 = new(
        "not-base64", "is not base64 with its padding (--binary hex or raw says that the file has these)");

    private const int UuidBytes = 16;

    private readonly bool _isFixed = column.Kind == ColumnKind.Binary;
    private readonly long _maxBytes = column.MaxBytes;

    private readonly ValueFault _tooLong = new("too-long", $"is longer than {column.MaxBytes} {Plural.For(column.MaxBytes, "byte")}");

    private readonly ValueFault _tooShort = new(
        "too-short", $"is shorter than {column.MaxBytes} {Plural.For(column.MaxBytes, "byte")}, which a BINARY column fills up with zeros");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        var length = text.Length;
        switch (form)
        {
            case BinaryForm.Hex when !TryDecodeHex(text, block, out length):
                return NotHex;
            case BinaryForm.Base64 when !TryDecodeBase64(text, block, out length):
                return NotBase64;
            case BinaryForm.Uuid when !TryDecodeUuid(text, block, out length):
                return UuidRule.NotAUuid;
            case BinaryForm.Raw:
                text.CopyTo(block.Reserve(length));
                break;
            default:
                break;
        }

        if (length > _maxBytes)
        {
            return _tooLong;
        }

        if (_isFixed && length < _maxBytes)
        {
            return _tooShort;
        }

        block.Take(length);
        return null;
    }

    private static bool TryDecodeHex(ReadOnlySpan<byte> text, RowBlock block, out int length)
    {
        if (text.Length > 1 && ((text[0] == '0' && text[1] is (byte)'x' or (byte)'X') || (text[0] == '\\' && text[1] == 'x')))
        {
            text = text[2..];
        }

        length = 0;
        return text.Length % 2 == 0
            && Convert.FromHexString(text, block.Reserve(text.Length / 2), out _, out length) == OperationStatus.Done;
    }

    private static bool TryDecodeUuid(ReadOnlySpan<byte> text, RowBlock block, out int length)
    {
        length = UuidBytes;
        return UuidRule.TryParse(text, out var value) && value.TryWriteBytes(block.Reserve(UuidBytes), bigEndian: true, out _);
    }

    /// <summary>RFC 4648, section 4, with padding; line ends within are ignored.</summary>
    /// <param name="length">bytes that are reserved in the block</param>
    public static bool TryDecodeBase64(ReadOnlySpan<byte> text, RowBlock block, out int length)
    {
        length = 0;

        // The decoder skips all white space. TO_BASE64() writes line ends; blanks are not part of base64.
        return !text.ContainsAny((byte)' ', (byte)'\t')
            && Base64.DecodeFromUtf8(
                text, block.Reserve(Base64.GetMaxDecodedFromUtf8Length(text.Length)), out var consumed, out length) == OperationStatus.Done
            && consumed == text.Length;
    }
}
