namespace BulkLoad.Tests.Sending;

/// <summary>Lets other tasks run until something is so; how long that takes decides nothing.</summary>
internal static class Wait
{
    private const int MostTurns = 10_000_000;

    public static async Task UntilAsync(Func<bool> condition)
    {
        for (var turn = 0; !condition(); turn++)
        {
            Assert.True(turn < MostTurns, "it never came to be");
            await Task.Yield();
        }
    }
}
