using System.Buffers;
using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Rules;

/// <summary>Well-known text in two dimensions (OGC 06-103r4, section 7), restricted to what MySQL and MariaDB read alike, rewritten in one
/// form: upper case, blanks only between coordinates, the points of a MULTIPOINT without parentheses.</summary>
internal ref struct WktText
{
    private static readonly SearchValues<byte> Letters = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"u8);
    private static readonly SearchValues<byte> NumberSigns = SearchValues.Create("+-.0123456789eE"u8);

    private static readonly ValueFault NotWkt = new(
        "not-wkt", "is not well-known text of a geometry in two dimensions, such as POINT(1 2)");
    private static readonly ValueFault OutOfRange = new("out-of-range", "has a coordinate that is beyond the largest DOUBLE");
    private static readonly ValueFault FewPoints = new("invalid-geometry", "has a line of fewer than two points");
    private static readonly ValueFault OpenRing = new(
        "invalid-geometry", "has a polygon whose ring does not end where it began, or has fewer than four points");
    private static readonly ValueFault Nested = new(
        "nested-collection", "has a collection within a collection, which MariaDB does not read");

    private readonly Span<byte> _output;
    private ReadOnlySpan<byte> _rest;

    /// <param name="output">room for as many bytes, one more for each point in a number, and one</param>
    public WktText(ReadOnlySpan<byte> text, Span<byte> output)
    {
        _rest = text;
        _output = output;
    }

    public int Length { get; private set; }

    public ValueFault? Convert(out WktForm form)
    {
        var fault = Geometry(out form, isInside: false);
        SkipBlanks();
        return fault ?? (_rest.IsEmpty ? null : NotWkt);
    }

    private ValueFault? Geometry(out WktForm form, bool isInside)
    {
        SkipBlanks();
        var end = _rest.IndexOfAnyExcept(Letters);
        if (!WktForms.TryParse(end < 0 ? _rest : _rest[..end], out form))
        {
            return NotWkt;
        }

        _rest = _rest[WktForms.Word(form).Length..];
        Write(WktForms.Word(form));
        return form switch
        {
            WktForm.Point => Parenthesized(Shape.Point),
            WktForm.LineString => Line(),
            WktForm.Polygon => Parenthesized(Shape.Ring),
            WktForm.MultiPoint => Parenthesized(Shape.LoosePoint),
            WktForm.MultiLineString => Parenthesized(Shape.Line),
            WktForm.MultiPolygon => Parenthesized(Shape.Polygon),
            _ => isInside ? Nested : Collection(),
        };
    }

    /// <summary>The content of parentheses, once or several times with commas between.</summary>
    private enum Shape
    {
        Point,
        LoosePoint,
        Line,
        Ring,
        Polygon,
        Geometry,
    }

    private ValueFault? Collection()
    {
        SkipBlanks();
        if (Ascii.EqualsIgnoreCase(_rest[..Math.Min(_rest.Length, 5)], "EMPTY"u8))
        {
            _rest = _rest[5..];
            Write(" EMPTY"u8);
            return null;
        }

        return Parenthesized(Shape.Geometry);
    }

    private ValueFault? Parenthesized(Shape shape)
    {
        if (!TryTake((byte)'('))
        {
            return NotWkt;
        }

        do
        {
            var fault = shape switch
            {
                Shape.Point => Point(out _, out _),
                Shape.LoosePoint => LoosePoint(),
                Shape.Line => Line(),
                Shape.Ring => Ring(),
                Shape.Polygon => Parenthesized(Shape.Ring),
                _ => Geometry(out _, isInside: true),
            };
            if (fault is not null)
            {
                return fault;
            }
        }
        while (shape != Shape.Point && TryTake((byte)','));
        return TryTake((byte)')') ? null : NotWkt;
    }

    private ValueFault? Line() => Points(out var count, out _) ?? (count < 2 ? FewPoints : null);

    private ValueFault? Ring() => Points(out var count, out var isClosed) ?? (count < 4 || !isClosed ? OpenRing : null);

    private ValueFault? Points(out int count, out bool isClosed)
    {
        (count, isClosed) = (0, false);
        if (!TryTake((byte)'('))
        {
            return NotWkt;
        }

        double firstX = 0, firstY = 0;
        do
        {
            if (Point(out var x, out var y) is { } fault)
            {
                return fault;
            }

            (firstX, firstY) = count++ == 0 ? (x, y) : (firstX, firstY);
            isClosed = x == firstX && y == firstY;
        }
        while (TryTake((byte)','));
        return TryTake((byte)')') ? null : NotWkt;
    }

    /// <summary>The point of a MULTIPOINT, in parentheses or not: MySQL writes them, MariaDB does not read them.</summary>
    private ValueFault? LoosePoint()
    {
        SkipBlanks();
        if (_rest.IsEmpty || _rest[0] != '(')
        {
            return Point(out _, out _);
        }

        _rest = _rest[1..];
        var fault = Point(out _, out _);
        SkipBlanks();
        if (fault is not null || _rest.IsEmpty || _rest[0] != ')')
        {
            return fault ?? NotWkt;
        }

        _rest = _rest[1..];
        return null;
    }

    private ValueFault? Point(out double x, out double y)
    {
        y = 0;
        if (Number(out x) is { } fault)
        {
            return fault;
        }

        var blanks = _rest.Length;
        SkipBlanks();
        if (_rest.Length == blanks)
        {
            return NotWkt;
        }

        Write(" "u8);
        return Number(out y);
    }

    /// <summary>A number as DOUBLE takes it, with a digit on both sides of its point and no plus, which MariaDB needs.</summary>
    private ValueFault? Number(out double value)
    {
        value = 0;
        SkipBlanks();
        var end = _rest.IndexOfAnyExcept(NumberSigns);
        var text = end < 0 ? _rest : _rest[..end];
        if (!NumberText.TryParse(text, out _) || !Utf8Parser.TryParse(text, out value, out var used) || used != text.Length)
        {
            return NotWkt;
        }

        if (double.IsInfinity(value))
        {
            return OutOfRange;
        }

        _rest = _rest[text.Length..];
        text = text.TrimStart((byte)'+');
        if (text[0] == '-')
        {
            Write("-"u8);
            text = text[1..];
        }

        if (text[0] == '.')
        {
            Write("0"u8);
        }

        var point = text.IndexOf((byte)'.');
        if (point >= 0 && (point + 1 == text.Length || text[point + 1] is (byte)'e' or (byte)'E'))
        {
            Write(text[..(point + 1)]);
            Write("0"u8);
            text = text[(point + 1)..];
        }

        Write(text);
        return null;
    }

    private bool TryTake(byte sign)
    {
        SkipBlanks();
        if (_rest.IsEmpty || _rest[0] != sign)
        {
            return false;
        }

        _output[Length++] = sign;
        _rest = _rest[1..];
        return true;
    }

    private void SkipBlanks() => _rest = _rest.TrimStart(" \t\r\n"u8);

    private void Write(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_output[Length..]);
        Length += bytes.Length;
    }
}

/// <summary>The spatial types (MySQL manual, "Spatial Data Types"): well-known text that both servers read alike, of the column's type. It
/// is checked to the last character, since MariaDB silently stores NULL for what it cannot read.</summary>
internal sealed class GeometryRule(TableColumn column) : ValueRule
{
    private readonly WktForm _form = WktForms.Parse(column.GeometryType);

    private readonly ValueFault _otherType = new("wrong-geometry", $"is not of the column's type {column.GeometryType}");

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        // A number may get a digit before or behind its point, and EMPTY a blank; all else only gets shorter.
        var wkt = new WktText(text, block.Reserve(text.Length + text.Count((byte)'.') + 1));
        if (wkt.Convert(out var form) is { } fault)
        {
            return fault;
        }

        if (!_form.Takes(form))
        {
            return _otherType;
        }

        block.Take(wkt.Length);
        return null;
    }
}

internal enum WktForm
{
    /// <summary>As a column's type: all of them.</summary>
    Geometry,
    Point,
    LineString,
    Polygon,
    MultiPoint,
    MultiLineString,
    MultiPolygon,
    GeometryCollection,
}

/// <summary>Their names, and which goes into which.</summary>
internal static class WktForms
{
    private static readonly string[] Names = [.. Enum.GetNames<WktForm>().Select(name => name.ToUpperInvariant())];

    private static readonly byte[][] Words = [.. Names.Select(Encoding.ASCII.GetBytes)];

    /// <param name="name">in upper case</param>
    public static WktForm Parse(string name) => (WktForm)Array.IndexOf(Names, name);

    /// <summary>The name in upper case, in ASCII.</summary>
    public static ReadOnlySpan<byte> Word(WktForm form) => Words[(int)form];

    /// <summary>Of a value; any case.</summary>
    public static bool TryParse(ReadOnlySpan<byte> word, out WktForm form)
    {
        for (form = WktForm.Point; form <= WktForm.GeometryCollection; form++)
        {
            if (Ascii.EqualsIgnoreCase(word, Words[(int)form]))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a column of this type takes a value of another; on both servers a collection takes what is several.</summary>
    public static bool Takes(this WktForm column, WktForm value) =>
        column == WktForm.Geometry || column == value || (column == WktForm.GeometryCollection && value >= WktForm.MultiPoint);
}
