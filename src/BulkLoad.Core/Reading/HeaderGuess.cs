using System.Globalization;
using System.Text;

namespace BulkLoad.Core.Reading;

/// <summary>Whether the first record of a csv or tsv file holds names, as the format says, or is plainly one of the values.</summary>
internal static class HeaderGuess
{
    /// <summary>Below this, a header is not taken for one unless its names are the table's.</summary>
    public const double LeastConfidence = 0.3;

    /// <summary>Where nothing else proves the names: that they look like names.</summary>
    /// <exception cref="InputException">they are plainly values</exception>
    public static void Require(SourceLook look)
    {
        if (look.HeaderDoubt is { } doubt)
        {
            throw new InputException(string.Create(
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

        var (supporting, opposing) = (0, 0);
        for (var i = 0; i < Math.Min(names.Count, sample.Columns.Count); i++)
        {
            var name = Encoding.UTF8.GetBytes(names[i]);
            var column = sample.Columns[i];
            if (name.Length == 0 || PlainValue.IsYear(name))
            {
                continue;
            }

            var isValue = PlainValue.Is(name);
            supporting += column.HoldsValues && !isValue ? 1 : 0;
            opposing += (column.HoldsValues && isValue) || column.SameAsName > 0 ? 1 : 0;
        }

        return new Detection(
            "header",
            "yes",
            (supporting + 0.5) / (supporting + opposing + 1),
            string.Create(CultureInfo.InvariantCulture, $"columns with a name above values: {supporting}, that begin with one of their values: {opposing}"))
        {
            IsExpected = true,
        };
    }
}
