using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench;

/// <summary>The table of users: filled for each run, and checked afterwards.</summary>
internal sealed class UsersTable(IServerSession session)
{
    /// <summary>With its index; a generous estimate.</summary>
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

    /// <summary>The rows in the form of LOAD DATA. No value needs an escape.</summary>
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

internal enum BatchOperation
{
    Insert,

    Update,

    Delete,
}

/// <summary>A row of the table of users. Its 1-based id, and whether an update has changed it, decide all values.</summary>
internal readonly record struct BatchUser(long Id, bool IsChanged)
{
    public string Name => $"{(IsChanged ? "changed" : "user")} {Id} O'Neill";

    public int Age => (int)(Id % 97);

    public string Email => $"user{Id}@example.org";

    /// <summary>A number that every server writes in the same way.</summary>
    public double Score => (IsChanged ? 1000 : 0) + (Id % 1000) + 0.5;

    public DateTime Created => new DateTime(2026, 1, 1, 12, 30, 0, DateTimeKind.Unspecified).AddDays(Id % 300);

    /// <summary>The values as the server's client shows them.</summary>
    public string?[] Cells =>
    [
        Id.ToString(), Name, Age.ToString(), Email,
        Score.ToString(), Created.ToString("yyyy-MM-dd HH:mm:ss"),
    ];

    public static IEnumerable<BatchUser> Range(long first, long last, long step, bool isChanged)
    {
        for (var id = first; id <= last; id += step)
        {
            yield return new BatchUser(id, isChanged);
        }
    }
}

internal static class BatchSql
{
    public const string Users = BenchSql.Prefix + "users";

    public const string Staged = BenchSql.Prefix + "staged";

    public const string FileName = "bulkload-bench";

    public const string UserColumns = "id,name,age,email,score,created";

    public const string StagedColumns = "id,name,score";

    public const string Definition = $"id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, {OtherColumns}";

    private const string OtherColumns = "name VARCHAR(64), age INT, email VARCHAR(128), score DOUBLE, created DATETIME, INDEX (age)";

    /// <summary>AUTO_INCREMENT may keep sessions from working at the same time.</summary>
    public const string DefinitionOfOwnIds = $"id BIGINT NOT NULL PRIMARY KEY, {OtherColumns}";

    public const string UsersOfOwnIds = BenchSql.Prefix + "own_ids";

    public const string CreateStaged =
        $"CREATE TEMPORARY TABLE {Staged} (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(64), score DOUBLE) DEFAULT CHARSET=utf8mb4";

    public const string DropStaged = $"DROP TEMPORARY TABLE IF EXISTS {Staged}";

    /// <summary>Returns the rows as <see cref="BatchUser.Cells"/> has them.</summary>
    public const string ReadAll = $"SELECT {UserColumns} FROM {Users} ORDER BY id";

    public const string CountChanged =
        $"SELECT COUNT(*) FROM {Users} WHERE name=CONCAT('changed ',id,' O''Neill') AND score=1000.5+id%1000";

    public const string Insert = $"INSERT INTO {Users} ({UserColumns}) VALUES ";

    public static string Load(string table, string columns) =>
        $"LOAD DATA LOCAL INFILE '{FileName}' INTO TABLE {table} CHARACTER SET utf8mb4 ({columns})";

    public static string LoadOnServer(string path) =>
        $"LOAD DATA INFILE {SqlLiteral.Quote(path)} INTO TABLE {Users} CHARACTER SET utf8mb4 ({UserColumns})";

    /// <summary>Empty: any folder. NULL: none.</summary>
    public const string FileFolder = "SELECT @@secure_file_priv";

    public static string Placeholders(int rows) => Insert + string.Join(',', Enumerable.Repeat("(?,?,?,?,?,?)", rows));

    public static string Placeholders(BatchOperation operation) => operation switch
    {
        BatchOperation.Insert => $"{Insert}(?,?,?,?,?,?)",
        BatchOperation.Update => $"UPDATE {Users} SET name=?,score=? WHERE id=?",
        _ => $"DELETE FROM {Users} WHERE id=?",
    };

    public static string Literal(BatchOperation operation, BatchUser user) => operation switch
    {
        BatchOperation.Insert => Insert + Values(user),
        BatchOperation.Update => $"UPDATE {Users} SET name={SqlLiteral.Quote(user.Name)},score={user.Score}e0 WHERE id={user.Id}",
        _ => $"DELETE FROM {Users} WHERE id={user.Id}",
    };

    public static string Set(BatchOperation operation, IReadOnlyList<BatchUser> users, bool isMariaDb)
    {
        switch (operation)
        {
            case BatchOperation.Insert:
                return Insert + string.Join(',', users.Select(Values));
            case BatchOperation.Update:
                var rows = string.Join(
                    ',', users.Select(user => $"{(isMariaDb ? "" : "ROW")}({user.Id},{SqlLiteral.Quote(user.Name)},{user.Score}e0)"));
                var list = isMariaDb
                    ? $"(SELECT 0 id,'' name,0e0 score WHERE 0 UNION ALL VALUES {rows}) list"
                    : $"(VALUES {rows}) AS list(id,name,score)";
                return $"UPDATE {list} STRAIGHT_JOIN {Users} users ON users.id=list.id SET users.name=list.name,users.score=list.score";
            default:
                return $"DELETE FROM {Users} WHERE id IN ({string.Join(',', users.Select(user => user.Id.ToString()))})";
        }
    }

    public static string Joined(BatchOperation operation) => operation == BatchOperation.Update
        ? $"UPDATE {Staged} staged STRAIGHT_JOIN {Users} users ON users.id=staged.id SET users.name=staged.name,users.score=staged.score"
        : $"DELETE users FROM {Staged} staged STRAIGHT_JOIN {Users} users ON users.id=staged.id";

    public static string Values(BatchUser user)
    {
        var created = SqlLiteral.Quote(user.Created.ToString("yyyy-MM-dd HH:mm:ss"));
        return $"({user.Id},{SqlLiteral.Quote(user.Name)},{user.Age},{SqlLiteral.Quote(user.Email)},{user.Score}e0,{created})";
    }
}

/// <summary>A folder for files, deleted at the end.</summary>
internal sealed class BenchFolder(string parent) : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateDirectory(Path.Combine(parent, $"bulkload-bench-{Guid.NewGuid():N}"));

    /// <summary>Returns the path. No value may need quotes.</summary>
    public string Write(string name, string header, IEnumerable<BatchUser> users, Func<BatchUser, IEnumerable<string?>> cells)
    {
        var path = Path.Combine(_folder.FullName, name);
        using var file = new StreamWriter(path, append: false, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false));
        file.Write($"{header}\n");
        foreach (var user in users)
        {
            file.Write($"{string.Join(',', cells(user))}\n");
        }

        return path;
    }

    public void Dispose() => _folder.Delete(recursive: true);
}
