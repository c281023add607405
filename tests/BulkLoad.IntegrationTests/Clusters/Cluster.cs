namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>Tests of clusters: one after the other, since one cluster takes what a small machine has.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class OneCluster
{
    public const string Name = "one cluster at a time";
}

/// <summary>A cluster of a class of tests, started when one of them first asks for it.</summary>
/// <param name="name">as <c>eng/servers.sh</c> calls it</param>
/// <param name="kind">of its servers</param>
public abstract class Cluster(string name, string kind) : IDisposable
{
    // They do not wait for the disk: that loses nothing unless the machine goes down.
    private const string Settings = "innodb_flush_method=nosync";

    /// <summary>Has a session read what the whole cluster has committed.</summary>
    internal virtual string Wait => "";

    /// <summary>Whether its nodes do not copy from each other any more.</summary>
    internal bool IsParted { get; set; }

    public void Dispose()
    {
        Servers.DestroyCluster(name);
        GC.SuppressFinalize(this);
    }

    /// <summary>Its nodes; those that do not run are started.</summary>
    internal TestServer[] Start() => Servers.StartCluster(name, kind, Settings);

    /// <summary>Ends a node as a crash does.</summary>
    /// <param name="number">0 is the first</param>
    internal void Kill(int number) => Servers.KillNode(name, number + 1);

    /// <summary>From nothing.</summary>
    internal TestServer[] Renew()
    {
        Servers.DestroyCluster(name);
        return Start();
    }
}

public sealed class Galera() : Cluster("galera", Servers.MariaDb)
{
    internal override string Wait => "SET SESSION wsrep_sync_wait=15;";
}

public sealed class Group() : Cluster("group", Servers.MySql)
{
    internal override string Wait => "SET SESSION group_replication_consistency='BEFORE';";

    /// <summary>The number of the member that takes changes, 0 is the first; waits until there is one.</summary>
    /// <param name="nodes">all</param>
    /// <param name="without">the number of one that is no primary any more</param>
    internal static async Task<int> PrimaryAsync(TestServer[] nodes, int without = -1)
    {
        var found = -1;
        await Faults.Wait.ForAsync(async () =>
        {
            for (var number = 0; number < nodes.Length; number++)
            {
                if (number != without && await TakesChangesAsync(nodes[number]))
                {
                    found = number;
                    return true;
                }
            }

            return false;
        });
        return found;
    }

    private static async Task<bool> TakesChangesAsync(TestServer node)
    {
        try
        {
            return await ServerClient.ScalarAsync(node, null, """
                SELECT COUNT(*) FROM performance_schema.replication_group_members
                  WHERE MEMBER_ID = @@server_uuid AND MEMBER_ROLE = 'PRIMARY' AND MEMBER_STATE = 'ONLINE' AND NOT @@super_read_only;
                """) == "1";
        }
        catch (InvalidOperationException)
        {
            // It does not run.
            return false;
        }
    }
}

public sealed class MariaDbPair() : Cluster("pair-mariadb", Servers.MariaDb);

public sealed class MySqlPair() : Cluster("pair-mysql", Servers.MySql);

/// <summary>One server, which has the engine.</summary>
public sealed class MyRocks() : Cluster("rocksdb", Servers.MariaDb);

/// <summary>The head, and the servers of two shards.</summary>
public sealed class Spider() : Cluster("spider", Servers.MariaDb);

/// <summary>A server, and three routers in front of it, which <c>eng/servers.sh</c> describes.</summary>
public sealed class Router() : Cluster("router", Servers.MySql);
