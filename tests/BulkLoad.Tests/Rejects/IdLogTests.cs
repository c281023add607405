using BulkLoad.Core.Rejects;
using BulkLoad.Core.Rows;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Rejects;

public sealed class IdLogTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-").FullName;

    [Theory]
    [InlineData("t.csv")]
    [InlineData("two\nlines, \"quoted\".csv")]
    public void The_ids_in_the_file_are_counted_whatever_the_inputs_are_called(string source)
    {
        using var file = new RejectFile(Request with { IdsFile = Path.Combine(_folder, "ids.csv"), NoLedger = true });
        var log = new IdLog(file, onId: null);
        log.Add(source, Rows(1, 2, 3), 0, new GeneratedIds(7, 1, 3));
        file.Flush();
        file.Keep();
        log.Keep();
        Assert.True(log.HasFile);
        Assert.Equal(3, log.CountSaved());
    }

    /// <summary>Records between the rows were refused.</summary>
    [Fact]
    public void Ids_are_given_away_when_their_chunk_is_committed()
    {
        using var file = new RejectFile(Request with { NoLedger = true });
        List<(string, long, ulong)> heard = [];
        var log = new IdLog(file, (source, record, id) => heard.Add((source, record, id)));
        log.Add("t", Rows(1, 2), 0, new GeneratedIds(7, 1, 2));
        log.Forget();
        log.Add("t", Rows(1, 2, 4, 5, 9), 1, new GeneratedIds(20, 5, 4));
        Assert.Empty(heard);
        log.Keep();
        log.Keep();
        Assert.Equal([("t", 2, 20), ("t", 4, 25), ("t", 5, 30), ("t", 9, 35)], heard);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static Core.Options.LoadRequest Request => TestFacts.Request with { Files = ["t.csv"] };

    private static RowBlock Rows(params ReadOnlySpan<long> records)
    {
        var block = new RowBlock(1, 16);
        foreach (var record in records)
        {
            block.AddValue("x"u8);
            block.EndRow(record, record + 1, record, "x"u8);
        }

        return block;
    }
}
