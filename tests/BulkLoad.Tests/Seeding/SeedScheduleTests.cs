using BulkLoad.Seeding;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Seeding;

/// <summary>What a seed runs beside what, and what each mode may do.</summary>
public sealed class SeedScheduleTests
{
    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(20);

    /// <summary>Tables as <c>name&lt;parent</c>, those of one unit joined by a plus; what runs side by side until the first of that, by
    /// name, comes to its end, and so on.</summary>
    [Theory]
    [InlineData("a b c", 1, true, "a|b|c")]
    [InlineData("a b<a c<b", 3, true, "a|b|c")]
    [InlineData("b<a a", 3, true, "a|b")]
    [InlineData("a b c", 2, true, "a b|b c|c")]
    [InlineData("a b<a c", 3, true, "a c|b c|c")]
    [InlineData("a b<a c<b", 3, false, "a b c|b c|c")] // into staging tables nothing waits
    [InlineData("a+b<a c<b", 3, true, "a+b|c")] // tables of one unit do not wait for each other
    [InlineData("a b<gone", 3, true, "a b|b")]
    public async Task Tables_wait_for_their_parents_and_for_nobody_else(string tables, int most, bool isOrdered, string expected) =>
        await RunAsync(tables, most, isOrdered, expected);

    [Theory]
    [InlineData("a b c<a", 2, "a", "a b|b")] // what runs comes to its end, and nothing else begins
    [InlineData("a b c", 1, "a", "a")]
    [InlineData("a b<a c<b", 2, "b", "a|b")]
    public async Task Where_one_fails_no_other_begins(string tables, int most, string failing, string expected)
    {
        var fault = await Assert.ThrowsAsync<PlanException>(() => RunAsync(tables, most, isOrdered: true, expected, failing));
        Assert.Equal($"{failing} failed", fault.Message);
    }

    [Theory]
    [InlineData(nameof(SeedMode.Insert), false, false, false)]
    [InlineData(nameof(SeedMode.Insert), true, false, true)]
    [InlineData(nameof(SeedMode.Truncate), false, true, false)]
    [InlineData(nameof(SeedMode.Truncate), true, true, true)]
    [InlineData(nameof(SeedMode.Sync), false, true, true)]
    [InlineData(nameof(SeedMode.Sync), true, true, true)]
    public void A_mode_deletes_rows_or_is_one_transaction(string mode, bool isAtomic, bool deletes, bool isOne)
    {
        var request = Request(Enum.Parse<SeedMode>(mode)) with { Atomic = isAtomic };
        Assert.Equal((deletes, isOne), (request.Deletes, request.IsOneTransaction));
    }

    [Theory]
    [InlineData(
        "--allow-database", "Sync Truncate", "--allow-database is for --mode sync and --mode truncate: leave it out, or add one of these")]
    [InlineData("--preview", "Sync", "--preview is for --mode sync: add that, or use --plan")]
    [InlineData("--force", "Sync", "--force is for --mode sync: leave it out")]
    [InlineData("--seed-schema", "", "--seed-schema and --except are for --for-reset: leave them out, or add that")]
    [InlineData("--threads", "", "--threads: 0 is not between 1 and ")]
    [InlineData("--for-reset", "Insert Sync Truncate", "")]
    public void A_mode_takes_the_options_that_are_for_it(string option, string modes, string expected)
    {
        foreach (var mode in Enum.GetValues<SeedMode>())
        {
            var request = Request(mode) with
            {
                AllowedDatabase = option == "--allow-database" ? "d" : null,
                PreviewRows = option == "--preview" ? 1 : null,
                Force = option == "--force",
                Threads = option == "--threads" ? 0 : null,
                KeepsCopies = option == "--for-reset",
                Copies = option is "--seed-schema" or "--for-reset" ? new SeedCopyOptions { Schema = "s" } : new SeedCopyOptions(),
            };
            if (modes.Split(' ').Contains($"{mode}"))
            {
                request.Validate();
            }
            else
            {
                Assert.StartsWith(expected, Assert.Throws<RequestException>(request.Validate).Message, StringComparison.Ordinal);
            }
        }
    }

    /// <summary>Files and table: as the last seed left them, filled, changed.</summary>
    [Theory]
    [InlineData("c made 7", "c", "7", true, "known filled")]
    [InlineData("c made 7", "c", "8", true, "changed filled")]
    [InlineData("c made 7", "x", "7", true, "filled")] // other files
    [InlineData("c made 7", "c", "7", false, "known")]
    [InlineData("c before 7", "c", "7", true, "filled")] // a table made again
    [InlineData("c made -", "c", "7", true, "filled")] // whose rows nobody has summed up
    [InlineData("", "c", "7", true, "")]
    public void A_table_is_known_by_its_files_its_time_and_its_rows(
        string known, string content, string checksum, bool hasRows, string expected)
    {
        var before = known.Split(' ') is [var files, var made, var sum]
            ? new SeedKnown(files, made, sum == "-" ? null : sum, IsExact: true) : null;
        var task = Task("t") with { Content = content, Known = before, Checksum = checksum, HasRows = hasRows };
        task = task with { Step = task.Step with { Table = task.Table with { Status = ("made", null) } } };
        string[] words = [task.IsKnown ? "known" : "", task.IsChanged ? "changed" : "", task.IsFilled ? "filled" : ""];
        Assert.Equal(expected, string.Join(' ', words.Where(word => word.Length > 0)));
    }

    private static SeedRequest Request(SeedMode mode) => new()
    {
        Folder = "data",
        Mode = mode,
        Connection = TestFacts.Request.Connection,
        CreateImport = _ => TestFacts.Request,
    };

    private static SeedTask Task(string name, params string[] before) => new(
        new SeedStep(Columns.Table(Columns.Integer("id")) with { Name = name }, before, [], -1), Entry: null!, TestFacts.Request, "", null,
        null, false);

    private static async Task RunAsync(string tables, int most, bool isOrdered, string expected, string? failing = null)
    {
        List<List<SeedTask>> units =
        [
            .. tables.Split(' ').Select(unit => unit.Split('+').Select(one => one.Split('<'))
                .Select(parts => Task(parts[0], parts[1..])).ToList()),
        ];
        var running = new SortedDictionary<string, TaskCompletionSource>(StringComparer.Ordinal);
        var ended = new HashSet<string>();
        var early = new List<string>();
        var scheduled = SeedSchedule.RunAsync(units, most, FillAsync, default, isOrdered);
        foreach (var side in expected.Split('|'))
        {
            Assert.True(SpinWait.SpinUntil(() => Running() == side, Hang), $"{side} was expected, and there is {Running()}");
            lock (running)
            {
                var (name, end) = running.First();
                running.Remove(name);
                ended.UnionWith(name.Split('+'));
                end.SetResult();
            }
        }

        try
        {
            await scheduled.WaitAsync(Hang);
        }
        finally
        {
            Assert.Equal("", Running());
            Assert.Empty(early);
        }

        string Running()
        {
            lock (running)
            {
                return string.Join(' ', running.Keys);
            }
        }

        async Task FillAsync(List<SeedTask> unit, CancellationToken token)
        {
            var name = string.Join('+', unit.Select(task => task.Table.Name));
            var end = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (running)
            {
                running.Add(name, end);
                var parents = unit.SelectMany(task => task.Step.Before).Except(unit.Select(task => task.Table.Name)).Except(["gone"]);
                if (running.Count > most || (isOrdered && !parents.All(ended.Contains)))
                {
                    early.Add(name);
                }
            }

            await end.Task;
            if (name == failing)
            {
                throw new PlanException($"{name} failed");
            }
        }
    }
}
