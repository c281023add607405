using System.Buffers;
using System.Buffers.Binary;
using System.Buffers.Text;
using System.Security.Cryptography;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Values;

namespace BulkLoad.Core.Sending.Verifying;

/// <summary>
/// A column's canonical values in the form in which they are compared: the text that <see cref="CompareSql"/> has the server make of what
/// it holds. Allocates nothing for a value, but for documents of MySQL's JSON.
/// </summary>
internal sealed class ValueForm
{
    private readonly TableColumn _column;
    private readonly bool _isHashed;
    private readonly FloatRule? _float;
    private readonly ArrayBufferWriter<byte> _scratch = new();

    public ValueForm(TableColumn column)
    {
        _column = column;
        _isHashed = CompareSql.IsHashed(column);
        _float = column.Kind is ColumnKind.Float or ColumnKind.Double ? new FloatRule(column) : null;
    }

    /// <param name="value">a canonical value, not NULL</param>
    public void Write(IBufferWriter<byte> output, ReadOnlySpan<byte> value)
    {
        switch (_column.Kind)
        {
            case ColumnKind.Json:
                _scratch.ResetWrittenCount();
                JsonForm.Write(_scratch, value);
                WriteHash(output, _scratch.WrittenSpan);
                break;
            case ColumnKind.Geometry:
                _scratch.ResetWrittenCount();
                new WkbForm(_scratch, value).Write();
                WriteHash(output, _scratch.WrittenSpan);
                break;
            case var _ when _isHashed:
                WriteHash(output, value);
                break;
            case ColumnKind.Binary or ColumnKind.Blob:
                WriteHex(output, value);
                break;
            case ColumnKind.Char or ColumnKind.Varchar or ColumnKind.Text or ColumnKind.Enum or ColumnKind.Set:
                WriteLength(output, value.Length);
                output.Write(value);
                break;
            case ColumnKind.Float or ColumnKind.Double:
                Span<byte> bits = stackalloc byte[sizeof(double)];
                BinaryPrimitives.WriteDoubleLittleEndian(bits, _float!.StoredOf(value) + 0.0);
                WriteHex(output, bits);
                break;
            case ColumnKind.Decimal or ColumnKind.DateTime or ColumnKind.Timestamp or ColumnKind.Time:
                WritePadded(output, value);
                break;
            default:
                output.Write(value);
                break;
        }
    }

    /// <summary>A server writes as many digits of a fraction as the column has.</summary>
    private void WritePadded(IBufferWriter<byte> output, ReadOnlySpan<byte> value)
    {
        var point = value.IndexOf((byte)'.');
        var digits = point < 0 ? 0 : value.Length - point - 1;
        if (digits > _column.Scale)
        {
            // The rules let only zeros stand there.
            value = value[..(_column.Scale == 0 ? point : point + 1 + _column.Scale)];
        }

        output.Write(value);
        var lacking = _column.Scale - digits;
        if (lacking > 0)
        {
            output.Write(point < 0 ? "."u8 : ""u8);
            output.GetSpan(lacking)[..lacking].Fill((byte)'0');
            output.Advance(lacking);
        }
    }

    private static void WriteLength(IBufferWriter<byte> output, int length)
    {
        Utf8Formatter.TryFormat(length, output.GetSpan(16), out var digits);
        output.Advance(digits);
        output.Write(":"u8);
    }

    private static void WriteHex(IBufferWriter<byte> output, ReadOnlySpan<byte> bytes)
    {
        if (Convert.TryToHexString(bytes, output.GetSpan((bytes.Length * 2) + 1), out var length))
        {
            output.Advance(length);
        }
    }

    private static void WriteHash(IBufferWriter<byte> output, ReadOnlySpan<byte> bytes)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(bytes, hash);
        if (Convert.TryToHexStringLower(hash, output.GetSpan(hash.Length * 2), out var length))
        {
            output.Advance(length);
        }
    }
}
