using System.Buffers;
using System.Buffers.Binary;
using System.Buffers.Text;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Core.Sending.Verifying;

/// <summary>A row's hash: SHA-256 of its values' forms, separated by commas, as <see cref="CompareSql"/> has the server compute
/// it.</summary>
/// <param name="columns">of a row's values, in their order; all of them are compared</param>
internal sealed class RowHash(IReadOnlyList<TableColumn> columns)
{
    private static readonly byte[] Null = "N"u8.ToArray();

    private readonly ValueForm[] _forms = [.. columns.Select(column => new ValueForm(column))];
    private readonly ArrayBufferWriter<byte> _text = new();

    /// <param name="block">the row must have a value or NULL in each column</param>
    /// <param name="hash">32 bytes</param>
    public void Compute(RowBlock block, int row, Span<byte> hash)
    {
        _text.ResetWrittenCount();
        for (var column = 0; column < _forms.Length; column++)
        {
            _text.Write(column == 0 ? ""u8 : ","u8);
            WriteForm(_text, block, row, column);
        }

        SHA256.HashData(_text.WrittenSpan, hash);
    }

    /// <summary>The first and the second 64 bits of a hash, as numbers.</summary>
    public static (ulong First, ulong Second) Slices(ReadOnlySpan<byte> hash) =>
        (BinaryPrimitives.ReadUInt64BigEndian(hash), BinaryPrimitives.ReadUInt64BigEndian(hash[sizeof(ulong)..]));

    public void WriteForm(IBufferWriter<byte> output, RowBlock block, int row, int column)
    {
        if (block.Get(row, column, out var value) == CellState.Value)
        {
            _forms[column].Write(output, value);
        }
        else
        {
            output.Write(Null);
        }
    }
}

/// <summary>A column's canonical values in the form in which they are compared: the text that <see cref="CompareSql"/> has the server make
/// of the stored value. Allocates nothing for a value, but for documents of MySQL's JSON.</summary>
internal sealed class ValueForm
{
    private readonly ComparedForm _form;
    private readonly int _scale;
    private readonly bool _isHashed;
    private readonly FloatRule? _float;
    private readonly ArrayBufferWriter<byte> _scratch = new();

    public ValueForm(TableColumn column)
    {
        (_form, _scale) = (column.Behaviour.Compared, column.Scale);
        _isHashed = CompareSql.IsHashed(column);
        _float = _form == ComparedForm.Double ? new FloatRule(column) : null;
    }

    /// <param name="value">a canonical value, not NULL</param>
    public void Write(IBufferWriter<byte> output, ReadOnlySpan<byte> value)
    {
        switch (_form)
        {
            case ComparedForm.Json:
                _scratch.ResetWrittenCount();
                JsonForm.Write(_scratch, value);
                WriteHash(output, _scratch.WrittenSpan);
                break;
            case ComparedForm.Geometry:
                _scratch.ResetWrittenCount();
                new WkbForm(_scratch, value).Write();
                WriteHash(output, _scratch.WrittenSpan);
                break;
            case var _ when _isHashed:
                WriteHash(output, value);
                break;
            case ComparedForm.Bytes:
                WriteHex(output, value);
                break;
            case ComparedForm.Text:
                WriteLength(output, value.Length);
                output.Write(value);
                break;
            case ComparedForm.Double:
                Span<byte> bits = stackalloc byte[sizeof(double)];
                BinaryPrimitives.WriteDoubleLittleEndian(bits, _float!.StoredOf(value) + 0.0);
                WriteHex(output, bits);
                break;
            case ComparedForm.Padded:
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
        if (digits > _scale)
        {
            // The rules allow only zeros there.
            value = value[..(_scale == 0 ? point : point + 1 + _scale)];
        }

        output.Write(value);
        var lacking = _scale - digits;
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

/// <summary>A geometry's canonical text as well-known binary, little-endian (OGC 06-103r4, section 8).</summary>
internal ref struct WkbForm(ArrayBufferWriter<byte> output, ReadOnlySpan<byte> text)
{
    private const byte LittleEndian = 1;

    private ReadOnlySpan<byte> _rest = text;

    public void Write() => Geometry();

    private void Geometry()
    {
        var end = _rest.IndexOfAny((byte)'(', (byte)' ');
        if (!WktForms.TryParse(_rest[..end], out var form))
        {
            throw Misread();
        }

        _rest = _rest[end..];
        Head(form);
        switch (form)
        {
            case WktForm.Point:
                _rest = _rest[1..];
                Coordinates();
                _rest = _rest[1..];
                break;
            case WktForm.GeometryCollection when _rest[0] == ' ':
                _rest = _rest[" EMPTY".Length..];
                Reserve();
                break;
            default:
                Items(form);
                break;
        }
    }

    /// <summary>The content of parentheses, behind its count.</summary>
    private void Items(WktForm form)
    {
        var count = Reserve();
        var items = 0u;
        do
        {
            _rest = _rest[1..];
            items++;
            switch (form)
            {
                case WktForm.LineString:
                    Coordinates();
                    break;
                case WktForm.Polygon:
                    Items(WktForm.LineString);
                    break;
                case WktForm.MultiPoint:
                    Head(WktForm.Point);
                    Coordinates();
                    break;
                case WktForm.MultiLineString:
                    Head(WktForm.LineString);
                    Items(WktForm.LineString);
                    break;
                case WktForm.MultiPolygon:
                    Head(WktForm.Polygon);
                    Items(WktForm.Polygon);
                    break;
                default:
                    Geometry();
                    break;
            }
        }
        while (_rest[0] == ',');
        _rest = _rest[1..];
        Fill(count, items);
    }

    private void Coordinates()
    {
        Coordinate();
        _rest = _rest[1..];
        Coordinate();
    }

    private void Coordinate()
    {
        if (!Utf8Parser.TryParse(_rest, out double value, out var used))
        {
            throw Misread();
        }

        _rest = _rest[used..];
        BinaryPrimitives.WriteDoubleLittleEndian(output.GetSpan(sizeof(double)), value);
        output.Advance(sizeof(double));
    }

    private static InvalidOperationException Misread() => new("a canonical value is no geometry; a rule let it through");

    private readonly void Head(WktForm form)
    {
        output.Write([LittleEndian]);
        Fill(Reserve(), (uint)form);
    }

    private readonly int Reserve()
    {
        output.GetSpan(sizeof(uint))[..sizeof(uint)].Clear();
        output.Advance(sizeof(uint));
        return output.WrittenCount - sizeof(uint);
    }

    private readonly void Fill(int at, uint number) =>
        BinaryPrimitives.WriteUInt32LittleEndian(MemoryMarshal.AsMemory(output.WrittenMemory).Span[at..], number);
}
