using BulkLoad.Core.Rows;
using BulkLoad.Core.Suggesting;

namespace BulkLoad.Core.Jobs;

/// <summary>For a refused key the option that says what becomes of it; for a refused value the one by which the column's values can be
/// read, where they all are written in one way.</summary>
internal static class FormatHint
{
    private const int MostRecords = 10_000;

    private static readonly HashSet<string> Codes = ["not-a-date", "not-a-time", "not-a-number", "not-an-integer", "impossible-date",
        "has-time"];

    /// <summary>Which of two words is true is not for a message to ask.</summary>
    private static bool IsOfWords(SuggestedOption way) => way.Words[0] is "--true" or "--false";

    /// <summary>Looks at the first records again.</summary>
    /// <returns>the fault, with the option where there is one</returns>
    public static RejectLimitException AddTo(
        RejectLimitException fault, Reject? reject, PreparedJob job, CancellationToken cancellationToken)
    {
        if (reject is { Code: "duplicate-key" } && job.Request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Error }
            && fault.Message.EndsWith(')'))
        {
            return new RejectLimitException($"{fault.Message[..^1]}; or add --on-duplicate ignore or update)");
        }

        return fault.Message.EndsWith(')') && Of(reject, job, cancellationToken) is { } ways
            ? new RejectLimitException($"{fault.Message[..^1]}; or add {ways})")
            : fault;
    }

    /// <summary>Looks at the first records again.</summary>
    /// <returns>the options by which values such as the refused one can be read, and how many they take; null: there are none</returns>
    public static string? Of(Reject? reject, PreparedJob job, CancellationToken cancellationToken)
    {
        var source = job.Sources.FirstOrDefault(source => source.Look.Name == reject?.Source);
        if (reject?.Column is not { } column || source is not { CanReadAgain: true } || !Codes.Contains(reject.Code))
        {
            return null;
        }

        var survey = new Survey(job.Request, job.Facts.Server.Zone);
        survey.Read(source, column, MostRecords, cancellationToken);
        var composer = new Composer(survey.Columns);
        composer.Compose();
        string[] ways = [.. composer.Options.Concat(composer.Choices is [var choice]
            ? choice.Alternatives.Where(way => way.Words.Count > 0 && !IsOfWords(way))
            : []).Select(option => option.Shell)];
        if (ways.Length is 0 or > 3 || composer.Unsolved.Count > 0)
        {
            return null;
        }

        if (composer.Formats.Count == 0)
        {
            return string.Join(' ', ways);
        }

        var (values, records) = (survey.Columns.Sum(study => study.Values), survey.Records);
        var all = $"{Plural.All(values, "value")} of "
            + (records >= MostRecords ? Plural.First(records, "record")
                : records == 1 ? "the one record" : $"the {Plural.Count(records, "record")}");
        var takes = composer.Choices.Count > 0 ? "both take" : ways.Length == 1 ? "takes" : "together take";
        return $"{string.Join(composer.Choices.Count > 0 ? " or " : " ", ways)}, which {takes} {all}";
    }
}
