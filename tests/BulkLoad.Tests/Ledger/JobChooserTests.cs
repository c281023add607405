using BulkLoad.Core.Feed;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Ledger;

/// <summary>What a start is, by what the ledger knows: the rows of the table in docs/jobs.md.</summary>
public sealed class JobChooserTests : IDisposable
{
    private readonly List<KnownFiles> _folders = [];

    /// <summary>Jobs of the ledger, each as <c>name=records</c>, a letter a record, with <c>open2</c> before it where two records are
    /// committed of it; this start's files; its options; rows of the table, and keys that are gone; what comes of it.</summary>
    [Theory]
    [InlineData("", "a.csv=abc", "", "0", "new")]
    [InlineData("a.csv=xyz", "a.csv=abc", "", "3", "new")]

    // A job that is not complete.
    [InlineData("open2 a.csv=abc", "a.csv=abc", "", "2", "j0 after 2")]
    [InlineData("open2 a.csv=abc", "a.csv=abx", "", "2", "j0 after 2")] // what is committed is compared as it is read
    [InlineData("open2 a.csv=abc", "b.csv=abc", "", "2", "j0 after 2")]
    [InlineData("open0 a.csv=abc", "a.csv=abc", "", "0", "new, forgets j0")]
    [InlineData("open4 a.csv=abcdef", "b.csv=axxxxx", "", "4", "new")] // another file, with less than half of that in common
    [InlineData("open4 a.csv=abcdef", "b.csv=abcdxx", "", "4", "j0 after 4")]
    [InlineData("open2 a.csv=abc", "a.csv=abc", "round", "2",
        "refused: job j0 was started without --round, and this run is with --round [--reload]")]
    [InlineData("open2 a.csv=abc", "a.csv=abc", "", "0",
        "refused: a.csv was loaded only in part (2 rows), and table shop.people is empty now [--reload]")]
    [InlineData("open2 a.csv=abc", "a.csv=abc", "", "1", "refused: table shop.people has 1 row, and job j0 has inserted 2 [--reload]")]
    [InlineData("open2 a.csv=abc", "a.csv=abc", "--reload", "2", "new, instead of j0")]
    [InlineData("open2 a.csv=abc", "z.csv=xyz", "", "2", "new")]

    // What is known by content and name.
    [InlineData("a.csv=abc", "a.csv=abc", "", "3", "nothing to do")]
    [InlineData("x/a.csv=abc", "y/a.csv=abc", "", "3", "nothing to do")]
    [InlineData("a.csv=abc", "a.csv=abc", "", "0",
        "refused: a.csv was loaded on 1970-01-01 00:00:00 UTC (3 rows), but the table is empty now [--reload]")]
    [InlineData("a.csv=abc", "a.csv=abc", "", "3 -2", "refused: a.csv was loaded on 1970-01-01 00:00:00 UTC (3 rows), but 2 of the 3 rows "
        + "that were looked for by key are gone [--reload] [--append]")]
    [InlineData("a.csv=abc", "a.csv=abc", "keyless", "2",
        "refused: a.csv was loaded on 1970-01-01 00:00:00 UTC (3 rows), but the table has only 2 rows now [--reload] [--append]")]
    [InlineData("a.csv=abc", "a.csv=abc", "--append", "0", "nothing to do")]
    [InlineData("a.csv=abc", "a.csv=abc", "--reload", "3", "new, instead of j0")]
    [InlineData("a.csv=abc", "a.csv=abc", "--job-id", "3", "new")]
    [InlineData("a.csv=abc", "a.csv=abc", "--create", "3", "nothing to do")]
    [InlineData(
        "a.csv=abc", "a.csv=xyz", "--create", "3", "refused: --create: table shop.people is there already, and this is a new job []")]
    [InlineData("a.csv=abc", "a.csv=abc", "--truncate", "3", "new, empties the table, drops j0")]
    [InlineData("a.csv=abc", "a.csv=abc", "seed", "0", "nothing to do")]
    [InlineData("none a.csv=abc", "a.csv=abc", "", "0", "new, forgets j0")] // a job that took no record

    // What is known otherwise.
    [InlineData("a.csv=abc", "b.csv=abc", "", "3",
        "refused: b.csv has the content of a.csv, which was loaded on 1970-01-01 00:00:00 UTC (3 rows) [--job-id] [--append]")]
    [InlineData("a.csv=abc", "b.csv=abc", "--append", "3", "nothing to do")]
    [InlineData("a.csv=abc", "b.csv=abc", "--job-id", "3", "new")]
    [InlineData("a.csv=abc", "a.csv=abc", "round", "3",
        "refused: a.csv was loaded without --round, and this run is with --round (job j0, complete on 1970-01-01 00:00:00 UTC) [--reload]")]
    [InlineData("a.csv=abc", "a.csv=abcd", "", "3", "refused: a.csv begins with all of a.csv, which was loaded on 1970-01-01 00:00:00 UTC "
        + "(3 rows), and has more after it [--append] [--reload]")]
    [InlineData("a.csv=abc", "a.csv=abcd", "--append", "3", "new, behind byte 15")]
    [InlineData("a.csv=abc", "a.csv=abcd", "--reload", "3", "new, instead of j0")]
    [InlineData("a.csv=abc", "a.csv=abx", "", "3", "refused: a.csv begins like a.csv, which was loaded on 1970-01-01 00:00:00 UTC (3 "
        + "rows), but is not the same file [--on-duplicate update] [--on-duplicate ignore] [--job-id] [--reload]")]
    [InlineData("a.csv=abc", "a.csv=abx", "", "3 -1", "new")]
    [InlineData("a.csv=abc", "a.csv=abx", "keyless", "3", "refused: a.csv begins like a.csv, which was loaded on 1970-01-01 00:00:00 UTC "
        + "(3 rows), but is not the same file [--job-id] [--reload]")]
    [InlineData("a.csv=abc", "a.csv=axx", "", "3", "new")]
    [InlineData("a.csv=abc", "a.csv=axx", "keyless", "0", "new")]
    [InlineData("a.csv=abc", "a.csv=axx", "keyless", "3", "refused: a.csv begins with the same record as when it was loaded on 1970-01-01 "
        + "00:00:00 UTC, and is another file now [--job-id] [--reload]")]
    [InlineData("a.csv=abc", "b.csv=axx", "keyless", "3", "new")]
    [InlineData("a.csv=abc", "a.csv=xabc", "", "3", "refused: a.csv ends with all of a.csv, which was loaded on 1970-01-01 00:00:00 UTC (3 "
        + "rows) [--append] [--on-duplicate update] [--on-duplicate ignore] [--job-id] [--reload]")]
    [InlineData("a.csv=abc", "a.csv=xabc", "", "3 -1", "new")]
    [InlineData("a.csv=abc", "a.csv=xabc", "--append", "3", "new, before byte 6")]

    // Several files.
    [InlineData("a.csv=abc b.csv=xyz", "b.csv=xyz a.csv=abc", "", "6", "nothing to do")]
    [InlineData("a.csv=abc | b.csv=xyz", "a.csv=abc b.csv=xyz", "", "6", "nothing to do")]
    [InlineData("a.csv=abc b.csv=xyz", "a.csv=abc", "", "6", "nothing to do")]
    [InlineData("a.csv=abc", "a.csv=abc b.csv=xyz", "", "3",
        "refused: a.csv was loaded before (on 1970-01-01 00:00:00 UTC), b.csv was not [--append] [--reload]")]
    [InlineData("a.csv=abc", "a.csv=abc b.csv=xyz", "", "0",
        "refused: a.csv was loaded before (on 1970-01-01 00:00:00 UTC), b.csv was not [--append] [--reload]")]
    [InlineData("a.csv=abc", "a.csv=abc b.csv=xyz", "--append", "3", "new, behind byte 15")]
    [InlineData("a.csv=abc", "a.csv=abc b.csv=", "", "3", "nothing to do")]

    // Jobs that do no harm when they are done once more.
    [InlineData("a.csv=abc", "a.csv=abc", "update", "3", "new, instead of j0")]
    [InlineData("a.csv=abc", "a.csv=abcd", "upsert", "3", "new, instead of j0")]
    [InlineData("a.csv=abc", "a.csv=abc", "upsert", "0", "new, instead of j0")]
    [InlineData("open2 a.csv=abc", "a.csv=abc", "upsert", "2", "j0 after 2, may begin again")]
    [InlineData("a.csv=abc", "a.csv=abc", "delete", "0", "new, again, instead of j0")]
    [InlineData("a.csv=abc", "a.csv=abx", "delete", "0", "new")]
    [InlineData("a.csv=abc", "a.csv=abc", "upsert keyless", "3", "nothing to do")] // a record can make a second row

    // A name that the user gave counts in place of the path.
    [InlineData("a.csv=abc", "b.csv=abc", "--job-id=j0", "3", "nothing to do")]
    [InlineData("a.csv=abc", "b.csv=xyz", "--job-id=j0", "3", "new, renames j0")]
    [InlineData("open2 a.csv=abc", "b.csv=xyz", "--job-id=j0", "3", "j0 after 2")]
    public async Task A_start_is_what_the_ledger_makes_of_it(string known, string now, string options, string table, string expected) =>
        Assert.Equal(expected, (await StartAsync(known, now, options, table)).What);

    [Theory]
    [InlineData("a.csv=abc", "b.csv=axx", "", "3",
        "b.csv begins with the first record of a.csv, which was loaded on 1970-01-01 00:00:00 UTC (3 rows), and is another file")]
    [InlineData("a.csv=abc", "a.csv=axx", "", "3",
        "a.csv has changed since it was loaded on 1970-01-01 00:00:00 UTC: all of it was loaded as a new file")]
    [InlineData("a.csv=abc", "a.csv=abx", "", "3 -1",
        "a.csv has records of a.csv, which was loaded on 1970-01-01 00:00:00 UTC (3 rows): 1 of the 2 of them that were looked for")]
    [InlineData("a.csv=abc", "a.csv=abc", "", "3",
        "nothing to do: a.csv was loaded on 1970-01-01 00:00:00 UTC (job j0: 3 records taken, 0 rejected)")]
    [InlineData("a.csv=abc", "a.csv=abc", "seed", "0", "but the table is empty now: --mode sync makes the table what the files say")]
    [InlineData("a.csv=abc", "a.csv=abcd", "--append", "3",
        "--append: the first 3 records of a.csv were loaded before, by job j0: what follows was loaded")]
    [InlineData("a.csv=abc", "b.csv=abc c.csv=x", "--append", "3", "--append: b.csv has the content of a.csv, which was loaded on")]
    [InlineData("open2 a.csv=abc", "z.csv=xyz", "", "2", "a.csv was loaded only in part (2 records): the same command finishes it")]
    [InlineData("open2 a.csv=abc", "a.csv=abc", "", "2", "job j0 resumed after record 2, which an earlier run had committed")]
    public async Task A_start_says_what_it_has_found(string known, string now, string options, string table, string expected) =>
        Assert.Contains(expected, (await StartAsync(known, now, options, table)).Told, StringComparison.Ordinal);

    public void Dispose() => _folders.ForEach(folder => folder.Dispose());

    private async Task<(string What, string Told)> StartAsync(string known, string now, string options, string table)
    {
        var words = options.Split(' ');
        var folder = Folder([.. words.Where(word => word is "keyless" or "update" or "upsert" or "delete")]);
        List<FoundJob> jobs = [];
        Dictionary<string, string?[][]> chunks = [];
        foreach (var job in known.Split(" | ", StringSplitOptions.RemoveEmptyEntries))
        {
            var id = $"j{jobs.Count}";
            var (record, committed) = Read(folder, job);
            jobs.Add(new FoundJob(id, record));
            chunks.Add(id, committed);
        }

        var counts = table.Split(" -");
        var ledger = new MemoryLedger(jobs)
        {
            TableRows = long.Parse(counts[0], CultureInfo.InvariantCulture),
            KeysGone = counts is [_, var gone] ? long.Parse(gone, CultureInfo.InvariantCulture) : 0,
            Chunks = chunks,
        };
        var sources = Sources(folder, now);
        try
        {
            var (decision, _) = await JobStart.ForeseeAsync(With(folder, words), SortPlan.None, sources, ledger.Open(), default);
            return (Describe(decision),
                string.Join('\n', [decision.Headline, .. decision.Notes]).Replace(folder.PathOf(""), "", StringComparison.Ordinal));
        }
        catch (PlanException refusal)
        {
            var ways = refusal.WaysOn.Select(one => one.Words is ["--job-id", ..] ? " [--job-id]" : $" [{string.Join(' ', one.Words)}]");
            var what = refusal.Message.Split([", and has committed", ": some of them"], 2, StringSplitOptions.None)[0];
            return ($"refused: {what.Replace(folder.PathOf(""), "", StringComparison.Ordinal)}{string.Concat(ways)}", "");
        }
    }

    private KnownFiles Folder(string[] kinds)
    {
        TableColumn[] columns = [Columns.Integer("id").Required(), Columns.Varchar("name")];
        var facts = TestFacts.Of(TestFacts.MariaDb, columns);
        _folders.Add(new KnownFiles(facts with
        {
            Request = facts.Request with
            {
                Kind = kinds.Contains("update") ? JobKind.Update : kinds.Contains("delete") ? JobKind.Delete : JobKind.Import,
                OnDuplicate = kinds.Contains("upsert") ? DuplicateMode.Update : DuplicateMode.Error,
            },
            Table = facts.Table with
            { UniqueKeys = kinds.Contains("keyless") ? [] : [new UniqueKey(UniqueKey.Primary, [new KeyPart("id")])] },
            Key = kinds.Contains("update") || kinds.Contains("delete") ? TestKeys.Of([columns[0]], TestKeys.Primary) : null,
        }));
        return _folders[^1];
    }

    /// <summary>The facts of this start, where it has options that a job before it had not.</summary>
    private static Core.Facts.LoadFacts With(KnownFiles folder, string[] words) => folder.Facts with
    {
        Request = folder.Facts.Request with
        {
            Append = words.Contains("--append"),
            Reload = words.Contains("--reload"),
            Truncate = words.Contains("--truncate"),
            Create = words.Contains("--create"),
            IsSeed = words.Contains("seed"),
            JobId = words.FirstOrDefault(word => word.StartsWith("--job-id", StringComparison.Ordinal)) is { } word
                ? word.Split('=').ElementAtOrDefault(1) ?? "other" : null,
            Values = folder.Facts.Request.Values with { Round = words.Contains("round") },
        },
    };

    private static LoadSource[] Sources(KnownFiles folder, string files) => [.. files.Split(' ').Select(file => file.Split('='))
        .Select(parts => folder.Source(parts[0], KnownFiles.Text(parts[1])))];

    private static (JobRecord Job, string?[][] Chunks) Read(KnownFiles folder, string job)
    {
        var parts = job.Split(' ', 2);
        var hasWord = !parts[0].Contains('=');
        var sources = Sources(folder, hasWord ? parts[1] : job);
        if (hasWord && parts[0].StartsWith("open", StringComparison.Ordinal))
        {
            var count = parts[0][4] - '0';
            var bytes = KnownFiles.Text(job.Split('=')[1][..count]).Length - KnownFiles.Text("").Length;
            var half = count == 0 ? null : folder.Known("committed", KnownFiles.Text(job.Split('=')[1][..count])).Sources[0];
            return (folder.Describe(sources), count == 0 ? [] :
                [["0", "1", $"{count}", "0", $"{bytes}", "c",
                    $"{{\"inserted\":{count},\"halfLength\":{half!.HalfLength},\"half\":\"{half.Half}\"}}"]]);
        }

        var taken = hasWord ? 0 : job.Split(' ').Sum(file => file.Split('=')[1].Length);
        return (folder.Known(sources) with { Total = new JobTotal(1, taken, taken, hasWord ? 1 : 0) }, []);
    }

    private static string Describe(JobDecision decision)
    {
        var behind = decision.LoadedUpTo.FirstOrDefault(bytes => bytes > 0);
        var until = decision.LoadedFrom.FirstOrDefault(bytes => bytes is not null);
        return string.Concat(
            decision.IsNothingToDo
                ? "nothing to do" : decision.Former is null ? "new" : $"{decision.Id} after {decision.Chunks.Last!.LastRecord}",
            behind > 0 ? $", behind byte {behind}" : "",
            until is null ? "" : $", before byte {until}",
            decision.CanBeginAgain ? ", may begin again" : "",
            decision.Job.RepeatOf is null ? "" : ", again",
            Names(", forgets ", decision.Forgotten.Select(one => one.Id)),
            Names(", instead of ", decision.Job.Replaces),
            decision.Empties.Count > 0 ? ", empties the table" : "",
            Names(", drops ", decision.Outdated.Select(one => one.Id)),
            Names(", renames ", decision.Renamed is { } renamed ? [renamed.Former.Id] : []));

        static string Names(string what, IEnumerable<string> jobs) => jobs.Any() ? $"{what}{string.Join(' ', jobs)}" : "";
    }
}
