using System.Text.Json;
using BulkLoad.Cli.Options;
using BulkLoad.Cli.Output;
using BulkLoad.Seeding;

namespace BulkLoad.Cli.Ci;

/// <summary><c>--events</c>: what happens, a JSON object a line: <c>start</c>, <c>progress</c> at most once a second, <c>reject</c> for the
/// first hundred refused records, <c>table</c> for each complete one, and <c>end</c> with the exit code. Each has the version of the format
/// and a number from 1.</summary>
internal sealed class EventStream : IProgress<LoadProgress>, IProgress<SeedProgress>, IDisposable
{
    public const string StandardOutput = "-";

    private static readonly TimeSpan BetweenSteps = TimeSpan.FromSeconds(1);

    private readonly Stream _to;
    private readonly TimeProvider _time;
    private readonly ShownText _shownText;
    private readonly long _started;
    private readonly Lock _gate = new();
    private long _shown;
    private long _number;

    private EventStream(Stream to, TimeProvider time, ShownText shown)
    {
        (_to, _time, _shownText) = (to, time, shown);
        _started = time.GetTimestamp();
    }

    /// <summary>Why events could not be written; null: they could.</summary>
    public string? Fault { get; private set; }

    /// <param name="path">as typed; <c>-</c>: standard output</param>
    /// <param name="overwrite">whether an existing file is replaced</param>
    /// <exception cref="RequestException">the file cannot be opened, or exists already</exception>
    public static EventStream? Open(string? path, bool overwrite, HostEnvironment host) => path is null ? null
        : new EventStream(
            path == StandardOutput
                ? Console.OpenStandardOutput()
                : JsonFile.OpenStream(CiArguments.Events, path, overwrite || JsonFile.Begins(path, IsOwn), FileMode.Create),
            host.Time,
            path == StandardOutput ? host.Shown : ShownText.Plain);

    /// <summary>Whether a file that begins so has the events of an earlier run.</summary>
    private static bool IsOwn(string start) => start.StartsWith("{\"version\":", StringComparison.Ordinal)
        && start.Contains(",\"sequence\":1,\"event\":\"start\",", StringComparison.Ordinal);

    public void Start(string command, IEnumerable<string> files) => Write("start", json =>
    {
        json.WriteString("program", ThisProgram.Version);
        json.WriteString("command", command);
        json.Value<IReadOnlyList<string>>("files", [.. files]);
    });

    public void Report(LoadProgress value) => Step(json =>
    {
        json.WriteNumber("records", value.RecordsSent);
        json.WriteNumber("committed", value.RecordsCommitted);
        json.WriteNumber("bytes", value.BytesRead);
        json.Number("totalBytes", value.TotalBytes);
        json.WriteString("held", value.Held);
    });

    public void Report(SeedProgress value) => Step(json =>
    {
        json.WriteNumber("records", value.Records);
        json.WriteNumber("tablesDone", value.Done);
        json.WriteNumber("tables", value.Tables);
        json.WriteString("running", value.Running);
    });

    public void End(CiResult result, Annotations annotations)
    {
        foreach (var reject in result.Cases.SelectMany(one => one.Rejects))
        {
            Write("reject", json =>
            {
                json.WriteString("file", annotations.PathOf(reject.Source));
                json.Number("line", reject.Line > 0 ? reject.Line : null);
                json.WriteNumber("record", reject.Record);
                json.WriteString("column", reject.Column);
                json.WriteString("reason", reject.Code);
                json.WriteString("message", annotations.MessageOf(reject));
            });
        }

        foreach (var one in result.Cases)
        {
            Write("table", json =>
            {
                json.WriteString("table", one.Table);
                json.WriteString("files", one.Name);
                json.WriteString("state", one.IsSkipped ? "skipped" : one.Failure is not null ? "failed" : "done");
                json.WriteNumber("inserted", one.Inserted);
                json.WriteNumber("updated", one.Updated);
                json.WriteNumber("unchanged", one.Unchanged);
                json.WriteNumber("deleted", one.Deleted);
                json.WriteNumber("rejected", one.Rejected);
                json.Seconds("elapsedSeconds", one.Elapsed.TotalSeconds);
            });
        }

        Write("end", json =>
        {
            json.WriteNumber("exitCode", (int)result.ExitCode);
            json.WriteString("error", result.Failure is { } failure ? annotations.FailureOf(failure) : null);
            json.Value("advice", annotations.AdviceOf(result));
            json.Seconds("elapsedSeconds", result.Elapsed.TotalSeconds);
        });
    }

    public void Dispose() => _to.Dispose();

    private void Step(Action<Utf8JsonWriter> members)
    {
        lock (_gate)
        {
            if (_shown != 0 && _time.GetElapsedTime(_shown) < BetweenSteps)
            {
                return;
            }

            _shown = _time.GetTimestamp();
        }

        Write("progress", members);
    }

    private void Write(string name, Action<Utf8JsonWriter> members)
    {
        lock (_gate)
        {
            if (Fault is not null)
            {
                return;
            }

            using var line = new MemoryStream();
            using (var json = new Utf8JsonWriter(line, JsonOutput.OneLine))
            {
                json.WriteStartObject();
                json.WriteNumber("version", JsonOutput.Version);
                json.WriteNumber("sequence", ++_number);
                json.WriteString("event", name);
                json.Seconds("seconds", _time.GetElapsedTime(_started).TotalSeconds);
                members(json);
                json.WriteEndObject();
            }

            line.WriteByte((byte)'\n');
            try
            {
                _to.Write(Encoding.UTF8.GetBytes(_shownText.Json(Encoding.UTF8.GetString(line.GetBuffer(), 0, (int)line.Length))));
                _to.Flush();
            }
            catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
            {
                Fault = $"--events: cannot be written: {fault.Message}";
            }
        }
    }
}
