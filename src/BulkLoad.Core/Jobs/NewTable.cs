using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>A table that this job has made, and gives up again where nothing comes of it.</summary>
internal sealed class NewTable(ConnectionOptions connection, ServerFacts server, TableFacts table) : ISchemaChange
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    /// <summary>Makes it, in a session where nothing is open: MySQL commits before and after.</summary>
    /// <exception cref="PlanException">the server refuses</exception>
    public static async Task<NewTable> CreateAsync(
        IServerSession session, LoadRequest request, LoadFacts facts, string statement, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(statement, cancellationToken);
            return new NewTable(request.Connection, facts.Server, facts.Table);
        }
        catch (ServerException fault) when (fault.Code != 0 && session.IsUsable)
        {
            throw new PlanException($"the server does not create table {facts.Table.DisplayName}: {fault.Message}{Advice(fault, facts.Table)}", fault);
        }
    }

    /// <summary>
    /// Drops it, in a session of its own since the job's may be lost; but only on the same server, and only if nobody has put rows
    /// into it. Never throws for what server or route do.
    /// </summary>
    /// <returns>what became of it, for people</returns>
    public async Task<string> DropAsync()
    {
        using var limit = new CancellationTokenSource(Limit);
        try
        {
            await using var session = await ServerSession.ConnectAsync(connection with { OffersLocalInfile = false }, limit.Token);
            return await FindObstacleAsync(session, limit.Token) is { } obstacle ? Stays(obstacle) : await DropAsync(session, limit.Token);
        }
        catch (Exception fault) when (fault is BulkLoadException or OperationCanceledException)
        {
            return Stays(fault is OperationCanceledException ? $"the server did not answer within {Limit.TotalSeconds:0} s" : fault.Message);
        }
    }

    /// <inheritdoc/>
    public string? DescribeUsed() => null;

    private async Task<string> DropAsync(IServerSession session, CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(CreateTableSql.Drop(table.Database, table.Name), cancellationToken);
        return $"table {table.DisplayName} was dropped again, since nothing was committed";
    }

    private async Task<string?> FindObstacleAsync(IServerSession session, CancellationToken cancellationToken)
    {
        if ((await session.QueryAsync(CatalogSql.Identity, cancellationToken)).Scalar != server.Identity)
        {
            return "another server answers now";
        }

        await session.ExecuteAsync(CreateTableSql.WaitBriefly, cancellationToken);
        return (await session.QueryAsync(ConstraintSql.AnyRow(table.Database, table.Name), cancellationToken)).Rows.Count > 0
            ? "somebody has put rows into it"
            : null;
    }

    private string Stays(string obstacle) => $"table {table.DisplayName} was created and stays, though nothing was committed: {obstacle}";

    private static string Advice(ServerException fault, TableFacts table) => fault.Code switch
    {
        1044 or 1142 => $"; GRANT CREATE ON {table.Database}.* to the account, or create the table another way and leave out --create",
        1118 => "; these columns are too wide together: skip some with --map field=@",
        1173 or 3750 => "; name the columns of a key with --primary-key",
        _ => "",
    };
}
