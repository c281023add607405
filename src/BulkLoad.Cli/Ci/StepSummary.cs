namespace BulkLoad.Cli.Ci;

/// <summary>GitHub's job summary: what became of each file, as a table of Markdown, appended to the file of GITHUB_STEP_SUMMARY.</summary>
internal static class StepSummary
{
    public static void Write(TextWriter to, CiResult result, Annotations annotations)
    {
        to.WriteLine($"### bulkload {result.Command}: {(result.ExitCode == ExitCode.Done ? "done" : $"exit {(int)result.ExitCode}")}");
        to.WriteLine();
        if (result.Failure is { } failure)
        {
            to.WriteLine(Cell(annotations.FailureOf(failure)));
            to.WriteLine();
        }

        to.WriteLine("| file | table | inserted | updated | unchanged | deleted | rejected | time |");
        to.WriteLine("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
        foreach (var one in result.Cases)
        {
            to.WriteLine($"| {Cell(one.Name)} | {Cell(one.Table)} | {one.Inserted:N0} | {one.Updated:N0} | {one.Unchanged:N0} | "
                + $"{one.Deleted:N0} | {one.Rejected:N0} | {(one.IsSkipped ? "not done" : $"{one.Elapsed.TotalSeconds:0.00} s")} |");
        }

        to.WriteLine();
    }

    /// <summary>Text that is shown as it is.</summary>
    private static string Cell(string text)
    {
        var cell = new StringBuilder();
        foreach (var letter in text)
        {
            cell.Append(letter switch
            {
                '\r' or '\n' => " ",
                '\\' or '|' or '`' or '*' or '_' or '[' or ']' or '#' or '~' => $"\\{letter}",
                '<' => "&lt;",
                '&' => "&amp;",
                _ => letter.ToString(),
            });
        }

        return cell.ToString();
    }
}
