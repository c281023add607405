using BulkLoad.Core.Suggesting;

namespace BulkLoad.Cli.Output;

/// <summary>What <c>check --suggest</c> has found, for people: each option with what shows it, then the command.</summary>
internal static class SuggestText
{
    private const int MostLines = 4;

    /// <param name="typed">the command as far as it was typed, without connection and outputs, and what an import takes of it</param>
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
        var options = EncodingOf(first, isOne).Concat(first.Options).ToList();
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
            var reading = first.Choices.Count > 0 || !isOne ? "by the first command " : "";
            Line($"  columns {reading}{string.Join(", ", report.NewColumns)}");
        }

        if (report.KeyColumns is [var key, ..])
        {
            Line($"  no value of {key} is there twice: --primary-key {ShellWords.Join([key])} makes it the key");
        }

        to.WriteLine();
        Line(Verdict(report));
        foreach (var line in Commands(report, typed))
        {
            to.WriteLine($"  {VisibleText.Of(line)}");
        }
    }

    /// <summary>One command for each combination of what is not sure, the usual one first.</summary>
    private static IEnumerable<string> Commands(SuggestReport report, IReadOnlyList<string> typed) => report.Variants.SelectMany(variant =>
    {
        IEnumerable<IEnumerable<string>> lines = [[.. typed, .. report.IsNewTable
            ? ["--create"]
            : (string[])[], .. EncodingOf(variant, isOne: true).Concat(variant.Options).SelectMany(option => option.Words)]];
        foreach (var choice in variant.Choices)
        {
            lines = lines.SelectMany(line => choice.Alternatives, (line, alternative) => line.Concat(alternative.Words));
        }

        return lines.Take(MostLines).Select(ShellWords.Join);
    });

    /// <param name="isOne">whether there is no other encoding, from which it must be told apart</param>
    private static IEnumerable<SuggestedOption> EncodingOf(SuggestVariant variant, bool isOne) => variant.Encoding is { } encoding
        ? [new SuggestedOption(["--encoding", encoding.Name],
            string.Join(", ", isOne ? encoding.Words : encoding.Telling)
                + (encoding.Share < 1 ? $" ({encoding.Share:P0} of the words beyond ASCII make sense)" : ""))]
        : [];

    private static string Verdict(SuggestReport report)
    {
        var isOne = report.Variants is [{ Choices.Count: 0 }];
        var command = isOne ? "this command" : "the first of these commands, one for each way to read the files,";
        return report.Check switch
        {
            null when report.Variants[0].Unsolved.Count == 0 =>
                isOne ? "This command makes the table and loads the files" : "One of these commands makes the table and loads the files",
            { Failure: { } failure } => $"{failure.Message}; as far as known, it is",
            { Counts.Rejected: > 0 } check =>
                $"{char.ToUpperInvariant(command[0])}{command[1..]} takes "
                    + $"{Amounts.Count(check.Counts.Read - check.Counts.Rejected, "record")} and refuses "
                    + $"{Amounts.Count(check.Counts.Rejected)} "
                    + $"({string.Join(", ", check.RejectsByReason.Select(reason => $"{reason.Key} {reason.Value:N0}"))}; leave out "
                    + "--suggest to see them)",
            { } check =>
                $"{(check.Counts.Read == 1 ? "The one record is" : $"All {Amounts.Count(check.Counts.Read, "record")} are")} accepted by "
                    + $"{command.TrimEnd(',')}",
            _ => "As far as known, it is",
        } + ":";
    }
}
