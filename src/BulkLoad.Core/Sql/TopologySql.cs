namespace BulkLoad.Core.Sql;

/// <summary>Questions about what a server is a part of.</summary>
internal static class TopologySql
{
    /// <summary>A row for each variable that there is: its name, its value.</summary>
    public static string Variables(IEnumerable<string> names) =>
        $"SHOW VARIABLES WHERE Variable_name IN ({string.Join(", ", names.Distinct().Select(SqlLiteral.Quote))})";

    /// <summary>A row a member of the group, in one order on all of them: id, host, port, state, role. Only for accounts that may read the
    /// table.</summary>
    public const string Members =
        "SELECT MEMBER_ID, MEMBER_HOST, MEMBER_PORT, MEMBER_STATE, MEMBER_ROLE FROM performance_schema.replication_group_members "
        + "ORDER BY MEMBER_HOST, MEMBER_PORT";

    /// <summary>A row for each status variable that there is: its name, its value.</summary>
    public static string Node { get; } = WatchSql.Status(
        ["wsrep_cluster_size", "wsrep_local_index", "wsrep_local_state_comment", "wsrep_cluster_status"]);

    /// <summary>A row a shard, of vtgate: <c>keyspace/shard</c>.</summary>
    public const string Shards = "SHOW VITESS_SHARDS";

    /// <summary>One value: how many partitions the table has, 1 where it is not divided.</summary>
    public static string Partitions(string database, string table) =>
        $"SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE {CatalogSql.Is(database, table)}";

    /// <summary>Names of columns of <see cref="WatchSql.Replication"/>, by version.</summary>
    public static IReadOnlyList<string> HostColumns { get; } = ["Source_Host", "Master_Host"];

    /// <inheritdoc cref="HostColumns"/>
    public static IReadOnlyList<string> PortColumns { get; } = ["Source_Port", "Master_Port"];

    /// <summary>Of its two threads: those that say Yes where it replicates.</summary>
    /// <inheritdoc cref="HostColumns"/>
    public static IReadOnlyList<IReadOnlyList<string>> RunningColumns { get; } =
        [["Replica_IO_Running", "Slave_IO_Running"], ["Replica_SQL_Running", "Slave_SQL_Running"]];
}
