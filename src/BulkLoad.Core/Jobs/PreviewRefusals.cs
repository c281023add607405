using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>What only the table itself can refuse, asked about after a preview: its copy has no foreign keys, no triggers, and not all
/// rows.</summary>
/// <param name="deletesToReplace">whether a row is deleted before another one replaces it, as other tables' foreign keys see it</param>
internal sealed class PreviewRefusals(
    LoadFacts facts, IServerSession session, PreviewSql sql, PreviewReferences references, bool deletesToReplace)
{
    private readonly TableFacts _table = facts.Table;
    private readonly LoadRequest _request = facts.Request;

    /// <summary>New rows that would be refused, and are no more in the copy.</summary>
    public long Inserted { get; private set; }

    /// <summary>Changed rows that would be refused.</summary>
    public long Updated { get; private set; }

    /// <summary>Deleted rows that would be refused, and are in the copy again.</summary>
    public long Deleted { get; private set; }

    /// <summary>Rows that would be refused, of which it is not known what the counts have them as.</summary>
    public long Others { get; private set; }

    /// <summary>For people.</summary>
    public List<string> Findings { get; } = [];

    /// <summary>An update, and an upsert, delete no row: what is not there any more has another key.</summary>
    private bool ChangesKeys =>
        _request.Kind == JobKind.Update || _request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Update };

    /// <summary>Asks about everything.</summary>
    /// <param name="unseen">unique keys by which no row was looked up</param>
    public async Task FindAsync(IEnumerable<UniqueKey> unseen, CancellationToken cancellationToken)
    {
        await FindOrphansAsync(cancellationToken);
        if (sql.HasKey && !_request.Truncate)
        {
            await FindChildrenAsync(cancellationToken);
        }

        await FindConflictsAsync(unseen, cancellationToken);
        if (Inserted + Updated + Deleted > 0)
        {
            Findings.Add("which records the refused rows are of is not known here: the counts have one record for each of these rows");
        }

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
        }
    }

    /// <summary>Says what rows that are not there any more are, where no row is deleted.</summary>
    /// <param name="gone">rows that the copy does not have any more</param>
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
            if (key.IsToItself && key.ToDatabase == _table.Database)
            {
                Findings.Add(
                    $"foreign key {key.Name} refers to {_table.DisplayName} itself: whether each record has its parent is not known here");
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

    private async Task FindChildrenAsync(CancellationToken cancellationToken)
    {
        foreach (var (database, key) in references.Others)
        {
            var rows = await CountAsync(
                deletesToReplace ? sql.CountChildrenOfAll(database, key) : sql.CountChildren(database, key), cancellationToken);
            if (rows == 0)
            {
                continue;
            }

            Findings.Add(DescribeChildren(rows, $"{Plural.Count(rows, "row")} of {database}.{key.Table}", key));
            if (RuleOf(key) is "CASCADE" or "SET NULL")
            {
                continue;
            }

            if (_request.Kind == JobKind.Delete)
            {
                Deleted += await ChangeAsync(sql.RestoreParents(database, key), cancellationToken);
            }
            else
            {
                Updated += await CountAsync(
                    deletesToReplace ? sql.CountParentsOfAll(database, key) : sql.CountParents(database, key), cancellationToken);
            }
        }
    }

    private string RuleOf(SeedReference key) => ChangesKeys ? key.UpdateRule : key.DeleteRule;

    private string DescribeChildren(long rows, string what, SeedReference key) => (RuleOf(key), ChangesKeys) switch
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
            }
            else if (await CountAsync(sql.CountConflicts(key), cancellationToken) is > 0 and var rows)
            {
                Others += rows;
                Findings.Add($"{Plural.Count(rows, "row")} would have a value of unique key {key.Name} that another row has");
            }
        }
    }

    private Task<long> CountAsync(string question, CancellationToken cancellationToken) =>
        AskAsync(async () => long.Parse((await session.QueryAsync(question, cancellationToken)).Scalar!, CultureInfo.InvariantCulture));

    /// <summary>Changes the copy.</summary>
    /// <returns>rows that were changed</returns>
    private Task<long> ChangeAsync(string statement, CancellationToken cancellationToken) =>
        AskAsync(async () => (long)(await session.ExecuteAsync(statement, cancellationToken)).AffectedRows);

    /// <returns>0 where the account may not read the other table: what refers to it is not known</returns>
    private async Task<long> AskAsync(Func<Task<long>> ask)
    {
        try
        {
            return await ask();
        }
        catch (ServerException fault)
            when (fault.Error is ServerError.TableAccessDenied or ServerError.ColumnAccessDenied && session.IsUsable)
        {
            return 0;
        }
    }
}
