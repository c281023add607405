namespace BulkLoad.IntegrationTests.Faults;

/// <summary>The rows of the table in docs/jobs.md for jobs that are running, or not complete, by each kind of job in each of its
/// ways.</summary>
public abstract class UnfinishedJobTests(string server)
{
    [Theory]
    [MemberData(nameof(JobWalk.Walks), MemberType = typeof(JobWalk))]
    public async Task Each_row_of_the_table_holds(string kind, string way)
    {
        await using var walk = await JobWalk.StartAsync(server, kind, way);
        var changed = walk.IsSorted ? "Abc" : "aBc";
        if (!walk.IsSorted)
        {
            // All were refused: its row is replaced, whatever its rules were.
            await walk.ShouldAsync(3, "!", "", ["--max-rejects", "9", "--trim"]);
        }

        // Two are committed, and the third is in the way: other rules, and another second record, do not go on.
        await walk.BlockAsync();
        await walk.ShouldAsync(4, "abc", walk.IsAtomic ? ": nothing was " : kind == "import" || kind == "upsert"
            ? $": {2 * walk.Width:N0} rows are in " : $": {2 * walk.Width:N0} rows ");
        if (!walk.IsAtomic)
        {
            await walk.ShouldAsync(9, "abc", " was started without --trim, and this run is with --trim, and has committed ", ["--trim"]);
            if (kind == "upsert" && !walk.IsPipe)
            {
                // It can be done again, and so it begins anew with its first record.
                await walk.ShouldAsync(4, changed, $": {2 * walk.Width:N0} rows are in ");
                await walk.ShouldAsync(4, "abc", $": {2 * walk.Width:N0} rows are in ");
            }
            else
            {
                await walk.ShouldAsync(9, changed, " changed since job ");
            }
        }

        // Another path with another first record is a job of its own, and a name is looked at alone.
        await walk.ShouldAsync(0, "d", walk.IsPipe || walk.IsAtomic ? $"[\\d,]+ (rows? )?{walk.Taken}\\b" : "note +people.csv was "
            + $"{(walk.IsImport ? "loaded" : "done")} only in part \\({2 * walk.Width:N0} records\\): the same command finishes it",
            name: "other");

        // One start at a time: the first waits for somebody's lock, the second is refused.
        await walk.MendAsync();
        await using (var somebody = await walk.LockAsync())
        {
            using var first = walk.Start("abc");
            first.Input.Close();
            await walk.WaitUntilHeldAsync(first);
            await walk.ShouldAsync(9, "abc", " is being run by ");
            await somebody.ExecuteAsync("ROLLBACK", default);
            var end = await first.EndAsync();
            end.ShouldExitWith(0);
            Assert.Equal(!walk.IsAtomic, end.Output.Contains(walk.IsSorted ? " records by (id), which an earlier run had committed"
                : " resumed after record 2, which an earlier run had committed", StringComparison.Ordinal));
        }

        Assert.Equal(walk.IsImport ? $"{4 * walk.Width}" : "0",
            await walk.CountAsync(walk.IsImport ? "name in ('a','b','c','d')" : $"id <= {4 * walk.Width} AND name = '-'"));
    }
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbUnfinishedJobTests() : UnfinishedJobTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlUnfinishedJobTests() : UnfinishedJobTests(Servers.MySql);
