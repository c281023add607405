using BulkLoad.Core.Options;

namespace BulkLoad.Bench;

/// <summary>Runs cases in turn and keeps what was measured, also where it is stopped.</summary>
/// <param name="repeats">runs of each case that are measured; one more warms up</param>
/// <param name="progress">told before each run</param>
internal sealed class BenchRunner(int repeats, IProgress<BenchProgress>? progress, TimeProvider time)
{
    private readonly List<(BenchSection Section, List<BenchMeasure> Measures)> _sections = [];
    private readonly List<string> _notes = [];
    private int _done;
    private int _planned;

    /// <summary>What was measured by now.</summary>
    public IReadOnlyList<BenchSection> Sections =>
    [
        .. _sections.Where(section => section.Measures.Count > 0)
            .Select(section => section.Section with { Measures = [.. section.Measures] }),
    ];

    /// <inheritdoc cref="BenchReport.Notes"/>
    public IReadOnlyList<string> Notes => _notes;

    /// <inheritdoc cref="BenchReport.Profile"/>
    public ServerProfile? Profile { get; set; }

    /// <summary>What was measured of the section that was begun last.</summary>
    public IReadOnlyList<BenchMeasure> Measured => _sections[^1].Measures;

    public TimeProvider Time => time;

    /// <summary>Whether somebody sees what is told.</summary>
    public bool IsFollowed => progress is not null;

    public void Note(string note) => _notes.Add(note);

    /// <summary>Begins a section: what is measured next belongs to it.</summary>
    public void Begin(BenchSection section) => _sections.Add((section, []));

    /// <summary>Says what is being done where that is no run.</summary>
    public void Tell(string what) => progress?.Report(new BenchProgress(what, _done, _planned));

    /// <summary>Adds what was measured in another way.</summary>
    public void Add(BenchMeasure measure) => _sections[^1].Measures.Add(measure);

    /// <summary>Marks the fastest of each curve of the section; where they are closer than a twentieth, the first of them.</summary>
    public void MarkBest()
    {
        var measures = _sections[^1].Measures;
        foreach (var curve in measures
            .Where(measure => measure is { X: not null, Rate: not null })
            .GroupBy(measure => (measure.Group, measure.Name)).ToList())
        {
            var most = curve.Max(measure => measure.Rate!.Median);
            var best = curve.OrderBy(measure => measure.X).First(measure => measure.Rate!.Median >= most * 0.95);
            measures[measures.IndexOf(best)] = best with { IsBest = true };
        }
    }

    /// <summary>
    /// Measures cases that are compared with each other. One that the server refuses is reported and left out. What was measured before
    /// a cancellation is kept.
    /// </summary>
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

                Tell(group.Length == 0 ? tally.Case.Name : $"{group}: {tally.Case.Name}");
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

    /// <summary>The verdicts on other strategies stand behind it.</summary>
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

        /// <summary>The median for one row, call or transaction; null: not measured.</summary>
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
