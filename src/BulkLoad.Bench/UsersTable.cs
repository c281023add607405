using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench;

/// <summary>The bench's table of users, filled anew for each run and compared afterwards.</summary>
internal sealed class UsersTable(IServerSession session)
{
    /// <summary>Of the table with its index, generously.</summary>
    public const long EstimatedBytesPerRow = 200;

    private const int RowsPerLoad = 100_000;

    /// <summary>Fills the table with so many unchanged rows, and nothing else is in it.</summary>
    public async Task FillAsync(long rows, CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(BenchSql.Empty(BatchSql.Users), cancellationToken);
        var load = new LocalLoad(null, BatchSql.Load(BatchSql.Users, BatchSql.UserColumns), BatchSql.FileName);
        for (var first = 1L; first <= rows; first += RowsPerLoad)
        {
            var users = BatchUser.Range(first, Math.Min(rows, first + RowsPerLoad - 1), step: 1, isChanged: false);
            await session.LoadLocalAsync(load, Lines(users, user => user.Cells), null, null, cancellationToken);
        }
    }

    /// <exception cref="ReconciliationException">the table does not hold just these rows</exception>
    public async Task CheckAsync(IEnumerable<BatchUser> expected, CancellationToken cancellationToken)
    {
        var found = (await session.QueryAsync(BatchSql.ReadAll, cancellationToken)).Rows;
        var rows = expected.Select(user => string.Join('|', user.Cells)).ToArray();
        for (var i = 0; i < Math.Max(rows.Length, found.Count); i++)
        {
            var (actual, should) = (i < found.Count ? string.Join('|', found[i]) : "nothing", i < rows.Length ? rows[i] : "nothing");
            if (actual != should)
            {
                throw new ReconciliationException($"row {i + 1} of {BatchSql.Users} is {actual} and should be {should}");
            }
        }
    }

    /// <summary>Rows as LOAD DATA reads them; no value of them needs an escape.</summary>
    public static ReadOnlyMemory<byte> Lines(IEnumerable<BatchUser> users, Func<BatchUser, IEnumerable<string?>> cells)
    {
        var text = new StringBuilder();
        foreach (var user in users)
        {
            text.AppendJoin('\t', cells(user)).Append('\n');
        }

        return Encoding.UTF8.GetBytes(text.ToString());
    }
}
