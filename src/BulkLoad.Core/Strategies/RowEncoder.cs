using System.Buffers.Text;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Core.Strategies;

/// <summary>Makes binary parameters of canonical values, by the column's type and never by the look of the value.</summary>
/// <param name="order">the value's place for each placeholder of a row; null: one placeholder for each value, in their order</param>
internal sealed class RowEncoder(IReadOnlyList<TableColumn> columns, int[]? order = null)
{
    private readonly int[] _order = order ?? [.. Enumerable.Range(0, columns.Count)];
    private readonly ParameterType[] _types = [.. columns.Select(column => column.Behaviour.Parameter)];

    public ParameterType[] Types(int rows)
    {
        var types = new ParameterType[rows * _order.Length];
        for (var i = 0; i < types.Length; i++)
        {
            types[i] = _types[_order[i % _order.Length]];
        }

        return types;
    }

    /// <summary>Adds each value of a row as often as it has placeholders.</summary>
    /// <param name="parameters">executed in bulk if the row leaves columns to their defaults</param>
    public void Add(RowBlock block, int row, BinaryParameters parameters)
    {
        foreach (var column in _order)
        {
            switch (block.Get(row, column, out var value))
            {
                case CellState.Null:
                    parameters.AddNull();
                    break;
                case CellState.Default:
                    ((BulkParameters)parameters).AddDefault();
                    break;
                default:
                    Add(_types[column], value, parameters);
                    break;
            }
        }
    }

    private static void Add(ParameterType type, ReadOnlySpan<byte> value, BinaryParameters parameters)
    {
        switch (type)
        {
            case ParameterType.Int64 when Utf8Parser.TryParse(value, out long number, out _):
                parameters.AddInt64(number);
                break;
            case ParameterType.UInt64 when Utf8Parser.TryParse(value, out ulong number, out _):
                parameters.AddUInt64(number);
                break;
            case ParameterType.Double when DoubleText.TryParse(value, out var number):
                parameters.AddDouble(number);
                break;
            case ParameterType.DateTime when DateTimeText.TryParsePlain(value, out var day, out var second):
                parameters.AddDateTime(day.Year, day.Month, day.Day, second, microsecond: 0);
                break;
            case ParameterType.Date or ParameterType.DateTime when DateTimeText.TryParse(value, out var date, out _):
                parameters.AddDateTime(
                    date.Year, date.Month, date.Day, (int)(date.TimeOfDay / TimeSpan.TicksPerSecond),
                    (int)(date.TimeOfDay / 10 % 1_000_000));
                break;
            case ParameterType.Decimal or ParameterType.Text or ParameterType.Bytes:
                parameters.AddBytes(value);
                break;
            default:
                throw new InvalidOperationException($"a canonical value is not of its column's type ({type}); a rule let it through");
        }
    }
}
