using System.Buffers;
using System.Text;

namespace BulkLoad.DataSet;

/// <summary>RFC 4180 with any delimiter: NULL is the empty field, quotes only where the text needs them.</summary>
internal sealed class QuotedEncoder(byte delimiter) : RowEncoder
{
    private readonly SearchValues<byte> _needQuotes = SearchValues.Create([delimiter, (byte)'"', (byte)'\r', (byte)'\n']);

    public override void WriteHeader(OutputBuffer output)
    {
        for (int column = 0; column < UserRow.Columns.Length; column++)
        {
            WriteDelimiter(column, output);
            output.Append(Encoding.UTF8.GetBytes(UserRow.Columns[column].Name));
        }

        output.Append((byte)'\n');
    }

    public override void WriteRow(UserRow row, OutputBuffer output)
    {
        for (int column = 0; column < UserRow.Columns.Length; column++)
        {
            WriteDelimiter(column, output);
            if (!row.IsNull(column))
            {
                WriteText(row.Text(column), output);
            }
        }

        output.Append((byte)'\n');
    }

    private void WriteDelimiter(int column, OutputBuffer output)
    {
        if (column > 0)
        {
            output.Append(delimiter);
        }
    }

    private void WriteText(ReadOnlySpan<byte> text, OutputBuffer output)
    {
        // Unquoted, the empty field and \N would be NULL.
        if (!text.IsEmpty && !text.SequenceEqual("\\N"u8) && !text.ContainsAny(_needQuotes))
        {
            output.Append(text);
            return;
        }

        output.Append((byte)'"');
        for (int quote = text.IndexOf((byte)'"'); quote >= 0; quote = text.IndexOf((byte)'"'))
        {
            output.Append(text[..(quote + 1)]);
            output.Append((byte)'"');
            text = text[(quote + 1)..];
        }

        output.Append(text);
        output.Append((byte)'"');
    }
}
