using System.Buffers;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>Rows of a block as literals in a list: every value in its column's type, so that the column alone decides what it
/// means.</summary>
/// <param name="word">before each row's parenthesis</param>
internal sealed class RowList(LiteralForm[] forms, string word = "")
{
    private readonly byte[] _open = Encoding.ASCII.GetBytes($"{word}(");

    /// <summary>Limit of the bytes around a row's own, without what follows its values.</summary>
    public int RowOverhead { get; } = "(),".Length + word.Length + forms.Sum(form => form.Overhead + 1);

    /// <summary>Leaves the parenthesis open.</summary>
    public void Open(IBufferWriter<byte> output, RowBlock block, int row, bool isFirst)
    {
        output.Write(isFirst ? ""u8 : ","u8);
        output.Write(_open);
        for (var column = 0; column < forms.Length; column++)
        {
            output.Write(column == 0 ? ""u8 : ","u8);
            forms[column].Write(output, block, row, column);
        }
    }

    public void Write(IBufferWriter<byte> output, RowBlock block, int from, int rows, SetText tail)
    {
        for (var row = from; row < from + rows; row++)
        {
            Open(output, block, row, row == from);
            output.Write(forms.Length == 0 || tail.IsEmpty ? ""u8 : ","u8);
            tail.Write(output, block, row);
            output.Write(")"u8);
        }
    }

    /// <param name="rowOf">0-based place in the block of each</param>
    public void Write(IBufferWriter<byte> output, RowBlock block, int count, Func<int, int> rowOf)
    {
        for (var i = 0; i < count; i++)
        {
            Open(output, block, rowOf(i), i == 0);
            output.Write(")"u8);
        }
    }
}

/// <summary>How a column's canonical values are written as literals.</summary>
/// <param name="isKey">whether the column is compared with them</param>
internal sealed class LiteralForm(TableColumn column, bool isKey = false)
{
    private readonly byte[] _before = Encoding.ASCII.GetBytes(ColumnSql.Placeholder(column).Split('?')[0]);
    private readonly byte[] _behind = Encoding.ASCII.GetBytes(ColumnSql.Placeholder(column).Split('?')[1]);
    private readonly bool _isBinary = column.Behaviour.Literal == LiteralStyle.Hex;

    private readonly bool _isNumber =
        column.Behaviour.Literal == LiteralStyle.Number || (isKey && column.Behaviour.Literal == LiteralStyle.NumberInKeys);

    public int Overhead => _before.Length + _behind.Length + "x''"u8.Length;

    public void Write(IBufferWriter<byte> output, RowBlock block, int row, int place)
    {
        switch (block.Get(row, place, out var value))
        {
            case CellState.Null:
                output.Write("NULL"u8);
                break;
            case CellState.Default:
                output.Write("DEFAULT"u8);
                break;
            default:
                Write(output, value);
                break;
        }
    }

    public void Write(IBufferWriter<byte> output, ReadOnlySpan<byte> value)
    {
        if (_isNumber)
        {
            output.Write(value);
        }
        else if (_isBinary)
        {
            SqlLiteral.WriteHex(output, value);
        }
        else
        {
            output.Write(_before);
            SqlLiteral.Write(output, value);
            output.Write(_behind);
        }
    }
}
