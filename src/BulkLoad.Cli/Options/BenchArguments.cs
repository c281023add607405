using System.CommandLine;
using BulkLoad.Bench;

namespace BulkLoad.Cli.Options;

/// <summary>How much is measured, and within which limits: the same for every bench.</summary>
internal sealed class BenchArguments : ArgumentGroup
{
    private readonly Option<long?>? _rows;
    private readonly Option<int?> _repeat;
    private readonly Option<TimeSpan?> _runTime;
    private readonly Option<long?> _maxSize;
    private readonly Option<string?> _tempFolder;

    /// <param name="rows">another name for <c>--rows</c>, which stands first then; empty: none; null: there is no such option</param>
    /// <param name="defaultRows">for the help</param>
    /// <param name="defaultRepeat">for the help</param>
    public BenchArguments(string? rows = "", string defaultRows = "100k", int defaultRepeat = 5) : base("Measuring")
    {
        _rows = rows is null
            ? null
            : Value(rows.Length > 0
                ? rows
                : "--rows", "SIZE", $"rows of {(rows.Length > 0 ? "each" : "the bench's own")} table (default: {defaultRows})",
                OptionParsers.Size, rows.Length > 0
                ? ["--rows"]
                : []);
        _repeat = Value("--repeat", "N",
            $"runs of each case that are measured, in turn with those it is compared with; one more warms up (default: {defaultRepeat})",
            text => OptionParsers.Whole(text, 1, 1000));
        _runTime = Value(
            "--run-time", "TIME", "end after this time with what was measured by then: exit 8 (default: 10m)", OptionParsers.Time);
        _maxSize = Value(
            "--max-size", "SIZE", "what the bench's tables and files may take at most, as estimated (default: 1Gi)", OptionParsers.Size);
        _tempFolder = Text("--temp-dir", "DIR", "folder for the bench's files, which are removed at the end (default: the system's)");
    }

    /// <summary>The request with what was typed.</summary>
    public T Apply<T>(T request, ParseResult words) where T : BenchRequest => request with
    {
        Rows = (_rows is null ? null : words.GetValue(_rows)) ?? request.Rows,
        Repeats = words.GetValue(_repeat) ?? request.Repeats,
        RunTime = words.GetValue(_runTime) ?? request.RunTime,
        MaxBytes = words.GetValue(_maxSize) ?? request.MaxBytes,
        TempFolder = words.GetValue(_tempFolder) ?? request.TempFolder,
    };
}
