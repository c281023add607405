using System.Text.Encodings.Web;
using BulkLoad.Bench;

namespace BulkLoad.Cli.Output;

/// <summary>SVG charts that stand in the page itself; the page's classes give the colours.</summary>
internal static class BenchChart
{
    /// <summary>Number of series with a colour; the page has a class s0, s1 ... for each.</summary>
    public const int Colours = 8;

    private const int Width = 860;
    private const int Left = 290;
    private const int Right = 110;
    private const int RowHeight = 26;
    private const int CurveHeight = 300;
    private const int CurveLeft = 74;
    private const int CurveRight = 210;
    private const int Bottom = 44;
    private const int Top = 14;

    /// <summary>Room for a curve's name above its axis.</summary>
    private const int CurveTop = 30;

    /// <summary>From this factor on, a bar would be too short to be seen, and the chart has marks on a logarithmic axis instead.</summary>
    private const double MaxForBars = 60;

    /// <summary>Bars to the median, with the quartiles as a box and minimum and maximum as a line.</summary>
    public static string Bars(string unit, IReadOnlyList<BenchMeasure> measures)
    {
        var measured = measures.Where(measure => measure.Rate is { Min: > 0 }).ToList();
        if (measured.Count == 0)
        {
            return "";
        }

        var height = (measured.Count * RowHeight) + Bottom + Top;
        var isLogarithmic = measured.Max(measure => measure.Rate!.Median) > MaxForBars * measured.Min(measure => measure.Rate!.Median);
        var scale = new BenchScale(
            [.. measured.SelectMany(measure => new[] { measure.Rate!.Min, measure.Rate.Max })], isLogarithmic, Left, Width - Right);
        var svg = Begin(height, $"{unit} a second");
        foreach (var tick in scale.Ticks)
        {
            Line(svg, "grid", scale.Place(tick), Top, scale.Place(tick), height - Bottom + 4);
            Text(svg, "tick", "middle", scale.Place(tick), height - Bottom + 20, Short(tick));
        }

        Text(svg, "axis", "middle", (Left + Width - Right) / 2.0, height - 6, $"{unit}/s{(isLogarithmic ? ", logarithmic" : "")}");
        for (var i = 0; i < measured.Count; i++)
        {
            var rate = measured[i].Rate!;
            var middle = Top + (i * RowHeight) + (RowHeight / 2.0);
            Text(svg, "name", "end", Left - 12, middle + 4, measured[i].Name);
            if (!isLogarithmic)
            {
                Rectangle(svg, "bar", Left, middle - 8, scale.Place(rate.Median) - Left, 16);
            }

            Line(svg, "whisker", scale.Place(rate.Min), middle, scale.Place(rate.Max), middle);
            Rectangle(svg, "box", scale.Place(rate.FirstQuartile), middle - 5,
                Math.Max(1.5, scale.Place(rate.ThirdQuartile) - scale.Place(rate.FirstQuartile)), 10);
            if (isLogarithmic)
            {
                Circle(svg, "dot", scale.Place(rate.Median), middle, 4.5, Tip(measured[i], unit));
            }

            Text(svg, "value", "start", scale.Place(rate.Max) + 8, middle + 4, Short(rate.Median));
        }

        return End(svg);
    }

    /// <summary>A curve a name over <see cref="BenchMeasure.X"/>, with minimum and maximum as lines and the best marked.</summary>
    public static string Curves(string unit, string xName, IReadOnlyList<BenchMeasure> measures)
    {
        var measured = measures.Where(measure => measure is { X: not null, Rate.Min: > 0 }).ToList();
        if (measured.Count == 0)
        {
            return "";
        }

        var curves = measured.GroupBy(measure => measure.Name).ToList();
        var height = Math.Max(CurveHeight, (curves.Count * 20) + Bottom + CurveTop);
        double[] places = [.. measured.Select(measure => measure.X!.Value).Distinct()];
        double[] rates = [.. measured.SelectMany(measure => new[] { measure.Rate!.Min, measure.Rate.Max })];
        var x = new BenchScale(places, places.Min() > 0 && places.Max() >= 8 * places.Min(), CurveLeft, Width - CurveRight);
        var y = new BenchScale(rates, rates.Max() > MaxForBars * rates.Min(), height - Bottom, CurveTop);
        var svg = Begin(height, $"{unit} a second over {xName}");
        Axes(svg, height, x, y, places, $"{xName}{(x.IsLogarithmic ? ", logarithmic" : "")}", unit);
        var labels = Spread(
            [.. curves.Select(curve => y.Place(curve.OrderBy(measure => measure.X).Last().Rate!.Median))], 17, CurveTop, height - Bottom);
        for (var i = 0; i < curves.Count; i++)
        {
            Curve(svg, unit, $"s{i % Colours}", [.. curves[i].OrderBy(measure => measure.X)], x, y, labels[i]);
        }

        return End(svg);
    }

    private static void Axes(StringBuilder svg, int height, BenchScale x, BenchScale y, double[] places, string xName, string unit)
    {
        foreach (var tick in y.Ticks)
        {
            Line(svg, "grid", CurveLeft, y.Place(tick), Width - CurveRight, y.Place(tick));
            Text(svg, "tick", "end", CurveLeft - 8, y.Place(tick) + 4, Short(tick));
        }

        foreach (var place in places.Length <= 12 ? places : x.Ticks)
        {
            Line(svg, "grid", x.Place(place), height - Bottom, x.Place(place), height - Bottom + 5);
            Text(svg, "tick", "middle", x.Place(place), height - Bottom + 19, Short(place));
        }

        Text(svg, "axis", "middle", (CurveLeft + Width - CurveRight) / 2.0, height - 5, xName);
        Text(svg, "axis", "start", 2, Top + 2, $"{unit}/s");
    }

    private static void Curve(
        StringBuilder svg, string unit, string colour, IReadOnlyList<BenchMeasure> measures, BenchScale x, BenchScale y, double label)
    {
        var points = measures.Select(measure => $"{Number(x.Place(measure.X!.Value))},{Number(y.Place(measure.Rate!.Median))}");
        svg.Append($"<polyline class=\"curve {colour}\" points=\"{string.Join(' ', points)}\"/>");
        foreach (var measure in measures)
        {
            var (at, rate) = (x.Place(measure.X!.Value), measure.Rate!);
            Line(svg, $"spread {colour}", at, y.Place(rate.Min), at, y.Place(rate.Max));
            Circle(svg, $"point {colour}", at, y.Place(rate.Median), 3.5, Tip(measure, unit));
            if (measure.IsBest)
            {
                Circle(svg, $"best {colour}", at, y.Place(rate.Median), 9, $"best: {Tip(measure, unit)}");
            }
        }

        var last = measures[^1];
        Line(svg, $"leader {colour}", x.Place(last.X!.Value) + 6, y.Place(last.Rate!.Median), Width - CurveRight + 14, label);
        Text(svg, $"label {colour}", "start", Width - CurveRight + 18, label + 4, last.Name);
    }

    /// <summary>Moves the places apart, in their order, so that each has room.</summary>
    internal static double[] Spread(double[] places, double room, double least, double most)
    {
        var order = Enumerable.Range(0, places.Length).OrderBy(i => places[i]).ToArray();
        var spread = (double[])places.Clone();
        for (var i = 0; i < order.Length; i++)
        {
            spread[order[i]] = Math.Max(spread[order[i]], i == 0 ? least : spread[order[i - 1]] + room);
        }

        for (var i = order.Length - 1; i >= 0; i--)
        {
            spread[order[i]] = Math.Min(spread[order[i]], i == order.Length - 1 ? most : spread[order[i + 1]] - room);
        }

        return spread;
    }

    /// <summary><c>1.2k</c>, <c>350k</c>, <c>2M</c>.</summary>
    internal static string Short(double value)
    {
        var (number, unit) = Math.Abs(value) switch
        {
            >= 999_500 => (value / 1e6, "M"),
            >= 1_000 => (value / 1e3, "k"),
            _ => (value, ""),
        };
        return number.ToString(Math.Abs(number) switch { >= 99.95 => "0", >= 9.995 => "0.#", >= 1 => "0.##", _ => "0.###" }) + unit;
    }

    private static string Tip(BenchMeasure measure, string unit) =>
        $"{measure.Name}{(measure.X is { } x ? $", {Short(x)}" : "")}: {BenchFormat.Figure(measure.Rate?.Median)} {unit}/s "
            + $"({BenchFormat.Figure(measure.Rate?.Min)} to {BenchFormat.Figure(measure.Rate?.Max)}, {Amounts.Count(measure.Runs, "run")})";

    private static StringBuilder Begin(int height, string label) =>
        new StringBuilder().Append(
            $"<svg viewBox=\"0 0 {Width} {height}\" role=\"img\" aria-label=\"{HtmlEncoder.Default.Encode(label)}\">");

    private static string End(StringBuilder svg) => svg.Append("</svg>").ToString();

    private static void Line(StringBuilder svg, string style, double x1, double y1, double x2, double y2) =>
        svg.Append($"<line class=\"{style}\" x1=\"{Number(x1)}\" y1=\"{Number(y1)}\" x2=\"{Number(x2)}\" y2=\"{Number(y2)}\"/>");

    private static void Rectangle(StringBuilder svg, string style, double x, double y, double width, double height) =>
        svg.Append($"<rect class=\"{style}\" x=\"{Number(x)}\" y=\"{Number(y)}\" width=\"{Number(Math.Max(0, width))}\" "
            + $"height=\"{Number(height)}\" rx=\"2\"/>");

    private static void Circle(StringBuilder svg, string style, double x, double y, double radius, string tip) =>
        svg.Append($"<circle class=\"{style}\" cx=\"{Number(x)}\" cy=\"{Number(y)}\" "
            + $"r=\"{Number(radius)}\"><title>{HtmlEncoder.Default.Encode(tip)}</title></circle>");

    private static void Text(StringBuilder svg, string style, string anchor, double x, double y, string text) =>
        svg.Append($"<text class=\"{style}\" text-anchor=\"{anchor}\" x=\"{Number(x)}\" "
            + $"y=\"{Number(y)}\">{HtmlEncoder.Default.Encode(text)}</text>");

    private static string Number(double value) => value.ToString("0.#");
}

/// <summary>Turns values into places on an axis.</summary>
internal sealed class BenchScale
{
    private readonly double _least;
    private readonly double _most;
    private readonly double _from;
    private readonly double _to;

    /// <param name="values">of the axis; at least one</param>
    /// <param name="isLogarithmic">whether equal factors have equal distances; then values must be above 0</param>
    /// <param name="from">place of the minimum</param>
    /// <param name="to">place of the maximum</param>
    public BenchScale(IReadOnlyCollection<double> values, bool isLogarithmic, double from, double to)
    {
        IsLogarithmic = isLogarithmic;
        (_from, _to) = (from, to);
        (_least, _most) = isLogarithmic ? LogarithmicEnds(values.Min(), values.Max()) : (0, LinearEnd(values.Max()));
    }

    public bool IsLogarithmic { get; }

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

    private static (double Min, double Max) LogarithmicEnds(double least, double most) =>
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
