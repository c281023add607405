namespace BulkLoad.Bench;

internal static class OwnThread
{
    /// <summary>On a thread of its own, as long as it only blocks.</summary>
    public static Task RunAsync(Func<Task> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
}
