using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Refresh;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Undo;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Cli.Commands;

internal delegate JobSteps JobFactory(LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress);

/// <summary>The two things a command asks of a job; a test replaces them.</summary>
internal sealed record JobSteps(Func<CancellationToken, Task<LoadPlan>> PlanAsync, Func<CancellationToken, Task<LoadReport>> RunAsync)
{
    public static JobSteps OfCore(LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress)
    {
        if (request.Undo is not null)
        {
            return new JobSteps(
                _ => throw new RequestException("--plan: an undo has no plan; --preview shows what it would do"),
                new UndoJob(request, loggers, progress).RunAsync);
        }

        if (request.Refresh is not null)
        {
            var refresh = new RefreshJob(request, loggers, progress);
            return new JobSteps(refresh.PlanAsync, refresh.RunAsync);
        }

        var job = new LoadJob(request, loggers, progress);
        return new JobSteps(job.PlanAsync, job.RunAsync);
    }
}
