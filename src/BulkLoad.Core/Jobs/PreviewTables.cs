using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>A preview's temporary tables: made, filled with the rows that the records may touch, and compared when the job has run on one
/// of them.</summary>
/// <param name="session">that has them, and runs the job; stays the caller's</param>
internal sealed class PreviewTables(PreparedJob job, IServerSession session)
{
    private const int MostShownInFile = 1_000_000;

    private readonly LoadFacts _facts = job.Facts;
    private readonly LoadRequest _request = job.Request;
    private readonly PreviewSql _sql = new(job.Facts.Table);
    private readonly PreviewGuards _guards = new(session, new PreviewSql(job.Facts.Table));
    private readonly List<UniqueKey> _unseen = [];
    private long _emptied;
    private bool _looksFirst;
    private PreviewReferences _references = new([], []);
    private string? _copyNote;

    /// <summary>
    /// Whether a row is deleted before another one replaces it, as other tables' foreign keys see it. MySQL from 9.6 on sees that its key
    /// stays.
    /// </summary>
    private bool DeletesToReplace => !_looksFirst && _request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Replace };

    /// <summary>Makes the copies, and fills them.</summary>
    /// <returns>what the job has to know to work on the copy</returns>
    /// <exception cref="PlanException">the server makes no copy of such a table, or the account may not</exception>
    public async Task<LoadFacts> CreateAsync(CancellationToken cancellationToken)
    {
        var table = _facts.Table;
        try
        {
            await CopyTableAsync(cancellationToken);
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
        {
            throw new PlanException(fault.IsAccessDenied
                ? $"--preview works on a temporary copy of {table.DisplayName}, and this account may not make one: "
                    + $"GRANT CREATE TEMPORARY TABLES, SELECT ON {table.Database}.* to it; the server says: {fault.Message}"
                : $"--preview: the server makes no temporary copy of {table.DisplayName}: {fault.Message}; "
                    + "'bulkload check --on-server' judges every record of an import, in a transaction that is rolled back", fault);
        }

        await session.ExecuteAsync(PreviewSql.BeLenient, cancellationToken);
        _references = await PreviewReferences.FindAsync(session, table, cancellationToken);
        if (_request.Truncate)
        {
            _emptied = Number((await session.QueryAsync(_sql.CountRows, cancellationToken)).Scalar);
        }

        await CopyRowsAsync(cancellationToken);
        await BeginNumbersAsync(cancellationToken);
        await session.ExecuteAsync(_sql.Keep, cancellationToken);
        await session.ExecuteAsync(PreviewSql.BeStrict, cancellationToken);
        await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        return _facts with
        {
            Verify = null,
            Indexes = null,
            Table = table with
            {
                Name = PreviewSql.Copy,
                CopyOf = table.Name,
                InsertTriggers = [],
                UpdateTriggers = [],
                DeleteTriggers = [],
                CallingTriggers = [],
            },
        };
    }

    /// <summary>A reject with the table's name in place of the copy's.</summary>
    public Reject Reword(Reject reject)
    {
        var reworded = _guards.Reword(reject);
        return reworded with { Message = reworded.Message.Replace(PreviewSql.Copy, _facts.Table.Name, StringComparison.Ordinal) };
    }

    /// <summary>By the server's own way, or, where it makes no temporary copy of such a table, without what stands in the way.</summary>
    private async Task CopyTableAsync(CancellationToken cancellationToken)
    {
        try
        {
            await ExecuteAsync(_sql.Create);
        }
        catch (ServerException fault) when (fault.Code > 0 && !fault.IsAccessDenied && session.IsUsable)
        {
            var sql = new IndexSql(_facts.Table.Database, _facts.Table.Name);
            var answers = await session.QueryAllAsync([IndexSql.QuoteNames, sql.Definition], cancellationToken);
            await ExecuteAsync(_sql.CreateFrom(answers[1].FirstRow.ElementAtOrDefault(1) ?? ""));
            _copyNote = "the copy has no partitions, no FULLTEXT and no SPATIAL index, since the server makes none "
                + $"({fault.Message}): records that these would refuse are not foreseen";
        }

        async Task ExecuteAsync(IEnumerable<string> statements)
        {
            foreach (var statement in statements)
            {
                await session.ExecuteAsync(statement, cancellationToken);
            }
        }
    }

    /// <summary>What the job has changed in the copy, and what the server would say to that.</summary>
    /// <param name="file">gets all changes; null: nobody wants them</param>
    /// <exception cref="RejectFileException">the file cannot be written</exception>
    public async Task<PreviewReport> CompareAsync(PreviewFile? file, CancellationToken cancellationToken)
    {
        // Rows as they are may have values that a strict session would not compare.
        await session.ExecuteAsync(PreviewSql.BeLenient, cancellationToken);
        var refusals = new PreviewRefusals(_facts, session, _sql, _references, DeletesToReplace);
        if (_copyNote is not null)
        {
            refusals.Findings.Add(_copyNote);
        }

        await refusals.FindAsync(_unseen, cancellationToken);
        var differences = _sql.HasKey ? _sql.Differences(StageSql.MostShown) : null;
        var (added, changed, gone) =
            differences is null ? default : await RowDifferences.CountAsync(session, differences, cancellationToken);
        refusals.DescribeGone(gone);
        await (file?.WriteAsync(session, _sql.HasKey ? _sql.Differences(MostShownInFile) : null, cancellationToken) ?? Task.CompletedTask);
        return new PreviewReport(_facts.Table.RowKey?.Columns.ToList() ?? [])
        {
            InsertedRows = added,
            UpdatedRows = changed,
            DeletedRows = gone + _emptied,
            EmptiedRows = _emptied,
            Changes = differences is null ? []
                : await RowDifferences.ShowAsync(session, differences, _request.PreviewRows!.Value, cancellationToken),
            RefusedInserts = refusals.Inserted,
            RefusedUpdates = refusals.Updated,
            RefusedDeletes = refusals.Deleted,
            RefusedOthers = refusals.Others,
            Findings = refusals.Findings,
            File = _request.PreviewFile,
        };
    }

    /// <summary>The rows that have a key of the records, into the copy, and what its foreign keys would refuse.</summary>
    private async Task CopyRowsAsync(CancellationToken cancellationToken)
    {
        _looksFirst = (await session.QueryAsync(PreviewSql.LooksFirst, cancellationToken)).Rows.Count > 0;
        var lookups = _request.Truncate ? [] : FindLookups();
        var references = FindReferences();
        if (lookups.Count == 0 && references.Count == 0)
        {
            return;
        }

        // The key's own columns first: they are in front of every mapping.
        List<TableColumn> columns =
        [
            .. _facts.Columns.Where(column => lookups.Exists(lookup => lookup.Columns.Contains(column))
                || references.Exists(reference => reference.Columns.Contains(column))),
        ];
        var staged = new StagedKeySql(_facts.Table, columns, isNullable: true);
        var facts = _facts with { Columns = columns, SetFields = [], Assignments = [] };
        LoadSource[] sources = [.. job.Sources.Select(
            source => source with { Mapping = source.Mapping.ToColumns(columns, judgesAll: true) })];
        var everything = _request with { MaxRejects = RejectLimit.OfPercent(100) };
        await StagedKeys.FillAsync(
            session, staged, facts, new InputReader(sources, facts with { Request = everything }, job.Decision.Sizes), cancellationToken);
        foreach (var (key, index) in lookups)
        {
            var places = key.Select(column => KeySql.Name(columns.IndexOf(column)));
            await session.ExecuteAsync(
                _sql.CopyRows(staged.QuotedName, key.Select(column => column.Name), places, index), cancellationToken);
        }

        foreach (var (reference, own) in references)
        {
            string[] places = [.. own.Select(column => KeySql.Name(columns.IndexOf(column)))];
            await _guards.AddAsync(reference, own, staged.QuotedName, places, cancellationToken);
        }

        await session.ExecuteAsync(staged.Drop, cancellationToken);
        if (DeletesToReplace && lookups.Count > 0)
        {
            foreach (var (database, key) in _references.Others.Where(one => one.Key.DeleteRule is not ("CASCADE" or "SET NULL")))
            {
                await _guards.ProtectAsync(database, key, [.. lookups.Select(lookup => lookup.Columns)], cancellationToken);
            }
        }
    }

    /// <summary>What rows are looked up by: the key of an update or a delete, and every unique key that the records have all of.</summary>
    private List<(IReadOnlyList<TableColumn> Columns, string? Index)> FindLookups()
    {
        List<(IReadOnlyList<TableColumn> Columns, string? Index)> found = [];
        if (_facts.Key is { } key)
        {
            found.Add((key.Columns, key.Index?.Name));
        }

        foreach (var unique in _request.Kind == JobKind.Delete ? [] : _facts.Table.UniqueKeys)
        {
            TableColumn?[] parts = [.. unique.Parts.Select(Find)];
            if (parts.Contains(null))
            {
                _unseen.Add(unique);
            }
            else if (_facts.Key is null || !parts.All(_facts.Key.Columns.Contains))
            {
                found.Add(([.. parts.OfType<TableColumn>()], unique.Name));
            }
        }

        return found;
    }

    /// <summary>
    /// Foreign keys whose values the records have. Of a record whose key is there, and that is ignored for it, InnoDB does not look at them
    /// (MySQL from 9.6 on does so before it asks InnoDB). A row that refers to a row of its own table may find it among the records before
    /// it.
    /// </summary>
    private List<(SeedReference Key, IReadOnlyList<TableColumn> Columns)> FindReferences()
    {
        List<(SeedReference Key, IReadOnlyList<TableColumn> Columns)> found = [];
        if (_request.Kind == JobKind.Delete || (!_looksFirst && _request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Ignore }))
        {
            return found;
        }

        foreach (var key in _references.Own)
        {
            TableColumn?[] columns = [.. key.Columns.Select(name => _facts.Columns.FirstOrDefault(column => column.Name == name))];
            if (!columns.Contains(null) && !(key.IsToItself && key.ToDatabase == _facts.Table.Database))
            {
                found.Add((key, [.. columns.OfType<TableColumn>()]));
            }
        }

        return found;
    }

    /// <summary>The column of the records that is all of a part of a key; null: there is none.</summary>
    private TableColumn? Find(KeyPart part) =>
        part is { Column: { } name, Prefix: null } ? _facts.Columns.FirstOrDefault(column => column.Name == name) : null;

    /// <summary>New rows get no number that a row of the table has.</summary>
    private async Task BeginNumbersAsync(CancellationToken cancellationToken)
    {
        if (_facts.Table.Columns.FirstOrDefault(column => column.Default == ColumnDefault.AutoIncrement) is not { } column)
        {
            return;
        }

        var next = (await session.QueryAsync(_sql.NextNumber(column), cancellationToken)).Scalar;
        if (ulong.TryParse(next, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
        {
            await session.ExecuteAsync(_sql.BeginWith(number), cancellationToken);
        }
    }

    private static long Number(string? text) => long.Parse(text ?? "0", CultureInfo.InvariantCulture);
}
