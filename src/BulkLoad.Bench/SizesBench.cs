using BulkLoad.Bench.Relays;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench;

internal sealed record SizesRequest : BenchRequest
{
    private const int MaxPlaceholders = 65_535;

    public IReadOnlyList<long> StatementRows { get; init; } = [1, 10, 40, 100, 1_000, 5_000, 10_000];

    public IReadOnlyList<long> StatementBytes { get; init; } = [16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20];

    /// <summary>Added to the round trip; each is measured beside the connection without any.</summary>
    public IReadOnlyList<TimeSpan> Latencies { get; init; } = [];

    public override string Bench => "sizes";

    public override void Validate()
    {
        base.Validate();
        RequestException.ThrowIf(
            StatementRows.Concat(StatementBytes).Any(size => size is < 1 or > 1 << 30),
            "--statement-rows and --statement-bytes: a statement has 1 to 1Gi of each");

        RequestException.ThrowIf(
            StatementRows.Count == 0 && StatementBytes.Count == 0,
            "--statement-rows and --statement-bytes: nothing is left to measure");

        RequestException.ThrowIf(
            Latencies.Count > 0 && Connection.SslMode == SslMode.VerifyIdentity,
            "--latency: delays come from a relay on 127.0.0.1, which no certificate names: use --ssl-mode=verify-ca or required");
    }

    /// <summary>Bytes of two tables, a file, and a run's statements in memory.</summary>
    internal override long EstimatedBytes => Rows * 3 * UsersTable.EstimatedBytesPerRow;

    internal static bool CanBePrepared(long rows) => rows * BatchMethods.Types(BatchOperation.Insert).Length <= MaxPlaceholders;

    internal override IEnumerable<KeyValuePair<string, string>> Settings => [Setting("rows", Rows), Setting("repeat", Repeats)];

    internal override IBench Create() => new SizesBench(this);
}

internal sealed class SizesBench(SizesRequest request) : IBench
{
    private const string Full = BenchSql.Prefix + "full";
    private const string Text = "extended INSERT";
    private const string Pipelined = "extended INSERT, pipelined";
    private const string Prepared = "prepared INSERT";
    private const string Local = "LOAD DATA LOCAL";

    private readonly List<(double Milliseconds, string Group)> _ways = [];

    public async Task RunAsync(BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        runner.Report("filling tables");
        await place.CreateAsync(BatchSql.Users, BatchSql.Definition, cancellationToken);
        await place.CreateAsync(Full, BatchSql.Definition, cancellationToken);
        var session = await place.ConnectAsync(cancellationToken);
        await new UsersTable(session).FillAsync(request.Rows, cancellationToken);
        await place.ExecuteAsync(BenchSql.Fill(Full, BatchSql.Users), cancellationToken);

        var answer = await session.QueryAsync(BenchSql.MaxPacket, cancellationToken);
        var packet = long.Parse(answer.Scalar!);
        var direct = new SizeCases(session, request.Rows, await MeasureRoundTripAsync(session, "", runner, cancellationToken), packet);
        await MeasureRowsAsync(direct, "", runner, cancellationToken);
        await MeasureBytesAsync(direct, runner, cancellationToken);
        await MeasureWholeAsync(direct, place, runner, cancellationToken);
        foreach (var latency in request.Latencies)
        {
            using var relay = new DelayingRelay(place.Connection, latency);
            await using var far = await BenchPlace.OpenSessionAsync(relay.Connection, cancellationToken);
            var group = $"{latency.TotalMilliseconds:0.###} ms added to a round trip";
            var cases = new SizeCases(far, request.Rows, await MeasureRoundTripAsync(far, group, runner, cancellationToken), packet);
            await MeasureRowsAsync(cases, group, runner, cancellationToken);
        }

        if (request.Latencies.Count > 0 && request.StatementRows.Count > 0)
        {
            AddLatencies(runner);
        }
    }

    private async Task MeasureRowsAsync(SizeCases cases, string group, BenchRunner runner, CancellationToken cancellationToken)
    {
        if (request.StatementRows.Count == 0)
        {
            return;
        }

        runner.Begin(new BenchSection
        {
            Name = group.Length == 0 ? "rows-a-statement" : "rows-a-statement-delayed",
            Title = group.Length == 0 ? "rows a statement" : "rows a statement over a longer way",
            Unit = "rows",
            XName = "rows a statement",
        });
        await runner.MeasureAsync(
            group,
            [
                .. request.StatementRows.SelectMany(rows => new[]
                {
                    cases.Text(Text, rows, rows, long.MaxValue), cases.PipelinedText(Pipelined, rows, rows, long.MaxValue),
                    cases.Prepared(Prepared, rows, (int)rows), cases.Load(Local, rows, rows, long.MaxValue),
                }),
            ],
            cancellationToken);
        runner.MarkBest();
    }

    private async Task MeasureBytesAsync(SizeCases cases, BenchRunner runner, CancellationToken cancellationToken)
    {
        if (request.StatementBytes.Count == 0)
        {
            return;
        }

        runner.Begin(new BenchSection
        {
            Name = "bytes-a-statement",
            Title = "bytes a statement",
            Unit = "rows",
            XName = "bytes a statement",
        });
        await runner.MeasureAsync(
            "",
            [
                .. request.StatementBytes.SelectMany(bytes => new[]
                {
                    cases.Text(Text, bytes, long.MaxValue, bytes), cases.PipelinedText(Pipelined, bytes, long.MaxValue, bytes),
                    cases.Load(Local, bytes, long.MaxValue, bytes),
                }),
            ],
            cancellationToken);
        runner.MarkBest();
    }

    private async Task MeasureWholeAsync(SizeCases cases, BenchPlace place, BenchRunner runner, CancellationToken cancellationToken)
    {
        var path = "";
        try
        {
            (path, var reason) = await WriteForServerAsync(place, cancellationToken);
            runner.Begin(new BenchSection { Name = "whole", Title = "all rows in one statement", Unit = "rows", RatioTo = Local });
            await runner.MeasureAsync(
                "",
                [
                    cases.Load(Local, null, long.MaxValue, long.MaxValue) with { IsRatioUnit = true },
                    cases.OnServer("LOAD DATA of a file on the server", BatchSql.LoadOnServer(path)) with { Unfit = reason },
                    cases.OnServer("INSERT ... SELECT", BenchSql.Fill(BatchSql.Users, Full)),
                ],
                cancellationToken);
        }
        finally
        {
            if (path.Length > 0)
            {
                File.Delete(path);
            }
        }
    }

    /// <summary>A file that the server can read, or the reason why there is none.</summary>
    private async Task<(string Path, string? Reason)> WriteForServerAsync(BenchPlace place, CancellationToken cancellationToken)
    {
        var folder = (await place.QueryAsync(BatchSql.FileFolder, cancellationToken)).Scalar;
        if (folder is null or "NULL")
        {
            return ("", "secure_file_priv is NULL: the server reads no files");
        }

        if (!place.IsOnThisMachine)
        {
            return ("", "the server is on another machine");
        }

        var path = Path.Combine(folder.Length == 0 ? request.TempFolder : folder, $"bulkload-bench-{Guid.NewGuid():N}.txt");
        try
        {
            var lines = SizedBatches.Lines(request.Rows, long.MaxValue, long.MaxValue)[0];
            await File.WriteAllBytesAsync(path, lines.ToArray(), cancellationToken);
            if (!OperatingSystem.IsWindows())
            {
                File.SetUnixFileMode(
                    path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
            }

            return (path, null);
        }
        catch (OperationCanceledException)
        {
            File.Delete(path);
            throw;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return ("", $"no file can be written where the server reads them (secure_file_priv): {fault.Message}");
        }
    }

    private async Task<TimeSpan> MeasureRoundTripAsync(
        ServerSession session, string group, BenchRunner runner, CancellationToken cancellationToken)
    {
        var way = await BenchPlace.MeasureRoundTripAsync(session, cancellationToken);
        _ways.Add((way.TotalMilliseconds, group));
        runner.Note($"{(group.Length == 0 ? "the way as it is" : group)}: a round trip takes {way.TotalMilliseconds:0.000} ms");
        return way;
    }

    /// <summary>Adds, from earlier results, the best of each curve over the time of a round trip.</summary>
    private void AddLatencies(BenchRunner runner)
    {
        var sections = runner.Sections.Where(section => section.XName == "rows a statement").ToList();
        runner.Begin(new BenchSection
        {
            Name = "latency",
            Title = "the best size of each over the time of a round trip",
            Unit = "rows",
            XName = "ms a round trip",
        });
        foreach (var measure in sections.SelectMany(section => section.Measures)
            .Where(measure => measure.IsBest)
            .OrderBy(measure => measure.Name, StringComparer.Ordinal))
        {
            runner.Add(measure with
            {
                Group = "",
                X = _ways.First(way => way.Group == measure.Group).Milliseconds,
                IsBest = false,
                Values = [.. measure.Values, new("rowsAStatement", measure.X ?? 0)],
            });
        }
    }
}
