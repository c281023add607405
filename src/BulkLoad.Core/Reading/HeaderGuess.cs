using System.Globalization;
using System.Text;

namespace BulkLoad.Core.Reading;

/// <summary>Whether the first record of a csv or tsv file holds names, as the format says, or is plainly one of the values.</summary>
internal static class HeaderGuess
{
    /// <summary>Below this, a header is not taken for one unless its names are the table's.</summary>
    public const double LeastConfidence = 0.3;

    /// <summary>From this on, the first line of a file that should have no header is asked about: a name stands above values, and nothing speaks against it.</summary>
    public const double ProvenConfidence = 0.75;

    /// <summary>So often the same line is no header that came again, but a value.</summary>
    private const int OftenRepeated = 2;

    /// <summary>Where nothing else proves the names: that they look like names.</summary>
    /// <exception cref="InputException">they are plainly values</exception>
    public static void Require(SourceLook look)
    {
        if (look.HeaderDoubt is { } doubt)
        {
            throw new InputException(look.FieldNames is null
                ? string.Create(
                    CultureInfo.InvariantCulture,
                    $"{look.Name}: the first line looks like a header ({doubt.Reason}, confidence {doubt.Confidence:0.00}), and the {look.Format.ToString().ToLowerInvariant()} format has none unless it is said: say --header if it has the names, --no-header if it is a record")
                : string.Create(
                CultureInfo.InvariantCulture,
                $"{look.Name}: the first line looks like values, not names ({doubt.Reason}, confidence {doubt.Confidence:0.00} that it is a header): say --no-header if it is a record, --header if it has the names"));
        }
    }

    /// <summary>How sure it is that the sample's header is one; null where it has none, or no names.</summary>
    /// <param name="sample">read with a header</param>
    public static Detection? Judge(SourceSample sample)
    {
        if (sample.FieldNames is not { Count: > 0 } names)
        {
            return null;
        }

        var (supporting, opposing, values) = (0, 0, 0);
        for (var i = 0; i < names.Count; i++)
        {
            var name = Encoding.UTF8.GetBytes(names[i]);
            var column = i < sample.Columns.Count ? sample.Columns[i] : null;
            if (name.Length == 0 || (sample.Records > 0 && PlainValue.IsYear(name)))
            {
                continue;
            }

            var isValue = PlainValue.Is(name);
            supporting += column is { HoldsValues: true } && !isValue ? 1 : 0;
            opposing += column is { SameAsName: > 0 } or { IsOfItsShape: true } || (isValue && column is { HoldsValues: true }) ? 1 : 0;
            values += isValue && column is not ({ SameAsName: > 0 } or { HoldsValues: true }) ? 1 : 0;
        }

        // A line that comes again and again under names of which none stands above values is one of the records.
        var repeated = supporting == 0 && sample.RepeatedHeaders >= OftenRepeated ? sample.RepeatedHeaders : 0;
        opposing += values + repeated;
        var reason = new StringBuilder(string.Create(CultureInfo.InvariantCulture, $"columns with a name above values: {supporting}, that begin with one of their values: {opposing - values - repeated}"));
        if (values > 0)
        {
            reason.Append(CultureInfo.InvariantCulture, $", names that are a number, date, time or address: {values}");
        }

        if (repeated > 0)
        {
            reason.Append(CultureInfo.InvariantCulture, $", the same line again: {repeated}");
        }

        return new Detection(
            "header",
            "yes",
            (supporting + 0.5) / (supporting + opposing + 1),
            reason.ToString())
        {
            IsExpected = true,
        };
    }
}
