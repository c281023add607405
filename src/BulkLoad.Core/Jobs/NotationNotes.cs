using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Suggesting;

namespace BulkLoad.Core.Jobs;

/// <summary>Values that are taken, and may mean something else: 3.500, which in many countries is 3500; dates that a new column keeps as
/// text.</summary>
internal static class NotationNotes
{
    private const int MostRecords = 1000;
    private const int MostColumns = 10;

    /// <summary>Looks at the first records of the first input that can be read again.</summary>
    /// <returns>sentences for people; none where nothing may be misread</returns>
    public static IReadOnlyList<string> Of(LoadFacts facts, IReadOnlyList<LoadSource> sources, CancellationToken cancellationToken)
    {
        var formats = facts.Request.Values.Formats;
        if (sources.FirstOrDefault(source => source.CanReadAgain) is not { Look.Format: InputFormat.Csv or InputFormat.Tsv } source)
        {
            return [];
        }

        var numbers = source.Mapping.Columns
            .Where(column => IsFractional(column) && !formats.Any(format => IsOfNumbers(format, column.Name)))
            .Where(column => column is { Kind: ColumnKind.Decimal, Scale: < 3 } || source.Look.Delimiter == ';').ToList();
        var made = (facts.NewTable?.Columns ?? facts.AddedColumns?.Columns ?? [])
            .Select(column => column.Column).ToHashSet(StringComparer.OrdinalIgnoreCase);
        var texts = source.Mapping.Columns.Where(column => column.IsCharacter && made.Contains(column.Name)).ToList();
        try
        {
            return [.. Grouped(facts, source, numbers, cancellationToken), .. OfText(facts, source, texts, cancellationToken)];
        }
        catch (InputException)
        {
            // The job meets it too, and says what was committed before it.
            return [];
        }
    }

    private static bool IsFractional(TableColumn column) => column.Kind is ColumnKind.Decimal or ColumnKind.Float or ColumnKind.Double;

    private static bool IsOfNumbers(ValueFormat format, string column) =>
        format.Aspect is ValueAspect.DecimalPoint or ValueAspect.Thousands
            && (format.Column is null || format.Column.Equals(column, StringComparison.OrdinalIgnoreCase));

    /// <summary>Numbers with a point in which it may be between thousands, every one.</summary>
    private static IEnumerable<string> Grouped(
        LoadFacts facts, LoadSource source, List<TableColumn> columns, CancellationToken cancellationToken)
    {
        if (columns.Count == 0)
        {
            yield break;
        }

        var studies = source.Mapping.Columns.Select((column, i) => (column.Name, Field: source.Mapping.FieldOf[i], Study: new GroupStudy()))
            .Where(one => columns.Exists(column => column.Name == one.Name)).ToList();
        using var input = source.Open(facts.Request.Source, cancellationToken);
        using var reader = source.CreateReader(input, facts.Request.Source);
        for (var records = 0; records < MostRecords && reader.Read(); records++)
        {
            if (reader.Fault is null)
            {
                foreach (var (_, field, study) in studies)
                {
                    reader.GetField(field, out var value);
                    study.Add(value);
                }
            }
        }

        if (studies.Where(one => one.Study.Example is not null).ToList() is { Count: > 0 } found)
        {
            yield return $"{Names(found.Select(one => one.Name))}: {found[0].Study.Example} is read with a decimal point; "
                + "every point is before three digits, and may be between thousands: then add --decimal , --thousands .";
        }
    }

    private static IEnumerable<string> OfText(
        LoadFacts facts, LoadSource source, List<TableColumn> columns, CancellationToken cancellationToken)
    {
        if (columns.Count == 0)
        {
            return [];
        }

        var survey = new Survey(facts.Request, facts.Server.Zone);
        survey.ReadAsNew(source, columns, MostRecords, cancellationToken);
        return survey.Columns.Where(study => study is { Values: > 0, IsPlain: false }).Select(Describe).OfType<string>().Take(MostColumns);
    }

    /// <summary>A column by itself: what others are says nothing of it.</summary>
    private static string? Describe(FieldStudy study)
    {
        var composer = new Composer([study]);
        composer.Compose();
        if (composer.Unsolved.Count > 0 || composer.Formats is not [var format, ..]
            || format.Aspect is ValueAspect.True or ValueAspect.False)
        {
            return null;
        }

        var ways = composer.Choices is [var choice] ? choice.Alternatives.Where(way => way.Words.Count > 0) : composer.Options;
        var options = string.Join(" or ", ways.Select(way => way.Shell).Distinct().Take(3));
        return $"{study.Name}: values such as {study.Example} are kept as text; "
            + $"{(format.Aspect <= ValueAspect.Time ? "a date or time" : "a number")} with {options}";
    }

    private static string Names(IEnumerable<string> names) => string.Join(", ", names.Take(MostColumns));

    /// <summary>Whether all points in a column's values may be between thousands.</summary>
    private sealed class GroupStudy
    {
        private bool _isOther;
        private string? _example;

        /// <summary>The first value with a point; null: there is none, or a value shows that points are decimal or thousands not
        /// grouped.</summary>
        public string? Example => _isOther ? null : _example;

        public void Add(ReadOnlySpan<byte> value)
        {
            if (_isOther)
            {
                return;
            }

            var digits = value.Length > 0 && value[0] is (byte)'-' or (byte)'+' ? value[1..] : value;
            var point = digits.IndexOf((byte)'.');
            if (point < 0)
            {
                _isOther = digits.Length > 3 && digits.IndexOfAnyExceptInRange((byte)'0', (byte)'9') < 0;
                return;
            }

            _isOther = point is 0 or > 3 || digits[0] == '0' || digits.Length != point + 4
                || digits[(point + 1)..].IndexOfAnyExceptInRange((byte)'0', (byte)'9') >= 0;
            _example ??= Encoding.UTF8.GetString(value);
        }
    }
}
