using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Ci;

/// <summary><c>--metrics</c>: the result in Prometheus' text format, for node_exporter's textfile collector. It appears under its name when
/// it is whole: who reads meanwhile gets that of the run before.</summary>
internal sealed class MetricsFile : IDisposable
{
    private const string OwnStart = "# HELP bulkload_";

    private readonly string _path;
    private readonly JsonFile _beside;
    private readonly string _besidePath;
    private readonly TimeProvider _time;

    private MetricsFile(string path, JsonFile beside, string besidePath, TimeProvider time) =>
        (_path, _beside, _besidePath, _time) = (path, beside, besidePath, time);

    /// <param name="path">as typed; null: no file</param>
    /// <param name="overwrite">whether another program's file is replaced</param>
    /// <exception cref="RequestException">it cannot be written, or exists already</exception>
    public static MetricsFile? Open(string? path, bool overwrite, TimeProvider time)
    {
        if (path is null)
        {
            return null;
        }

        if (!overwrite && File.Exists(path) && !JsonFile.Begins(path, start => start.StartsWith(OwnStart, StringComparison.Ordinal)))
        {
            throw new RequestException($"{CiArguments.Metrics}: '{path}' already exists; --overwrite replaces it");
        }

        // The collector takes files that end with .prom.
        var beside = $"{path}.{Environment.ProcessId}";
        return new MetricsFile(path, JsonFile.Open(CiArguments.Metrics, beside, overwrite: true)!, beside, time);
    }

    /// <exception cref="OutputException">it cannot be written</exception>
    public void Write(CiResult result)
    {
        _beside.Write(to =>
        {
            using var text = new StreamWriter(to, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true);
            Write(text, result, _time.GetUtcNow());
        });
        _beside.Dispose();
        try
        {
            File.Move(_besidePath, _path, overwrite: true);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new OutputException($"{CiArguments.Metrics}: '{_path}' cannot be written: {FileFault.Describe(fault, _path)}");
        }
    }

    /// <summary>Sums up where several files go to one table.</summary>
    public static void Write(TextWriter to, CiResult result, DateTimeOffset now)
    {
        to.NewLine = "\n";
        var command = $"command=\"{Label(result.Command)}\"";
        Metric("exit_code", "Exit code of the last run.", [(command, (int)result.ExitCode)]);
        Metric("last_run_timestamp_seconds", "When the last run ended.", [(command, now.ToUnixTimeMilliseconds() / 1000.0)]);
        Metric("duration_seconds", "How long the last run took.", [(command, result.Elapsed.TotalSeconds)]);
        var tables = result.Cases.GroupBy(one => one.Table).Select(table => (Label: $"{command},table=\"{Label(table.Key)}\"",
            Cases: table.ToList())).ToList();
        Metric("table_failed", "1: the table's files are not all in it.", [.. tables.Select(table =>
            (table.Label, table.Cases.Any(one => one.Failure is not null || one.IsSkipped) ? 1.0 : 0))]);
        Metric("records", "Records of the last run by what became of them.", [.. tables.SelectMany(table => Outcomes.Select(outcome =>
            ($"{table.Label},outcome=\"{outcome.Name}\"", (double)table.Cases.Sum(outcome.Of))))]);

        void Metric(string name, string help, IReadOnlyList<(string Labels, double Value)> values)
        {
            to.WriteLine($"# HELP bulkload_{name} {help}");
            to.WriteLine($"# TYPE bulkload_{name} gauge");
            foreach (var (labels, value) in values)
            {
                to.WriteLine($"bulkload_{name}{{{labels}}} {value.ToString("R", CultureInfo.InvariantCulture)}");
            }
        }
    }

    public void Dispose() => _beside.Dispose();

    private static readonly (string Name, Func<CiCase, long> Of)[] Outcomes =
    [
        ("inserted", one => one.Inserted), ("updated", one => one.Updated), ("unchanged", one => one.Unchanged),
        ("deleted", one => one.Deleted), ("rejected", one => one.Rejected),
    ];

    private static string Label(string value) => value.Replace("\\", "\\\\").Replace("\"", "\\\"").Replace("\n", "\\n");
}
