using System.Globalization;

namespace BulkLoad.Core.Reading;

/// <summary>
/// Finds the delimiter of a file that is CSV by its name or by nothing, where commas do not make records of it. A file that
/// reads well with commas is never read otherwise.
/// </summary>
internal static class DelimiterGuess
{
    private static readonly char[] Candidates = [';', '\t', '|'];

    /// <summary>The options with the delimiter that was found, if one was looked for and found.</summary>
    /// <param name="name">the input's name, for messages</param>
    /// <param name="options">what the user said</param>
    /// <param name="format">the format that was found</param>
    /// <param name="sampleOf">the input's beginning, read with options</param>
    /// <param name="guesses">takes the guess, where one was made</param>
    /// <exception cref="InputException">several delimiters fit alike</exception>
    public static SourceOptions Apply(
        string name, SourceOptions options, InputFormat format, Func<SourceOptions, SourceSample> sampleOf, List<string> guesses)
    {
        if (format != InputFormat.Csv || options.Format != InputFormat.Auto || options.Delimiter is not null || Fits(sampleOf(options), mostFaulty: 0.5))
        {
            return options;
        }

        var found = new List<(char Delimiter, SourceSample Sample)>();
        foreach (var candidate in Candidates.Where(candidate => candidate != options.Quote && candidate != options.Escape && candidate != options.Comment))
        {
            if (TrySample(sampleOf, options with { Delimiter = candidate }) is { } sample && Fits(sample, mostFaulty: 0.05))
            {
                found.Add((candidate, sample));
            }
        }

        if (found.Count > 1)
        {
            throw new InputException(
                $"{name}: its delimiter cannot be told: {string.Join(", ", found.Select(one => $"{Show(one.Delimiter)} makes {one.Sample.FieldCount} fields"))}; name it with --delimiter");
        }

        if (found is not [var only])
        {
            return options;
        }

        guesses.Add(only.Sample.Records == 0
            ? $"delimiter {Show(only.Delimiter)} (by the header)"
            : string.Create(
                CultureInfo.InvariantCulture,
                $"delimiter {Show(only.Delimiter)} ({only.Sample.Records - only.Sample.Faulty} of the first {only.Sample.Records} records have {only.Sample.FieldCount} fields with it)"));
        return options with { Delimiter = only.Delimiter };
    }

    private static bool Fits(SourceSample sample, double mostFaulty) =>
        sample.FieldCount > 1 && sample.Faulty <= mostFaulty * sample.Records;

    private static SourceSample? TrySample(Func<SourceOptions, SourceSample> sampleOf, SourceOptions options)
    {
        try
        {
            return sampleOf(options);
        }
        catch (InputException)
        {
            // With this one, not even the header can be read.
            return null;
        }
    }

    private static string Show(char delimiter) => delimiter == '\t' ? "tab" : $"'{delimiter}'";
}
