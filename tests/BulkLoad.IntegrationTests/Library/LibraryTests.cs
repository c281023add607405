using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace BulkLoad.IntegrationTests.Library;

/// <summary>What .NET programs call, on both servers.</summary>
public sealed class LibraryTests
{
    private const string People = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(10) NOT NULL, age TINYINT, city VARCHAR(20))";

    private const string NumberedTable = "CREATE TABLE numbered (n INT NOT NULL CHECK (n < 10000), id INT UNSIGNED AUTO_INCREMENT, "
        + "PRIMARY KEY (n, id), KEY (id))";

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Every_type_of_dotnet_is_stored_exactly(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(EveryType.Table);
        await using var loader = Into(server, database, "every_type");

        var result = await loader.LoadAsync([EveryType.Full, new EveryType { Id = 2 }], cancellationToken: Stop);

        Assert.Equal(2, result.Counts.Inserted);
        await using var session = await database.ConnectAsync();
        var rows = (await session.QueryAsync(EveryType.Query, default)).Rows;
        Assert.Equal(EveryType.FullRow, rows[0]);
        Assert.Equal(["2", .. Enumerable.Repeat<string?>(null, EveryType.FullRow.Length - 1)], rows[1]);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_faulty_object_among_many_is_one_reject_with_the_object(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People);
        await using var loader = Into(server, database, "people");
        var rows = Rows(50_000).ToList();
        rows[31_234] = rows[31_234] with { Age = 300 };
        rows[40_000] = rows[40_000] with { Id = 17 };
        List<RejectedRow> rejects = [];

        var result = await loader.LoadAsync(rows, new() { MaxRejects = 2, Rejected = rejects.Add }, Stop);

        Assert.Equal((49_998, 2), (result.Counts.Inserted, result.Counts.Rejected));
        Assert.Equal([31_234L, 40_000L], rejects.Select(reject => reject.Index));
        Assert.Equal([rows[31_234], rows[40_000]], rejects.Select(reject => reject.Row));
        Assert.Equal(("age", "out-of-range", 0), (rejects[0].Column, rejects[0].Reason, rejects[0].ServerErrorNumber));
        Assert.Equal(1062, rejects[1].ServerErrorNumber);
        Assert.Equal("49998", await database.ScalarAsync("SELECT COUNT(*) FROM people"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task One_reject_too_many_fails_and_names_members(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People);
        await using var loader = Into(server, database, "people");
        var rows = Rows(30_000).Append(new Row(30_001, new string('x', 11), null, null));
        List<object?> rejects = [];

        var failure = await Assert.ThrowsAsync<LoadFailedException>(
            () => loader.LoadAsync(rows, new() { Atomic = true, Rejected = reject => rejects.Add(reject.Row) }, Stop));

        Assert.Equal(BulkErrorCode.TooManyRejects, failure.ErrorCode);
        Assert.DoesNotContain("--", failure.Message);
        Assert.Equal(0, failure.Result.Counts.Inserted);
        Assert.Equal([new Row(30_001, new string('x', 11), null, null)], rejects);
        Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM people"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_a_sequence_or_a_callback_throws_comes_out_and_undoes_the_open_chunk(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People);
        await using var loader = Into(server, database, "people");
        var own = new TimeoutException("mine");
        var isEnded = false;

        var first = await Assert.ThrowsAsync<TimeoutException>(() => loader.LoadAsync(Failing(), cancellationToken: Stop));
        var second = await Assert.ThrowsAsync<TimeoutException>(() => loader.LoadAsync(
            [new Row(1, "a", 1000, null), new Row(2, "b", 1000, null)],
            new() { MaxRejects = 5, Rejected = _ => throw own }, Stop));

        Assert.Same(own, first);
        Assert.Same(own, second);
        Assert.True(isEnded);
        Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM people"));

        async IAsyncEnumerable<Row> Failing()
        {
            try
            {
                foreach (var row in Rows(2_000))
                {
                    yield return row;
                }

                await Task.Yield();
                throw own;
            }
            finally
            {
                isEnded = true;
            }
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_cancelled_load_ends_the_sequence_and_leaves_whole_chunks(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People);
        await using var loader = Into(server, database, "people");
        using var stop = new CancellationTokenSource();
        var isEnded = false;

        var fault = await Assert.ThrowsAsync<LoadCanceledException>(
            () => loader.LoadAsync(Endless(), new() { RowsPerChunk = 1_000, Progress = new Report(Cancel) }, stop.Token));

        Assert.True(isEnded);
        Assert.True(fault.Result.Counts.Inserted >= 1_000);
        Assert.Equal(0, fault.Result.Counts.Inserted % 1_000);
        Assert.Equal($"{fault.Result.Counts.Inserted}", await database.ScalarAsync("SELECT COUNT(*) FROM people"));

        void Cancel(LoadProgress progress)
        {
            if (progress.RecordsCommitted >= 1_000)
            {
                stop.Cancel();
            }
        }

        async IAsyncEnumerable<Row> Endless([EnumeratorCancellation] CancellationToken token = default)
        {
            try
            {
                for (var id = 1; id < 300_000; id++)
                {
                    yield return new Row(id, "x", null, null);
                }

                await Task.Delay(Timeout.Infinite, token);
            }
            finally
            {
                isEnded = true;
            }
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_are_updated_and_deleted_by_their_keys(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People, "CREATE UNIQUE INDEX by_name ON people (name)");
        await using var loader = Into(server, database, "people");
        await loader.LoadAsync(Rows(1_000), cancellationToken: Stop);

        var moved = await loader.UpdateAsync(
            [new Move { Name = "n7", Town = "Turku" }, new Move { Name = "n8", Town = null }], key: nameof(Move.Name),
            cancellationToken: Stop);
        var gone = await loader.DeleteAsync(Enumerable.Range(101, 900), cancellationToken: Stop);
        var byName = await loader.DeleteAsync(["n9", "n10"], key: "name", cancellationToken: Stop);
        var rows = await loader.DeleteRowsAsync([new Move { Name = "n11" }], [nameof(Move.Name)], cancellationToken: Stop);
        var missing = await loader.DeleteAsync([5_000L], options: new() { IgnoreMissing = true }, cancellationToken: Stop);

        Assert.Equal((1, 1), (moved.Counts.Updated, moved.Counts.Unchanged));
        Assert.Equal((900, 2, 1), (gone.Counts.Deleted, byName.Counts.Deleted, rows.Counts.Deleted));
        Assert.Equal(1, missing.Counts.NotFound);
        Assert.Equal("97", await database.ScalarAsync("SELECT COUNT(*) FROM people"));
        Assert.Equal("Turku", await database.ScalarAsync("SELECT city FROM people WHERE id = 7"));
        Assert.Null(await database.ScalarAsync("SELECT city FROM people WHERE id = 8"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_stream_with_a_job_id_is_loaded_once_from_the_beginning_or_from_a_position(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People);
        await using var loader = Into(server, database, "people");
        var options = new BulkOptions { JobId = "feed", RowsPerChunk = 500 };
        Assert.Equal(0, await loader.FindPositionAsync("feed", cancellationToken: Stop));

        // It ends early, with some chunks committed.
        await Assert.ThrowsAsync<TimeoutException>(() => loader.LoadAsync(Broken(20_000), options, Stop));
        var position = await loader.FindPositionAsync("feed", cancellationToken: Stop);
        Assert.InRange(position, 500, 20_000);

        // The same objects again, and two positions: the last commit, and before it.
        var resumed = await loader.LoadAsync(Rows(25_000), options, Stop);
        Assert.Equal((25_000, position), (resumed.Counts.Inserted, resumed.EarlierCounts.Inserted));
        Assert.Equal(25_000, await loader.FindPositionAsync("feed", cancellationToken: Stop));
        var next = await loader.LoadAsync(Rows(26_000).Skip(25_000), options with { StartAt = 25_000 }, Stop);
        Assert.Equal(26_000, next.Counts.Inserted);
        var overlapping = await loader.LoadAsync(Rows(27_000).Skip(25_250), options with { StartAt = 25_250 }, Stop);
        Assert.Equal(27_000, overlapping.Counts.Inserted);
        Assert.Equal("27000 27000", await database.ScalarAsync("SELECT CONCAT(COUNT(*), ' ', MAX(id)) FROM people"));

        // Between 27,000 and that there would be a gap.
        var gap = await Assert.ThrowsAsync<LoadFailedException>(
            () => loader.LoadAsync(Rows(27_002).Skip(27_001), options with { StartAt = 27_001 }, Stop));
        Assert.Equal(BulkErrorCode.Refused, gap.ErrorCode);

        // Other objects than those that are committed.
        var other = await Assert.ThrowsAsync<LoadFailedException>(
            () => loader.LoadAsync(Rows(27_000).Select(row => row with { City = "?" }), options, Stop));
        Assert.Equal(BulkErrorCode.Refused, other.ErrorCode);
        var overlap = await Assert.ThrowsAsync<LoadFailedException>(() => loader.LoadAsync(
            Rows(27_000).Skip(25_400).Select(row => row with { City = "?" }), options with { StartAt = 25_400 }, Stop));
        Assert.Equal(BulkErrorCode.Refused, overlap.ErrorCode);
        Assert.Equal("27000", await database.ScalarAsync("SELECT COUNT(*) FROM people"));

        static IEnumerable<Row> Broken(int count)
        {
            foreach (var row in Rows(count))
            {
                yield return row;
            }

            throw new TimeoutException();
        }
    }

    /// <summary>The records of a stream are numbered from its own first one: those before a position would be taken for loaded.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Only_objects_of_a_named_job_begin_at_a_position(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People);
        await using var loader = Into(server, database, "people");
        var options = new BulkFileOptions { JobId = "file", Format = InputFormat.Csv };
        await loader.LoadFileAsync(new MemoryStream("id,name\n1,Ada\n2,Bo\n"u8.ToArray()), "memory", options, Stop);

        var refusals = new[]
        {
            await Assert.ThrowsAsync<LoadFailedException>(() => loader.LoadFileAsync(
                new MemoryStream("id,name\n3,Cy\n"u8.ToArray()), "memory", options with { StartAt = 2 }, Stop)),
            await Assert.ThrowsAsync<LoadFailedException>(() => loader.LoadFileAsync("people.csv", options with { StartAt = 2 }, Stop)),
            await Assert.ThrowsAsync<LoadFailedException>(() => loader.LoadAsync(Rows(3), new() { StartAt = 2 }, Stop)),
            await Assert.ThrowsAsync<LoadFailedException>(() => loader.LoadAsync(Rows(3), new() { JobId = "a", StartAt = -1 }, Stop)),
        };

        Assert.All(refusals, refusal => Assert.Equal(BulkErrorCode.WrongRequest, refusal.ErrorCode));
        Assert.All(refusals, refusal => Assert.StartsWith("StartAt", refusal.Message, StringComparison.Ordinal));
        Assert.Equal("2", await database.ScalarAsync("SELECT COUNT(*) FROM people"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Files_and_streams_are_loaded_as_by_the_program_and_a_plan_says_how(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People);
        await using var loader = Into(server, database, "people");
        var path = Path.Combine(Path.GetTempPath(), $"bulkload-{Guid.NewGuid():N}.csv");
        await File.WriteAllTextAsync(path, "id;name;age\n1;Ada;36\n2;Bo;x\n", Stop);
        List<RejectedRow> rejects = [];
        try
        {
            var plan = await loader.PlanFileAsync(path, cancellationToken: Stop);
            var result = await loader.LoadFileAsync(path, new() { MaxRejects = 1, Rejected = rejects.Add }, Stop);
            var streamed = await loader.LoadFileAsync(
                new MemoryStream("""{"id": 3, "name": "Cy"}"""u8.ToArray()), "memory", new() { Format = InputFormat.Jsonl }, Stop);
            var objects = await loader.PlanAsync(Rows(10), cancellationToken: Stop);

            Assert.Equal(["id", "name", "age"], plan.Columns);
            Assert.True(plan.Strategies[0].IsFit);
            Assert.Equal((1, 1, 1), (result.Counts.Inserted, result.Counts.Rejected, streamed.Counts.Inserted));
            Assert.Equal((3, "age", null), (rejects[0].Line, rejects[0].Column, rejects[0].Row));
            Assert.Equal(["id", "name", "age", "city"], objects.Columns);
            Assert.Equal("2", await database.ScalarAsync("SELECT COUNT(*) FROM people"));
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Errors_before_the_job_have_a_code_and_no_option(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync("CREATE TABLE people (id INT PRIMARY KEY, nickname VARCHAR(10))");
        var wrongPassword = BulkLoader.Into(server.Options() with { Database = database.Name, Password = "no" }, "people");
        var wrongTable = Into(server, database, "nobody");
        var wrongColumns = Into(server, database, "people");

        foreach (var (loader, code) in new[]
        {
            (wrongPassword, BulkErrorCode.CannotConnect), (wrongTable, BulkErrorCode.Refused), (wrongColumns, BulkErrorCode.InputUnfit),
        })
        {
            var fault = await Assert.ThrowsAsync<LoadFailedException>(() => loader.LoadAsync(Rows(3), cancellationToken: Stop));
            Assert.Equal(code, fault.ErrorCode);
            Assert.DoesNotContain("--", fault.Message);
            await loader.DisposeAsync();
        }
    }

    /// <summary>Objects come in another order than that of the key, so that records would be sorted if they could be read again.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Each_object_gets_the_id_that_the_server_has_generated(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(NumberedTable);
        await using var loader = Into(server, database, "numbered");
        Numbered[] rows = [.. Enumerable.Range(0, 5_000).Select(i => new Numbered { N = i * 7_919 % 5_000 })];
        rows[1_234].N = null;
        rows[3_000].N = 100_000;
        List<RejectedRow> rejects = [];
        List<long> told = [];

        var result = await loader.LoadAsync(rows, new()
        {
            MaxRejects = 2,
            RowsPerChunk = 700,
            Rejected = rejects.Add,
            IdGenerated = one =>
            {
                Assert.Equal("Numbered", one.Source);
                ((Numbered)one.Row!).Id = one.Id;
                told.Add(one.Index);
            },
        }, Stop);

        Assert.Equal((4_998, 2), (result.Counts.Inserted, result.Counts.Rejected));
        Assert.Equal([1_234L, 3_000L], rejects.Select(reject => reject.Index));
        Assert.Equal(Enumerable.Range(0, 5_000).Select(i => (long)i).Except([1_234, 3_000]), told);
        await using var session = await database.ConnectAsync();
        var stored = (await session.QueryAsync("SELECT n, id FROM numbered ORDER BY n", default)).Rows;
        Assert.Equal(stored.Select(row => $"{row[0]} {row[1]}"),
            rows.Where(row => row.Id > 0).OrderBy(row => row.N).Select(row => $"{row.N} {row.Id}"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Records_of_files_get_ids_and_what_the_callback_throws_comes_out(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(NumberedTable);
        await using var loader = Into(server, database, "numbered");
        List<string> told = [];
        var first = "n\n5\nx\n6\n"u8.ToArray();
        await loader.LoadFileAsync(new MemoryStream(first), "first", new()
        {
            MaxRejects = 1,
            IdGenerated = one => told.Add($"{one.Row}{one.Source} {one.Record} {one.Id}"),
        }, Stop);
        Assert.Equal([await IdOfAsync("first 1 ", 5), await IdOfAsync("first 3 ", 6)], told);

        var own = new TimeoutException("mine");
        Assert.Same(own, await Assert.ThrowsAsync<TimeoutException>(() => loader.LoadAsync(
            [new Numbered { N = 7 }], new() { IdGenerated = _ => throw own }, Stop)));
        Assert.Equal("3", await database.ScalarAsync("SELECT COUNT(*) FROM numbered"));

        async Task<string> IdOfAsync(string record, int n) => record + await database.ScalarAsync($"SELECT id FROM numbered WHERE n = {n}");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Where_ids_are_not_known_for_sure_the_load_is_refused(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People, NumberedTable);
        await using var people = Into(server, database, "people");
        await using var numbered = Into(server, database, "numbered");
        var options = new BulkOptions { IdGenerated = _ => { } };

        await ShouldRefuseAsync(
            BulkErrorCode.Refused, "IdGenerated: ", () => people.LoadAsync(Rows(3), options, Stop));
        await ShouldRefuseAsync(BulkErrorCode.WrongRequest, "IdGenerated with OnDuplicate: ", () => numbered.LoadAsync(
            [new Numbered()], options with { OnDuplicate = DuplicateMode.Ignore }, Stop));
        await ShouldRefuseAsync(
            BulkErrorCode.WrongRequest, "IdGenerated: ", () => numbered.DeleteAsync([1], options: options, cancellationToken: Stop));

        static async Task ShouldRefuseAsync(BulkErrorCode code, string start, Func<Task<LoadResult>> load)
        {
            var refusal = await Assert.ThrowsAsync<LoadFailedException>(load);
            Assert.Equal(code, refusal.ErrorCode);
            Assert.Contains(start, refusal.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("--", refusal.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Who_listens_hears_of_records_and_durations(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(People);
        await using var loader = Into(server, database, "people");
        var heard = new Dictionary<string, double>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, meter) =>
            {
                if (instrument.Meter.Name == "BulkLoad")
                {
                    meter.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((one, value, tags, _) => Hear(one, value, tags));
        listener.SetMeasurementEventCallback<double>((one, value, tags, _) => Hear(one, 1, tags));
        listener.Start();

        await loader.LoadAsync(Rows(100).Append(new Row(1, "again", null, null)), new() { MaxRejects = 1 }, Stop);

        Assert.Equal(100, heard["bulkload.records inserted"]);
        Assert.Equal(1, heard["bulkload.records rejected"]);
        Assert.Equal(1, heard["bulkload.rejects duplicate-key"]);
        Assert.Equal(1, heard["bulkload.job.duration complete"]);
        Assert.Equal(0, heard["bulkload.jobs.active "]);

        void Hear(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            string? table = null, word = null;
            foreach (var (key, of) in tags)
            {
                table = key == "db.namespace" ? (string?)of : table;
                word = key is "bulkload.outcome" or "bulkload.reason" ? (string?)of : word;
            }

            if (table == database.Name)
            {
                var place = $"{instrument.Name} {word}";
                heard[place] = heard.GetValueOrDefault(place) + value;
            }
        }
    }

    internal static IEnumerable<Row> Rows(int count) =>
        Enumerable.Range(1, count).Select(id => new Row(id, $"n{id}", (sbyte)(id % 100), null));

    private static BulkLoader Into(TestServer server, TestDatabase database, string table) =>
        BulkLoader.Into(server.Options() with { Database = database.Name }, table);

    private sealed class Report(Action<LoadProgress> report) : IProgress<LoadProgress>
    {
        void IProgress<LoadProgress>.Report(LoadProgress value) => report(value);
    }
}

[BulkRow]
internal sealed partial record Row(int Id, string Name, int? Age, string? City);

[BulkRow(Naming = BulkNaming.SnakeCase)]
internal sealed partial class Move
{
    public string Name { get; init; } = "";

    [BulkColumn("city")]
    public string? Town { get; init; }
}

[BulkRow]
internal sealed partial class Numbered
{
    public int? N { get; set; }

    [BulkIgnore]
    public ulong Id { get; set; }
}
