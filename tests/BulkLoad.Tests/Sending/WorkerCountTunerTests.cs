using BulkLoad.Core.Sending;

namespace BulkLoad.Tests.Sending;

/// <summary>More sessions are tried while a job runs, and kept where it gets faster by them.</summary>
public sealed class WorkerCountTunerTests
{
    private readonly StepClock _clock = new();

    /// <summary>One stretch: chunks that are not counted, and those that are.</summary>
    private void Pass(WorkerCountTuner size, double secondsPerChunk)
    {
        for (var chunks = (WorkerCountTuner.Unsteady + WorkerCountTuner.Steady) * size.Now; chunks > 0; chunks--)
        {
            _clock.Advance(TimeSpan.FromSeconds(secondsPerChunk));
            size.Count();
        }
    }

    [Fact]
    public void Twice_as_many_are_tried_and_stay_as_long_as_it_gets_faster()
    {
        var size = new WorkerCountTuner(2, 8, _clock);
        Pass(size, 0.4);
        Assert.Equal(4, size.Now);
        Assert.Null(size.Finding);
        Pass(size, 0.25);
        Assert.Equal(8, size.Now);
        Assert.Equal("4 sessions were 1.60 times as fast as 2, and were kept", size.Finding);
        Pass(size, 0.24);
        Assert.Equal(4, size.Now);
        Assert.Equal("8 sessions were 1.04 times as fast as 4, and 4 were kept", size.Finding);
        Pass(size, 0.01);
        Assert.Equal(4, size.Now);
    }

    [Fact]
    public void The_most_is_not_passed()
    {
        var size = new WorkerCountTuner(2, 3, _clock);
        Pass(size, 0.4);
        Assert.Equal(3, size.Now);
        Pass(size, 0.2);
        Assert.Equal(3, size.Now);
        Pass(size, 0.1);
        Assert.Equal(3, size.Now);
        Assert.Equal("3 sessions were 2.00 times as fast as 2, and were kept", size.Finding);
    }

    [Fact]
    public void Where_none_may_be_tried_the_number_stays()
    {
        var size = new WorkerCountTuner(3, 0, _clock);
        Pass(size, 1);
        Pass(size, 1);
        Assert.Equal((3, null), (size.Now, size.Finding));
        size.Refuse();
        Assert.Equal((3, null), (size.Now, size.Finding));
    }

    [Fact]
    public void A_stretch_takes_a_second_at_least_and_begins_again_after_a_fault()
    {
        var size = new WorkerCountTuner(2, 4, _clock);
        Pass(size, 0.01);
        Assert.Equal(2, size.Now);
        _clock.Advance(TimeSpan.FromSeconds(1));
        size.Count();
        Assert.Equal(4, size.Now);

        var again = new WorkerCountTuner(2, 4, _clock);
        for (var chunks = (WorkerCountTuner.Unsteady + WorkerCountTuner.Steady) * 2; chunks > 1; chunks--)
        {
            again.Count();
        }

        again.BeginAgain();
        _clock.Advance(TimeSpan.FromSeconds(9));
        again.Count();
        Assert.Equal(2, again.Now);
    }

    [Fact]
    public void A_server_that_gives_no_more_ends_the_trial_but_not_the_usual_number()
    {
        var size = new WorkerCountTuner(2, 8, _clock);
        Pass(size, 0.4);
        Assert.Equal(4, size.Now);
        size.Refuse();
        Assert.Equal(2, size.Now);
        Pass(size, 0.1);
        Assert.Equal((2, null), (size.Now, size.Finding));
    }

    [Fact]
    public void Where_not_even_the_usual_number_is_given_nothing_is_tried()
    {
        var size = new WorkerCountTuner(2, 8, _clock);
        size.Refuse();
        Pass(size, 0.4);
        Pass(size, 0.1);
        Assert.Equal((2, null), (size.Now, size.Finding));
    }
}
