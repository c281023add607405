using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Facts;

public sealed class ReaderRulesTests
{
    private static readonly PlannedSource Large = new("a.csv", "csv", "none", "utf-8", ReaderRules.MinBytes, 1);

    private static LoadFacts Facts { get; } = TestFacts.Of(TestFacts.MySql) with { Sources = [Large], Cores = 2 };

    private static PlannedReaders? Plan(LoadFacts facts) => LoadPlanner.Decide(facts, StrategyCatalog.Import).Plan.Readers;

    [Theory]
    [InlineData(2, 2)]
    [InlineData(8, 8)]
    [InlineData(64, 8)]
    public void A_large_file_is_read_by_all_cores_but_eight_at_most(int cores, int readers)
    {
        var facts = Facts with { Cores = cores };
        Assert.Equal(readers, ReaderRules.Of(facts));
        Assert.Equal(new PlannedReaders(readers, "pieces of a large file are read at the same time"), Plan(facts));
    }

    [Fact]
    public void Of_small_files_and_pipes_there_is_nothing_to_say()
    {
        Assert.Null(Plan(Facts with { Sources = [Large with { Bytes = ReaderRules.MinBytes - 1 }, Large with { Bytes = null }] }));
        Assert.Null(Plan(Facts with { Sources = [Large with { Bytes = 1 }], Cores = 1 }));
    }

    [Fact]
    public void Where_one_thread_reads_the_reason_is_told()
    {
        Assert.Equal(new PlannedReaders(1, "one thread reads on a machine with one core"), Plan(Facts with { Cores = 1 }));
        foreach (var (request, reason) in new[]
        {
            (Facts.Request with { Limit = 5 }, "one thread reads with --limit"),
            (Facts.Request with { MaxMemory = 1L << 30 }, "one thread reads with --max-memory"),
        })
        {
            var facts = Facts with { Request = request };
            Assert.Equal((1, new PlannedReaders(1, reason)), (ReaderRules.Of(facts), Plan(facts)));
        }
    }

    [Fact]
    public void A_file_that_cannot_be_divided_is_named_where_others_are()
    {
        var json = Large with { Name = "b.json", Undivided = "a file of format json" };
        Assert.Equal(new PlannedReaders(1, "one thread reads a file of format json"), Plan(Facts with { Sources = [json] }));
        Assert.Equal(
            new PlannedReaders(2, "pieces of a large file are read at the same time; one thread reads b.json, a file of format json"),
            Plan(Facts with { Sources = [Large, json] }));
    }

    [Fact]
    public void A_dialect_says_why_its_files_are_read_by_one()
    {
        var csv = new SourceOptions();
        Assert.Null(Dialect.Of(csv, InputFormat.Csv).Undivided);
        Assert.Null(Dialect.Of(csv, InputFormat.Tsv).Undivided);
        Assert.Null(Dialect.Of(csv with { Comment = '#' }, InputFormat.Jsonl).Undivided);
        Assert.Equal("a file of format json", Dialect.Of(csv, InputFormat.Json).Undivided);
        Assert.Equal("a file of format mysql", Dialect.Of(csv, InputFormat.Mysql).Undivided);
        Assert.Equal("a file with lines before the header", Dialect.Of(csv with { PreambleLines = 2 }, InputFormat.Csv).Undivided);
        Assert.Equal("a file with --comment", Dialect.Of(csv with { Comment = '#' }, InputFormat.Csv).Undivided);
        Assert.Equal("a file with --escape", Dialect.Of(csv with { Escape = '\\' }, InputFormat.Csv).Undivided);
        Assert.Equal("a file with --newline", Dialect.Of(csv with { Newline = ";" }, InputFormat.Csv).Undivided);
        Assert.Equal("a file with such a delimiter or quote", Dialect.Of(csv with { Quote = ' ' }, InputFormat.Csv).Undivided);
        var dirt = DirtPolicies.None.With(DirtKind.Footer, DirtAction.Repair);
        Assert.Equal("a file with --dirt footer", Dialect.Of(csv with { Dirt = dirt }, InputFormat.Csv).Undivided);
    }
}
