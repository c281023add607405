using System.Data.Common;
using MySql.Data.MySqlClient;

namespace BulkLoad.Benchmarks.Peers;

/// <summary>With MySql.Data.</summary>
internal static class MySqlDataJobs
{
    private const string Driver = "MySql.Data";

    /// <summary>All that it can do.</summary>
    public static IEnumerable<PeerJob> All =>
    [
        new(Driver, "bulk-loader", "import", BulkLoader),
        new(Driver, "inserts", "import", CommonJobs.Inserts),
        new(Driver, "in-list", "delete", CommonJobs.InList),
        new(Driver, "staged", "update", Staged),
    ];

    private static PeerResult BulkLoader(DbConnection connection, PeerTask task)
    {
        var loader = Loader(connection, task.Table, task.File, ",");
        loader.Columns.AddRange(["id", "name", "@age", "@email", "@score", "@created"]);
        loader.Expressions.AddRange(
            ["age = NULLIF(@age, '')", "email = NULLIF(@email, '')", "score = NULLIF(@score, '')", "created = NULLIF(@created, '')"]);
        var rows = loader.Load();
        return new PeerResult(rows, CommonJobs.CountWarnings(connection));
    }

    private static PeerResult Staged(DbConnection connection, PeerTask task) => CommonJobs.Staged(connection, task, transaction =>
    {
        Loader(connection, CommonJobs.StagedTable, task.File, "\t").Load();
        return CommonJobs.CountWarnings(connection, transaction);
    });

    private static MySqlBulkLoader Loader(DbConnection connection, string table, string file, string delimiter) =>
        new((MySqlConnection)connection)
        {
            Local = true,
            FileName = file,
            TableName = table,
            CharacterSet = "utf8mb4",
            FieldTerminator = delimiter,
            FieldQuotationCharacter = '"',
            FieldQuotationOptional = true,
            // By default a backslash, which is text in CSV. None cannot be said; the quote itself means the same.
            EscapeCharacter = '"',
            LineTerminator = "\n",
            NumberOfLinesToSkip = 1,
        };
}
