using System.Diagnostics;
using System.Diagnostics.Metrics;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Library;

/// <summary>What the library tells of its jobs to who listens: a meter and an activity source named <c>BulkLoad</c>. Names follow
/// OpenTelemetry's conventions; <c>docs/library.md</c> lists them.</summary>
internal sealed class Telemetry : IDisposable
{
    private const string Name = "BulkLoad";

    private static readonly ActivitySource Source = new(Name);
    private static readonly Meter Meter = new(Name);

    private static readonly Counter<long> Records =
        Meter.CreateCounter<long>("bulkload.records", "{record}", "Records by what became of them.");

    private static readonly Counter<long> Bytes = Meter.CreateCounter<long>("bulkload.input", "By", "Bytes of input that were read.");

    private static readonly Counter<long> Batches = Meter.CreateCounter<long>("bulkload.batches", "{batch}", "Committed batches.");

    private static readonly Counter<long> Chunks = Meter.CreateCounter<long>("bulkload.commits", "{commit}", "Committed transactions.");

    private static readonly Counter<long> Rejects =
        Meter.CreateCounter<long>("bulkload.rejects", "{record}", "Refused records by reason.");

    private static readonly Counter<long> Retries = Meter.CreateCounter<long>("bulkload.retries", "{retry}", "Chunks sent again.");

    private static readonly Counter<double> Waits =
        Meter.CreateCounter<double>("bulkload.wait.time", "s", "Time that jobs have waited for others, by reason.");

    private static readonly Histogram<double> Durations =
        Meter.CreateHistogram<double>("bulkload.job.duration", "s", "Time of a job, from the first connection to the last answer.");

    private static readonly UpDownCounter<long> Active =
        Meter.CreateUpDownCounter<long>("bulkload.jobs.active", "{job}", "Jobs that run.");

    private readonly Activity? _activity;
    private readonly TagList _tags;

    public Telemetry(LoadRequest request)
    {
        var operation = request.Kind.ToString().ToLowerInvariant();
        _tags = new TagList
        {
            { "db.operation.name", operation },
            { "db.collection.name", request.Table },
            { "db.namespace", request.Connection.Database },
            { "server.address", request.Connection.Host },
        };
        _activity = Source.StartActivity($"{operation} {request.Table}", ActivityKind.Client, default(ActivityContext), _tags);
        Active.Add(1, _tags);
    }

    public void End(LoadReport report)
    {
        var counts = report.Counts;
        var earlier = report.EarlierCounts;
        Count("inserted", counts.Inserted - earlier.Inserted);
        Count("updated", counts.Updated - earlier.Updated);
        Count("unchanged", counts.Unchanged - earlier.Unchanged);
        Count("deleted", counts.Deleted - earlier.Deleted);
        Count("ignored", counts.Ignored - earlier.Ignored);
        Count("superseded", counts.Superseded - earlier.Superseded);
        Count("not_found", counts.NotFound - earlier.NotFound);
        Count("rejected", counts.Rejected - earlier.Rejected);
        Count("not_committed", counts.NotCommitted);
        Bytes.Add(report.Sources.Sum(source => source.Bytes), _tags);
        Batches.Add(report.Batches, _tags);
        Chunks.Add(report.Chunks - report.EarlierChunks, _tags);
        Retries.Add(report.Retries, _tags);
        foreach (var (reason, number) in report.RejectsByReason)
        {
            Rejects.Add(number, With("bulkload.reason", reason));
        }

        foreach (var wait in report.Waits)
        {
            Waits.Add(wait.Time.TotalSeconds, With("bulkload.reason", wait.Reason));
        }

        var outcome = report.Outcome.ToString().ToLowerInvariant();
        Durations.Record(report.Elapsed.TotalSeconds, With("bulkload.outcome", outcome));
        if (_activity is not null)
        {
            _activity.SetTag("bulkload.outcome", outcome);
            _activity.SetTag("bulkload.strategy", report.Plan?.Strategy);
            _activity.SetTag("bulkload.job", report.Job);
            _activity.SetTag("bulkload.records.read", counts.Read);
            _activity.SetTag("db.system.name", report.Plan?.Server.Kind.ToLowerInvariant());
            if (report.Failure is { } failure)
            {
                _activity.SetTag("error.type", failure.ErrorCode.ToString());
                _activity.SetStatus(ActivityStatusCode.Error, LibraryWords.Of(failure.Message));
            }
        }
    }

    public void Dispose()
    {
        Active.Add(-1, _tags);
        _activity?.Dispose();
    }

    private void Count(string outcome, long records)
    {
        if (records > 0)
        {
            Records.Add(records, With("bulkload.outcome", outcome));
        }
    }

    private TagList With(string name, object value)
    {
        var tags = _tags;
        tags.Add(name, value);
        return tags;
    }
}
