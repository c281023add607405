using System.Data.Common;
using System.Globalization;
using System.Text;

namespace BulkLoad.Benchmarks.Peers;

/// <summary>What both drivers can do by System.Data.Common alone.</summary>
internal static class CommonJobs
{
    /// <summary>What the joined UPDATE reads from.</summary>
    public const string StagedTable = "staged";

    private const int RowsPerStatement = 1_000;
    private const int StatementsPerTransaction = 10;

    /// <summary>The CSV file by INSERT statements of 1,000 rows with parameters, 10,000 rows a transaction.</summary>
    public static PeerResult Inserts(DbConnection connection, PeerTask task)
    {
        using var csv = UserCsv.Open(task.File, ',');
        csv.ReadHeader();
        string[] columns = [.. csv.Headers];
        using var full = InsertCommand(connection, task.Table, columns, RowsPerStatement);
        var batch = new List<object>(RowsPerStatement * columns.Length);
        long rows = 0;
        var statements = 0;
        var transaction = connection.BeginTransaction();
        while (csv.Read())
        {
            for (var column = 0; column < columns.Length; column++)
            {
                batch.Add(UserCsv.Value(csv, column));
            }

            if (batch.Count < RowsPerStatement * columns.Length)
            {
                continue;
            }

            rows += Insert(full, transaction, batch);
            if (++statements % StatementsPerTransaction == 0)
            {
                transaction.Commit();
                transaction.Dispose();
                transaction = connection.BeginTransaction();
            }
        }

        if (batch.Count > 0)
        {
            using var last = InsertCommand(connection, task.Table, columns, batch.Count / columns.Length);
            rows += Insert(last, transaction, batch);
        }

        transaction.Commit();
        transaction.Dispose();
        return new PeerResult(rows);
    }

    /// <summary>The ids of the file by DELETE statements with a list of 1,000, in one transaction.</summary>
    public static PeerResult InList(DbConnection connection, PeerTask task)
    {
        using var transaction = connection.BeginTransaction();
        using var command = connection.CreateCommand();
        command.Transaction = transaction;
        long rows = 0;
        var all = File.ReadLines(task.File).Select(line => long.Parse(line, CultureInfo.InvariantCulture));
        foreach (var ids in all.Chunk(RowsPerStatement))
        {
            command.CommandText = $"DELETE FROM {task.Table} WHERE id IN ({string.Join(',', ids)})";
            rows += command.ExecuteNonQuery();
        }

        transaction.Commit();
        return new PeerResult(rows);
    }

    /// <summary>A temporary table, filled in the driver's way, and an UPDATE that joins it, in one transaction.</summary>
    /// <param name="connection">open</param>
    /// <param name="task">an update</param>
    /// <param name="fill">the temporary table from the file; gives the warnings</param>
    public static PeerResult Staged(DbConnection connection, PeerTask task, Func<DbTransaction, long> fill)
    {
        using var transaction = connection.BeginTransaction();
        const string Columns = "id BIGINT PRIMARY KEY, age INT, name VARCHAR(64)";
        Execute(connection, transaction, $"CREATE TEMPORARY TABLE {StagedTable} ({Columns}) CHARSET=utf8mb4");
        var warnings = fill(transaction);
        var update = $"UPDATE {task.Table} t JOIN {StagedTable} s USING (id) SET t.age = s.age, t.name = s.name";
        var rows = Execute(connection, transaction, update);
        transaction.Commit();
        return new PeerResult(rows, warnings);
    }

    /// <summary>How many warnings the last statement left.</summary>
    public static long CountWarnings(DbConnection connection, DbTransaction? transaction = null)
    {
        using var command = connection.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = "SHOW COUNT(*) WARNINGS";
        return Convert.ToInt64(command.ExecuteScalar(), CultureInfo.InvariantCulture);
    }

    private static int Execute(DbConnection connection, DbTransaction transaction, string sql)
    {
        using var command = connection.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = sql;
        return command.ExecuteNonQuery();
    }

    private static DbCommand InsertCommand(DbConnection connection, string table, string[] columns, int rows)
    {
        var command = connection.CreateCommand();
        var sql = new StringBuilder($"INSERT INTO {table} ({string.Join(',', columns)}) VALUES ");
        for (var index = 0; index < rows * columns.Length; index++)
        {
            sql.Append(index % columns.Length > 0 ? "," : index > 0 ? "),(" : "(");
            var parameter = command.CreateParameter();
            parameter.ParameterName = $"@p{index}";
            sql.Append(parameter.ParameterName);
            command.Parameters.Add(parameter);
        }

        command.CommandText = sql.Append(')').ToString();
        return command;
    }

    private static int Insert(DbCommand command, DbTransaction transaction, List<object> values)
    {
        command.Transaction = transaction;
        for (var index = 0; index < values.Count; index++)
        {
            command.Parameters[index].Value = values[index];
        }

        values.Clear();
        return command.ExecuteNonQuery();
    }
}
