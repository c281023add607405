using System.CommandLine;
using BulkLoad.Bench;
using BulkLoad.Bench.Oltp;
using BulkLoad.Core.Options;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

/// <summary>How much is measured, and within which limits: the same for every bench.</summary>
internal sealed class BenchArguments : OptionGroup<BenchRequest>
{
    /// <param name="rows">another name for <c>--rows</c>, which then comes first; empty: none; null: there is no such option</param>
    /// <param name="defaultRows">for the help</param>
    /// <param name="defaultRepeat">for the help</param>
    public BenchArguments(string? rows = "", string defaultRows = "100k", int defaultRepeat = 5) : base("Measuring")
    {
        if (rows is "")
        {
            Value("--rows", "SIZE", $"rows of the bench's own table (default: {defaultRows})",
                None, OptionParsers.Size, (request, count) => request with { Rows = count });
        }
        else if (rows is not null)
        {
            Value(rows, "SIZE", $"rows of each table (default: {defaultRows})",
                None, OptionParsers.Size, (request, count) => request with { Rows = count }, "--rows");
        }

        Value("--repeat", "N",
            $"runs of each case that are measured, in turn with those it is compared with; one more warms up (default: {defaultRepeat})",
            None, text => TypedValue.Whole(text, 1, 1000), (request, repeats) => request with { Repeats = repeats });
        Value("--run-time", "TIME", "end after this time with what was measured by then: exit 8 (default: 10m)",
            None, OptionParsers.Time, (request, time) => request with { RunTime = time });
        Value("--max-size", "SIZE", "what the bench's tables and files may take at most, as estimated (default: 1Gi)",
            None, OptionParsers.Size, (request, bytes) => request with { MaxBytes = bytes });
        Text("--temp-dir", "DIR", "folder for the bench's files, which are removed at the end (default: the system's)",
            None, (request, folder) => request with { TempFolder = folder });
    }
}

internal sealed record BenchOutputSettings : OutputSettings
{
    public string? Json { get; init; }

    public string? Csv { get; init; }

    public string? Html { get; init; }

    public string? Profile { get; init; }
}

internal sealed class BenchOutputArguments : OptionGroup<BenchOutputSettings>
{
    /// <param name="writesProfile">whether the bench finds something that imports can be planned with</param>
    public BenchOutputArguments(bool writesProfile = false) : base("Output", NextCommand.None)
    {
        if (writesProfile)
        {
            Output("--profile", "write what was found as a profile for import --profile",
                None, (typed, file) => typed with { Profile = file });
        }

        Output("--json", "also write the figures as JSON; see docs/cli-json.md", None, (typed, file) => typed with { Json = file })
            .InShortHelp(340);
        Output("--csv", "also write them as CSV, one line per measure", None, (typed, file) => typed with { Csv = file });
        Output("--html", "also write a page with charts: one file that needs no other",
            None, (typed, file) => typed with { Html = file })
            .InShortHelp(350);
        Flag("--overwrite", "replace these files if they exist", None, typed => typed with { Overwrite = true });
        Value("--progress", "WHEN", "auto (default: where standard error is a terminal), always, never",
            None, text => TypedValue.Choice(text, OutputArguments.ProgressModes), (typed, mode) => typed with { Progress = mode });
        Flag("--quiet", "print no table on success", None, typed => typed with { IsQuiet = true }).AlsoCalled("-q --silent -s");
    }

    public BenchOutputSettings Bind(ParseResult words)
    {
        var typed = Apply(new BenchOutputSettings(), words);
        (string, string?)[] files = [("--json", typed.Json), ("--csv", typed.Csv), ("--html", typed.Html), ("--profile", typed.Profile)];
        return files.FirstOrDefault(file => file.Item2 is "").Item1 is { } option
            ? throw new RequestException($"{option}: the file name is empty")
            : typed;
    }
}

/// <summary>A user's own files for a bench, and their table.</summary>
internal sealed class OwnFileArguments
{
    private readonly OptionGroup<LoadRequest>[] _groups =
        [new TargetArguments(makesRows: false), new SourceArguments(), new MappingArguments()];

    public Argument<string[]> Files { get; } = new("FILE")
    {
        Arity = ArgumentArity.ZeroOrMore,
        Description = "your own files, for an empty copy of --table; without them, the bench's own table",
    };

    /// <summary>In the order of the help.</summary>
    public IReadOnlyList<OptionGroup> Groups => _groups;

    /// <summary>The import of these files; null: no file was named.</summary>
    /// <exception cref="RequestException">files without a table, or a table without files</exception>
    public LoadRequest? Bind(ConnectionOptions connection, ParseResult words) =>
        (words.GetValue(Files) ?? [], words.GetValue<string>(TargetArguments.Table)) switch
        {
            ([], null) => null,
            ([], _) => throw new RequestException("--table is for a file of your own: name the file too, or leave the table out"),
            (_, null) => throw new RequestException(
                "no table: name with --table the one that your files are for; the bench works on a copy of it"),
            var (files, _) => _groups.Aggregate(
                new LoadRequest { Files = files, Connection = connection }, (request, group) => group.Apply(request, words)),
        };
}

internal sealed class BatchRowsArguments : OptionGroup<IReadOnlyList<long>>
{
    public BatchRowsArguments(string description = "rows of a batch, each number measured (default: 100,1000,10000)") : base("Batches") =>
        Value("--batch-rows", "LIST", description, None, OptionParsers.Sizes, (_, rows) => rows);
}

internal sealed class CallsArguments : OptionGroup<CallsRequest>
{
    public CallsArguments() : base("Calls") =>
        Value("--calls", "SIZE", "calls of one run where they are short; fewer where they are long (default: 2k)", None,
            text => OptionParsers.SmallSize(text) is > 0 and <= 1_000_000 and var count
                ? count
                : throw new FormatException($"'{text}' is not a number of calls from 1 to 1M"),
            (request, calls) => request with { Calls = calls });
}

internal sealed class SizesArguments : OptionGroup<SizesRequest>
{
    public SizesArguments() : base("Sizes")
    {
        Value("--statement-rows", "LIST", "rows per statement (default: 1,10,40,100,1000,5000,10000); empty for none",
            None, OptionParsers.Sizes, (request, rows) => request with { StatementRows = rows });
        Value("--statement-bytes", "LIST", "bytes per statement (default: 16Ki,64Ki,256Ki,1Mi,4Mi,16Mi); empty for none",
            None, OptionParsers.Sizes, (request, bytes) => request with { StatementBytes = bytes });
        Value("--latency", "LIST",
            "also measure rows per statement over longer routes: milliseconds that a relay in this program adds to a round trip, such "
                + "as 0.1,1,10,50ms",
            None, OptionParsers.Latencies, (request, latencies) => request with { Latencies = latencies });
    }
}

internal sealed class OltpArguments : OptionGroup<OltpRequest>
{
    private static readonly (string, OltpWorkload)[] Workloads = [.. OltpWorkload.All.Select(workload => (workload.Name, workload))];

    public OltpArguments() : base("Transactions")
    {
        Value("--workload", "LIST",
            $"what is measured: {string.Join(", ", OltpWorkload.All.Select(workload => workload.Name))} (default: read-write)", None,
            text => text.Split(',', StringSplitOptions.TrimEntries).Select(name => TypedValue.Choice(name, Workloads)).ToArray(),
            (request, workloads) => request with { Workloads = workloads });
        Value("--tables", "N", "tables (default: 1)",
            None, text => TypedValue.Whole(text, 1, 1000), (request, tables) => request with { Tables = tables });
        Value("--threads", "LIST", "sessions that work at a time; each number is measured (default: 1)",
            None, OptionParsers.Sizes, (request, threads) => request with { Threads = threads })
            .AlsoCalled("--parallel --jobs --workers --use-threads");
        Value("--time", "TIME", "how long a run is (default: 10s)",
            None, OptionParsers.Time, (request, time) => request with { Time = time });
        Value("--events", "SIZE", "end a run after this many transactions (default: none)",
            None, OptionParsers.Size, (request, events) => request with { Events = events });
        Value("--report-interval", "TIME", "also report the pace of each last run at this interval",
            None, OptionParsers.Time, (request, interval) => request with { ReportInterval = interval });
        Value("--rate", "SIZE",
            "transactions that start per second; latency counts from when one should start (default: as many as possible)",
            None, OptionParsers.Size, (request, rate) => request with { Rate = rate });
        Value("--percentile", "N", "the percentile of latencies that is reported (default: 95)",
            None, text => TypedValue.Whole(text, 1, 100), (request, percentile) => request with { Percentile = percentile });
    }
}
