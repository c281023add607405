using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>Whether rows can be no duplicates: their integer key rises from one to the next, and to where the table has none.</summary>
/// <param name="column">the key's only one</param>
internal sealed class NewKeys(IServerSession session, string database, string table, string column, int place)
{
    /// <summary>The key of the last row of those that rose last.</summary>
    private Int128 _last;

    /// <summary>Whether the table has no key between the first row's and the last one's.</summary>
    /// <param name="rows">how many, at least one</param>
    public async ValueTask<bool> AreInAsync(RowBlock block, int from, int rows, CancellationToken cancellationToken) =>
        DoRise(block, from, rows, Int128.MinValue)
        && await HasNoneAsync(
            KeySql.AnyBetween(database, table, column, Text(block, from), Text(block, from + rows - 1)), cancellationToken);

    /// <summary>Whether the table has no key from the first row's on, so that rows which <see cref="GoOn"/> can be no duplicates either as
    /// long as nobody else adds any.</summary>
    /// <inheritdoc cref="AreInAsync" path="/param"/>
    public async ValueTask<bool> AreBehindAllAsync(RowBlock block, int from, int rows, CancellationToken cancellationToken) =>
        DoRise(block, from, rows, Int128.MinValue)
        && await HasNoneAsync(KeySql.AnyFrom(database, table, column, Text(block, from)), cancellationToken);

    /// <summary>Whether the rows rise from the last ones on that did.</summary>
    /// <inheritdoc cref="AreInAsync" path="/param"/>
    public bool GoOn(RowBlock block, int from, int rows) => DoRise(block, from, rows, _last);

    private async ValueTask<bool> HasNoneAsync(string question, CancellationToken cancellationToken) =>
        (await session.QueryAsync(question, cancellationToken)).Rows.Count == 0;

    private bool DoRise(RowBlock block, int from, int rows, Int128 last)
    {
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

        _last = last;
        return true;
    }

    private string Text(RowBlock block, int row)
    {
        block.Get(row, place, out var value);
        return System.Text.Encoding.ASCII.GetString(value);
    }
}
