using BulkLoad.Cli.Host;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Seeding;
using BulkLoad.Tests.Strategies;

namespace BulkLoad.Tests.Cli.Output;

/// <summary>Every form that other programs read, with every member that it can have: byte for byte as it was approved.</summary>
public sealed class JsonFormTests
{
    private static readonly Reject Refused = new()
    {
        Source = "böse <1>.csv",
        Record = 2,
        Line = 3,
        Offset = 16,
        Column = "id",
        Code = "duplicate-key",
        Message = "'2' is in an earlier record (key 'PRIMARY')",
        ServerCode = 1062,
    };

    private static readonly Reject InSheet = Refused with { Line = 0, At = "sheet 2026, cell D17", Column = null, ServerCode = 0 };

    private static readonly RowChange[] Changes =
    [
        new RowChange("inserted", "id=1", []),
        new RowChange("updated", "id=2", [new ChangedValue("name", "Ada", null), new ChangedValue("age", null, "17")]),
    ];

    private static readonly UndecidedCount[] Undecided = [new("foreign-key", "the row may be missing", 7)];

    private static readonly LoadPlan Plan = Samples.Plan with
    {
        Sources =
        [
            Samples.Plan.Sources[0] with
            {
                Bytes = null,
                EstimatedRecords = null,
                Spec = new SourceSpec { Format = InputFormat.Csv, Encoding = "utf-8" },
                Detections = [DetectedSetting.OfCharacter("quote", null, 2.0 / 3, "it's \"so\" & <so>")],
            },
            Samples.Plan.Sources[0],
        ],
        Columns = [.. Samples.Plan.Columns, new PlannedColumn(null, "made", "datetime", "NOW()")],
        NewTable = Samples.NewTable,
        AddedColumns = new PlannedAddition("ALTER TABLE t", 4, 1, [new PlannedType("city", "varchar(64)", true, "text")]),
        Key = ["id", "name"],
        Verification = new PlannedVerification(VerifyMode.Checksum, ["id"], ["id", "name"], ["made"], "it is a pipe"),
        OnDuplicate = DuplicateMode.Replace,
        Verdicts = [new Verdict("a", true, "b", 1.23456), new Verdict("c", false, "d", double.PositiveInfinity)],
        Profile = Samples.Profile,
        SessionsReason = "two cores",
        Readers = new PlannedReaders(2, "pieces of a large file are read at the same time"),
        Order = new PlannedOrder("(id)", "faster so"),
        Rebuild = new PlannedRebuild(["KEY `age` (`age`)"], [new KeptIndex("one", "it keeps duplicates out")], ["nobody finds rows"]),
    };

    private static readonly LoadReport Report = Samples.Report with
    {
        Outcome = LoadOutcome.Stopped,
        Preview = new PreviewReport
        {
            Key = ["id"],
            InsertedRows = 1,
            UpdatedRows = 2,
            DeletedRows = 3,
            EmptiedRows = 1,
            Changes = Changes,
            NotExact = ["of a trigger"],
            Stop = new PreviewStop("a.csv", null, 3, null, "nothing was committed"),
            Findings = ["a row is missing"],
            File = "changes.jsonl",
        },
        Plan = Plan,
        Counts = new LoadCounts
        {
            Read = 1,
            Inserted = 2,
            Updated = 3,
            Unchanged = 4,
            Ignored = 5,
            Deleted = 6,
            Superseded = 7,
            NotFound = 8,
            DeletedRows = 9,
            MatchedRows = 10,
            ChangedRows = 11,
            Accepted = 12,
            Undecided = 13,
            Verified = 14,
            Rejected = 15,
            NotCommitted = 16,
        },
        NarrowedBatches = 17,
        Job = "k7",
        EarlierChunks = 18,
        Retries = 19,
        FirstRetries = [new RetryReport("Deadlock found", 1213, TimeSpan.FromMilliseconds(1234.5678))],
        Waits = [new WaitReport("max-load", TimeSpan.FromMilliseconds(98.7654))],
        Rebuild = new RebuildReport(["age"], ["b"], TimeSpan.FromMilliseconds(1.2345), TimeSpan.FromMilliseconds(2.3456)),
        Verification = new VerificationReport(VerifyMode.Count, VerifyResult.Partial, 5)
        {
            EarlierRows = 6,
            DifferentByReason = new Dictionary<string, long> { ["not-found"] = 1 },
            UndecidedRows = 7,
            Reason = "no key",
        },
        RejectsByReason = new Dictionary<string, long> { ["duplicate-key"] = 2, ["Other-Key"] = 1 },
        RepairsByKind = new Dictionary<string, long> { ["blank-line"] = 3 },
        UndecidedByReason = Undecided,
        FirstRejects = [Refused, InSheet],
        UncommittedRejects = 20,
        RejectFile = "/tmp/rejects.csv",
        IdsFile = "/tmp/ids.csv",
        IdsInFile = 21,
        Elapsed = TimeSpan.FromTicks(12_345_678),
    };

    [Fact]
    public void A_report_with_everything() => Check("report", to => ReportJson.Write(to, Report, ExitCode.Interrupted));

    [Fact]
    public void A_report_with_little() => Check(
        "report-early", to => ReportJson.Write(to, new LoadReport { Outcome = LoadOutcome.Failed, Failure = Fault }, ExitCode.Failed));

    [Fact]
    public void A_seeds_plan()
    {
        var plan = new SeedPlan
        {
            Folder = "seeds",
            Database = "shop",
            Server = Plan.Server,
            Mode = SeedMode.Sync,
            Atomic = true,
            SchemaStatements = 2,
            Tables =
            [
                new SeedPlanTable("people", ["people.csv"], ["cities"])
                {
                    Rows = 3,
                    Notes = ["n"],
                },
                new SeedPlanTable("cities", [], []) { IsKnown = true },
            ],
            Notes = ["rows go first"],
        };

        CheckText("seed-plan", to => SeedJson.Write(to, plan));
    }

    [Fact]
    public void A_seeds_report()
    {
        var table = new SeedTableReport("people", ["people.csv"])
        {
            Outcome = SeedOutcome.LoadedBefore,
            Inserted = 1,
            Updated = 2,
            Unchanged = 3,
            Deleted = 4,
            Rejected = 5,
            FirstRejects = [Refused, InSheet],
            Changes = Changes,
            Notes = ["n"],
            Elapsed = TimeSpan.FromMilliseconds(1.2345),
        };
        var report = new SeedReport
        {
            Outcome = LoadOutcome.AlreadyComplete,
            FailedTable = "cities",
            IsPreview = true,
            Tables = [table, new SeedTableReport("cities", [])],
            Notes = ["m"],
            Elapsed = TimeSpan.FromSeconds(2),
        };

        Check("seed-report", to => SeedJson.Write(to, report, ExitCode.Done));
    }

    [Fact]
    public void A_check_of_a_folder()
    {
        var table = new SeedCheckTable("people", ["people.csv"])
        {
            Records = 1,
            Accepted = 2,
            Undecided = 3,
            UndecidedByReason = Undecided,
            Rejected = 4,
            FirstRejects = [Refused],
            Failure = Fault,
            Notes = ["n"],
            Elapsed = TimeSpan.FromMilliseconds(1.2345),
        };
        var report = new SeedCheckReport
        {
            Outcome = LoadOutcome.Interrupted,
            Folder = "seeds",
            Schema = "schema.sql",
            Server = "MySQL",
            Tables = [table],
            Notes = ["m"],
            Elapsed = TimeSpan.FromSeconds(2),
        };

        Check("seed-check", to => SeedCheckJson.Write(to, report, ExitCode.Done));
    }

    [Fact]
    public void Jobs_of_a_ledger()
    {
        var job = new JobSummary
        {
            Id = "k7",
            Command = "import",
            Table = "shop.people",
            Sources = ["people.csv"],
            SourceCount = 1,
            Written = (78, new DateTime(2026, 11, 21, 20, 30, 5, DateTimeKind.Utc)),
            Chunks = 2,
            Taken = 3,
            Rejected = 4,
            Changed = "2026-11-21 20:30:06",
            Completed = null,
            IsRunning = true,
            Runner = "app@host",
            SortedBy = "(id)",
            DroppedIndexes = ["age"],
            RejectFile = null,
        };

        CheckText("jobs", to =>
        {
            JobsJson.Write(to, new JobPage([job], 5, 4));
            JobsJson.Write(to, job, [new JobChunk("people.csv", 1, 2, 3, 4)], 9);
        });
    }

    private static ServerException Fault => new(1205, "HY000", "too long") { WaysOn = [new WayOn("to load it again")] };

    private static void Check(string name, Action<Stream> write)
    {
        using var bytes = new MemoryStream();
        write(bytes);
        Approve(name, Encoding.UTF8.GetString(bytes.ToArray()));
    }

    private static void CheckText(string name, Action<TextWriter> write)
    {
        using var text = new StringWriter();
        write(text);
        Approve(name, text.ToString());
    }

    private static void Approve(string name, string json) => ApprovedText.Check(
        $"json-{name}", json.Replace($"\"program\": \"{ThisProgram.Version}\"", "\"program\": \"N.N.N\"", StringComparison.Ordinal));
}
