using System.Buffers;
using System.Buffers.Binary;
using System.Buffers.Text;
using System.Runtime.InteropServices;
using BulkLoad.Core.Values;

namespace BulkLoad.Core.Sending.Verifying;

/// <summary>A geometry's canonical text as well-known binary, little-endian (OGC 06-103r4, section 8).</summary>
internal ref struct WkbForm(ArrayBufferWriter<byte> output, ReadOnlySpan<byte> text)
{
    private const byte LittleEndian = 1;

    private ReadOnlySpan<byte> _rest = text;

    /// <summary>Writes all of it.</summary>
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

    /// <summary>What stands between parentheses, behind its count.</summary>
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
