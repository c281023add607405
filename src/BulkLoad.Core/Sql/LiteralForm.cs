using System.Buffers;
using System.Text;
using BulkLoad.Core.Planning;

namespace BulkLoad.Core.Sql;

/// <summary>How a column's canonical values are written as literals.</summary>
internal sealed class LiteralForm(TableColumn column)
{
    private readonly byte[] _before = Encoding.ASCII.GetBytes(ValueSql.Around(column).Before);
    private readonly byte[] _behind = Encoding.ASCII.GetBytes(ValueSql.Around(column).Behind);
    private readonly bool _isBinary = column.IsBinary;
    private readonly bool _isBit = column.Kind == ColumnKind.Bit;

    /// <summary>Bytes that stand around a value's own.</summary>
    public int Overhead => _before.Length + _behind.Length + "x''"u8.Length;

    public void Write(IBufferWriter<byte> output, ReadOnlySpan<byte> value)
    {
        if (_isBit)
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
