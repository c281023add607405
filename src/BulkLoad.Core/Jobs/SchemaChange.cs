using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using static BulkLoad.Core.Common.ServerError;

namespace BulkLoad.Core.Jobs;

/// <summary>A change of the schema that this job has made before its first row, and undoes if nothing was committed.</summary>
internal abstract class SchemaChange(ConnectionOptions connection, ServerFacts server)
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    /// <summary>Such as <c>table shop.people was created and stays</c>.</summary>
    protected abstract string Stays { get; }

    /// <summary>Such as <c>table shop.people was dropped again</c>.</summary>
    protected abstract string Dropped { get; }

    /// <summary>Undoes the change on the same server, unless somebody uses it. Opens a session of its own, since the job's may be lost.
    /// Errors of the server or the network are not thrown.</summary>
    /// <returns>what was done, for people</returns>
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

    /// <summary>What to know of the change if the job has failed and rows are committed, for people; null: nothing.</summary>
    public virtual string? DescribeUsed() => null;

    /// <returns>why it stays; null: it is gone</returns>
    protected abstract Task<string?> TryDropAsync(IServerSession session, CancellationToken cancellationToken);
}

internal sealed class NewTable(ConnectionOptions connection, ServerFacts server, TableFacts table) : SchemaChange(connection, server)
{
    protected override string Stays => $"table {table.DisplayName} was created and stays";

    protected override string Dropped => $"table {table.DisplayName} was dropped again";

    /// <summary>Needs a session without an open transaction: MySQL commits before and after.</summary>
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
            var grant = await AccountGrant.OfAsync(session, "CREATE", facts.Table.Database, null, cancellationToken);
            throw new PlanException(
                $"the server does not create table {facts.Table.DisplayName}: {fault.Message}{Advice(fault, grant)}", fault);
        }
    }

    protected override async Task<string?> TryDropAsync(IServerSession session, CancellationToken cancellationToken)
    {
        if ((await session.QueryAsync(ConstraintSql.AnyRow(table.Database, table.Name), cancellationToken)).Rows.Count > 0)
        {
            return "somebody has put rows into it";
        }

        await session.ExecuteAsync(CreateTableSql.Drop(table.Database, table.Name), cancellationToken);
        return null;
    }

    private static string Advice(ServerException fault, string grant) => fault.Error switch
    {
        DbAccessDenied or TableAccessDenied => $": {grant}; or create the table another way and leave out --create",
        TooBigRowSize => "; these columns are too wide together: skip some with --map field=@",
        RequiresPrimaryKey or TableWithoutPrimaryKey => "; name the columns of a key with --primary-key",
        _ => "",
    };
}

/// <summary>Columns that this job has added, and drops again if nothing was committed.</summary>
internal sealed class NewColumns(ConnectionOptions connection, ServerFacts server, TableFacts table, PlannedAddition added)
    : SchemaChange(connection, server)
{
    private readonly string[] _columns = [.. added.Columns.Select(column => column.Column)];

    private string DisplayName => $"{Plural.For(_columns.Length, "column")} {string.Join(", ", _columns)} of {table.DisplayName}";

    protected override string Stays => $"{DisplayName} {Plural.For(_columns.Length, "was added and stays", "were added and stay")}";

    protected override string Dropped => $"{DisplayName} {Plural.For(_columns.Length, "was", "were")} dropped again";

    /// <summary>Adds all columns by one statement. Needs no open transaction: ALTER TABLE commits before and after.</summary>
    /// <exception cref="PlanException">the server refuses, or somebody holds the table</exception>
    public static async Task<NewColumns> AddAsync(
        IServerSession session, LoadRequest request, LoadFacts facts, PlannedAddition added, CancellationToken cancellationToken)
    {
        try
        {
            // While the statement waits for others' transactions, all later users of the table wait for it.
            await session.ExecuteAsync(CreateTableSql.WaitBriefly, cancellationToken);
            await session.ExecuteAsync(added.Statement, cancellationToken);
            await session.ExecuteAsync(AddColumnsSql.WaitByDefault, cancellationToken);
            return new NewColumns(request.Connection, facts.Server, facts.Table, added);
        }
        catch (ServerException fault) when (fault.Code != 0 && session.IsUsable)
        {
            var grant = await AccountGrant.OfAsync(session, "ALTER", facts.Table.Database, facts.Table.Name, cancellationToken);
            throw new PlanException(
                $"the server does not add columns to {facts.Table.DisplayName}: {fault.Message}{Advice(fault, grant)}", fault);
        }
    }

    public override string? DescribeUsed() => $"{Stays}, since rows are committed that fill {Plural.For(_columns.Length, "it", "them")}";

    /// <summary>Locks the table, so that nobody can fill a column between the check and the statement.</summary>
    protected override async Task<string?> TryDropAsync(IServerSession session, CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(AddColumnsSql.Lock(table.Database, table.Name), cancellationToken);
        var look = AddColumnsSql.AnyValue(table.Database, table.Name, _columns, added.Defaulted);
        if ((await session.QueryAsync(look, cancellationToken)).Rows.Count > 0)
        {
            return "rows have values in them";
        }

        await session.ExecuteAsync(AddColumnsSql.Drop(table.Database, table.Name, _columns), cancellationToken);
        await session.ExecuteAsync(AddColumnsSql.Unlock, cancellationToken);
        return null;
    }

    private static string Advice(ServerException fault, string grant) => fault.Error switch
    {
        DbAccessDenied or TableAccessDenied => $": {grant}; or add the columns another way and leave out --add-columns",
        DupFieldName => "; another session has just added it: run the same command again",
        TooBigRowSize =>
            "; the row becomes too wide: skip some fields with --map field=@, or give one another type, such as --type column=TEXT",
        LockWaitTimeout => "; another session holds the table: run the same command again when it is done",
        _ => "",
    };
}
