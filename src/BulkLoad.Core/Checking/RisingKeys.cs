using System.Buffers;
using System.Buffers.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Checking;

/// <summary>Whether each record's key is greater than the one before it, so that no two are the same.</summary>
/// <param name="columns">of the key; the values of a row</param>
internal sealed class RisingKeys(IReadOnlyList<TableColumn> columns)
{
    private readonly ArrayBufferWriter<byte>[] _last = [.. columns.Select(_ => new ArrayBufferWriter<byte>())];
    private bool _hasLast;

    /// <summary>Whether all did so far.</summary>
    public bool Rise { get; private set; } = true;

    /// <summary>Whether an order is known in which no two values of the columns are the same to the server unless they are here.</summary>
    public static bool CanTell(IReadOnlyList<TableColumn> columns) =>
        columns.All(column => !column.IsCharacter && KeyComparisons.Of(column, column.Collation) == KeyComparison.Exact);

    /// <summary>Takes a block's rows.</summary>
    public void Take(RowBlock block)
    {
        for (var row = 0; row < block.RowCount && Rise; row++)
        {
            Rise = !_hasLast || IsGreater(block, row);
            Keep(block, row);
        }
    }

    private bool IsGreater(RowBlock block, int row)
    {
        for (var column = 0; column < _last.Length; column++)
        {
            block.Get(row, column, out var value);
            var compared = Compare(value, _last[column].WrittenSpan, columns[column].Kind);
            if (compared != 0)
            {
                return compared > 0;
            }
        }

        return false;
    }

    private void Keep(RowBlock block, int row)
    {
        _hasLast = true;
        for (var column = 0; column < _last.Length; column++)
        {
            block.Get(row, column, out var value);
            _last[column].ResetWrittenCount();
            _last[column].Write(value);
        }
    }

    private static int Compare(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other, ColumnKind kind)
    {
        switch (kind)
        {
            case ColumnKind.Integer when Utf8Parser.TryParse(one, out long number, out _) && Utf8Parser.TryParse(other, out long last, out _):
                return number.CompareTo(last);
            case ColumnKind.UnsignedInteger when Utf8Parser.TryParse(one, out ulong number, out _) && Utf8Parser.TryParse(other, out ulong last, out _):
                return number.CompareTo(last);
            default:
                return one.SequenceCompareTo(other);
        }
    }
}
