using System.Text;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Benchmarks.Matrix;

/// <summary>The table that batches change, put up anew for each measurement and compared afterwards.</summary>
internal sealed class UsersTable(IServerSession session)
{
    public const string FileName = "matrix";

    /// <summary>LOAD DATA of lines from <see cref="Lines"/>.</summary>
    public static string Load(string table, string columns) =>
        $"LOAD DATA LOCAL INFILE '{FileName}' INTO TABLE {table} CHARACTER SET utf8mb4 ({columns})";

    public async Task CreateAsync()
    {
        await session.ExecuteAsync("DROP TABLE IF EXISTS users", default);
        await session.ExecuteAsync(
            "CREATE TABLE users (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64), age INT, email VARCHAR(128), score DOUBLE, created DATETIME, INDEX (age)) ENGINE=InnoDB",
            default);
    }

    /// <summary>Fills the table with so many unchanged rows, and nothing else is in it.</summary>
    public async Task FillAsync(long rows)
    {
        const int RowsPerLoad = 100_000;
        await session.ExecuteAsync("TRUNCATE TABLE users", default);
        var load = new LocalLoad(null, Load("users", "id,name,age,email,score,created"), FileName);
        for (var first = 1L; first <= rows; first += RowsPerLoad)
        {
            var users = Range(first, Math.Min(rows, first + RowsPerLoad - 1), step: 1, isChanged: false);
            await session.LoadLocalAsync(load, Lines(users, user => user.Cells), null, null, default);
        }
    }

    /// <exception cref="InvalidOperationException">the table does not hold just these rows</exception>
    public async Task CheckAsync(IEnumerable<MatrixUser> expected)
    {
        var found = (await session.QueryAsync("SELECT id,name,age,email,score,created FROM users ORDER BY id", default)).Rows;
        var rows = expected.Select(user => string.Join('|', user.Cells)).ToArray();
        for (var i = 0; i < Math.Max(rows.Length, found.Count); i++)
        {
            var (actual, should) = (i < found.Count ? string.Join('|', found[i]) : "nothing", i < rows.Length ? rows[i] : "nothing");
            if (actual != should)
            {
                throw new InvalidOperationException($"row {i + 1} of users is {actual} and should be {should}");
            }
        }
    }

    /// <summary>Rows by their ids.</summary>
    public static IEnumerable<MatrixUser> Range(long first, long last, long step, bool isChanged)
    {
        for (var id = first; id <= last; id += step)
        {
            yield return new MatrixUser(id, isChanged);
        }
    }

    /// <summary>Rows as LOAD DATA reads them; no value of them needs an escape.</summary>
    public static ReadOnlyMemory<byte> Lines(IEnumerable<MatrixUser> users, Func<MatrixUser, IEnumerable<string?>> cells)
    {
        var text = new StringBuilder();
        foreach (var user in users)
        {
            text.AppendJoin('\t', cells(user)).Append('\n');
        }

        return Encoding.UTF8.GetBytes(text.ToString());
    }
}
