using static BulkLoad.Bench.Oltp.OltpStatement;

namespace BulkLoad.Bench.Oltp;

/// <summary>What a transaction consists of, in the numbers of sysbench's tests of the same names.</summary>
internal sealed class OltpWorkload
{
    private static readonly OltpStatement[] AllReads =
        [.. Enumerable.Repeat(SelectPoint, 10), SelectRange, SelectSum, SelectOrdered, SelectDistinct];

    private static readonly OltpStatement[] AllWrites = [UpdateIndexed, UpdateOther, Delete, Insert];

    private OltpWorkload(string name, params OltpStatement[] statements)
    {
        Name = name;
        Statements = statements;
        Reads = statements.Count(IsRead);
    }

    /// <summary>The first is the default.</summary>
    public static IReadOnlyList<OltpWorkload> All { get; } =
    [
        new("read-write", [.. AllReads, .. AllWrites]),
        new("read-only", AllReads),
        new("write-only", AllWrites),
        new("point-select", SelectPoint),
        new("insert", InsertNew),
        new("update-index", UpdateIndexed),
        new("update-non-index", UpdateOther),
        new("delete", Delete),
    ];

    /// <summary>Kebab-case.</summary>
    public string Name { get; }

    internal OltpStatement[] Statements { get; }

    internal int Reads { get; }

    internal int Writes => Statements.Length - Reads;

    /// <summary>One statement needs no BEGIN and COMMIT.</summary>
    internal bool IsTransaction => Statements.Length > 1;

    internal static bool IsRead(OltpStatement statement) => statement <= SelectDistinct;
}

internal enum OltpStatement
{
    SelectPoint,

    SelectRange,

    SelectSum,

    SelectOrdered,

    SelectDistinct,

    UpdateIndexed,

    /// <summary>Changes a column without an index.</summary>
    UpdateOther,

    Delete,

    /// <summary>Inserts the row that was deleted last.</summary>
    Insert,

    /// <summary>Inserts a row whose id the server generates.</summary>
    InsertNew,
}

internal static class OltpSql
{
    public const string Definition =
        "id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', "
            + "pad CHAR(60) NOT NULL DEFAULT '', INDEX (k)";

    public const string Columns = "id,k,c,pad";

    public const string Begin = "BEGIN";

    /// <summary>1-based.</summary>
    public static string Table(int number) => $"{BenchSql.TransactionPrefix}{number}";

    /// <summary>The table's name needs no quotes.</summary>
    public static string Of(OltpStatement statement, string table) => statement switch
    {
        OltpStatement.SelectPoint => $"SELECT c FROM {table} WHERE id=?",
        OltpStatement.SelectRange => $"SELECT c FROM {table} WHERE id BETWEEN ? AND ?",
        OltpStatement.SelectSum => $"SELECT SUM(k) FROM {table} WHERE id BETWEEN ? AND ?",
        OltpStatement.SelectOrdered => $"SELECT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c",
        OltpStatement.SelectDistinct => $"SELECT DISTINCT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c",
        OltpStatement.UpdateIndexed => $"UPDATE {table} SET k=k+1 WHERE id=?",
        OltpStatement.UpdateOther => $"UPDATE {table} SET c=? WHERE id=?",
        OltpStatement.Delete => $"DELETE FROM {table} WHERE id=?",
        OltpStatement.Insert => $"INSERT INTO {table} ({Columns}) VALUES (?,?,?,?)",
        _ => $"INSERT INTO {table} (k,c,pad) VALUES (?,?,?)",
    };
}
