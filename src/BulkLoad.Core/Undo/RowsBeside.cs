using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Undo;

/// <summary>A table beside the target that has exactly the rows which a job has changed, each as the job has left it, or as it was if the
/// job has deleted it; and what becomes of each.</summary>
internal abstract class RowsBeside
{
    private const int DigestCharacters = 8;

    private readonly TableFacts _table;
    private readonly string _definition;
    private readonly RefreshSql _sql;

    /// <param name="definition">the table's statement, as the server writes it</param>
    protected RowsBeside(HeldJob held, TableFacts table, string definition, bool isPreview)
    {
        (_table, _definition, _sql) = (table, definition, new RefreshSql(table.Database));
        Stem = $"{UndoMark.StemOf(held.Id)}{(isPreview ? "p" : "")}";
        var lasting = TwinText.Lasting(table.Name, definition);
        var state = $"{held.Chunks.Tally}\0{table.DisplayName}\0{lasting}";
        Name = SqlName.Fit($"{Stem}{TextDigest.Of(state, DigestCharacters)}_{table.Name}");
    }

    /// <summary>With which the names of all tables begin that are made here.</summary>
    protected string Stem { get; }

    /// <summary>Another one once the table was altered, or the job has committed more.</summary>
    public string Name { get; }

    /// <summary>Whether an earlier start has loaded it.</summary>
    public static async Task<bool> IsThereAsync(IServerSession session, UndoSql sql, CancellationToken cancellationToken) =>
        (await session.QueryAsync(sql.FindState, cancellationToken)).Rows.Count > 0;

    /// <summary>Makes and loads the table.</summary>
    /// <exception cref="PlanException">the rows are not known</exception>
    public async Task MakeAsync(IServerSession session, UndoSql sql, CancellationToken cancellationToken)
    {
        foreach (var left in (await session.QueryAsync(_sql.Tables($"{Stem.Replace("_", @"\_", StringComparison.Ordinal)}%"),
            cancellationToken)).Rows)
        {
            await session.ExecuteAsync(_sql.Drop(left[0]!), cancellationToken);
        }

        await BesideStatements.RunAsync(session, _table.Database, [CopyText.Create(_definition, _sql.Name(Name))],
            $"the server does not make a table beside {_table.DisplayName}", cancellationToken);
        await FillAsync(session, sql, cancellationToken);
        await AddAsync(session, sql.AddIndexOfState, cancellationToken);
    }

    /// <param name="state">the column for what becomes of a row, or its index</param>
    protected Task AddAsync(IServerSession session, string state, CancellationToken cancellationToken) =>
        BesideStatements.RunAsync(session, _table.Database, [state],
            $"the table beside {_table.DisplayName} gets no column for what becomes of a row", cancellationToken);

    public async Task DropAsync(IServerSession session)
    {
        foreach (var statement in Drops)
        {
            await session.ExecuteAsync(statement, CancellationToken.None);
        }
    }

    protected virtual IEnumerable<string> Drops => [_sql.Drop(Name)];

    /// <summary>Adds the rows, and the column for what becomes of them.</summary>
    protected abstract Task FillAsync(IServerSession session, UndoSql sql, CancellationToken cancellationToken);
}

/// <summary>The rows that a job has kept as they were, and as it has left them (<c>--undoable</c>).</summary>
internal sealed class ImagedRows(HeldJob held, TableFacts table, string definition, bool isPreview)
    : RowsBeside(held, table, definition, isPreview)
{
    protected override async Task FillAsync(IServerSession session, UndoSql sql, CancellationToken cancellationToken)
    {
        await AddAsync(session, sql.AddState, cancellationToken);
        await session.ExecuteAsync(sql.FillFromImages, cancellationToken);
        await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
    }
}
