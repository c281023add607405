using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>The one line of a report that says what to type next. Advice after an error is below its message.</summary>
internal static class ReportHints
{
    private const string NotSaved = "rejected records were not saved; use --reject-file to keep them";

    /// <summary>Reasons that an option for encodings or notations can remove.</summary>
    private static readonly string[] OtherForms = ["invalid-text", "not-a-date", "not-a-number", "not-a-time", "not-an-integer"];

    /// <returns>null: there is nothing to do, or the report or its error has said what</returns>
    public static string? Of(LoadReport report, TypedCommand? typed) => report switch
    {
        { Plan: null } => null,
        { Plan: { } plan } when plan.Mode == JobMode.Verify =>
            report is { Outcome: LoadOutcome.Complete, RejectFile: null, FirstRejects.Count: > 0 } ? NotSaved : null,
        { Preview.Stop: not null, RejectsByReason: { Count: 1 } only } when only.ContainsKey("not-found") && typed is not null =>
            $"to pass over keys that no row has: {typed.LineOf(new WayOn("") { Words = ["--ignore-missing"] })}",
        { Preview: not null, IsBeyondMaxRejects: false } => "run the same command without --preview to do it",
        { Outcome: not LoadOutcome.Complete } => null,
        { Plan.Mode.JudgesOnly: true } => OfCheck(report, typed),
        { RejectFile: { } file } => $"fix them there, then: {Again(report.Plan, OfRejects(typed), file)}",
        { FirstRejects.Count: > 0 } => NotSaved,
        _ => null,
    };

    /// <summary>The command that takes a full refresh back.</summary>
    public static string Of(UndoWords undo, TypedCommand? typed) => ShellQuoting.Join(
        ["bulkload", .. undo.Words, .. typed?.Connection ?? []]);

    private static string? OfCheck(LoadReport report, TypedCommand? typed) => report switch
    {
        _ when !CanBeReadAgain(typed) => report is { RejectFile: null, FirstRejects.Count: > 0 } ? NotSaved : null,
        _ when AreOtherForms(report) => $"to find options that take them: {Command("check", typed, typed?.Files, ["--suggest"])}",
        { IsBeyondMaxRejects: true } =>
            "an import would stop at the first of them; to load the others"
                + (report.Counts.Undecided > 0 ? ", if the server takes all: " : ": ")
                + Command("import", typed, typed?.Files, ["--max-rejects", report.Counts.Rejected.ToString(CultureInfo.InvariantCulture)]),
        { Counts.Rejected: > 0 } => $"to load the others: {Command("import", typed, typed?.Files, typed?.Rejects)}",
        { Counts.Undecided: > 0 } =>
            $"to ask the server: {Command("check", typed, typed?.Files, [.. typed?.Rejects ?? [], "--on-server"])}",
        _ => $"to load them: {Command("import", typed, typed?.Files)}",
    };

    /// <summary>Whether most rejects may be values in another notation.</summary>
    private static bool AreOtherForms(LoadReport report) =>
        2 * report.RejectsByReason.Where(reason => OtherForms.Contains(reason.Key)).Sum(reason => reason.Value) > report.Counts.Rejected;

    private static string Again(LoadPlan plan, TypedCommand? typed, string file) => plan.Kind switch
    {
        JobKind.Update => Command("update", typed, [file], typed?.Again),
        JobKind.Delete => Command("delete", typed, plan.Sources is [{ Format: "keys" }, ..] ? ["--ids", file] : [file], typed?.Again),

        // The table was named after the input.
        _ => Command("import", typed, [file],
            typed?.Options.Contains("--table") == true ? typed.Again : [.. typed?.Again ?? [], "--table", plan.Table]),
    };

    /// <summary>Refused objects are written without what is around them.</summary>
    private static TypedCommand? OfRejects(TypedCommand? typed) =>
        typed?.Options.ToList().IndexOf("--json-path") is >= 0 and var at
            ? typed with { Options = [.. typed.Options.Take(at), .. typed.Options.Skip(at + 2)] } : typed;

    /// <summary>A next command would find the pipe of the one before empty.</summary>
    private static bool CanBeReadAgain(TypedCommand? typed) =>
        typed?.Files.Any(file => file == InputPaths.StandardInput || file.StartsWith("/dev/", StringComparison.Ordinal)) != true;

    private static string Command(
        string command, TypedCommand? typed, IReadOnlyList<string>? files, IReadOnlyList<string>? more = null) =>
        ShellQuoting.Join(["bulkload", command, .. files ?? [], .. typed?.Options ?? [], .. more ?? []]);
}
