using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>A change of the schema that this job has made before its first row.</summary>
internal interface ISchemaChange
{
    /// <summary>Takes it back, if nobody uses it. Never throws for what server or route do.</summary>
    /// <returns>what became of it, for people</returns>
    Task<string> DropAsync();

    /// <summary>What to know of it where the job has failed and rows are committed, for people; null: nothing.</summary>
    string? DescribeUsed();
}

/// <summary>Columns that this job has added to a table, and drops again where nothing was committed.</summary>
internal sealed class NewColumns(ConnectionOptions connection, ServerFacts server, TableFacts table, PlannedAddition added) : ISchemaChange
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    private readonly string[] _columns = [.. added.Columns.Select(column => column.Column)];

    private string DisplayName => $"{Plural.For(_columns.Length, "column")} {string.Join(", ", _columns)} of {table.DisplayName}";

    /// <summary>Adds them by one statement, in a session where nothing is open: ALTER TABLE commits before and after.</summary>
    /// <exception cref="PlanException">the server refuses, or somebody holds the table</exception>
    public static async Task<NewColumns> AddAsync(
        IServerSession session, LoadRequest request, LoadFacts facts, PlannedAddition added, CancellationToken cancellationToken)
    {
        try
        {
            // While it waits for others' transactions, all who come later wait for it.
            await session.ExecuteAsync(CreateTableSql.WaitBriefly, cancellationToken);
            await session.ExecuteAsync(added.Statement, cancellationToken);
            await session.ExecuteAsync(AddColumnsSql.WaitAsUsual, cancellationToken);
            return new NewColumns(request.Connection, facts.Server, facts.Table, added);
        }
        catch (ServerException fault) when (fault.Code != 0 && session.IsUsable)
        {
            throw new PlanException(
                $"the server does not add columns to {facts.Table.DisplayName}: {fault.Message}{Advice(fault, facts.Table)}", fault);
        }
    }

    /// <summary>Drops them, in a session of its own; but only on the same server, and only if no row has a value in them.</summary>
    public async Task<string> DropAsync()
    {
        using var limit = new CancellationTokenSource(Limit);
        try
        {
            await using var session = await ServerSession.ConnectAsync(connection with { OffersLocalInfile = false }, limit.Token);
            return await DropAsync(session, limit.Token) is { } obstacle ? Stay($", though nothing was committed: {obstacle}")
                : $"{DisplayName} {Plural.For(_columns.Length, "was", "were")} dropped again, since nothing was committed";
        }
        catch (Exception fault) when (fault is BulkLoadException or OperationCanceledException)
        {
            var reason = fault is OperationCanceledException ? $"the server did not answer within {Limit.TotalSeconds:0} s" : fault.Message;
            return Stay($", though nothing was committed: {reason}");
        }
    }

    /// <inheritdoc/>
    public string? DescribeUsed() => Stay($", since rows are committed that fill {Plural.For(_columns.Length, "it", "them")}");

    private string Stay(string why) =>
        $"{DisplayName} {Plural.For(_columns.Length, "was", "were")} added and {Plural.For(_columns.Length, "stays", "stay")}{why}";

    /// <summary>Under a lock: nobody can fill a column between the look and the statement.</summary>
    private async Task<string?> DropAsync(IServerSession session, CancellationToken cancellationToken)
    {
        if ((await session.QueryAsync(CatalogSql.Identity, cancellationToken)).Scalar != server.Identity)
        {
            return "another server answers now";
        }

        await session.ExecuteAsync(CreateTableSql.WaitBriefly, cancellationToken);
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

    private static string Advice(ServerException fault, TableFacts table) => fault.Code switch
    {
        1044 or 1142 => $"; GRANT ALTER ON {table.DisplayName} to the account, or add the columns another way and leave out --add-columns",
        1060 => "; another session has just added it: run the same command again",
        1118 => "; the row becomes too wide: skip some fields with --map field=@, or give one another type, such as --type column=TEXT",
        1205 => "; another session holds the table: run the same command again when it is done",
        _ => "",
    };
}
