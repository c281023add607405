using System.Buffers;
using System.Text;

namespace BulkLoad.DataSet;

/// <summary>One object a line, every key in it; only what RFC 8259 demands is escaped.</summary>
internal sealed class JsonEncoder : RowEncoder
{
    private static readonly SearchValues<byte> NeedEscape =
        SearchValues.Create([.. Enumerable.Range(0, 32).Select(control => (byte)control), (byte)'"', (byte)'\\']);

    private readonly byte[][] _keys =
        [.. UserRow.Columns.Select((column, number) => Encoding.UTF8.GetBytes($"{(number == 0 ? '{' : ',')}\"{column.Name}\":"))];

    public override void WriteRow(UserRow row, OutputBuffer output)
    {
        for (int column = 0; column < UserRow.Columns.Length; column++)
        {
            output.Append(_keys[column]);
            if (row.IsNull(column))
            {
                output.Append("null"u8);
            }
            else if (UserRow.Columns[column].IsNumber)
            {
                output.Append(row.Text(column));
            }
            else
            {
                WriteText(row.Text(column), output);
            }
        }

        output.Append("}\n"u8);
    }

    private static void WriteText(ReadOnlySpan<byte> text, OutputBuffer output)
    {
        output.Append((byte)'"');
        for (int special = text.IndexOfAny(NeedEscape); special >= 0; special = text.IndexOfAny(NeedEscape))
        {
            output.Append(text[..special]);
            WriteEscape(text[special], output);
            text = text[(special + 1)..];
        }

        output.Append(text);
        output.Append((byte)'"');
    }

    private static void WriteEscape(byte special, OutputBuffer output)
    {
        switch (special)
        {
            case (byte)'"' or (byte)'\\':
                output.Append((byte)'\\');
                output.Append(special);
                break;
            case (byte)'\t':
                output.Append("\\t"u8);
                break;
            case (byte)'\n':
                output.Append("\\n"u8);
                break;
            default:
                output.Append("\\u00"u8);
                output.Append((byte)"0123456789abcdef"[special >> 4]);
                output.Append((byte)"0123456789abcdef"[special & 15]);
                break;
        }
    }
}
