using BulkLoad.Core.Reports;
using BulkLoad.Core.Suggesting;

namespace BulkLoad.Cli.Output;

/// <summary>The result of <c>check --suggest</c>: each option with the reason for it, then the command.</summary>
internal static class SuggestText
{
    /// <param name="typed">the command without connection and outputs, and with what an import takes of it</param>
    public static void Write(TextWriter to, SuggestReport report, IReadOnlyList<string> typed)
    {
        void Line(string text) => to.WriteLine(VisibleText.Of(text));

        Line($"{string.Join(", ", report.Files)} for {report.Table}{(report.IsNewTable ? ", which is not there yet" : "")}: "
            + $"{Amounts.Count(report.Records, "record")} "
            + $"read{(report.Faulty > 0 ? $", {Amounts.Count(report.Faulty, "record")} with a fault of the format" : "")}");
        foreach (var guess in report.Guesses)
        {
            Line($"  guessed: {guess}");
        }

        var first = report.Variants[0];
        var isOne = report.Variants.Count == 1;
        var options = EncodingOf(first, isOne).Concat(report.Form).Concat(first.Options).ToList();
        var words = options.ConvertAll(option => option.Shell);
        var width = Math.Min(40, words.Select(TextWidth.Of).DefaultIfEmpty().Max());
        foreach (var (text, option) in words.Zip(options))
        {
            Line($"  {TextWidth.PadRight(text, width)}  {option.Why}");
        }

        if (report.Variants.Count > 1)
        {
            Line("  not sure: the files are not UTF-8, and their words make sense in several encodings");
            foreach (var option in report.Variants.SelectMany(variant => EncodingOf(variant, isOne: false)))
            {
                Line($"    {option.Shell}  {option.Why}");
            }
        }

        foreach (var choice in first.Choices)
        {
            Line($"  not sure: {choice.What}");
            foreach (var alternative in choice.Alternatives)
            {
                var why = alternative.Why.Length > 0 ? $"  {alternative.Why}" : "";
                Line($"    {(alternative.Words.Count == 0 ? "no option" : alternative.Shell)}{why}");
            }
        }

        foreach (var unsolved in first.Unsolved)
        {
            Line($"  {unsolved}");
        }

        if (report.NewColumns.Count > 0)
        {
            var reading = report.Commands.Count > 1 ? "by the first command " : "";
            Line($"  columns {reading}{string.Join(", ", report.NewColumns)}");
        }

        if (report.KeyColumns is [var key, ..])
        {
            Line($"  no value of {key} is there twice: --primary-key {ShellQuoting.Join([key])} makes it the key");
        }

        to.WriteLine();
        Line(Verdict(report));
        foreach (var command in report.Commands)
        {
            Line($"  {ShellQuoting.Join([.. typed, .. command.Words])}");
        }
    }

    /// <param name="isOne">whether no other encoding fits</param>
    private static IEnumerable<SuggestedOption> EncodingOf(SuggestVariant variant, bool isOne) => variant.Encoding is { } encoding
        ? [new SuggestedOption(["--encoding", encoding.Name],
            string.Join(", ", isOne ? encoding.Words : encoding.Telling)
                + (encoding.Share < 1 ? $" ({encoding.Share:P0} of what is beyond ASCII makes sense)" : ""))]
        : [];

    private static string Verdict(SuggestReport report)
    {
        var makes = report.IsNewTable ? ", which makes the table" : "";
        if (report.Commands is [var only])
        {
            return only switch
            {
                { Check.Failure: { } failure } => $"{failure.Message}; as far as known, it is:",
                { TakesAll: true } =>
                    $"{(only.Check.Counts.Read == 1 ? "The one record is" : $"All {Amounts.Count(only.Check.Counts.Read, "record")} are")} "
                        + $"accepted by this command{makes}:",
                _ => $"This command{makes}{(makes.Length > 0 ? "," : "")} takes {Taken(only.Check)}:",
            };
        }

        var what = report.Variants is [{ Choices: [{ Subject: var subject }] }] ? subject : "files";
        var ways = report.Commands.Count == 2 ? "two" : $"{report.Commands.Count}";
        var takes = report.Commands.Count == 2 ? "both take" : "each takes";
        var count = report.Commands[0].Check.Counts.Read;
        var all = count == 1 ? "the one record" : $"all {Amounts.Count(count, "record")}";
        return $"The {what} can be read in {ways} ways, and {takes} {all}. Choose one of these commands{makes}:";
    }

    /// <summary>Counts of a check, with the first refused record.</summary>
    private static string Taken(LoadReport check) =>
        $"{Amounts.Count(check.Counts.Read - check.Counts.Rejected, "record")} and refuses {Amounts.Count(check.Counts.Rejected)} "
            + $"({string.Join(", ", check.RejectsByReason.Select(reason => $"{reason.Key} {reason.Value:N0}"))})"
            + (check.FirstRejects is [var first, ..]
                ? $"; the first: {first.Describe()}" : "");
}
