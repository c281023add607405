using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;

namespace BulkLoad.Tests.Strategies.Insert;

/// <summary>How far MySQL has come with an INSERT, by its count of rows written.</summary>
public sealed class RefusedRowFinderTests : IAsyncDisposable
{
    private readonly RecordingSession _session = new(isMariaDb: false);
    private readonly RefusedRowFinder _finder;

    public RefusedRowFinderTests() => _finder = new RefusedRowFinder(_session);

    public ValueTask DisposeAsync() => _session.DisposeAsync();

    [Theory]
    [InlineData(1062, 1)] // a duplicate is found by writing
    [InlineData(3819, 0)] // a CHECK stands before
    public async Task The_row_at_fault_is_the_one_behind_those_that_were_written(int code, int isWritten)
    {
        await StartAsync(100);
        Assert.Equal(4, await FindAsync(code, written: 104 + isWritten));
        _finder.Count(4);
        await RefuseAloneAsync(code, written: 108 + (2 * isWritten));
        Assert.Equal(7, await FindAsync(code, written: 115 + (3 * isWritten)));
    }

    [Theory]
    [InlineData(0, 3)] // the server looks for parents itself
    [InlineData(1, 4)] // InnoDB does
    public async Task A_row_that_is_refused_alone_tells_whether_one_without_a_parent_counts(int isWritten, int firstGuess)
    {
        await StartAsync(100);
        Assert.Equal(firstGuess, await FindAsync(1452, written: 104 + isWritten));
        _finder.Count(4);
        await RefuseAloneAsync(1452, written: 108 + (2 * isWritten));
        Assert.Equal(7, await FindAsync(1452, written: 115 + (3 * isWritten)));
        await RefuseAloneAsync(1452, written: 0);
        Assert.Equal(2, await FindAsync(1452, written: 117 + (5 * isWritten)));
        Assert.Equal(5, _session.Steps.Count(step => step == $"{DiagnosticsSql.WrittenRows} -> 1 rows"));
    }

    [Fact]
    public async Task What_others_have_sent_may_have_written()
    {
        await StartAsync(100);
        _finder.End();
        _finder.Begin();
        Assert.True(_finder.IsReady);
        await _session.ExecuteAsync("INSERT INTO ledger VALUES (1)", default);
        _finder.Begin();
        Assert.False(_finder.IsReady);
        Assert.Null(await FindAsync(1062, written: 107));
    }

    [Fact]
    public async Task Where_a_trigger_writes_too_nothing_is_learned()
    {
        await StartAsync(100);
        await RefuseAloneAsync(1644, written: 105);
        Assert.Equal(2, await FindAsync(1644, written: 107));
    }

    private ValueTask StartAsync(int written)
    {
        Tell(written);
        return _finder.StartAgainAsync(default);
    }

    private async Task<int?> FindAsync(int code, int written)
    {
        Tell(written);
        return (await _finder.FindAsync(new BatchRefusal(code, "no", null), default)).Row;
    }

    private ValueTask RefuseAloneAsync(int code, int written)
    {
        Tell(written);
        return _finder.CountRefusedAsync(new BatchRefusal(code, "no", null), default);
    }

    private void Tell(int written) => _session.Rows(DiagnosticsSql.WrittenRows, [written.ToString()]);
}
