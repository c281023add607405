namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Waits for what is sure to happen, and fails a minute later where it does not.</summary>
internal static class Wait
{
    public static Task ForAsync(Func<bool> isTrue) => ForAsync(() => Task.FromResult(isTrue()));

    public static async Task ForAsync(Func<Task<bool>> isTrue)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromMinutes(1));
        while (!await isTrue())
        {
            Assert.False(limit.IsCancellationRequested, "what the test waits for did not happen within a minute");
            await Task.Delay(20);
        }
    }
}
