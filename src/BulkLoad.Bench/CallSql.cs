namespace BulkLoad.Bench;

/// <summary>Statements whose calls are measured.</summary>
internal static class CallSql
{
    public const string Blobs = BenchSql.Prefix + "blobs";

    public const string BlobDefinition = "id BIGINT NOT NULL PRIMARY KEY, content LONGBLOB NOT NULL";

    public const string Scalar = "SELECT 1";

    /// <summary>Users from one id to another.</summary>
    public const string SelectRange = $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id BETWEEN ? AND ?";

    /// <summary>A user by id.</summary>
    public const string SelectOne = $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id=?";

    /// <summary>Users by their ids.</summary>
    public static string SelectList(IEnumerable<long> ids) =>
        $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id IN ({string.Join(',', ids.Select(id => id.ToString()))})";

    public const string SelectBlob = $"SELECT content FROM {Blobs} WHERE id=?";

    /// <inheritdoc cref="SelectRange"/>
    public static string Range(long first, long last) =>
        $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id BETWEEN {first} AND {last}";

    /// <summary>A blob of so many bytes.</summary>
    public static string AddBlob(int id, int bytes) => $"INSERT INTO {Blobs} VALUES ({id}, REPEAT('b', {bytes}))";
}
