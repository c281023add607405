using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Planning;

/// <summary>Facts that a plan is made from: a small table, a million records, a server next door; a test changes what it is
/// about.</summary>
internal static class TestFacts
{
    /// <summary>A request that no test sends anywhere: its socket does not exist.</summary>
    public static LoadRequest Request { get; } = new()
    {
        Files = ["people.csv"],
        Table = "people",
        Connection = new ConnectionOptions { Socket = "/nonexistent/bulkload-tests.sock" },
        NoLedger = true,
        Retry = new RetryOptions(0, default),
    };

    public static ServerFacts MariaDb { get; } = new()
    {
        IsMariaDb = true,
        VersionText = "10.11.19-MariaDB",
        Endpoint = "db:3306",
        Security = "TLS 1.3",
        User = "loader",
        Identity = "db/3306/var",
        ConnectionId = 7,
        MaxAllowedPacket = 16 * 1024 * 1024,
        MaxPreparedStatements = 16_382,
        TakesBulkExecutions = true,
        Zone = new ValueZone("UTC", TimeZoneInfo.Utc),
        LogsStatements = false,
        RoundTrip = TimeSpan.FromMicroseconds(50),
    };

    public static ServerFacts MySql { get; } = MariaDb with
    { IsMariaDb = false, TakesBulkExecutions = false, NamesNewRow = true, VersionText = "9.7.4", MaxAllowedPacket = 64 * 1024 * 1024 };

    public static LoadFacts Of(ServerFacts server, params TableColumn[] columns)
    {
        var targets = columns.Length > 0 ? columns : [Columns.Integer("id"), Columns.Varchar("name")];
        return new LoadFacts
        {
            Request = Request,
            Server = server,
            Table = Columns.Table(targets),
            Columns = targets,
            Fields = [.. targets.Select(column => new PlannedColumn(column.Name, column.Name, column.TypeText))],
            Sources = [new PlannedSource("people.csv", "csv", "none", "utf-8", 78_000_000, 1_000_000)],
            RecordBytes = 78,
            RecordsCanLackColumns = false,
            Assignments = [],
            Guesses = [],
        };
    }
}
