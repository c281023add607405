using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;

namespace BulkLoad.Tests.Cli;

/// <summary>A plan and a report such as the library gives.</summary>
internal static class Samples
{
    public static LoadPlan Plan { get; } = new()
    {
        Command = "import",
        Table = "shop.people",
        Server = new PlannedServer("MariaDB", "10.11.14", "127.0.0.1:3306", "TLS 1.3", "app"),
        Sources = [new PlannedSource("people.csv", "csv", "none", "utf-8", 78_125_000, 1_000_000)
        { Detections = [new DetectedSetting("delimiter", ";", 0.999, "1,000 of the first 1,000 records have 3 fields with it")] }],
        Columns = [new PlannedColumn("id", "id", "int(11)"), new PlannedColumn("Full Name", "name", "varchar(40)"),
            new PlannedColumn("rest", null, null)],
        Strategy = "multi-row-insert",
        Verdicts =
        [
            new Verdict("multi-row-insert", true, "1,000 rows in one statement", 2.5),
            new Verdict("bulk-execute", true, "rows as binary parameters", 3.25),
            new Verdict("load-data", false, "the server refuses LOCAL (local_infile=OFF)", null),
        ],
        Sizes = [new PlannedSize("rows-per-batch", 1000, "measured optimum"),
            new PlannedSize("bytes-per-chunk", 8_388_608, "--bytes-per-chunk")],
        Sessions = 1,
        Transactions = "a commit after each chunk",
        TimeZone = "SYSTEM (UTC)",
        Sql = ["INSERT INTO `shop`.`people` (`id`,`name`) VALUES\n(...)"],
        Notes = ["format csv (by extension)"],
    };

    public static PlannedProfile Profile { get; } =
        new("server.json", "10.11.14", "127.0.0.1:3306", new DateTimeOffset(2026, 11, 21, 20, 30, 5, TimeSpan.Zero), ["strategy"]);

    public static PlannedTable NewTable { get; } = new(
        "CREATE TABLE `shop`.`people` (\n  `id` SMALLINT NOT NULL,\n  `name` VARCHAR(50) NULL\n) DEFAULT CHARSET=utf8mb4",
        40,
        0,
        [
            new PlannedType("id", "int", false, "whole numbers from 1 to 300 (record 17)", "smallint"),
            new PlannedType("name", "varchar(50)", true, "text such as 'Ada' (record 1); NULL in 2 of 40 records"),
        ]);

    public static LoadReport Report { get; } = new()
    {
        Outcome = LoadOutcome.Complete,
        Plan = Plan,
        Counts = new LoadCounts { Read = 1_000_000, Inserted = 1_000_000 },
        Chunks = 10,
        Batches = 1_000,
        Sources = [new SourceReport("people.csv", 1_000_000, 78_125_000)],
        Notes = ["format csv (by extension)"],
        Elapsed = TimeSpan.FromSeconds(2.41),
    };

    /// <summary>A check that sent nothing.</summary>
    public static LoadReport Checked { get; } = Report with
    {
        Plan = Plan with
        {
            Command = "check",
            Mode = JobMode.Check,
            Strategy = null,
            Verdicts = [],
            Sizes = [],
            Sessions = 0,
            Transactions = "none: nothing is sent",
            Sql = []
        },
        Counts = new LoadCounts { Read = 1_000_000, Accepted = 600_000, Undecided = 399_998, Rejected = 2 },
        UndecidedByReason = [new UndecidedCount("foreign-key", "the row that a foreign key refers to may be missing", 399_998)],
        RejectsByReason = new Dictionary<string, long> { ["duplicate-key"] = 2 },
        FirstRejects = [Duplicate(2, 3), Duplicate(3, 4)],
        IsBeyondMaxRejects = true,
        Chunks = 0,
        Batches = 0,
        Notes = [],
    };

    private static Reject Duplicate(long record, long line) => new()
    {
        Source = "people.csv",
        Record = record,
        Line = line,
        Offset = 8 * record,
        Column = "id",
        Code = "duplicate-key",
        Message = "'2' is in an earlier record (key 'PRIMARY')",
    };

    public static LoadReport Failed(BulkLoadException failure) => Report with
    {
        Outcome = LoadOutcome.Failed,
        Failure = failure,
        Counts = new LoadCounts { Read = 1_000_000, Inserted = 600_000, Rejected = 1, NotCommitted = 399_999 },
        Chunks = 6,
        Batches = 600,
    };
}
