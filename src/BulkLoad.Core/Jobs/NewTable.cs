using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>A table that this job has made, and gives up again where nothing comes of it.</summary>
internal sealed class NewTable(ConnectionOptions connection, ServerFacts server, TableFacts table) : SchemaChange(connection, server)
{
    protected override string Stays => $"table {table.DisplayName} was created and stays";

    protected override string Dropped => $"table {table.DisplayName} was dropped again";

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
            throw new PlanException(
                $"the server does not create table {facts.Table.DisplayName}: {fault.Message}{Advice(fault, facts.Table)}", fault);
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

    private static string Advice(ServerException fault, TableFacts table) => fault.Code switch
    {
        1044 or 1142 => $"; GRANT CREATE ON {table.Database}.* to the account, or create the table another way and leave out --create",
        1118 => "; these columns are too wide together: skip some with --map field=@",
        1173 or 3750 => "; name the columns of a key with --primary-key",
        _ => "",
    };
}
