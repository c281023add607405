using BulkLoad.Core.Options;

namespace BulkLoad.Bench;

/// <summary>Runs cases in turn, after one warm-up run of each; keeps the results even if it is stopped.</summary>
internal sealed class BenchRunner(int repeats, IProgress<BenchProgress>? progress, TimeProvider time)
{
    private readonly List<(BenchSection Section, List<BenchMeasure> Measures)> _sections = [];
    private readonly List<string> _notes = [];
    private int _done;
    private int _planned;

    public IReadOnlyList<BenchSection> Sections =>
    [
        .. _sections.Where(section => section.Measures.Count > 0)
            .Select(section => section.Section with { Measures = [.. section.Measures] }),
    ];

    public IReadOnlyList<string> Notes => _notes;

    public ServerProfile? Profile { get; set; }

    public IReadOnlyList<BenchMeasure> Measured => _sections[^1].Measures;

    public TimeProvider Time => time;

    public bool IsFollowed => progress is not null;

    public void Note(string note) => _notes.Add(note);

    public void Begin(BenchSection section) => _sections.Add((section, []));

    public void Report(string what) => progress?.Report(new BenchProgress(what, _done, _planned));

    /// <summary>Adds a measure that was not made by a case.</summary>
    public void Add(BenchMeasure measure) => _sections[^1].Measures.Add(measure);

    /// <summary>Marks the best of each curve: of those at most 5% slower than the fastest, the one with the smallest X.</summary>
    public void MarkBest()
    {
        var measures = _sections[^1].Measures;
        foreach (var curve in measures
            .Where(measure => measure is { X: not null, Rate: not null })
            .GroupBy(measure => (measure.Group, measure.Name)).ToList())
        {
            var highest = curve.Max(measure => measure.Rate!.Median);
            var best = curve.OrderBy(measure => measure.X).First(measure => measure.Rate!.Median >= highest * 0.95);
            measures[measures.IndexOf(best)] = best with { IsBest = true };
        }
    }

    /// <summary>Measures cases that are compared. A refused one is reported and left out. A cancellation keeps earlier results.</summary>
    public async Task MeasureAsync(string group, IReadOnlyList<BenchCase> cases, CancellationToken cancellationToken)
    {
        var tallies = cases.Select(measured => new Tally(measured)).ToList();
        _planned += tallies.Count(tally => tally.Fault is null) * (repeats + 1);
        try
        {
            foreach (var (round, number) in BenchSchedule.Of(cases.Count, repeats))
            {
                var tally = tallies[number];
                if (tally.Fault is not null)
                {
                    continue;
                }

                Report(group.Length == 0 ? tally.Case.Name : $"{group}: {tally.Case.Name}");
                await RunAsync(tally, round != BenchSchedule.WarmUp, cancellationToken);
                _planned -= tally.Fault is null ? 0 : repeats - round;
                _done++;
            }
        }
        finally
        {
            Keep(group, tallies);
        }
    }

    private async Task RunAsync(Tally tally, bool isMeasured, CancellationToken cancellationToken)
    {
        try
        {
            await tally.Case.PrepareAsync(cancellationToken);
            var start = time.GetTimestamp();
            await tally.Case.RunAsync(cancellationToken);
            var elapsed = tally.Case.Time?.Invoke() ?? time.GetElapsedTime(start);
            await tally.Case.CheckAsync(cancellationToken);
            if (isMeasured)
            {
                tally.Take(elapsed.TotalSeconds);
            }
        }
        catch (OperationCanceledException)
            when (isMeasured && tally.Case is { CountsWhenStopped: true, Time: { } ran } && ran() > TimeSpan.Zero)
        {
            tally.Take(ran().TotalSeconds);
            Note($"the run of {tally.Case.Name} that was stopped counts as far as it came");
            throw;
        }
        catch (BulkLoadException fault)
            when (fault is not ServerException { Kind: FaultKind.SessionLost or FaultKind.CannotConnect } and not ConnectException)
        {
            tally.Fault = FirstLine(fault.Message);
        }
    }

    /// <summary>The other lines of the message are verdicts on other strategies.</summary>
    private static string FirstLine(string message) =>
        message.IndexOf('\n', StringComparison.Ordinal) is > 0 and var end ? message[..end].TrimEnd() : message;

    private void Keep(string group, List<Tally> tallies)
    {
        var unit = tallies.FirstOrDefault(tally => tally.Case.IsUnit)?.SecondsEach;
        var ratioUnit = tallies.FirstOrDefault(tally => tally.Case.IsRatioUnit)?.SecondsEach;
        foreach (var tally in tallies)
        {
            Add(new BenchMeasure
            {
                Group = group,
                Name = tally.Case.Name,
                X = tally.Case.X,
                Amount = tally.Case.Amount,
                Runs = tally.Seconds.Count,
                Seconds = tally.Seconds.Count > 0 ? BenchSpread.Of(tally.Seconds) : null,
                SpeedUp = unit / tally.SecondsEach,
                Ratio = tally.SecondsEach / ratioUnit,
                NotMeasured = tally.Seconds.Count > 0 ? null : tally.Fault ?? "the bench had ended before",
                Values = tally.Values,
            });
        }
    }

    private sealed class Tally(BenchCase measured)
    {
        private readonly Dictionary<string, List<double>> _values = [];

        public BenchCase Case => measured;

        public List<double> Seconds { get; } = [];

        public string? Fault { get; set; } = measured.Unfit;

        /// <summary>The median for one row, call or transaction.</summary>
        public double? SecondsEach => Seconds.Count > 0 && measured.Amount > 0 ? BenchSpread.Of(Seconds).Median / measured.Amount : null;

        public IReadOnlyList<KeyValuePair<string, double>> Values
        {
            get
            {
                var medians = new List<KeyValuePair<string, double>>(_values.Count);
                foreach (var (name, values) in _values)
                {
                    medians.Add(new(name, BenchSpread.Of(values).Median));
                }

                return medians;
            }
        }

        public void Take(double seconds)
        {
            Seconds.Add(seconds);
            foreach (var (name, value) in measured.Values())
            {
                if (!_values.TryGetValue(name, out var list))
                {
                    _values[name] = list = [];
                }

                list.Add(value);
            }
        }
    }
}

internal sealed record BenchCase
{
    public required string Name { get; init; }

    public double? X { get; init; }

    public required long Amount { get; init; }

    /// <summary>Not timed.</summary>
    public Func<CancellationToken, Task> PrepareAsync { get; init; } = _ => Task.CompletedTask;

    public required Func<CancellationToken, Task> RunAsync { get; init; }

    /// <summary>Not timed.</summary>
    public Func<CancellationToken, Task> CheckAsync { get; init; } = _ => Task.CompletedTask;

    public Func<KeyValuePair<string, double>[]> Values { get; init; } = () => [];

    /// <summary>The part of the last run that counts; null: all of it.</summary>
    public Func<TimeSpan>? Time { get; init; }

    /// <summary>Whether a stopped run counts up to the stop, by <see cref="Time"/>.</summary>
    public bool CountsWhenStopped { get; init; }

    /// <summary>Why it cannot run here; null: it can.</summary>
    public string? Unfit { get; init; }

    /// <summary>Whether <see cref="BenchMeasure.SpeedUp"/> of its group is relative to it.</summary>
    public bool IsUnit { get; init; }

    /// <summary>Whether <see cref="BenchMeasure.Ratio"/> of its group is relative to it.</summary>
    public bool IsRatioUnit { get; init; }
}

internal static class BenchSchedule
{
    public const int WarmUp = 0;

    /// <summary>All cases in each round, so slow changes affect all. Each round begins with another case, for other neighbours.</summary>
    public static IEnumerable<(int Round, int Case)> Of(int cases, int repeats)
    {
        for (var round = WarmUp; round <= repeats; round++)
        {
            for (var turn = 0; turn < cases; turn++)
            {
                yield return (round, (turn + Math.Max(0, round - 1)) % cases);
            }
        }
    }
}
