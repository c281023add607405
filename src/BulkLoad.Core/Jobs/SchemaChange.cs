using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>A change of the schema that this job has made before its first row, and takes back where nothing was committed.</summary>
internal abstract class SchemaChange(ConnectionOptions connection, ServerFacts server)
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    /// <summary>What was made, and that it stays, such as <c>table shop.people was created and stays</c>.</summary>
    protected abstract string Stays { get; }

    /// <summary>What was dropped again, such as <c>table shop.people was dropped again</c>.</summary>
    protected abstract string Dropped { get; }

    /// <summary>
    /// Takes it back, in a session of its own since the job's may be lost; but only on the same server, and only if nobody uses it. Never
    /// throws for what server or route do.
    /// </summary>
    /// <returns>what became of it, for people</returns>
    public async Task<string> DropAsync()
    {
        using var limit = new CancellationTokenSource(Limit);
        try
        {
            await using var session = await ServerSession.ConnectAsync(connection with { OffersLocalInfile = false }, limit.Token);
            var obstacle = "another server answers now";
            if ((await session.QueryAsync(CatalogSql.Identity, limit.Token)).Scalar == server.Identity)
            {
                await session.ExecuteAsync(CreateTableSql.WaitBriefly, limit.Token);
                obstacle = await TryDropAsync(session, limit.Token);
            }

            return obstacle is null ? $"{Dropped}, since nothing was committed" : Stay(obstacle);
        }
        catch (Exception fault) when (fault is BulkLoadException or OperationCanceledException)
        {
            return Stay(fault is OperationCanceledException ? $"the server did not answer within {Limit.TotalSeconds:0} s" : fault.Message);
        }

        string Stay(string why) => $"{Stays}, though nothing was committed: {why}";
    }

    /// <summary>What to know of it where the job has failed and rows are committed, for people; null: nothing.</summary>
    public virtual string? DescribeUsed() => null;

    /// <summary>Drops it, unless somebody uses it.</summary>
    /// <returns>null: it is gone; else why it stays</returns>
    protected abstract Task<string?> TryDropAsync(IServerSession session, CancellationToken cancellationToken);
}
