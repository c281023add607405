using BulkLoad.Core.Jobs;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>Changes what differs between a table and the one beside it, in the session's open transaction. A row that stays is never
/// deleted while rows of other tables may refer to it: a cascade would take those.</summary>
internal sealed class TableSync(IServerSession session, RefreshFacts facts, string loaded)
{
    /// <summary>Each round sets unique values free that the next one needs.</summary>
    private const int MaxRounds = 100;

    private readonly TableFacts _table = facts.Table;

    private readonly StageSql _sql = new(
        facts.Table, [.. facts.Table.Columns.Where(column => !column.IsGenerated).Select(column => column.Name)], facts.Own, loaded);

    /// <summary>A value that rows refer to must not be NULL for a while: they would be too, and stay so.</summary>
    private bool CanMakeRoom => facts.References.All(key => key.ToColumns.All(
        column => _table.PrimaryKey.Contains(column, StringComparer.OrdinalIgnoreCase)));

    /// <summary>What compares the two tables, in order; empty: the table has no primary key.</summary>
    public IReadOnlyList<string> Comparing => _table.PrimaryKey.Count == 0 ? [] : RowDifferences.Questions(_sql);

    /// <summary>What <see cref="RunAsync"/> sends, in order, where no unique value moves from one row to another.</summary>
    public IReadOnlyList<string> Changing => facts.Own.Count == 0
        ? [_sql.Delete, _sql.Update, _sql.Insert(onlyMissing: true)]
        : [.. _table.OtherKeys.Any() ? [_sql.Delete] : Array.Empty<string>(), _sql.Insert(onlyMissing: true), _sql.Update, _sql.Unlink!,
            _sql.Delete];

    /// <summary>Adds to a report how many rows are new, have changed, are gone, or are equal; of a table without a primary key nobody can
    /// tell.</summary>
    public async Task<RefreshReport> CompareAsync(RefreshReport report, CancellationToken cancellationToken)
    {
        if (_table.PrimaryKey.Count == 0)
        {
            return report;
        }

        var (added, changed, gone) = await RowDifferences.CountAsync(session, _sql, cancellationToken);
        return report with
        {
            NewRows = added,
            ChangedRows = changed,
            GoneRows = gone,
            UnchangedRows = report.RowsAfter - added - changed,
        };
    }

    /// <summary>The first rows that are new, have changed and are gone.</summary>
    public Task<IReadOnlyList<RowChange>> ShowAsync(int max, CancellationToken cancellationToken) =>
        RowDifferences.ShowAsync(session, _sql, max, cancellationToken);

    /// <exception cref="PlanException">rows of other tables refer to what would go or change</exception>
    /// <exception cref="ReconciliationException">the table would not be the other one</exception>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await RequireNoLossAsync(cancellationToken);
        if (facts.Own.Count == 0)
        {
            await session.ExecuteAsync(_sql.Delete, cancellationToken);
            await UpdateAsync(cancellationToken);
            await session.ExecuteAsync(_sql.Insert(onlyMissing: true), cancellationToken);
        }
        else
        {
            await SyncTreeAsync(cancellationToken);
        }

        var (missing, other, extra) = await RowDifferences.CountAsync(session, _sql, cancellationToken);
        if (missing + other + extra > 0)
        {
            throw new ReconciliationException($"{_table.DisplayName} would not be what the input says: {missing} rows would be missing, "
                + $"{other} other ones, {extra} too many; {(_table.HasTriggers ? "its triggers change rows" : "a foreign key cascades")}");
        }
    }

    /// <summary>New rows come first, without their references; these follow when all rows are there.</summary>
    private async Task SyncTreeAsync(CancellationToken cancellationToken)
    {
        if (_table.OtherKeys.Any())
        {
            await TryAsync(_sql.Delete, cancellationToken);
        }

        if (!await TryAsync(_sql.Insert(onlyMissing: true), cancellationToken))
        {
            await UpdateAsync(cancellationToken);
            await session.ExecuteAsync(_sql.Insert(onlyMissing: true), cancellationToken);
        }

        await UpdateAsync(cancellationToken);
        await session.ExecuteAsync(_sql.Unlink!, cancellationToken);
        await session.ExecuteAsync(_sql.Delete, cancellationToken);
    }

    private async Task UpdateAsync(CancellationToken cancellationToken)
    {
        if (await TryAsync(_sql.Update, cancellationToken))
        {
            return;
        }

        // A unique value moves from one row to another.
        if (CanMakeRoom && _sql.MakeRoom is { } room)
        {
            await session.ExecuteAsync(room, cancellationToken);
        }

        for (var round = 0; round < MaxRounds
            && (await session.ExecuteAsync(_sql.UpdateFree, cancellationToken)).AffectedRows > 0; round++)
        {
        }

        if (await TryAsync(_sql.Update, cancellationToken))
        {
            return;
        }

        if (facts.References is [var key, ..])
        {
            throw new PlanException($"--full-refresh: unique values of {_table.DisplayName} move in a circle, and foreign key {key.Name} "
                + $"of {key.Database}.{key.Table} refers to it, so that no row can be deleted and inserted again: move one of them to "
                + "a free value first");
        }

        await session.ExecuteAsync(_sql.DeleteChanged, cancellationToken);
    }

    private async Task RequireNoLossAsync(CancellationToken cancellationToken)
    {
        foreach (var key in facts.Others)
        {
            var (gone, moved) = (await CountAsync(_sql.CountReferring(key)), await CountAsync(_sql.CountMoved(key)));
            if (gone + moved > 0)
            {
                throw new PlanException($"--full-refresh: {Plural.Count(gone + moved, "row")} of {key.Database}.{key.Table} "
                    + $"{Plural.For(gone + moved, "refers", "refer")} to {_table.DisplayName} by a value that the input does not have "
                    + $"there (foreign key {key.Name}): change or delete {Plural.For(gone + moved, "it", "them")} first, "
                    + "or add what is missing");
            }
        }

        async Task<long> CountAsync(string question) =>
            long.Parse((await session.QueryAsync(question, cancellationToken)).Scalar!, CultureInfo.InvariantCulture);
    }

    /// <returns>false: rows are in the way, and the server has undone the statement</returns>
    private async Task<bool> TryAsync(string statement, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(statement, cancellationToken);
            return true;
        }
        catch (ServerException fault)
            when (session.IsUsable && fault.Error is ServerError.DupEntry or ServerError.DupEntryWithKeyName
                or ServerError.RowIsReferenced or ServerError.RowIsReferenced2)
        {
            return false;
        }
    }
}
