using BulkLoad.Core.Ledger;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Ledger;

/// <summary>How an input relates to what complete jobs have loaded: the rows of the table in docs/jobs.md.</summary>
public sealed class JobFinderTests : IDisposable
{
    private readonly KnownFiles _files = new(TestFacts.Of(TestFacts.MariaDb));

    /// <summary>Letters are records; L is one of 100,000 bytes.</summary>
    [Theory]
    [InlineData("abc", "abc", "Same")]
    [InlineData("abc", "abcd", "Longer")]
    [InlineData("abc", "abx", "Half")]
    [InlineData("abc", "ab", "Half")]
    [InlineData("abc", "axx", "Path")]
    [InlineData("abcd", "abxxxxx", "Half")]
    [InlineData("abcd", "axxxxxx", "Path")]
    [InlineData("abc", "xabc", "Ends")]
    [InlineData("abc", "xyzabc", "Ends")]
    [InlineData("abc", "xbc", "New")]
    [InlineData("abc", "xyz", "New")]
    [InlineData("a", "a", "Same")]
    [InlineData("a", "ab", "Longer")]
    [InlineData("a", "ba", "Ends")]
    [InlineData("ab", "ax", "Half")]
    [InlineData("abc", "", "Empty")]
    [InlineData("LLLL", "LLLL", "Same")]
    [InlineData("LLLL", "LLLLa", "Longer")]
    [InlineData("LLLL", "LLLa", "Half")]
    [InlineData("LLLL", "Laaa", "Path")]
    [InlineData("LLLL", "aLLLL", "Ends")]
    [InlineData("aLLLL", "aLLLL", "Same")]
    [InlineData("aLLLL", "aLxxx", "Path")]
    public async Task An_input_is_compared_with_what_is_known(string known, string now, string relation)
    {
        var match = await FindAsync(("people.csv", KnownFiles.Text(known)), ("people.csv", KnownFiles.Text(now)));
        Assert.Equal(relation, $"{match.Relation}");
        Assert.True(match.HasSameName);

        // Another name makes no other content; only the path is none any more.
        match = await FindAsync(("people.csv", KnownFiles.Text(known)), ("other.csv", KnownFiles.Text(now)));
        Assert.Equal(relation == "Path" ? "First" : relation, $"{match.Relation}");
        Assert.Equal(relation is not ("Same" or "Longer"), match.HasSameName);
    }

    /// <summary>The last line end does not count, nor does a compression.</summary>
    [Theory]
    [InlineData("1,a\n2,b", "1,a\n2,b\n", "Same")]
    [InlineData("1,a\n2,b\n", "1,a\n2,b", "Same")]
    [InlineData("1,a\r\n2,b\r\n", "1,a\r\n2,b", "Same")]
    [InlineData("1,a\n2,b", "1,a\n2,bb\n", "Half")]
    [InlineData("1,a\n2,b\n", "0,x\n1,a\n2,b", "Ends")]
    [InlineData("1,a\n2,b", "0,x\n1,a\n2,b\n", "Ends")]
    [InlineData("1,a\n2,b", "0,x\n11,a\n2,b\n", "New")]
    [InlineData("1,\"a\nb\"\n2,b\n", "1,\"a\nb\"\n2,b\n3,c\n", "Longer")]
    public async Task Line_ends_and_compressions_do_not_count(string known, string now, string relation)
    {
        Assert.Equal(relation, $"{(await FindAsync(("a.csv", "id,name\n" + known), ("a.csv", "id,name\n" + now))).Relation}");
        var packed = await FindAsync(("a.csv", "id,name\n" + known), ("a.csv.gz", "id,name\n" + now));
        Assert.Equal(relation, $"{packed.Relation}");
        Assert.True(packed.HasSameName);
    }

    [Theory]
    [InlineData("x/errors.csv", "y/errors.csv", true)]
    [InlineData("x/errors.csv", "y/errors.csv.gz", true)]
    [InlineData("x/errors.csv", "x/errors-2.csv", false)]
    [InlineData("2026-11-26/errors.csv", "2026-11-27/errors.csv", false)]
    [InlineData("2026-11-26/errors.csv", "2026-11-26/errors.csv", true)]
    public async Task A_name_is_that_of_the_file_and_of_a_folder_with_a_digit(string known, string now, bool isSame) =>
        Assert.Equal(isSame, (await FindAsync((known, KnownFiles.Text("ab")), (now, KnownFiles.Text("ab")))).HasSameName);

    [Fact]
    public async Task A_file_of_rejects_of_a_job_is_new()
    {
        var job = _files.Known("people.csv", KnownFiles.Text("abc"));
        Assert.Equal(ContentRelation.New,
            (await FindAsync(job with { RejectFile = _files.PathOf("bad.csv") }, "bad.csv", KnownFiles.Text("abc"))).Relation);
    }

    [Fact]
    public async Task The_longest_of_what_an_input_begins_with_counts()
    {
        var jobs = new List<FoundJob>();
        foreach (var letters in new[] { "ab", "abc", "abcd", "abx" })
        {
            jobs.Add(new FoundJob($"j{jobs.Count}", _files.Known("log.csv", KnownFiles.Text(letters))));
        }

        var match = await FindAsync(jobs, "log.csv", KnownFiles.Text("abcde"));
        Assert.Equal((ContentRelation.Longer, "j2"), (match.Relation, match.Job!.Id));
        match = await FindAsync(jobs, "log.csv", KnownFiles.Text("abc"));
        Assert.Equal((ContentRelation.Same, "j1"), (match.Relation, match.Job!.Id));
    }

    /// <summary>Each job has its rows, a complete one others than one that is not, and none is a job's name.</summary>
    [Fact]
    public void A_job_is_found_as_long_as_it_is_not_complete_and_then()
    {
        var job = _files.Known("people.csv", KnownFiles.Text("abc"));
        var open = JobIndex.RowsOf("j", job with { Completed = null });
        var done = JobIndex.RowsOf("j", job);
        Assert.All([.. open, .. done], row => Assert.True(row.Key is ['/', ..] && row.Key.Length <= 64));
        Assert.Equal(2, open.Intersect(done).Count());
        Assert.Equal(2, open.Count(row => row.Rank >= JobIndex.Open));
        Assert.DoesNotContain(done, row => row.Rank >= JobIndex.Open);
        Assert.Empty(JobIndex.RowsOf("j", job with { Family = "" }));
    }

    [Fact]
    public void Inputs_have_rows_of_their_own_where_they_are_many()
    {
        var job = _files.Describe([]) with
        {
            Sources = [.. Enumerable.Range(0, 20_000)
                .Select(i => new JobSource($"f{i}.csv", i, null) { Path = $"/data/{i:D200}", First = $"{i}" })],
        };
        var head = job.Write();
        string[] more = [.. job.WriteMoreSources()];
        Assert.All([head, .. more], row => Assert.InRange(Encoding.UTF8.GetByteCount(row), 1, 1 << 20));
        var read = JobRecord.Read(head);
        Assert.Equal(20_000, read.SourceCount);
        Assert.Equal(head, read.Write());
        Assert.Equal(job.Sources, read.WithMoreSources(more).Sources,
            (one, other) => (one.Name, one.Path, one.First) == (other.Name, other.Path, other.First));
        Assert.Throws<Core.Common.PlanException>(() => read.WithMoreSources(more[1..]));
    }

    /// <summary>Each question asks for rows by their keys, and no piece without a limit.</summary>
    [Fact]
    public void What_is_asked_for_has_a_bound()
    {
        var sql = new JobIndexSql("shop");
        Assert.EndsWith("AND source = -3 AND first_record = 0", sql.FindKeys(["/a", "/b"]), StringComparison.Ordinal);
        Assert.Equal(2, sql.FindRows([new IndexRange("/a", 1, 2, 3), new IndexRange("/b", 1, 2, 3)])
            .Split("ORDER BY first_record DESC LIMIT 3)").Length - 1);
    }

    public void Dispose() => _files.Dispose();

    private async Task<ContentMatch> FindAsync((string Name, string Text) known, (string Name, string Text) now) =>
        await FindAsync(_files.Known(known.Name, known.Text), now.Name, now.Text);

    private Task<ContentMatch> FindAsync(JobRecord known, string name, string text) =>
        FindAsync([new FoundJob("known", known)], name, text);

    private async Task<ContentMatch> FindAsync(IReadOnlyList<FoundJob> known, string name, string text)
    {
        var source = _files.Source(name, text);
        var finder = new JobFinder(
            _files.Facts, [source], _files.Describe([source]), "slot", new MemoryJobIndex(known), compares: true, default);
        return (await finder.FindAsync()).Matches.Single();
    }
}
