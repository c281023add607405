using System.Buffers;
using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>Rows as the text of one INSERT statement.</summary>
internal sealed class LiteralRows(string head, IReadOnlyList<TableColumn> columns, string tail = "") : EncodedBatch
{
    private readonly byte[] _head = Encoding.UTF8.GetBytes(head);
    private readonly byte[] _tail = Encoding.UTF8.GetBytes(tail);
    private readonly LiteralForm[] _forms = [.. columns.Select(column => new LiteralForm(column))];
    private readonly ArrayBufferWriter<byte> _text = new();

    public ReadOnlyMemory<byte> Statement => _text.WrittenMemory;

    public void Fill(RowBlock block, int from, int rows)
    {
        _text.ResetWrittenCount();
        _text.Write(_head);
        InsertSql.WriteRows(_text, _forms, block, from, rows, _tail);
        RowCount = rows;
    }
}
