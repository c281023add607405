namespace BulkLoad.Cli.Output;

/// <summary>From values to places on an axis.</summary>
internal sealed class BenchScale
{
    private readonly double _least;
    private readonly double _most;
    private readonly double _from;
    private readonly double _to;

    /// <param name="values">that lie on it; at least one</param>
    /// <param name="isLogarithmic">whether equal factors are equally far apart; values must be above 0 then</param>
    /// <param name="from">the place of the least</param>
    /// <param name="to">the place of the greatest</param>
    public BenchScale(IReadOnlyCollection<double> values, bool isLogarithmic, double from, double to)
    {
        IsLogarithmic = isLogarithmic;
        (_from, _to) = (from, to);
        (_least, _most) = isLogarithmic ? LogarithmicEnds(values.Min(), values.Max()) : (0, LinearEnd(values.Max()));
    }

    public bool IsLogarithmic { get; }

    /// <summary>Values at which the axis is labelled.</summary>
    public IReadOnlyList<double> Ticks => IsLogarithmic ? LogarithmicTicks() : LinearTicks();

    public double Place(double value)
    {
        var share = IsLogarithmic ? Math.Log(Math.Max(value, _least) / _least) / Math.Log(_most / _least) : value / _most;
        return _from + ((_to - _from) * Math.Clamp(share, 0, 1));
    }

    /// <summary>1, 2 or 5 times a power of ten, below the value.</summary>
    private static double RoundDown(double value)
    {
        var power = Math.Pow(10, Math.Floor(Math.Log10(value)));
        return (value / power) switch { >= 5 => 5, >= 2 => 2, _ => 1 } * power;
    }

    private static (double Least, double Most) LogarithmicEnds(double least, double most) =>
        least < most ? (least / 1.15, most * 1.15) : (least / 2, most * 2);

    private static double LinearEnd(double most) => most > 0 ? most * 1.05 : 1;

    private double[] LinearTicks()
    {
        var step = RoundDown(_most / 4);
        return [.. Enumerable.Range(0, (int)(_most / step) + 1).Select(i => i * step)];
    }

    private double[] LogarithmicTicks()
    {
        var (first, last) = ((int)Math.Floor(Math.Log10(_least)), (int)Math.Ceiling(Math.Log10(_most)));
        double[] factors = _most / _least > 1_000 ? [1] : [1, 2, 5];
        return
        [
            .. Enumerable.Range(first, last - first + 1)
                .SelectMany(power => factors.Select(factor => factor * Math.Pow(10, power)))
                .Where(tick => tick >= _least && tick <= _most),
        ];
    }
}
