using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>One kind of job in one way, of records 1 to 3 of which the third can be in the way.</summary>
internal sealed class JobWalk : IAsyncDisposable
{
    /// <summary>Three times as many are enough to be sorted for an update or a delete, and a record of so many bytes for an
    /// import.</summary>
    private const int Third = 30_000;
    private const int Large = 9 << 20;

    private readonly string _kind;

    private readonly string[] _words;

    private JobWalk(Workplace place, string kind, string way)
    {
        Place = place;
        _kind = kind;
        Way = way;
        IsPipe = way == "pipe";
        IsSorted = way == "sorted";
        IsAtomic = way == "--atomic";
        IsImport = kind is "import" or "upsert";
        Width = IsSorted && !IsImport ? Third : 1;
        string[] ways = way.StartsWith('-') ? way.Split(' ') : [];
        string[] chunks = IsAtomic ? [] : ["--rows-per-chunk", $"{Width}"];
        _words = [.. KindWords(), "--table", "people", .. chunks, .. ways];
    }

    /// <summary>Each kind of job in each of its ways.</summary>
    public static TheoryData<string, string> Walks =>
    [
        .. from kind in new[] { "import", "upsert", "update", "adding", "delete" }
           from way in new[] { "plain", "--atomic", "--threads 2", "sorted", "pipe" }
           where kind != "adding" || way != "sorted"
           select (kind, way),
    ];

    public Workplace Place { get; }

    public string Way { get; }

    public bool IsImport { get; }

    public bool IsPipe { get; }

    public bool IsSorted { get; }

    public bool IsAtomic { get; }

    /// <summary>Whether the same command again does it all again.</summary>
    public bool CanBeDoneAgain => _kind is "update" or "delete" or "upsert";

    /// <summary>How many records of the file are one of the walk.</summary>
    public int Width { get; }

    /// <summary>What the report counts of records that were taken.</summary>
    public string Taken => IsImport ? "inserted" : _kind == "delete" ? "deleted" : "updated";

    /// <summary>What messages say of inputs that are known.</summary>
    public string Done => IsImport ? "loaded" : "done";

    public static async Task<JobWalk> StartAsync(string server, string kind, string way)
    {
        var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE people (id INT NOT NULL PRIMARY KEY, name VARCHAR(20), pad LONGTEXT);");
        var walk = new JobWalk(place, kind, way);
        if (!walk.IsImport)
        {
            await walk.AddAsync(6);
        }

        return walk;
    }

    /// <summary>Has the server or the job refuse the third record.</summary>
    public Task BlockAsync() => Place.QueryAsync(
        IsImport ? "ALTER TABLE people ADD CONSTRAINT no_third CHECK (id <> 3);" : $"DELETE FROM people WHERE id = {(2 * Width) + 1};");

    /// <summary>Ends that.</summary>
    public Task MendAsync() => Place.QueryAsync(
        IsImport ? "ALTER TABLE people DROP CONSTRAINT no_third;" : $"INSERT INTO people (id, name) VALUES ({(2 * Width) + 1}, '-');");

    /// <summary>A session of somebody else's that holds the third record's key until it is rolled back.</summary>
    public async Task<ServerSession> LockAsync()
    {
        var session = await ServerSession.ConnectAsync(Place.Server.Options() with { Database = Place.Database }, default);
        await session.ExecuteAsync("BEGIN", default);
        await session.ExecuteAsync(IsImport
            ? "INSERT INTO people VALUES (3, 'locked', NULL)" : $"UPDATE people SET name = 'locked' WHERE id = {(2 * Width) + 1}", default);
        return session;
    }

    /// <summary>Waits until a statement of the program waits for the lock: the same one is there twice.</summary>
    public async Task WaitUntilHeldAsync(BulkLoadProcess program)
    {
        var last = "";
        await Wait.ForAsync(async () =>
        {
            Assert.False(program.HasEnded, program.ErrorSoFar);
            await Task.Delay(50);
            var (before, now) = (last, await Place.ScalarAsync(
                $"SELECT MAX(ID) FROM information_schema.PROCESSLIST WHERE DB = '{Place.Database}' AND INFO LIKE '%people%' AND INFO NOT "
                    + "LIKE 'SELECT%' AND INFO NOT LIKE '%bulkload_ledger%' HAVING MAX(ID) IS NOT NULL;"));
            last = now;
            return now.Length > 0 && now == before;
        });
    }

    /// <summary>The input: one letter a record, which is its name; a capital is another name for the same record, an exclamation mark a
    /// record that is refused. Of a job that is sorted, the first three are the other way round.</summary>
    public string Text(string letters)
    {
        var lines = new List<string>();
        foreach (var letter in letters)
        {
            var number = letter == '!' ? 0 : char.ToLowerInvariant(letter) - 'a';
            for (var id = (number * Width) + 1; id <= (number + 1) * Width; id++)
            {
                lines.Add(
                    letter == '!' ? "x,!,\n" : $"{id},{letter},{(IsSorted && IsImport && number == 0 ? new string('x', Large) : "")}\n");
            }
        }

        if (IsSorted)
        {
            lines.Reverse(0, Math.Min(lines.Count, 3 * Width));
        }

        return $"id,name,pad\n{string.Concat(lines)}";
    }

    /// <summary>Starts the job.</summary>
    /// <param name="letters">its input</param>
    /// <param name="more">further words</param>
    /// <param name="name">of the file, or of a pipe's job</param>
    /// <param name="beside">the input of another file; none: there is none</param>
    public BulkLoadProcess Start(string letters, string[]? more = null, string name = "people", string beside = "")
    {
        Place.Write($"{name}.csv", Text(letters));
        Place.Write("beside.csv", Text(beside));
        string[] files = IsPipe ? ["-"] : [$"{name}.csv", .. beside.Length > 0 ? new[] { "beside.csv" } : []];
        string[] words = [_words[0], .. files, .. _words.Skip(1), .. more ?? [], .. IsPipe ? new[] { "--job-id", name } : []];
        return IsPipe
            ? BulkLoadProcess.StartLine(Place, $"bulkload {string.Join(' ', words.Select(Quote))} < {name}.csv") : Place.Start(words);
    }

    /// <summary>Runs the job, which ends with an exit code and says something: of exit 0 on standard output, a pattern; else on standard
    /// error, a text.</summary>
    public async Task ShouldAsync(int exit, string letters, string says, string[]? more = null, string name = "people", string beside = "")
    {
        using var program = Start(letters, more, name, beside);
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(exit);
        if (exit == 0)
        {
            Assert.Matches(says, end.Output);
        }
        else
        {
            end.ShouldSay(says);
        }
    }

    public Task<string> CountAsync(string where) => Place.ScalarAsync($"SELECT COUNT(*) FROM people WHERE {where};");

    public ValueTask DisposeAsync() => Place.DisposeAsync();

    /// <summary>Gives an update and a delete the first records to look for.</summary>
    private Task AddAsync(int records) => Place.QueryAsync(
        $"INSERT INTO people (id, name) SELECT 1000 * a.n + b.n, '-' FROM ({Numbers(records * Width / 1000)}) a, ({Numbers(999)}) b WHERE "
            + $"1000 * a.n + b.n BETWEEN 1 AND {records * Width};");

    private string[] KindWords() => _kind switch
    {
        "import" => ["import"],
        "upsert" => ["import", "--on-duplicate", "update"],
        "update" => ["update"],
        "adding" => ["update", "--map", "name=@", "--set", "name=concat(name,'!')"],
        _ => ["delete", "--key", "id", "--yes"],
    };

    private static string Numbers(int last) =>
        $"WITH RECURSIVE d AS (SELECT 0 n UNION ALL SELECT n + 1 FROM d WHERE n < {last}) SELECT n FROM d";

    private static string Quote(string word) => $"'{word.Replace("'", @"'\''", StringComparison.Ordinal)}'";
}
