using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Replaces foreign keys and partitions on the copy of a preview, a temporary table that cannot have them, by CHECKs and by an
/// error in the WHERE of a DELETE: the server refuses the same records at the same moment.</summary>
internal sealed class PreviewGuards(IServerSession session, PreviewSql sql, LoadFacts facts)
{
    /// <summary>Limit of different values that refer to no row. With more there is no CHECK, and the rows are counted afterwards.</summary>
    private const int MaxValues = 500;

    private const string Prefix = "bulkload_guard_";

    private readonly Dictionary<string, (string Code, string Message, ServerError Error)> _reasons = [];
    private readonly List<string> _marks = [];
    private readonly List<string> _markings = [];

    /// <summary>Guards of the table's own foreign keys, by name; true: InnoDB may check the foreign key before the record's key.</summary>
    private readonly Dictionary<string, bool> _own = [];
    private readonly LiteralForm[] _forms = [.. facts.Columns.Select(column => new LiteralForm(column, isKey: true))];
    private readonly HashSet<string> _bound = [];
    private IReadOnlyList<PreviewLookup> _unique = [];
    private int _names;

    /// <summary>The copy's AUTO_INCREMENT column: no server takes a CHECK of it.</summary>
    public TableColumn? Number { get; set; } =
        facts.Table.Columns.FirstOrDefault(column => column.Default == ColumnDefault.AutoIncrement);

    /// <summary>Whether a record was refused because its unique value was that of a row to which others refer when the job began.</summary>
    public bool HasRefusedBound { get; private set; }

    /// <summary>Whether a record breaks a foreign key and has a key that exists, and the server may see either first.</summary>
    public bool IsInDoubt { get; private set; }

    public const string ForeignKeyCode = "foreign-key";

    /// <summary>The condition of a DELETE's WHERE, with the errors for rows that must stay; null: the condition of the request.</summary>
    public string? Where => _marks.Count == 0 || facts.Request.Kind != JobKind.Delete
        ? facts.Request.Key.Where : PreviewSql.RefuseMarked(_marks, facts.Request.Key.Where);

    /// <summary>Names the foreign key or the partition in place of the guard that has refused the record.</summary>
    public Reject Reword(Reject reject)
    {
        var name = reject.ServerCode > 0
            ? _reasons.Keys.FirstOrDefault(one => reject.Message.Contains(one, StringComparison.Ordinal))
            : null;
        HasRefusedBound |= name is not null && _bound.Contains(name);
        return name is not null && _reasons[name] is var (code, message, error)
            ? reject with { Code = code, Message = message, ServerCode = (int)error } : reject;
    }

    /// <summary>Refuses records that refer to no row, by the values that the records have.</summary>
    /// <param name="staged">table with the values of all records</param>
    /// <param name="places">its columns that have the values</param>
    public async Task RefuseOrphansAsync(
        ForeignKey key, IReadOnlyList<TableColumn> columns, string staged, IReadOnlyList<string> places,
        CancellationToken cancellationToken)
    {
        if (!AreLiterals(columns))
        {
            return;
        }

        await TryAsync(async () =>
        {
            var values = await AskAsync(PreviewSql.FindOrphans(key, columns, staged, places, MaxValues + 1), cancellationToken);
            if (values is { Count: > 0 and <= MaxValues })
            {
                var name = NextName();
                await session.ExecuteAsync(sql.Refuse(name, columns, values), cancellationToken);
                AddOwn(name, key);
            }
            else if (values.Count > MaxValues)
            {
                await AllowReferredAsync(key, columns, cancellationToken);
            }
        });
    }

    /// <summary>Refuses records that refer to no row, wherever their values come from, if the other table has few rows.</summary>
    public Task RefuseOrphansAsync(ForeignKey key, IReadOnlyList<TableColumn> columns, CancellationToken cancellationToken) =>
        AreLiterals(columns) ? TryAsync(() => AllowReferredAsync(key, columns, cancellationToken)) : Task.CompletedTask;

    private async Task AllowReferredAsync(ForeignKey key, IReadOnlyList<TableColumn> columns, CancellationToken cancellationToken)
    {
        if (await AskAsync(PreviewSql.FindReferred(key, columns, MaxValues + 1), cancellationToken) is { Count: <= MaxValues } values)
        {
            var name = NextName();
            await session.ExecuteAsync(sql.Allow(name, columns, values), cancellationToken);
            AddOwn(name, key);
        }
    }

    /// <summary>REPLACE deletes a row before it inserts the new one; rows of another table may forbid that. Such rows are taken out of the
    /// copy, which then refuses their values in every unique key. Where the server sees that the referenced value stays, the rows stay too,
    /// and the copy refuses only a unique value of theirs that comes with another referenced value.</summary>
    /// <param name="key">a foreign key of the other table that forbids deleting rows</param>
    public async Task ProtectAsync(
        ForeignKey key, IReadOnlyList<IReadOnlyList<TableColumn>> uniqueKeys, bool deletes,
        CancellationToken cancellationToken)
    {
        if (uniqueKeys.Any(columns => !AreLiterals(columns) || columns.Contains(Number)) || key.ToColumns.Contains(Number?.Name))
        {
            return;
        }

        await TryAsync(async () =>
        {
            List<IReadOnlyList<string?[]>> values = [];
            foreach (var columns in uniqueKeys)
            {
                var question = deletes ? sql.FindParents(key, columns, MaxValues + 1)
                    : sql.FindMarkedParents(key, columns, MaxValues + 1);
                values.Add(await AskAsync(question, cancellationToken));
            }

            if (values.TrueForAll(rows => rows.Count == 0) || values.Exists(rows => rows.Count > MaxValues))
            {
                return;
            }

            if (deletes)
            {
                await session.ExecuteAsync(sql.DeleteParents(key), cancellationToken);
            }

            foreach (var (columns, rows) in uniqueKeys.Zip(values).Where(one => one.Second.Count > 0))
            {
                var name = NextName();
                if (!deletes && !columns.All(column => key.ToColumns.Contains(column.Name)))
                {
                    _bound.Add(name);
                }

                await session.ExecuteAsync(
                    deletes ? sql.Refuse(name, columns, rows) : sql.Bind(name, columns, key.ToColumns, rows), cancellationToken);
                Add(name, $"the row that it would replace cannot be deleted: rows of {key.Database}.{key.Table} refer to it (foreign key "
                    + $"{key.Name})", ServerError.RowIsReferenced2);
            }
        });
    }

    /// <summary>Rows to which another table refers must keep that value byte for byte: the copy refuses its UPDATE, and a DELETE.</summary>
    /// <param name="key">a foreign key of the other table that forbids it</param>
    public Task KeepAsync(ForeignKey key, CancellationToken cancellationToken) => TryAsync(async () =>
    {
        var isDelete = facts.Request.Kind == JobKind.Delete;
        var name = NextName();
        var marking = sql.MarkParents(name, key);
        await session.ExecuteAsync(sql.AddMark(name), cancellationToken);
        await session.ExecuteAsync(marking, cancellationToken);
        if (!isDelete)
        {
            await session.ExecuteAsync(sql.RefuseChanges(name, key.ToColumns), cancellationToken);
        }

        _marks.Add(name);
        _markings.Add(marking);
        Add(name, $"rows of {key.Database}.{key.Table} refer to the row that it would {(isDelete ? "delete" : "give another key")} "
            + $"(foreign key {key.Name})", ServerError.RowIsReferenced2);
    });

    /// <returns>whether the server accepts the guard</returns>
    public async Task<bool> RefuseOutsideAsync(string condition, CancellationToken cancellationToken)
    {
        var name = NextName();
        await TryAsync(async () =>
        {
            await session.ExecuteAsync(sql.Check(name, condition), cancellationToken);
            _reasons[name] = ("refused-by-server", "no partition of the table takes it", ServerError.NoPartitionForGivenValue);
        });
        return _reasons.ContainsKey(name);
    }

    /// <summary>Marks the rows of the copy after it was filled again.</summary>
    public async Task MarkAgainAsync(CancellationToken cancellationToken)
    {
        foreach (var marking in _markings)
        {
            await session.ExecuteAsync(marking, cancellationToken);
        }
    }

    /// <summary>InnoDB ignores a record whose key exists before it checks foreign keys; a CHECK comes before both.</summary>
    public void IgnoreTaken(IReadOnlyList<PreviewLookup> lookups) => _unique = lookups;

    /// <summary>Whether a row that a guard has refused is no reject, because its key exists.</summary>
    public async ValueTask<bool> IsIgnoredAsync(RowBlock block, int row, string refusal, CancellationToken cancellationToken)
    {
        var guard = _unique.Count == 0 ? null : _own.Keys.FirstOrDefault(name => refusal.Contains(name, StringComparison.Ordinal));
        if (guard is null)
        {
            return false;
        }

        // The server looks into the primary key before any other index.
        var byIndex = _unique.ToLookup(lookup => lookup.Index == UniqueKey.Primary);
        if (await HasRowAsync(byIndex[true]))
        {
            return true;
        }

        var isTaken = await HasRowAsync(byIndex[false]);
        IsInDoubt |= isTaken && _own[guard];
        return isTaken;

        async ValueTask<bool> HasRowAsync(IEnumerable<PreviewLookup> lookups)
        {
            var keys = lookups.Select(lookup => lookup.Parts.Select(part => (part.Column.Name, Write(part.Column, part.Part)))).ToList();
            return keys.Count > 0 && (await session.QueryAsync(sql.HasRow(keys), cancellationToken)).Rows.Count > 0;
        }

        string Write(TableColumn column, PreviewPart part)
        {
            var place = facts.IndexOf(column);
            if (part == PreviewPart.Default || block.Get(row, place, out _) == CellState.Default)
            {
                return PreviewSql.DefaultOf(column) ?? "NULL";
            }

            var text = new ArrayBufferWriter<byte>();
            _forms[place].Write(text, block, row, place);
            return Encoding.UTF8.GetString(text.WrittenSpan);
        }
    }

    private string NextName() => $"{Prefix}{_names++:000}";

    private void AddOwn(string name, ForeignKey key)
    {
        _own[name] = facts.Table.UniqueKeys.Any(unique => unique.Columns.FirstOrDefault() == key.Columns[0]);
        Add(name, $"foreign key {key.Name} ({key.Show()}) finds no row", ServerError.NoReferencedRow2);
    }

    private void Add(string name, string message, ServerError error) => _reasons[name] = (ForeignKeyCode, message, error);

    private static bool AreLiterals(IReadOnlyList<TableColumn> columns) =>
        columns.All(column => ColumnSql.Of(column.Kind).Literal is not null);

    private async Task<IReadOnlyList<string?[]>> AskAsync(string question, CancellationToken cancellationToken) =>
        (await session.QueryAsync(question, cancellationToken)).Rows;

    private async Task TryAsync(Func<Task> add)
    {
        try
        {
            await add();
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
        {
            // Counted afterwards: the account cannot read the table, rows have such a value, or the server does not accept the CHECK.
        }
    }
}
