using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.LoadData;

/// <summary>Decides whether rows have no duplicates: their integer key rises, and the table has no key in that range.</summary>
internal sealed class NewKeys(IServerSession session, string database, string table, string column, int place)
{
    public async ValueTask<bool> AreInAsync(RowBlock block, int from, int rows, CancellationToken cancellationToken) =>
        DoRise(block, from, rows)
        && (await session.QueryAsync(
            KeySql.AnyBetween(database, table, column, Text(block, from), Text(block, from + rows - 1)), cancellationToken))
            .Rows.Count == 0;

    private bool DoRise(RowBlock block, int from, int rows)
    {
        var last = Int128.MinValue;
        for (var row = from; row < from + rows; row++)
        {
            // A canonical integer has only digits and perhaps a minus. The id of a NULL or a default is not known yet.
            if (block.Get(row, place, out var value) != CellState.Value
                || !Int128.TryParse(value, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var key) || key <= last)
            {
                return false;
            }

            last = key;
        }

        return true;
    }

    private string Text(RowBlock block, int row)
    {
        block.Get(row, place, out var value);
        return Encoding.ASCII.GetString(value);
    }
}
