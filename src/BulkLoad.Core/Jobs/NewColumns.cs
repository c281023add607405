using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Columns that this job has added to a table, and drops again where nothing was committed.</summary>
internal sealed class NewColumns(ConnectionOptions connection, ServerFacts server, TableFacts table, PlannedAddition added)
    : SchemaChange(connection, server)
{
    private readonly string[] _columns = [.. added.Columns.Select(column => column.Column)];

    private string DisplayName => $"{Plural.For(_columns.Length, "column")} {string.Join(", ", _columns)} of {table.DisplayName}";

    protected override string Stays => $"{DisplayName} {Plural.For(_columns.Length, "was added and stays", "were added and stay")}";

    protected override string Dropped => $"{DisplayName} {Plural.For(_columns.Length, "was", "were")} dropped again";

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

    /// <inheritdoc/>
    public override string? DescribeUsed() => $"{Stays}, since rows are committed that fill {Plural.For(_columns.Length, "it", "them")}";

    /// <summary>Under a lock: nobody can fill a column between the look and the statement.</summary>
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

    private static string Advice(ServerException fault, TableFacts table) => fault.Code switch
    {
        1044 or 1142 => $"; GRANT ALTER ON {table.DisplayName} to the account, or add the columns another way and leave out --add-columns",
        1060 => "; another session has just added it: run the same command again",
        1118 => "; the row becomes too wide: skip some fields with --map field=@, or give one another type, such as --type column=TEXT",
        1205 => "; another session holds the table: run the same command again when it is done",
        _ => "",
    };
}
