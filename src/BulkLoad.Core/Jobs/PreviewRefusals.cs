using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Asks what only the table itself would refuse: the copy has no foreign keys, no triggers, and not all rows.</summary>
/// <param name="deletesToReplace">whether other tables' foreign keys see that a row is deleted before another one replaces it</param>
internal sealed class PreviewRefusals(
    LoadFacts facts, IServerSession session, PreviewSql sql, PreviewReferences references, bool deletesToReplace)
{
    private readonly TableFacts _table = facts.Table;
    private readonly LoadRequest _request = facts.Request;

    /// <summary>Number of new rows that would be refused; they are not in the copy any more.</summary>
    public long Inserted { get; private set; }

    public long Updated { get; private set; }

    /// <summary>Number of deleted rows that would be refused; they are in the copy again.</summary>
    public long Deleted { get; private set; }

    /// <summary>Number of rows that would be refused; whether as inserted, updated or deleted ones is not known.</summary>
    public long Others { get; private set; }

    public List<string> Findings { get; } = [];

    /// <summary>Why the counts may differ from those of the command.</summary>
    public List<string> NotExact { get; } = [];

    /// <summary>An update or an upsert deletes no row: a row that is missing afterwards has another key.</summary>
    private bool ChangesKeys =>
        _request.Kind == JobKind.Update || _request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Update };

    private bool IsReplace => _request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Replace };

    /// <param name="lookups">keys for which records were refused because others refer, or referred, to rows with these values</param>
    /// <param name="unseen">unique keys by which no row was looked up</param>
    /// <param name="partitions">a condition for all rows, if the copy did not refuse the others; null: it is not known</param>
    public async Task FindAsync(
        IReadOnlyList<PreviewLookup> lookups, IReadOnlyList<UniqueKey> unseen, string? partitions, CancellationToken cancellationToken)
    {
        await FindOrphansAsync(cancellationToken);
        if (sql.HasKey && !_request.Truncate)
        {
            await FindChildrenAsync(cancellationToken);
        }

        await FindConflictsAsync(unseen, cancellationToken);
        if (Inserted + Updated + Deleted > 0)
        {
            NotExact.Add("which records the refused rows are of is not known");
            Findings.Add("which records the refused rows are of is not known here: the counts have one record for each of these rows");
        }

        if (_request.Kind != JobKind.Delete && (partitions is null
            || (partitions.Length > 0 && await CountAsync(sql.CountOthers(partitions), cancellationToken) > 0)))
        {
            NotExact.Add("the copy of the table has no partitions, and does not refuse what fits into none of them");
        }

        if (IsReplace && !deletesToReplace && sql.HasKey)
        {
            await FindMovedAsync(lookups, cancellationToken);
        }

        await FindTriggersAsync(cancellationToken);
    }

    /// <summary>Finds rows to which others refer, and whose value in another unique key has changed: the preview has judged by the old
    /// value whether a later record replaces them.</summary>
    private async Task FindMovedAsync(IReadOnlyList<PreviewLookup> lookups, CancellationToken cancellationToken)
    {
        foreach (var key in references.Others.Where(key => RuleOf(key) is not ("CASCADE" or "SET NULL")))
        {
            foreach (var lookup in lookups.Where(lookup => !lookup.Columns.All(column => key.ToColumns.Contains(column.Name))))
            {
                if (await CountAsync(sql.CountMoved(key, lookup.Columns.Select(column => column.Name)), cancellationToken) > 0)
                {
                    NotExact.Add($"rows that {key.Database}.{key.Table} refers to get another value of a unique key");
                    return;
                }
            }
        }
    }

    private async Task FindTriggersAsync(CancellationToken cancellationToken)
    {
        string[] triggers = _request.Kind switch
        {
            JobKind.Update => [.. _table.UpdateTriggers],
            JobKind.Delete => [.. _table.DeleteTriggers],
            _ when _request.OnDuplicate == DuplicateMode.Error => [.. _table.InsertTriggers],
            _ => [.. _table.InsertTriggers, .. _table.UpdateTriggers, .. _table.DeleteTriggers],
        };
        if (triggers.Length > 0)
        {
            Findings.Add($"what {Plural.For(triggers.Length, "trigger")} {string.Join(", ", triggers)} would do is not foreseen");
            var rows = (await session.QueryAsync(CatalogSql.Triggers(_table.Database, _table.Name), cancellationToken)).Rows;
            var changing = rows.Where(row => TriggerText.MayChangeRecords(row[1]!, row[3]))
                .Select(row => $"{row[0]} ({row[1]} {row[2]})").Intersect(triggers).ToList();
            if (changing.Count > 0)
            {
                NotExact.Add($"{Plural.For(changing.Count, "trigger")} {string.Join(", ", changing)} may change or refuse records");
            }
        }
    }

    /// <summary>Explains rows that are missing from the copy where the command deletes no row.</summary>
    /// <param name="gone">number of rows</param>
    public void DescribeGone(long gone)
    {
        if (ChangesKeys && gone > 0)
        {
            Findings.Add($"{Plural.Count(gone, "row")} would get another key: shown as deleted and inserted");
        }
    }

    private async Task FindOrphansAsync(CancellationToken cancellationToken)
    {
        foreach (var key in references.Own)
        {
            if (key.IsToItself)
            {
                await FindOwnOrphansAsync(key, cancellationToken);
            }
            else if (_request.Kind != JobKind.Delete)
            {
                var inserted = await ChangeAsync(sql.DeleteOrphans(key), cancellationToken);
                var updated = sql.HasKey ? await CountAsync(sql.CountOrphans(key), cancellationToken) : 0;
                (Inserted, Updated) = (Inserted + inserted, Updated + updated);
                if (inserted + updated > 0)
                {
                    Findings.Add(
                        $"{Plural.Count(inserted + updated, "row")} would be refused: foreign key {key.Name} ({key.Show()}) finds no row");
                }
            }
        }
    }

    /// <summary>A row that refers to a row of its own table may find it among the records before it.</summary>
    private async Task FindOwnOrphansAsync(ForeignKey key, CancellationToken cancellationToken)
    {
        var mayRefuse = _request.Kind != JobKind.Delete && await CountAsync(sql.CountNewReferences(key), cancellationToken) > 0;
        if (mayRefuse || (sql.HasKey && await CountAsync(sql.CountLostReferences(key, IsReplace), cancellationToken) > 0))
        {
            Findings.Add(
                $"foreign key {key.Name} refers to {_table.DisplayName} itself: whether each record has its parent is not known here");
            NotExact.Add($"foreign key {key.Name} refers to the table itself, and rows come, change or go that it is about");
        }
    }

    /// <summary>A rule such as CASCADE changes rows of another table; rows that refer to those may forbid that.</summary>
    private async Task FindFollowersAsync(ForeignKey key, CancellationToken cancellationToken)
    {
        var further = (await session.QueryAsync(ConstraintSql.ReferencesTo(key.Database, key.Table), cancellationToken)).Rows.Count > 0;
        if (further)
        {
            NotExact.Add($"rows of {key.Database}.{key.Table} would follow by foreign key {key.Name}, and other rows may refer to these");
        }
    }

    private async Task FindChildrenAsync(CancellationToken cancellationToken)
    {
        foreach (var key in references.Others.Where(key => !key.IsToItself))
        {
            var rows = await CountAsync(
                deletesToReplace ? sql.CountChildrenOfAll(key) : sql.CountChildren(key), cancellationToken);
            if (rows == 0)
            {
                continue;
            }

            Findings.Add(DescribeChildren(rows, $"{Plural.Count(rows, "row")} of {key.Database}.{key.Table}", key));
            if (RuleOf(key) is "CASCADE" or "SET NULL")
            {
                await FindFollowersAsync(key, cancellationToken);
                continue;
            }

            if (_request.Kind == JobKind.Delete)
            {
                Deleted += await ChangeAsync(sql.RestoreParents(key), cancellationToken);
            }
            else
            {
                Updated += await CountAsync(
                    deletesToReplace ? sql.CountParentsOfAll(key) : sql.CountParents(key), cancellationToken);
            }
        }
    }

    private string RuleOf(ForeignKey key) => ChangesKeys ? key.UpdateRule : key.DeleteRule;

    private string DescribeChildren(long rows, string what, ForeignKey key) => (RuleOf(key), ChangesKeys) switch
    {
        ("CASCADE", true) => $"{what} would follow the key that changes: foreign key {key.Name} is ON UPDATE CASCADE",
        ("CASCADE", false) => $"{what} would be deleted too: foreign key {key.Name} is ON DELETE CASCADE",
        ("SET NULL", var changes) =>
            $"{what} would lose their reference: foreign key {key.Name} is ON {(changes ? "UPDATE" : "DELETE")} SET NULL",
        (_, var changes) => $"{what} {Plural.For(rows, "refers", "refer")} "
            + $"to rows that would {(changes ? "get another key" : "be deleted")}: foreign key {key.Name} refuses that",
    };

    private async Task FindConflictsAsync(IEnumerable<UniqueKey> unseen, CancellationToken cancellationToken)
    {
        foreach (var key in unseen)
        {
            if (!sql.HasKey || key.Parts.Any(part => part is not { Column: not null, Prefix: null }))
            {
                Findings.Add($"unique key {key.Name}: the records do not have all of it, and rows with the same value are not foreseen");
                NotExact.Add($"rows with the same value of unique key {key.Name} are not foreseen");
            }
            else if (await CountAsync(sql.CountConflicts(key), cancellationToken) is > 0 and var rows)
            {
                Others += rows;
                NotExact.Add($"what becomes of rows with the same value of unique key {key.Name} is not known");
                Findings.Add($"{Plural.Count(rows, "row")} would have a value of unique key {key.Name} that another row has");
            }
        }
    }

    private Task<long> CountAsync(string question, CancellationToken cancellationToken) =>
        AskAsync(async () => long.Parse((await session.QueryAsync(question, cancellationToken)).Scalar!, CultureInfo.InvariantCulture));

    private Task<long> ChangeAsync(string statement, CancellationToken cancellationToken) =>
        AskAsync(async () => (long)(await session.ExecuteAsync(statement, cancellationToken)).AffectedRows);

    /// <returns>0 if the account may not read the other table: it is not known what refers to it</returns>
    private async Task<long> AskAsync(Func<Task<long>> ask)
    {
        try
        {
            return await ask();
        }
        catch (ServerException fault)
            when (fault.Error is ServerError.TableAccessDenied or ServerError.ColumnAccessDenied && session.IsUsable)
        {
            NotExact.Add($"foreign keys are about a table that this account may not read ({fault.Message})");
            return 0;
        }
    }
}
