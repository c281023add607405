using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Feed;

public sealed class OrderProbeTests : IDisposable
{
    private const int Rows = 3_000;

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private KeyOrderInfo Look(IEnumerable<int> ids, string? folder = null)
    {
        var path = Path.Combine(_folder, "a.csv");
        File.WriteAllText(path, "id,name\n" + string.Concat(ids.Select(id => $"{(id % 50 == 7 ? "x" : "")}{id},n\n")));
        var options = new SourceOptions { Format = InputFormat.Csv };
        using var input = InputFile.Open(path, options);
        var look = SourceProbe.Look(input, options);
        var table = Columns.Table(Columns.Integer("id").Required(), Columns.Varchar("name")) with
        { UniqueKeys = [new UniqueKey("PRIMARY", [new KeyPart("id")])] };
        var request = TestFacts.Request with { Source = options, TempFolder = folder ?? _folder };
        var facts = TestFacts.Of(TestFacts.MariaDb, [.. table.Columns]) with { Table = table, Request = request };
        return OrderProbe.Look(
            [new LoadSource(look, ColumnMapping.Create(path, look.FieldNames, look.FieldCount, table, request, null), null)], facts,
            [table.Columns[0]], CancellationToken.None);
    }

    [Fact]
    public void Only_keys_that_belong_far_ahead_are_late()
    {
        var rising = Enumerable.Range(1, Rows).ToArray();
        Assert.Equal((2000, 0), Late(Look(rising)));
        Assert.InRange(Look(rising.Select(id => (id / 20 * 20) + ((id * 7) % 20))).Late, 0, 20);
        Assert.Equal((2000, 1000), Late(Look(rising.Reverse())));
        var shuffled = rising.ToArray();
        new Random(3).Shuffle(shuffled);
        Assert.InRange(Look(shuffled).Late, 950, 1000);

        static (int, int) Late(KeyOrderInfo look) => (look.Records, look.Late);
    }

    [Fact]
    public void Room_is_told_and_none_where_there_is_no_folder()
    {
        Assert.True(Look([1, 2]).Room > 0);
        Assert.Equal(0, Look([1, 2], Path.Combine(_folder, "missing")).Room);
    }
}
