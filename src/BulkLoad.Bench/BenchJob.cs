using System.Runtime.InteropServices;
using BulkLoad.Core.Reports;

namespace BulkLoad.Bench;

/// <summary>Measures, within the request's limits, and leaves nothing behind.</summary>
/// <param name="request">what to measure</param>
/// <param name="progress">called before each run; must be quick</param>
public sealed class BenchJob(BenchRequest request, IProgress<BenchProgress>? progress = null, TimeProvider? time = null)
{
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    /// <summary>
    /// Every <see cref="BulkLoadException"/> after the checks ends up in <see cref="BenchReport.Failure"/>, and what was measured is
    /// reported in any case; a cancelled token ends in <see cref="BenchOutcome.Interrupted"/>.
    /// </summary>
    /// <exception cref="RequestException">it cannot be meant</exception>
    public async Task<BenchReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        request.Validate();
        var (started, start) = (_time.GetUtcNow(), _time.GetTimestamp());
        var runner = new BenchRunner(request.Repeats, progress, _time);
        using var limit = new CancellationTokenSource(request.RunTime, _time);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        var outcome = BenchOutcome.Complete;
        BulkLoadException? failure = null;
        PlannedServer? server = null;
        List<KeyValuePair<string, string>> settings = [.. request.Settings];
        try
        {
            await (request.KeepsThread ? OwnThread.RunAsync(MeasureAsync) : MeasureAsync());
        }
        catch (BulkLoadException fault)
        {
            (outcome, failure) = (BenchOutcome.Failed, fault);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            outcome = cancellationToken.IsCancellationRequested ? BenchOutcome.Interrupted : BenchOutcome.CutShort;
        }

        settings.Add(new(
            "client",
            $"{RuntimeInformation.OSDescription}, {Environment.ProcessorCount} cores, {RuntimeInformation.FrameworkDescription}"));
        return new BenchReport
        {
            Bench = request.Bench,
            Outcome = outcome,
            Failure = failure,
            Server = server,
            Started = started,
            Elapsed = _time.GetElapsedTime(start),
            Settings = settings,
            Sections = runner.Sections,
            Profile = runner.Profile,
            Notes = outcome == BenchOutcome.CutShort
                ? [.. runner.Notes, "the time of --run-time was over: what is missing was not measured"]
                : runner.Notes,
        };

        async Task MeasureAsync()
        {
            await using var place = await BenchPlace.OpenAsync(
                request.Connection with { KeepsThread = request.KeepsThread }, runner.Note, stop.Token);
            server = place.Server;
            settings.AddRange(await place.ReadSettingsAsync(stop.Token));
            await request.Create().RunAsync(place, runner, stop.Token);
        }
    }
}
