using System.Data.Common;
using CsvHelper;
using MySqlConnector;

namespace BulkLoad.Benchmarks.Peers;

/// <summary>With MySqlConnector.</summary>
internal static class MySqlConnectorJobs
{
    private const string Driver = "MySqlConnector";
    private const int CommandsPerBatch = 1_000;

    /// <summary>All that it can do.</summary>
    public static IEnumerable<PeerJob> All =>
    [
        new(Driver, "bulk-loader", "import", BulkLoader),
        new(Driver, "bulk-copy", "import", (connection, task) => BulkCopy((MySqlConnection)connection, null, task.Table, task.File, ',')),
        new(Driver, "inserts", "import", CommonJobs.Inserts),
        new(Driver, "in-list", "delete", CommonJobs.InList),
        new(Driver, "staged", "update", Staged),
        new(Driver, "batch", "update", Batch),
    ];

    private static PeerResult BulkLoader(DbConnection connection, PeerTask task)
    {
        var loader = new MySqlBulkLoader((MySqlConnection)connection)
        {
            Local = true,
            FileName = task.File,
            TableName = task.Table,
            CharacterSet = "utf8mb4",
            FieldTerminator = ",",
            FieldQuotationCharacter = '"',
            FieldQuotationOptional = true,
            // By default a backslash, which is text in CSV. None cannot be said; the quote itself means the same.
            EscapeCharacter = '"',
            LineTerminator = "\n",
            NumberOfLinesToSkip = 1,
        };
        loader.Columns.AddRange(["id", "name", "@age", "@email", "@score", "@created"]);
        loader.Expressions.AddRange(
            ["age = NULLIF(@age, '')", "email = NULLIF(@email, '')", "score = NULLIF(@score, '')", "created = NULLIF(@created, '')"]);
        var rows = loader.Load();
        return new PeerResult(rows, CommonJobs.CountWarnings(connection));
    }

    private static PeerResult BulkCopy(MySqlConnection connection, MySqlTransaction? transaction, string table, string file, char separator)
    {
        using var csv = UserCsv.Open(file, separator);
        using var reader = new CsvDataReader(csv);
        var result = new MySqlBulkCopy(connection, transaction) { DestinationTableName = table, BulkCopyTimeout = 0 }.WriteToServer(reader);
        return new PeerResult(result.RowsInserted, result.Warnings.Count);
    }

    private static PeerResult Staged(DbConnection connection, PeerTask task) => CommonJobs.Staged(connection, task, transaction =>
        BulkCopy((MySqlConnection)connection, (MySqlTransaction)transaction, CommonJobs.StagedTable, task.File, '\t').Warnings);

    private static PeerResult Batch(DbConnection connection, PeerTask task)
    {
        using var csv = UserCsv.Open(task.File, '\t');
        using var transaction = (MySqlTransaction)connection.BeginTransaction();
        long rows = 0;
        var batch = NewBatch(transaction);
        while (csv.Read())
        {
            var command = new MySqlBatchCommand($"UPDATE {task.Table} SET age = @age, name = @name WHERE id = @id");
            command.Parameters.AddWithValue("@age", csv.Parse<int>(1));
            command.Parameters.AddWithValue("@name", csv.GetString(2));
            command.Parameters.AddWithValue("@id", csv.Parse<long>(0));
            batch.BatchCommands.Add(command);
            if (batch.BatchCommands.Count == CommandsPerBatch)
            {
                rows += batch.ExecuteNonQuery();
                batch.Dispose();
                batch = NewBatch(transaction);
            }
        }

        if (batch.BatchCommands.Count > 0)
        {
            rows += batch.ExecuteNonQuery();
        }

        batch.Dispose();
        transaction.Commit();
        return new PeerResult(rows);
    }

    private static MySqlBatch NewBatch(MySqlTransaction transaction) => new(transaction.Connection!, transaction) { Timeout = 0 };
}
