using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Finds out what a server is a part of. A server by itself is asked nothing: its variables say that.</summary>
internal static class TopologyProbe
{
    /// <param name="own">the server's id</param>
    /// <param name="replicas">connected ones that the account may see</param>
    /// <returns>null: a server by itself, as far as the account may see</returns>
    public static async Task<Topology?> FindAsync(
        IServerSession session, ServerVariables variables, string? own, int replicas, CancellationToken cancellationToken) =>
        Topology.Through(session.Server.VersionText, await FindBehindAsync(session, variables, own, replicas, cancellationToken));

    /// <summary>The number of a keyspace's shards; null: vtgate does not say.</summary>
    public static async Task<int?> CountShardsAsync(IServerSession session, string keyspace, CancellationToken cancellationToken) =>
        (await AskAsync(session, TopologySql.Shards, cancellationToken))?.Rows
            .Count(row => row[0]?.StartsWith($"{keyspace}/", StringComparison.Ordinal) == true) is > 0 and var count ? count : null;

    /// <returns>unchanged, unless the table's rows lie on other servers</returns>
    public static async Task<ServerFacts> WithShardsAsync(
        IServerSession session, ServerFacts server, TableFacts table, CancellationToken cancellationToken)
    {
        if (!EngineRules.IsSharded(table))
        {
            return server;
        }

        var shards = (await session.QueryAsync(TopologySql.Partitions(table.Database, table.Name), cancellationToken)).Scalar!;
        return server with { Topology = Topology.OfSpider(server.Topology, int.Parse(shards, CultureInfo.InvariantCulture)) };
    }

    private static async Task<Topology?> FindBehindAsync(
        IServerSession session, ServerVariables variables, string? own, int replicas, CancellationToken cancellationToken)
    {
        if (Topology.OfSpeaker(session.Server.VersionText, variables) is { } speaker)
        {
            return speaker;
        }

        if (variables.IsOfGroup)
        {
            var members = await AskAsync(session, TopologySql.Members, cancellationToken);
            if (Topology.OfGroup(members?.Rows, own, variables) is { } group)
            {
                return group;
            }
        }

        if (variables.IsGalera && await AskAsync(session, TopologySql.Node, cancellationToken) is { } status
            && Topology.OfGalera(ServerVariables.Read(status)) is { } node)
        {
            return node;
        }

        return variables.IsReadOnly
            && await AskAsync(session, WatchSql.Replication(session.Server), cancellationToken) is { Rows: [var source, ..] } rows
            ? ReadReplica(rows, source, variables)
            : Topology.OfPrimary(replicas);
    }

    private static Topology? ReadReplica(TextResultSet rows, string?[] source, ServerVariables variables)
    {
        var (host, port) = (Find(TopologySql.HostColumns), Find(TopologySql.PortColumns));
        return string.IsNullOrEmpty(host) ? null
            : Topology.OfReplica($"{host}:{port}", TopologySql.RunningColumns.All(names => Find(names) is null or "Yes"), variables);

        string? Find(IReadOnlyList<string> names) => rows.IndexOf(names) is >= 0 and var column ? source[column] : null;
    }

    /// <returns>null: the account may not ask that, or the server does not know it</returns>
    private static async Task<TextResultSet?> AskAsync(IServerSession session, string question, CancellationToken cancellationToken)
    {
        try
        {
            return await session.QueryAsync(question, cancellationToken);
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable && !fault.EndsTransaction)
        {
            return null;
        }
    }
}
