using System.IO.Hashing;
using System.Text.Json;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Rows;

namespace BulkLoad.Cli.Ci;

/// <summary>Marks bad records in the files where CI systems show them.</summary>
/// <param name="root">the repository's folder, which paths are relative to; null: the working directory</param>
/// <param name="hidesValues">whether values are left out</param>
internal sealed class Annotations(string? root, bool hidesValues)
{
    /// <summary>GitLab takes an artifact by this name.</summary>
    public const string GitLabFile = "gl-code-quality-report.json";

    /// <summary>GitHub shows so many errors of a step ("Workflow commands for GitHub Actions" and its limits).</summary>
    public const int MaxForGitHub = 10;

    /// <summary>GitHub's workflow commands, as "Workflow commands for GitHub Actions" has them: <c>::error
    /// file=...,line=...,title=...::message</c>.</summary>
    public IEnumerable<string> GitHub(CiResult result)
    {
        var shown = 0;
        foreach (var reject in result.Cases.SelectMany(one => one.Rejects).Take(MaxForGitHub))
        {
            shown++;
            var line = reject.Line > 0 ? $",line={reject.Line}" : "";
            yield return $"::error file={Property(PathOf(reject.Source))}{line},title={Property(TitleOf(reject))}"
                + $"::{Data(MessageOf(reject))}";
        }

        var rejected = result.Cases.Sum(one => one.Rejected);
        if (result.Failure is { } failure && shown == 0)
        {
            yield return $"::error title=bulkload {Property(result.Command)}::{Data(WholeOf(failure, result))}";
        }

        if (rejected > shown)
        {
            var more = $"{rejected - shown} more {Plural.For(rejected - shown, "record was", "records were")} refused";
            yield return $"::warning title=bulkload {Property(result.Command)}::{more}";
        }
    }

    /// <summary>GitLab's code quality report: the required members ("Code Quality", "Code Quality report format").</summary>
    public void GitLab(Stream to, CiResult result)
    {
        using var json = new Utf8JsonWriter(to, JsonOutput.OneLine with { Indented = true });
        json.WriteStartArray();
        foreach (var reject in result.Cases.SelectMany(one => one.Rejects))
        {
            Issue(json, $"{TitleOf(reject)}: {MessageOf(reject)}", reject.Code, PathOf(reject.Source), Math.Max(1, reject.Line));
        }

        if (result.Failure is { } failure && result.Cases.All(one => one.Rejects.Count == 0))
        {
            var first = result.Cases.FirstOrDefault(one => one.Failure is not null) ?? (result.Cases.Count > 0 ? result.Cases[0] : null);
            Issue(json, WholeOf(failure, result), "failed", PathOf(first?.Name.Split(", ")[0] ?? "."), 1);
        }

        json.WriteEndArray();
    }

    public string MessageOf(Reject reject) =>
        hidesValues ? $"{reject.Code}{(reject.Column is { } column ? $" in column '{column}'" : "")} (record {reject.Record})"
        : $"{(reject.Column is { } named ? $"column '{named}': " : "")}{reject.Message}";

    /// <summary>A failure's message can quote the files.</summary>
    public string FailureOf(string message) => hidesValues ? "it failed; standard error says why" : message;

    /// <summary>A line each; advice can quote the files too.</summary>
    public IReadOnlyList<string> AdviceOf(CiResult result) => hidesValues ? [] : result.Advice;

    private string WholeOf(string message, CiResult result) => string.Join('\n', [FailureOf(message), .. AdviceOf(result)]);

    /// <summary>Relative to the repository.</summary>
    public string PathOf(string source)
    {
        var relative = Path.GetRelativePath(root ?? Directory.GetCurrentDirectory(), Path.GetFullPath(source)).Replace('\\', '/');
        return relative.StartsWith("../", StringComparison.Ordinal) ? source : relative;
    }

    private static string TitleOf(Reject reject) => reject.Code;

    private static void Issue(Utf8JsonWriter json, string description, string check, string path, long line)
    {
        json.WriteStartObject();
        json.WriteString("description", description);
        json.WriteString("check_name", check);
        json.WriteString(
            "fingerprint", Convert.ToHexStringLower(XxHash128.Hash(Encoding.UTF8.GetBytes($"{path}\0{line}\0{check}\0{description}"))));
        json.WriteString("severity", "major");
        json.WriteStartObject("location");
        json.WriteString("path", path);
        json.WriteStartObject("lines");
        json.WriteNumber("begin", line);
        json.WriteEndObject();
        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static string Data(string text) =>
        text.Replace("%", "%25", StringComparison.Ordinal).Replace("\r", "%0D", StringComparison.Ordinal)
            .Replace("\n", "%0A", StringComparison.Ordinal).Replace("##[", @"#\#[", StringComparison.Ordinal);

    private static string Property(string text) =>
        Data(text).Replace(":", "%3A", StringComparison.Ordinal).Replace(",", "%2C", StringComparison.Ordinal);
}

/// <summary>GitHub's job summary: a table of Markdown with the result of each file, appended to the file of GITHUB_STEP_SUMMARY.</summary>
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
            foreach (var line in annotations.AdviceOf(result))
            {
                to.WriteLine($"- {Cell(line)}");
            }

            if (annotations.AdviceOf(result).Count > 0)
            {
                to.WriteLine();
            }
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

    /// <summary>Escapes Markdown.</summary>
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
