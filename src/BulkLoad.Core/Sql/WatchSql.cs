using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Sql;

/// <summary>What a session asks that watches a server at work.</summary>
internal static class WatchSql
{
    /// <summary>Each question is a transaction of its own, and none waits for others' rows.</summary>
    public const string EachByItself = "SET SESSION autocommit=1";

    /// <summary>A row for each variable that there is: its name as the server writes it, its value.</summary>
    /// <param name="names">of letters, digits and underscores</param>
    public static string Status(IEnumerable<string> names) =>
        $"SHOW GLOBAL STATUS WHERE Variable_name IN ({string.Join(", ", names.Select(SqlLiteral.Quote))})";

    /// <summary>A row for each source that the server replicates; <see cref="LagColumns"/> has the name of the column with its lag.</summary>
    public static string Replication(ServerIdentity server) => server.IsMariaDb ? "SHOW ALL SLAVES STATUS"
        : server.Version >= FirstToSayReplica ? "SHOW REPLICA STATUS" : "SHOW SLAVE STATUS";

    /// <summary>Seconds that a replica is behind, by version; NULL where it does not replicate.</summary>
    public static IReadOnlyList<string> LagColumns { get; } = ["Seconds_Behind_Source", "Seconds_Behind_Master"];

    private static readonly Version FirstToSayReplica = new(8, 0, 22);
}
