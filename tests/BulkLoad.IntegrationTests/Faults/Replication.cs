namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Makes a server the replica of another one; both are the test's own.</summary>
internal static class Replication
{
    /// <summary>Makes the account by which replicas copy; once for each source.</summary>
    public static Task AllowAsync(TestServer source) => ServerClient.RunAsync(
        source, null, "CREATE USER follower@'%' IDENTIFIED BY 'secret-7'; GRANT REPLICATION SLAVE ON *.* TO follower@'%';");

    /// <summary>Copies from now on, also where it has copied before.</summary>
    /// <param name="source">with a binary log</param>
    /// <param name="replica">takes what the source commits from now on</param>
    /// <param name="delay">seconds that it stays behind</param>
    public static async Task FollowAsync(TestServer source, TestServer replica, int delay = 0)
    {
        var position = await PositionAsync(source);
        await StopAsync(replica);
        await ServerClient.RunAsync(replica, null, source.IsMariaDb
            ? $"""
                CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={source.Port}, MASTER_USER='follower', MASTER_PASSWORD='secret-7',
                  MASTER_LOG_FILE='{position[0]}', MASTER_LOG_POS={position[1]}, MASTER_DELAY={delay};
                START SLAVE;
                """
            : $"""
                CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={source.Port}, SOURCE_USER='follower', SOURCE_PASSWORD='secret-7',
                  GET_SOURCE_PUBLIC_KEY=1, SOURCE_LOG_FILE='{position[0]}', SOURCE_LOG_POS={position[1]}, SOURCE_DELAY={delay};
                START REPLICA;
                """);
    }

    /// <summary>Waits until the replica has all that the source has committed.</summary>
    public static async Task CatchUpAsync(TestServer source, TestServer replica)
    {
        var position = await PositionAsync(source);
        var wait = source.IsMariaDb ? "MASTER_POS_WAIT" : "SOURCE_POS_WAIT";
        Assert.NotEqual("NULL", await ServerClient.ScalarAsync(replica, null, $"SELECT {wait}('{position[0]}', {position[1]}, 60);"));
    }

    /// <summary>Copies no more.</summary>
    public static Task StopAsync(TestServer replica) =>
        ServerClient.RunAsync(replica, null, replica.IsMariaDb ? "STOP SLAVE;" : "STOP REPLICA;");

    /// <summary>Of the log: file and offset.</summary>
    private static async Task<string[]> PositionAsync(TestServer source)
    {
        var rows = await ServerClient.RunAsync(source, null, source.IsMariaDb ? "SHOW MASTER STATUS;" : "SHOW BINARY LOG STATUS;");
        return rows.Split('\n')[1].Split('\t');
    }
}
