using System.Buffers;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Keyed;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Strategies.Keyed;

/// <summary>What the server says of the keys of a list.</summary>
public sealed class FoundKeysTests
{
    private static readonly KeySql Sql =
        KeySql.Of(TestKeys.Facts(TestFacts.MariaDb, key: TestKeys.Of([Columns.Integer("id").Required()], TestKeys.Primary)));

    /// <summary>Records come in another order than keys: 0 is the last one's.</summary>
    private static int RecordOf(int key) => 100 - key;

    [Fact]
    public async Task Keys_without_rows_are_missing_and_of_keys_with_the_same_rows_the_first_record_counts()
    {
        var found = await LookAsync(6, ["4", "2", "b"], ["0", "1", "a"], ["5", "2", "b"], ["2", "3", "c"]);
        var missing = new List<int>();
        found.AddMissing(6, RecordOf, missing);
        Assert.Equal([99, 97], missing);
        Assert.Equal(4, found.Count);
        Assert.Equal([0, 2, 4, 5], found.Keys);
        Assert.Equal(1 + 3 + 2, found.KeepFirst(RecordOf));
        Assert.Equal([0, 2, 5], found.Keys);
        Assert.Equal(4, found.Count);
    }

    [Theory]
    [InlineData("6", "1")]
    [InlineData("-1", "1")]
    [InlineData("", "1")]
    [InlineData("1x", "1")]
    [InlineData("99999999999999999999", "1")]
    [InlineData("3", "1")]
    [InlineData("1", "many")]
    public async Task An_answer_to_another_question_is_the_peers_fault(string key, string rows)
    {
        var fault = await Assert.ThrowsAsync<ServerException>(
            async () => (await LookAsync(6, ["3", "1", "a"], [key, rows, "b"])).KeepFirst(RecordOf));
        Assert.Equal(FaultKind.Protocol, fault.Kind);
    }

    [Fact]
    public async Task Many_keys_are_asked_for_and_the_answer_worked_out_without_an_allocation_for_each()
    {
        const int rows = 10_000;
        var found = await LookAsync(rows, [.. Enumerable.Range(0, rows).Select(key => new[] { Text(key), "1", Text(key / 2) })]);
        var missing = new List<int>();
        var text = new ArrayBufferWriter<byte>();
        Sql.WriteLook(rows, (_, _) => "1"u8, text);
        text.ResetWrittenCount();
        var before = GC.GetAllocatedBytesForCurrentThread();
        Sql.WriteLook(rows, (_, _) => "1"u8, text);
        found.AddMissing(rows, RecordOf, missing);
        var left = found.KeepFirst(RecordOf);
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.Equal(rows / 2, left);

        // An object for each would take 24 bytes at least; a collection in between makes this thread begin another piece of memory, of 8
        // KiB.
        Assert.InRange(allocated, 0, 12L * rows);

        static string Text(int number) => number.ToString();
    }

    private static async Task<FoundKeys> LookAsync(int keys, params string?[][] rows)
    {
        var found = new FoundKeys(Sql);
        await found.LookAsync(
            new RecordingSession().Rows("SELECT", rows), keys, (_, _) => "1"u8, new ArrayBufferWriter<byte>(), CancellationToken.None);
        return found;
    }
}
