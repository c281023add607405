namespace BulkLoad.Bench;

internal static class CallSql
{
    public const string Blobs = BenchSql.Prefix + "blobs";

    public const string BlobDefinition = "id BIGINT NOT NULL PRIMARY KEY, content LONGBLOB NOT NULL";

    public const string Scalar = "SELECT 1";

    public const string SelectRange = $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id BETWEEN ? AND ?";

    public const string SelectOne = $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id=?";

    public static string SelectList(IEnumerable<long> ids) =>
        $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id IN ({string.Join(',', ids.Select(id => id.ToString()))})";

    public const string SelectBlob = $"SELECT content FROM {Blobs} WHERE id=?";

    public static string Range(long first, long last) =>
        $"SELECT {BatchSql.UserColumns} FROM {BatchSql.Users} WHERE id BETWEEN {first} AND {last}";

    public static string AddBlob(int id, int bytes) => $"INSERT INTO {Blobs} VALUES ({id}, REPEAT('b', {bytes}))";
}
