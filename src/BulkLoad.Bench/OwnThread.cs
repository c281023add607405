namespace BulkLoad.Bench;

/// <summary>Work whose sessions keep the thread that uses them.</summary>
internal static class OwnThread
{
    /// <summary>Runs it on a thread of its own, from beginning to end where it waits for nothing but by keeping it.</summary>
    public static Task RunAsync(Func<Task> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
}
