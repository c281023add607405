namespace BulkLoad.IntegrationTests.Faults;

/// <summary>The rows of the table in docs/jobs.md for jobs that are complete, by each kind of job in each of its ways.</summary>
public abstract class CompleteJobTests(string server)
{
    [Theory]
    [MemberData(nameof(JobWalk.Walks), MemberType = typeof(JobWalk))]
    public async Task Each_row_of_the_table_holds(string kind, string way)
    {
        await using var walk = await JobWalk.StartAsync(server, kind, way);
        await walk.ShouldAsync(0, "abc", $"[\\d,]+ (rows? )?{walk.Taken}\\b");
        if (walk.CanBeDoneAgain)
        {
            // The rules of a delete tell which rows are meant.
            var says = kind == "delete" ? @", [\d,]+ not found \(the same delete was complete on " : @", [\d,]+ unchanged";
            await walk.ShouldAsync(0, "abc", says, kind == "delete" ? [] : ["--trim"]);
            return;
        }

        await walk.ShouldAsync(0, "abc", "^nothing to do: ");
        await walk.ShouldAsync(9, "abc", " without --trim, and this run is with --trim", ["--trim"]);

        // It has grown: refused, and only what is new is taken.
        await walk.ShouldAsync(9, "abcd", walk.IsPipe && walk.IsImport ? ": has more records than when job " : " begins with all of ");
        await walk.ShouldAsync(
            0, "abcd", $" resumed after record 3, |--append: the first .* of .* (was|were) {walk.Done} before", ["--append"]);
        await walk.ShouldAsync(0, "abcd", "^nothing to do: ");
        Assert.Equal($"{4 * walk.Width}", await walk.CountAsync(walk.IsImport ? "name in ('a','b','c','d')" : "name = '-!'"));

        // Less than half is left of it: the path alone refuses, but where the server refuses each record that is there already.
        if (walk.IsPipe && walk.IsImport)
        {
            await walk.ShouldAsync(9, "aBcd", " changed since job ");
            await walk.ShouldAsync(9, "ab", " changed since job ");
        }
        else
        {
            await walk.ShouldAsync(
                walk.IsImport ? 4 : 9, walk.IsSorted ? "Abcd" : "aBcd", walk.IsImport ? "Duplicate entry '" : ", and is another file now");
            await walk.ShouldAsync(
                walk.IsSorted ? 4 : 9, walk.IsSorted ? "bc" : "ab", walk.IsSorted ? "Duplicate entry '" : " begins like ");
        }

        if (!walk.IsPipe)
        {
            // Known under another name; some are known and others are new; then all are known by two jobs; and one that nobody knows.
            await walk.ShouldAsync(9, "e", "beside.csv has the content of people.csv, which was ", beside: "abcd");
            await walk.ShouldAsync(0, "e", "--append: beside.csv has the content of people.csv, ", ["--append"], beside: "abcd");
            await walk.ShouldAsync(0, "e", $"^nothing to do: people.csv, beside.csv were {walk.Done} on ", beside: "abcd");
            await walk.ShouldAsync(9, "f", $"beside.csv was {walk.Done} before (on ", beside: "abcd");
            await walk.ShouldAsync(0, "f", $"[\\d,]+ (rows? )?{walk.Taken}\\b");
        }

        if (walk.IsImport)
        {
            await walk.Place.QueryAsync("DELETE FROM people WHERE name = 'b';");
            if (!walk.IsPipe)
            {
                await walk.ShouldAsync(9, "abcd", "1 of the 4 rows that were looked for by key is gone");
                await walk.ShouldAsync(0, "abcd", "^nothing to do: ", ["--append"]);
            }

            await walk.Place.QueryAsync("DELETE FROM people;");
            await walk.ShouldAsync(9, "abcd", "but the table is empty now");
            await walk.ShouldAsync(0, "abcd", "--reload: all of it is done again", ["--reload"]);
            await walk.ShouldAsync(0, "abcd", "^nothing to do: ");
        }
    }
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbCompleteJobTests() : CompleteJobTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlCompleteJobTests() : CompleteJobTests(Servers.MySql);
