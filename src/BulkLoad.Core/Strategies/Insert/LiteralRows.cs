using System.Buffers;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Rows as the text of one INSERT statement.</summary>
internal sealed class LiteralRows(InsertForm form, IReadOnlyList<TableColumn> columns) : InsertBatch
{
    private readonly byte[] _head = Encoding.UTF8.GetBytes(form.Head);
    private readonly LiteralForm[] _forms = [.. columns.Select(column => new LiteralForm(column))];
    private readonly ArrayBufferWriter<byte> _text = new();
    private int _rowsEnd;

    public ReadOnlyMemory<byte> Statement => _text.WrittenMemory;

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    /// <param name="hasOwnIds">whether the server makes an id for each of them</param>
    public void Fill(RowBlock block, int from, int rows, bool hasOwnIds)
    {
        _text.ResetWrittenCount();
        _text.Write(_head);
        InsertSql.WriteRows(_text, _forms, block, from, rows, form.Tail);
        _rowsEnd = _text.WrittenCount;
        Encoding.UTF8.GetBytes(hasOwnIds ? form.OwnIdEnding : form.Ending, _text);
        HasOwnIds = hasOwnIds;
        RowCount = rows;
    }

    /// <summary>The same rows by REPLACE; of use for few.</summary>
    public ReadOnlyMemory<byte> ToReplace() => (byte[])[.. Encoding.UTF8.GetBytes(form.ReplaceHead), .. _text.WrittenSpan[_head.Length.._rowsEnd]];
}
