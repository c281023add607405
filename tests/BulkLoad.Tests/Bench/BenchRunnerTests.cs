using BulkLoad.Bench;

namespace BulkLoad.Tests.Bench;

public sealed class BenchRunnerTests
{
    private readonly List<string> _ran = [];
    private readonly BenchRunner _runner = new(3, null, TimeProvider.System);

    [Fact]
    public void Cases_take_turns_and_each_round_begins_with_another() => Assert.Equal(
        "0a 0b 0c 1a 1b 1c 2b 2c 2a 3c 3a 3b 4a 4b 4c",
        string.Join(' ', BenchSchedule.Of(3, 4).Select(run => $"{run.Round}{"abc"[run.Case]}")));

    [Fact]
    public async Task What_warms_up_is_not_measured()
    {
        var measures = await MeasureAsync(Case("a"), Case("b"));
        Assert.Equal("a b a b b a a b", string.Join(' ', _ran));
        Assert.All(measures, measure => Assert.Equal(3, measure.Runs));
    }

    [Fact]
    public async Task Figures_are_compared_with_the_units_by_medians()
    {
        var measures = await MeasureAsync(
            Case("slow", 8) with { IsUnit = true }, Case("fast", 2) with { IsRatioUnit = true }, Case("half", 1, amount: 50));
        Assert.Equal([1, 4, 4], measures.Select(measure => measure.SpeedUp));
        Assert.Equal([4, 1, 1], measures.Select(measure => measure.Ratio));
        Assert.Equal([12.5, 50, 50], measures.Select(measure => measure.Rate?.Median));
    }

    [Fact]
    public async Task A_case_that_the_server_refuses_is_told_and_the_others_go_on()
    {
        var measures = await MeasureAsync(
            Case("refused") with { RunAsync = _ => throw new ServerException(1290, "HY000", "not here\nnor there") }, Case("b"));
        Assert.Equal("not here", measures[0].NotMeasured);
        Assert.Null(measures[0].Rate);
        Assert.Equal(3, measures[1].Runs);
    }

    [Fact]
    public async Task An_unfit_case_is_not_run()
    {
        var measures = await MeasureAsync(Case("unfit") with { Unfit = "MariaDB only" }, Case("b"));
        Assert.Equal("MariaDB only", measures[0].NotMeasured);
        Assert.DoesNotContain("unfit", _ran);
    }

    [Fact]
    public async Task What_was_measured_before_the_end_is_kept()
    {
        using var stop = new CancellationTokenSource();
        var stopping = Case("b") with { PrepareAsync = _ => _ran.Count < 5 ? Task.CompletedTask : stop.CancelAsync(), RunAsync = RunAsync };
        _runner.Begin(Section);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _runner.MeasureAsync("", [Case("a"), stopping], stop.Token));
        Assert.Equal([3, 2], _runner.Sections[0].Measures.Select(measure => measure.Runs));

        Task RunAsync(CancellationToken token)
        {
            token.ThrowIfCancellationRequested();
            _ran.Add("b");
            return Task.CompletedTask;
        }
    }

    [Theory]
    [InlineData(true, 3, 2)]
    [InlineData(true, 0, 1)]
    [InlineData(false, 3, 1)]
    public async Task A_run_that_is_stopped_counts_where_its_part_is_told(bool counts, int seconds, int runs)
    {
        using var stop = new CancellationTokenSource();
        var number = 0;
        var stopping = Case("a") with
        {
            CountsWhenStopped = counts,
            RunAsync = token => ++number < 3 ? Task.CompletedTask : Task.FromCanceled(new CancellationToken(canceled: true)),
            Time = () => TimeSpan.FromSeconds(number < 3 ? 1 : seconds),
        };
        _runner.Begin(Section);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _runner.MeasureAsync("", [stopping], stop.Token));
        var measure = Assert.Single(_runner.Sections[0].Measures);
        Assert.Equal(runs, measure.Runs);
        Assert.Equal(runs == 2 ? ["the run of a that was stopped counts as far as it came"] : [], _runner.Notes);
    }

    [Fact]
    public async Task A_lost_session_ends_the_bench() => await Assert.ThrowsAsync<ServerException>(
        () => MeasureAsync(Case("a") with { RunAsync = _ => throw new ServerException(FaultKind.SessionLost, "gone") }));

    [Fact]
    public async Task Values_are_medians_over_the_runs()
    {
        var value = 0.0;
        var measures = await MeasureAsync(Case("a") with { Values = () => [new("bytes", value += 10)] });
        Assert.Equal([KeyValuePair.Create("bytes", 20.0)], measures[0].Values);
    }

    [Fact]
    public async Task The_first_that_is_as_fast_as_the_fastest_is_the_best()
    {
        _runner.Begin(Section);
        await _runner.MeasureAsync(
            "", [Case("a", 2) with { X = 1 }, Case("a", 1.02) with { X = 10 }, Case("a", 1) with { X = 100 }], default);
        _runner.MarkBest();
        Assert.Equal([false, true, false], _runner.Sections[0].Measures.Select(measure => measure.IsBest));
    }

    private static BenchSection Section => new() { Name = "s", Title = "t", Unit = "rows" };

    private BenchCase Case(string name, double seconds = 1, long amount = 100) => new()
    {
        Name = name,
        Amount = amount,
        RunAsync = _ =>
        {
            _ran.Add(name);
            return Task.CompletedTask;
        },
        Time = () => TimeSpan.FromSeconds(seconds),
    };

    private async Task<IReadOnlyList<BenchMeasure>> MeasureAsync(params BenchCase[] cases)
    {
        _runner.Begin(Section);
        await _runner.MeasureAsync("", cases, default);
        return _runner.Sections[0].Measures;
    }
}
