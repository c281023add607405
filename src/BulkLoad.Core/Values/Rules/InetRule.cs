using System.Buffers.Text;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Rules;

/// <summary>MariaDB's INET4 and INET6 (MariaDB documentation, "INET4", "INET6"; RFC 4291, section 2.2; RFC 5952): an address in full,
/// without zone, brackets or prefix length, its IPv4 numbers decimal and without leading zeros. Written as the server writes it.</summary>
internal sealed class InetRule(TableColumn column) : ValueRule
{
    private const int Groups = 8;

    private static readonly ValueFault NotInet4 = new(
        "not-an-address", "is not an IPv4 address of four decimal numbers, such as 192.0.2.1");
    private static readonly ValueFault NotInet6 = new(
        "not-an-address", "is not an IPv6 address such as 2001:db8::1 (an IPv4 address is written ::ffff:192.0.2.1 there)");

    private readonly bool _isInet4 = column.Kind == ColumnKind.Inet4;

    public override ValueFault? Add(ReadOnlySpan<byte> text, RowBlock block)
    {
        if (_isInet4)
        {
            if (!TryParseInet4(text, out _))
            {
                return NotInet4;
            }

            block.AddValue(text);
            return null;
        }

        Span<ushort> groups = stackalloc ushort[Groups];
        if (!TryParseInet6(text, groups))
        {
            return NotInet6;
        }

        block.Take(WriteInet6(groups, block.Reserve(48)));
        return null;
    }

    private static bool TryParseInet4(ReadOnlySpan<byte> text, out uint address)
    {
        address = 0;
        for (var part = 0; part < 4; part++)
        {
            var end = part == 3 ? text.Length : text.IndexOf((byte)'.');
            if (end is < 1 or > 3 || (end > 1 && text[0] == '0') || !Utf8Parser.TryParse(text[..end], out byte number, out var used)
                || used != end
                || text[0] is (byte)'+')
            {
                return false;
            }

            address = (address << 8) | number;
            text = part == 3 ? default : text[(end + 1)..];
        }

        return true;
    }

    /// <summary>Groups of hexadecimal digits with colons between, <c>::</c> once for groups of zero, an IPv4 address for the last
    /// two.</summary>
    private static bool TryParseInet6(ReadOnlySpan<byte> text, Span<ushort> groups)
    {
        int count = 0, gap = -1;
        if (text.StartsWith("::"u8))
        {
            gap = 0;
            text = text[2..];
        }

        while (!text.IsEmpty)
        {
            var end = text.IndexOf((byte)':');
            if (end < 0 && text.Contains((byte)'.'))
            {
                if (count > Groups - 2 || !TryParseInet4(text, out var address))
                {
                    return false;
                }

                groups[count++] = (ushort)(address >> 16);
                groups[count++] = (ushort)address;
                break;
            }

            var digits = end < 0 ? text : text[..end];
            if (count == Groups || digits.Length is < 1 or > 4 || !Utf8Parser.TryParse(digits, out groups[count], out var used, 'x')
                || used != digits.Length)
            {
                return false;
            }

            count++;
            if (end < 0)
            {
                break;
            }

            text = text[(end + 1)..];
            if (text.IsEmpty)
            {
                return false;
            }

            if (text[0] == ':')
            {
                if (gap >= 0)
                {
                    return false;
                }

                gap = count;
                text = text[1..];
            }
        }

        return gap < 0 ? count == Groups : count < Groups && Spread(groups, count, gap);
    }

    private static bool Spread(Span<ushort> groups, int count, int gap)
    {
        groups[gap..count].CopyTo(groups[(Groups - count + gap)..]);
        groups[gap..(Groups - count + gap)].Clear();
        return true;
    }

    /// <summary>RFC 5952, section 4, but a single group of zero is left out too; mapped or compatible IPv4 addresses are written with
    /// dots.</summary>
    private static int WriteInet6(ReadOnlySpan<ushort> groups, Span<byte> output)
    {
        var (gap, gapLength) = FindGap(groups);
        var hasInet4 = gap == 0 && ((gapLength == 6 && groups[6] != 0) || (gapLength == 5 && groups[5] == 0xffff));
        var length = 0;
        for (var i = 0; i < (hasInet4 ? Groups - 2 : Groups); i++)
        {
            if (i == gap)
            {
                output[length++] = (byte)':';
                i += gapLength - 1;
                if (i == Groups - 1)
                {
                    output[length++] = (byte)':';
                }

                continue;
            }

            if (i > 0)
            {
                output[length++] = (byte)':';
            }

            Utf8Formatter.TryFormat(groups[i], output[length..], out var written, 'x');
            length += written;
        }

        return hasInet4 ? WriteInet4(groups[6], groups[7], output, length) : length;
    }

    private static int WriteInet4(ushort high, ushort low, Span<byte> output, int length)
    {
        ReadOnlySpan<int> bytes = [high >> 8, high & 0xff, low >> 8, low & 0xff];
        for (var i = 0; i < 4; i++)
        {
            output[length++] = i == 0 ? (byte)':' : (byte)'.';
            bytes[i].TryFormat(output[length..], out var written, default, CultureInfo.InvariantCulture);
            length += written;
        }

        return length;
    }

    /// <summary>The longest run of zero groups, the first of several; -1: there is none.</summary>
    private static (int Start, int Length) FindGap(ReadOnlySpan<ushort> groups)
    {
        var (start, length) = (-1, 0);
        for (var i = 0; i < Groups; i++)
        {
            var run = groups[i..].IndexOfAnyExcept((ushort)0);
            run = run < 0 ? Groups - i : run;
            if (run > length)
            {
                (start, length) = (i, run);
            }

            i += run;
        }

        return (start, length);
    }
}
