using BulkLoad.Core.Ledger;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Tests.Ledger;

public sealed class CommittedRecordsTests
{
    private static LedgerChunk Chunk(int source, int first, int lastSource, int last, string records)
    {
        var hash = new ChunkHash();
        foreach (var letter in records)
        {
            hash.Add(letter, Encoding.ASCII.GetBytes($"{letter}"));
        }

        return new LedgerChunk
        {
            Source = source,
            FirstRecord = first,
            FirstOffset = 0,
            LastSource = lastSource,
            LastRecord = last,
            LastOffset = 0,
            Content = hash.Finish(),
            Taken = default,
            Batches = 1,
            Rejects = new Dictionary<string, long> { ["x"] = 1 },
            Repairs = new Dictionary<string, long>(),
            Findings = default,
        };
    }

    /// <summary>Reads inputs, a letter a record and a space between inputs; the letters that are left to be sent.</summary>
    private static string Read(string inputs, bool isComplete, params LedgerChunk[] chunks)
    {
        var committed = new CommittedRecords("j", ChunkList.Of(chunks), isComplete, ["a.csv", "b.csv"]);
        Assert.Equal(chunks.Length, committed.Rejects);
        var left = "";
        foreach (var (source, records) in inputs.Split(' ').Index())
        {
            for (var i = 0; i < records.Length; i++)
            {
                left += committed.Has(source, i + 1, records[i], Encoding.ASCII.GetBytes($"{records[i]}")) ? "" : $"{records[i]}";
            }

            committed.EndSource(source);
        }

        return left;
    }

    [Theory]
    [InlineData("abcdef", "ef")]
    [InlineData("abcd", "")]
    [InlineData("abcdxy z", "xyz")]
    public void What_is_behind_the_committed_records_is_left(string inputs, string left) =>
        Assert.Equal(left, Read(inputs, false, Chunk(0, 1, 0, 2, "ab"), Chunk(0, 3, 0, 4, "cd")));

    [Theory]
    [InlineData("abxd", "a.csv: has changed since job j committed it (records 3-4 differ)")]
    [InlineData("abc", "a.csv: has changed since job j committed it (records 3-4 differ)")]
    [InlineData("a", "a.csv: has changed since job j committed it (records 1-2 differ)")]
    [InlineData("", "a.csv: has changed since job j committed it (records 1-2 differ)")]
    public void A_change_before_the_last_of_them_is_refused(string inputs, string message) => Assert.StartsWith(
        message, Assert.Throws<ChangedInputException>(() => Read(inputs, false, Chunk(0, 1, 0, 2, "ab"), Chunk(0, 3, 0, 4, "cd"))).Message,
        StringComparison.Ordinal);

    [Theory]
    [InlineData(1, false)]
    [InlineData(0, false)]
    [InlineData(2, true)]
    public void Records_that_a_later_one_stands_for_are_no_fewer_than_then(long then, bool isRefused)
    {
        var chunk = Chunk(0, 1, 0, 2, "ab") with { Taken = new RowCounts(0, Updated: 2 - then) { Superseded = then } };
        var committed = new CommittedRecords("j", [chunk], isComplete: false, ["a.csv"], (_, record) => record is 1 or 3);

        var fault = Record.Exception(() =>
        {
            Assert.True(committed.Has(0, 1, 'a', "a"u8));
            Assert.True(committed.Has(0, 2, 'b', "b"u8));
            Assert.False(committed.Has(0, 3, 'c', "c"u8));
        });

        Assert.Equal(isRefused, fault is PlanException);
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(1, true)]
    public void They_are_the_same_ones_and_perhaps_more(int then, bool isRefused)
    {
        var marks = new RecordMarks();
        marks.Add(then);
        var chunk = LedgerChunk.Read([0, 1, 2, 0, 0], "", Encoding.UTF8.GetBytes(
            (Chunk(0, 1, 0, 2, "ab") with { Taken = new RowCounts(0, Updated: 1) { Superseded = 1 }, Superseded = marks }).WriteDetails()));
        var committed = new CommittedRecords(
            "j", [chunk with { Content = Chunk(0, 1, 0, 2, "ab").Content }], isComplete: false, ["a.csv"], (_, record) => record == 1);
        Assert.True(committed.Has(0, 1, 'a', "a"u8));
        Assert.Equal(isRefused, Record.Exception(() => committed.Has(0, 2, 'b', "b"u8)) is PlanException);
    }

    [Fact]
    public void Marks_of_records_are_read_as_they_were_written()
    {
        long[] places = [0, 7, 8, 9_999];
        var marks = new RecordMarks();
        Assert.True(marks.IsEmpty);
        Array.ForEach(places, marks.Add);
        marks = RecordMarks.Read(marks.Write());
        Assert.Equal(places, Enumerable.Range(-1, 20_000).Select(place => (long)place).Where(marks.Has));
        marks.Clear();
        marks.Add(1);
        marks.Add(RecordMarks.MaxRecords);
        marks.Add(2);
        Assert.True(marks.IsEmpty);
        marks.Clear();
        marks.Add(3);
        Assert.Equal([3], Enumerable.Range(0, 20_000).Select(place => (long)place).Where(marks.Has));
        Assert.Throws<PlanException>(() => RecordMarks.Read("?"));
    }

    [Fact]
    public void A_complete_job_has_no_other_records()
    {
        Assert.Equal("", Read("ab", true, Chunk(0, 1, 0, 2, "ab")));
        var fault = Assert.Throws<ChangedInputException>(() => Read("abc", true, Chunk(0, 1, 0, 2, "ab")));
        Assert.Equal("a.csv: has more records than when job j completed it, from record 3 on", fault.Message);
        Assert.Equal(["--append"], fault.WaysOn[0].Words);
    }

    [Fact]
    public void An_input_that_has_grown_before_another_one_is_refused()
    {
        Assert.Equal("d", Read("ab cd", false, Chunk(0, 1, 0, 2, "ab"), Chunk(1, 1, 1, 1, "c")));
        Assert.StartsWith(
            "a.csv: has more records than when job j committed it, from record 3 on",
            Assert.Throws<ChangedInputException>(() => Read("abx c", false, Chunk(0, 1, 0, 2, "ab"), Chunk(1, 1, 1, 1, "c"))).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_chunk_of_a_job_that_is_one_spans_its_inputs()
    {
        Assert.Equal("", Read("ab cd", true, Chunk(0, 1, 1, 2, "abcd")));
        Assert.StartsWith(
            "a.csv to b.csv: have changed since job j committed them",
            Assert.Throws<ChangedInputException>(() => Read("ab xd", true, Chunk(0, 1, 1, 2, "abcd"))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_row_of_the_ledger_is_read_as_it_was_written()
    {
        var chunk = Chunk(0, 1, 1, 2, "abcd") with
        {
            Taken = new RowCounts(1, 2, 3, 4) { Deleted = 5, DeletedRows = 6, Superseded = 7, NotFound = 8 },
            Repairs = new Dictionary<string, long> { ["padding"] = 9 },
            Findings = new IssuePositions(10, 11, 12, 13),
        };
        var read = LedgerChunk.Read([0, 1, 2, 0, 0], chunk.Content, Encoding.UTF8.GetBytes(chunk.WriteDetails()));
        Assert.Equal(chunk with { Rejects = read.Rejects, Repairs = read.Repairs }, read);
        Assert.Equal((1, 9), (read.Rejects["x"], read.Repairs["padding"]));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("{")]
    public void Details_that_nobody_of_us_wrote_are_refused(string? details) =>
        Assert.Contains("cannot be read", Assert.Throws<PlanException>(() => JobRecord.Read(details)).Message, StringComparison.Ordinal);
}
