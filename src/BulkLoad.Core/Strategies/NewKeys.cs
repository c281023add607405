using System.Globalization;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>Whether rows can be no duplicates: their integer key rises from one to the next, and the table has none between the first and the last.</summary>
/// <param name="session">asks the table</param>
/// <param name="database">of the table</param>
/// <param name="table">its name</param>
/// <param name="column">the key's only one</param>
/// <param name="place">of that column in a row</param>
internal sealed class NewKeys(IServerSession session, string database, string table, string column, int place)
{
    /// <param name="block">has the rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many, at least one</param>
    /// <param name="cancellationToken">closes the session</param>
    public async ValueTask<bool> AreInAsync(RowBlock block, int from, int rows, CancellationToken cancellationToken) =>
        DoRise(block, from, rows)
        && (await session.QueryAsync(KeySql.AnyBetween(database, table, column, Text(block, from), Text(block, from + rows - 1)), cancellationToken)).Rows.Count == 0;

    private bool DoRise(RowBlock block, int from, int rows)
    {
        var last = Int128.MinValue;
        for (var row = from; row < from + rows; row++)
        {
            // Canonical integers: digits with a minus at most. One that is NULL or a default gets an id that nobody knows yet.
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
        return System.Text.Encoding.ASCII.GetString(value);
    }
}
