using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>
/// CHECKs on the copy of a preview, in place of the table's foreign keys, which a temporary table cannot have. Each refuses the values of
/// the input that refer to no row. So the server refuses the same records, at the same moment.
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
    public async Task AddAsync(
        SeedReference key, IReadOnlyList<TableColumn> columns, string staged, IReadOnlyList<string> places,
        CancellationToken cancellationToken)
    {
        if (columns.Any(column => PreviewSql.Literal("", column.Kind) is null))
        {
            return;
        }

        try
        {
            var values = (
                await session.QueryAsync(PreviewSql.FindOrphans(key, columns, staged, places, MostValues + 1), cancellationToken)).Rows;
            if (values.Count is > 0 and <= MostValues)
            {
                await session.ExecuteAsync(sql.Refuse($"{Prefix}{_reasons.Count:00}", columns, values), cancellationToken);
                _reasons.Add($"foreign key {key.Name} ({key.Show()}) finds no row");
            }
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
        {
            // The account may not read the other table, or rows that are there have such a value already: rows are counted afterwards.
        }
    }

    /// <summary>
    /// REPLACE deletes a row before it inserts the new one, which rows of another table may not allow. Such rows leave the copy, which
    /// refuses their values of every unique key in their place.
    /// </summary>
    /// <param name="database">of the other table</param>
    /// <param name="key">a foreign key of the other table, which refuses that rows are deleted</param>
    /// <param name="uniqueKeys">by which rows are replaced</param>
    public async Task ProtectAsync(
        string database, SeedReference key, IReadOnlyList<IReadOnlyList<TableColumn>> uniqueKeys, CancellationToken cancellationToken)
    {
        // No server takes a CHECK of an AUTO_INCREMENT column.
        if (uniqueKeys.SelectMany(columns => columns)
            .Any(column => column.Default == ColumnDefault.AutoIncrement || PreviewSql.Literal("", column.Kind) is null))
        {
            return;
        }

        try
        {
            List<IReadOnlyList<string?[]>> values = [];
            foreach (var columns in uniqueKeys)
            {
                values.Add((await session.QueryAsync(sql.FindParents(database, key, columns, MostValues + 1), cancellationToken)).Rows);
            }

            if (values.TrueForAll(rows => rows.Count == 0) || values.Exists(rows => rows.Count > MostValues))
            {
                return;
            }

            await session.ExecuteAsync(sql.DeleteParents(database, key), cancellationToken);
            foreach (var (columns, rows) in uniqueKeys.Zip(values).Where(one => one.Second.Count > 0))
            {
                await session.ExecuteAsync(sql.Refuse($"{Prefix}{_reasons.Count:00}", columns, rows), cancellationToken);
                _reasons.Add(
                    $"the row that it would replace cannot be deleted: rows of {database}.{key.Table} refer to it (foreign key "
                        + $"{key.Name})");
            }
        }
        catch (ServerException fault) when (fault.IsAccessDenied && session.IsUsable)
        {
            // Another table, which the account may not read: what refers to the rows is not known.
        }
    }

    /// <summary>A reject of one of these CHECKs as one of its foreign key.</summary>
    public Reject Reword(Reject reject)
    {
        for (var i = 0; i < _reasons.Count && reject.ServerCode > 0; i++)
        {
            if (reject.Message.Contains($"{Prefix}{i:00}", StringComparison.Ordinal))
            {
                return reject with { Code = ForeignKeyCode, Message = _reasons[i], ServerCode = (int)ServerError.NoReferencedRow2 };
            }
        }

        return reject;
    }

    /// <summary>The reason of a record that a foreign key refuses.</summary>
    public const string ForeignKeyCode = "foreign-key";
}
