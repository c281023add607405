using BulkLoad.Core.Facts;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Schema;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Facts;

public sealed class TransactionRoomTests
{
    private const string Group = "group_replication_transaction_size_limit";

    private static ServerFacts Limited(params (string Name, string Value)[] variables) => TestFacts.MySql with
    {
        TransactionLimits = TransactionLimit.In(
            TopologyTests.Variables([("group_replication_group_name", "g"), ("wsrep_on", "ON"), .. variables])),
    };

    private static readonly ServerFacts OfGroup = Limited((Group, "150000000"));

    private static LoadFacts Import(ServerFacts server, params TableColumn[] columns) => TestFacts.Of(server, columns);

    private static LoadFacts Changing(JobKind kind, long? rowBytes, ServerFacts? server = null)
    {
        var facts = TestKeys.Facts(server ?? OfGroup);
        return facts with { Request = facts.Request with { Kind = kind }, Table = facts.Table with { RowBytes = rowBytes } };
    }

    [Fact]
    public void Without_a_limit_nothing_bounds_a_chunk()
    {
        var room = TransactionRoom.Of(Import(TestFacts.MySql));
        Assert.Equal((long.MaxValue, long.MaxValue), (room.Rows, room.Bytes));
    }

    /// <summary>Measured: a chunk of 200,000 rows of 0.9 kB was 185,787,531 bytes, beyond the default limit of a group.</summary>
    [Fact]
    public void Rows_of_a_delete_count_as_they_are_logged_and_those_of_an_update_twice()
    {
        Assert.Equal(150_000_000 / 2100, TransactionRoom.Of(Changing(JobKind.Delete, 1000)).Rows);
        var update = TransactionRoom.Of(Changing(JobKind.Update, 1000));
        Assert.Equal((150_000_000 / 4200, 150_000_000 / 4), (update.Rows, update.Bytes));
        Assert.Equal($"{Group} is 150,000,000 bytes, and a row takes about 1,000, twice", update.RowsBy);
    }

    [Fact]
    public void Rows_whose_size_nobody_has_asked_for_bound_nothing() =>
        Assert.Equal(long.MaxValue, TransactionRoom.Of(Changing(JobKind.Delete, null)).Rows);

    /// <summary>Right behind a load, the server says 0: 4 bytes, and 100 characters of up to 4.</summary>
    [Fact]
    public void Rows_that_the_server_has_no_estimate_of_count_as_wide_as_they_can_be() =>
        Assert.Equal(150_000_000 / ((2 * 406) + 100), TransactionRoom.Of(Changing(JobKind.Delete, 0)).Rows);

    [Fact]
    public void A_log_of_statements_has_no_rows() =>
        Assert.Equal(long.MaxValue, TransactionRoom.Of(Changing(JobKind.Delete, 1000, OfGroup with { LogsStatements = true })).Rows);

    [Fact]
    public void An_import_takes_half_of_the_limit_and_an_upsert_counts_what_was_there()
    {
        var facts = Import(OfGroup);
        Assert.Equal((long.MaxValue, 75_000_000), TransactionRoom.Of(facts) is var plain ? (plain.Rows, plain.Bytes) : default);
        facts = facts with
        {
            Request = facts.Request with { OnDuplicate = DuplicateMode.Update },
            Table = facts.Table with { RowBytes = 1000 },
        };
        Assert.Equal((150_000_000 / 4200, 37_500_000), TransactionRoom.Of(facts) is var upsert ? (upsert.Rows, upsert.Bytes) : default);
    }

    [Fact]
    public void The_smallest_of_several_limits_counts()
    {
        var room = TransactionRoom.Of(Import(Limited(("wsrep_max_ws_size", "4194304"), ("wsrep_max_ws_rows", "50000"))));
        Assert.Equal((25_000, "wsrep_max_ws_rows is 50,000 rows", 2_097_152, "wsrep_max_ws_size is 4,194,304 bytes"),
            (room.Rows, room.RowsBy, room.Bytes, room.BytesBy));
    }

    [Fact]
    public void The_plan_names_the_limit_that_set_a_chunk()
    {
        var delete = LoadPlanner.Decide(Changing(JobKind.Delete, 1219), StrategyCatalog.Of(JobKind.Delete));
        var rows = delete.Plan.Sizes.Single(size => size.Name == "rows-per-chunk");
        Assert.Equal((150_000_000 / 2538, $"{Group} is 150,000,000 bytes, and a row takes about 1,219"), (rows.Value, rows.SetBy));
        Assert.Equal(rows.Value, delete.Sizes.RowsPerChunk);

        var import = LoadPlanner.Decide(Import(Limited(("wsrep_max_ws_size", "4194304"))), StrategyCatalog.Import);
        var bytes = import.Plan.Sizes.Single(size => size.Name == "bytes-per-chunk");
        Assert.Equal((2_097_152, "wsrep_max_ws_size is 4,194,304 bytes"), (bytes.Value, bytes.SetBy));
        Assert.Equal(bytes.Value, import.Sizes.BytesPerChunk);
    }

    /// <summary>What is asked for counts: it may be right, since rows are estimates.</summary>
    [Fact]
    public void A_size_that_the_user_gives_stays_and_is_commented()
    {
        var facts = Changing(JobKind.Delete, 1000);
        facts = facts with { Request = facts.Request with { RowsPerChunk = 200_000 } };
        var decision = LoadPlanner.Decide(facts, StrategyCatalog.Of(JobKind.Delete));
        Assert.Equal(200_000, decision.Sizes.RowsPerChunk);
        Assert.Contains($"--rows-per-chunk 200,000: {Group} is 150,000,000 bytes, and a row takes about 1,000; a chunk that the server "
            + "refuses for its size is halved", decision.Plan.Notes);
    }

    private static LoadFacts Atomic(LoadFacts facts, long bytes, string format = "csv") => facts with
    {
        Request = facts.Request with { Atomic = true },
        Sources = [facts.Sources[0] with { Bytes = bytes, EstimatedRecords = bytes / 1000, Format = format }],
        RecordBytes = 1000,
    };

    [Fact]
    public void One_transaction_that_is_surely_too_large_is_refused()
    {
        var fault = Assert.Throws<PlanException>(() => LoadPlanner.Decide(Atomic(Import(OfGroup), 200_000_000), StrategyCatalog.Import));
        Assert.Equal($"--atomic: one transaction for everything is too large for this server: {Group} is 150,000,000 bytes, and it takes "
            + "at least 194,800,000", fault.Message);
        Assert.Equal(["--atomic"], Assert.Single(fault.WaysOn).Without);
    }

    /// <summary>Numbers and dates can take less room than their text, hexadecimal takes half, and JSON has names in each record.</summary>
    [Theory]
    [InlineData("csv", "numbers")]
    [InlineData("csv", "bytes")]
    [InlineData("jsonl", "text")]
    public void What_may_be_smaller_than_its_text_gets_a_note(string format, string what)
    {
        var facts = what switch
        {
            "numbers" => Import(OfGroup, [.. Enumerable.Range(1, 50).Select(i => Columns.Integer($"n{i}"))]),
            "bytes" => Import(OfGroup, Columns.Integer("id"), Columns.Blob()),
            _ => Import(OfGroup),
        };
        var plan = LoadPlanner.Decide(Atomic(facts, 200_000_000, format), StrategyCatalog.Import).Plan;
        Assert.Contains(plan.Notes, note => note.StartsWith(
            "one transaction for everything may be too large for this server, which would say so at its end: ", StringComparison.Ordinal));
    }

    [Fact]
    public void One_transaction_that_fits_is_taken()
    {
        Assert.NotNull(LoadPlanner.Decide(Atomic(Import(OfGroup), 100_000_000), StrategyCatalog.Import).Strategy);
        var pipe = Atomic(Import(OfGroup), 1);
        pipe = pipe with { Sources = [pipe.Sources[0] with { Bytes = null, EstimatedRecords = null }] };
        Assert.NotNull(LoadPlanner.Decide(pipe, StrategyCatalog.Import).Strategy);
    }

    [Theory]
    [InlineData(JobKind.Delete, 1500, false, true)]
    [InlineData(JobKind.Delete, 0, false, false)]
    [InlineData(JobKind.Delete, 100, false, false)]
    [InlineData(JobKind.Delete, 1000, true, false)]
    [InlineData(JobKind.Update, 200, false, true)]
    internal void All_rows_that_a_file_of_keys_names_are_counted_unless_they_may_be_missing(
        JobKind kind, long rowBytes, bool ignoresMissing, bool isRefused)
    {
        var facts = Changing(kind, rowBytes);
        facts = facts with { Request = facts.Request with { Atomic = true, Key = new() { IgnoreMissing = ignoresMissing } } };
        var fault = Record.Exception(() => TransactionRoom.RequireForOneChunk(facts with
        {
            Sources = [facts.Sources[0] with { EstimatedRecords = kind == JobKind.Update ? 1_300_000 : 300_000 }],
        }));
        Assert.Equal(isRefused, fault is PlanException);
    }
}
