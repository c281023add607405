using System.Buffers;

namespace BulkLoad.DataSet;

/// <summary>The default format of LOAD DATA and SELECT ... INTO OUTFILE, in which every value can be told apart from NULL.</summary>
internal sealed class EscapedEncoder : RowEncoder
{
    private static readonly SearchValues<byte> NeedEscape = SearchValues.Create("\\\t\n\r\0"u8);

    public override void WriteRow(UserRow row, OutputBuffer output)
    {
        for (int column = 0; column < UserRow.Columns.Length; column++)
        {
            if (column > 0)
            {
                output.Append((byte)'\t');
            }

            if (row.IsNull(column))
            {
                output.Append("\\N"u8);
            }
            else
            {
                WriteText(row.Text(column), output);
            }
        }

        output.Append((byte)'\n');
    }

    private static void WriteText(ReadOnlySpan<byte> text, OutputBuffer output)
    {
        for (int special = text.IndexOfAny(NeedEscape); special >= 0; special = text.IndexOfAny(NeedEscape))
        {
            output.Append(text[..special]);
            output.Append((byte)'\\');
            output.Append(text[special] switch
            {
                (byte)'\t' => (byte)'t',
                (byte)'\n' => (byte)'n',
                (byte)'\r' => (byte)'r',
                0 => (byte)'0',
                byte other => other,
            });
            text = text[(special + 1)..];
        }

        output.Append(text);
    }
}
