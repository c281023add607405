using System.Data;
using BulkLoad.Benchmarks.Drivers;
using MySqlConnector;

namespace BulkLoad.Benchmarks.Objects;

/// <summary>With MySqlConnector's MySqlBulkCopy.</summary>
internal static class MySqlConnectorObjects
{
    /// <summary>All that it can do.</summary>
    public static IEnumerable<ObjectLoad> All => [new("MySqlConnector/bulk-copy", BulkCopyAsync)];

    /// <summary>For LOAD DATA LOCAL.</summary>
    public static string ConnectionString(ObjectTask task) =>
        Peer.Present.First(peer => peer.Name == "MySqlConnector").ConnectionString(task.Connection) + ";AllowLoadLocalInfile=true";

    private static async Task<long> BulkCopyAsync(ObjectTask task)
    {
        await using var connection = new MySqlConnection(ConnectionString(task));
        await connection.OpenAsync();
        using var users = new BenchUserReader(task.Users);
        var result = await new MySqlBulkCopy(connection) { DestinationTableName = task.Table, BulkCopyTimeout = 0 }
            .WriteToServerAsync(users);
        return result.RowsInserted;
    }
}

/// <summary>Objects as rows, which MySqlBulkCopy asks for.</summary>
internal sealed class BenchUserReader(IReadOnlyList<BenchUser> users) : IDataReader
{
    private static readonly string[] Names = ["id", "name", "age", "email", "score", "created"];

    private int _at = -1;

    public int FieldCount => Names.Length;

    public int Depth => 0;

    public bool IsClosed => false;

    public int RecordsAffected => -1;

    public object this[int i] => GetValue(i);

    public object this[string name] => GetValue(GetOrdinal(name));

    public bool Read() => ++_at < users.Count;

    public bool NextResult() => false;

    public string GetName(int i) => Names[i];

    public int GetOrdinal(string name) => Array.IndexOf(Names, name);

    public object GetValue(int i)
    {
        var user = users[_at];
        return i switch
        {
            0 => user.Id,
            1 => user.Name,
            2 => (object?)user.Age,
            3 => user.Email,
            4 => user.Score,
            _ => user.Created,
        } ?? DBNull.Value;
    }

    public int GetValues(object[] values)
    {
        for (var i = 0; i < FieldCount; i++)
        {
            values[i] = GetValue(i);
        }

        return FieldCount;
    }

    public bool IsDBNull(int i) => GetValue(i) == DBNull.Value;

    public void Close()
    {
    }

    public void Dispose()
    {
    }

    public DataTable? GetSchemaTable() => throw new NotSupportedException();

    public bool GetBoolean(int i) => throw new NotSupportedException();

    public byte GetByte(int i) => throw new NotSupportedException();

    public long GetBytes(int i, long fieldOffset, byte[]? buffer, int bufferoffset, int length) => throw new NotSupportedException();

    public char GetChar(int i) => throw new NotSupportedException();

    public long GetChars(int i, long fieldoffset, char[]? buffer, int bufferoffset, int length) => throw new NotSupportedException();

    public IDataReader GetData(int i) => throw new NotSupportedException();

    public string GetDataTypeName(int i) => throw new NotSupportedException();

    public DateTime GetDateTime(int i) => throw new NotSupportedException();

    public decimal GetDecimal(int i) => throw new NotSupportedException();

    public double GetDouble(int i) => throw new NotSupportedException();

    public Type GetFieldType(int i) => throw new NotSupportedException();

    public float GetFloat(int i) => throw new NotSupportedException();

    public Guid GetGuid(int i) => throw new NotSupportedException();

    public short GetInt16(int i) => throw new NotSupportedException();

    public int GetInt32(int i) => throw new NotSupportedException();

    public long GetInt64(int i) => throw new NotSupportedException();

    public string GetString(int i) => throw new NotSupportedException();
}
