using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench;

/// <summary>The table of users: filled for each run, and checked afterwards.</summary>
internal sealed class UsersTable(IServerSession session)
{
    /// <summary>With its index; generous.</summary>
    public const long EstimatedBytesPerRow = 200;

    private const int RowsPerLoad = 100_000;

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

    /// <summary>As LOAD DATA reads them. No value needs an escape.</summary>
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
