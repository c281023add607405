namespace BulkLoad.Bench;

/// <summary>Statements about the bench's table of users.</summary>
internal static class BatchSql
{
    public const string Users = BenchSql.Prefix + "users";

    /// <summary>A temporary table of changes.</summary>
    public const string Staged = BenchSql.Prefix + "staged";

    /// <summary>The file that LOAD DATA asks for.</summary>
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

    /// <summary>As the server's client shows them.</summary>
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
