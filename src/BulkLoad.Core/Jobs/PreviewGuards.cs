using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>
/// CHECKs on the copy of a preview, in place of the table's foreign keys, which a temporary table cannot have: each refuses the values of the input that refer to
/// no row. So the server refuses the same records, at the same moment.
/// </summary>
internal sealed class PreviewGuards(IServerSession session, PreviewSql sql)
{
    /// <summary>Different values that refer to no row; of more there is no CHECK, and the rows are counted afterwards.</summary>
    private const int MostValues = 500;

    private const string Prefix = "bulkload_guard_";

    private readonly List<string> _reasons = [];

    /// <summary>Makes the CHECK of a foreign key, if it can be made.</summary>
    /// <param name="staged">the values of all records</param>
    /// <param name="places">in which columns of it the values are</param>
    public async Task AddAsync(SeedReference key, IReadOnlyList<TableColumn> columns, string staged, IReadOnlyList<string> places, CancellationToken cancellationToken)
    {
        if (columns.Any(column => PreviewSql.Literal("", column.Kind) is null))
        {
            return;
        }

        try
        {
            var values = (await session.QueryAsync(sql.FindOrphans(key, columns, staged, places, MostValues + 1), cancellationToken)).Rows;
            if (values.Count is > 0 and <= MostValues)
            {
                await session.ExecuteAsync(sql.Refuse($"{Prefix}{_reasons.Count:00}", columns, values), cancellationToken);
                _reasons.Add($"foreign key {key.Name} ({key.Show()}) finds no row");
            }
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
        {
            // The account may not read the other table, or rows that are there have such a value already: the rows are counted afterwards, where they can be.
        }
    }

    /// <summary>A reject of one of these CHECKs as one of its foreign key.</summary>
    public Reject Reword(Reject reject)
    {
        var found = reject.ServerCode > 0 ? _reasons.FindIndex(reason => reject.Message.Contains($"{Prefix}{_reasons.IndexOf(reason):00}", StringComparison.Ordinal)) : -1;
        return found < 0 ? reject : reject with { Code = ForeignKeyCode, Message = _reasons[found], ServerCode = (int)ServerError.NoReferencedRow2 };
    }

    /// <summary>The reason of a record that a foreign key refuses.</summary>
    public const string ForeignKeyCode = "foreign-key";
}
