using System.Runtime.InteropServices;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Bench;

internal abstract record BenchRequest
{
    /// <summary>Its database gets the bench's tables.</summary>
    public required ConnectionOptions Connection { get; init; }

    public long Rows { get; init; } = 100_000;

    /// <summary>Measured runs of each case, after one that warms up.</summary>
    public int Repeats { get; init; } = 5;

    /// <summary>After this time the bench ends, and reports what was measured by then.</summary>
    public TimeSpan RunTime { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>Limit for the bench's tables and files, as estimated beforehand.</summary>
    public long MaxBytes { get; init; } = 1L << 30;

    public string TempFolder { get; init; } = Path.GetTempPath();

    public abstract string Bench { get; }

    /// <exception cref="RequestException">the first impossible option; needs neither files nor a server</exception>
    public virtual void Validate()
    {
        RequestException.ThrowIf(
            Connection.Database is null,
            "no database: name with --database the one that bench may make its tables in (bulkload_bench_..., dropped at the end)");

        RequestException.ThrowIf(
            Rows < MinRows || Repeats < 1,
            Repeats < 1 ? "--repeat: the least is 1" : $"--rows: the least is {MinRows}");

        RequireRoom(EstimatedBytes, "--rows");
    }

    private protected virtual long MinRows => 1;

    /// <summary>Greatest size of tables and files at the same time.</summary>
    internal abstract long EstimatedBytes { get; }

    internal abstract IEnumerable<KeyValuePair<string, string>> Settings { get; }

    /// <summary>Whether each session blocks its own thread. Such sessions cannot load.</summary>
    internal virtual bool KeepsThread => false;

    internal abstract IBench Create();

    internal void RequireRoom(long bytes, string option)
    {
        if (bytes > MaxBytes)
        {
            throw new RequestException($"{option}: this takes about {bytes / 1e6:N0} MB, and --max-size allows {MaxBytes / 1e6:#,##0.###} "
                + "MB: ask for less, or allow more");
        }
    }

    private protected static KeyValuePair<string, string> Setting(string name, long value) => new(name, value.ToString());
}

internal abstract record OwnFilesRequest : BenchRequest
{
    /// <summary>The user's own job: its files, form and mapping, into a copy of its table. Null: the bench's own table.</summary>
    public LoadRequest? Load { get; init; }

    public override void Validate()
    {
        base.Validate();
        Load?.Validate();
        RequestException.ThrowIf(
            Load?.Files.Contains(InputPaths.StandardInput) == true,
            "standard input can be read only once, and a bench reads its files again and again: name files");
    }

    internal override IEnumerable<KeyValuePair<string, string>> Settings =>
    [
        Load is null ? Setting("rows", Rows) : new("files", string.Join(", ", Load.Files)), Setting("repeat", Repeats),
    ];
}

internal interface IBench
{
    Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken);
}

/// <summary>Measures within the request's limits, and removes all it has created.</summary>
/// <param name="progress">called before each run; must be quick</param>
internal sealed class BenchJob(BenchRequest request, IProgress<BenchProgress>? progress = null, TimeProvider? time = null)
{
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    /// <summary>After the checks, each <see cref="BulkLoadException"/> becomes <see cref="BenchReport.Failure"/>, and what was measured is
    /// reported; a cancelled token becomes <see cref="BenchOutcome.Interrupted"/>.</summary>
    /// <exception cref="RequestException">an option is impossible</exception>
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

internal static class OwnThread
{
    /// <summary>On a separate thread, as long as it only blocks.</summary>
    public static Task RunAsync(Func<Task> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
}
