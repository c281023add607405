namespace BulkLoad.Core.Seeding;

/// <summary>Runs units side by side, each when those that it depends on are done.</summary>
internal static class SeedSchedule
{
    /// <summary>A job has several sessions where that helps: more jobs than these wait for each other.</summary>
    public const int UsualThreads = 4;

    /// <param name="units">tables that are filled together</param>
    /// <param name="most">units at a time</param>
    /// <param name="isOrdered">whether a unit waits for those of the tables before it</param>
    public static async Task RunAsync(
        IReadOnlyList<List<SeedTask>> units, int most, Func<List<SeedTask>, CancellationToken, Task> run,
        CancellationToken cancellationToken, bool isOrdered = true)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var waiting = units.ToList();
        var open = units.SelectMany(unit => unit).Select(task => task.Table.Name).ToHashSet(StringComparer.Ordinal);
        var running = new Dictionary<Task, List<SeedTask>>();
        BulkLoadException? failure = null;
        while (failure is null && waiting.Count > 0 || running.Count > 0)
        {
            while (failure is null && running.Count < most && waiting.FirstOrDefault(IsReady) is { } next)
            {
                waiting.Remove(next);
                running.Add(Task.Run(() => run(next, stop.Token), CancellationToken.None), next);
            }

            var ended = await Task.WhenAny(running.Keys);
            running.Remove(ended, out var unit);
            try
            {
                await ended;
                unit!.ForEach(task => open.Remove(task.Table.Name));
            }
            catch (BulkLoadException fault)
            {
                // Others that run are let to their end: what they have begun need not be done again.
                failure ??= fault;
            }
            catch when (running.Count > 0)
            {
                await stop.CancelAsync();
                await Task.WhenAll(running.Keys).ContinueWith(_ => { }, TaskScheduler.Default);
                throw;
            }
        }

        if (failure is not null)
        {
            throw failure;
        }

        bool IsReady(List<SeedTask> unit) => !isOrdered
            || unit.All(task => task.Step.Before.All(name => !open.Contains(name) || unit.Any(other => other.Table.Name == name)));
    }
}
