using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Creates the temporary tables of a preview, fills them with the rows that records may touch, and compares them later.</summary>
/// <param name="session">has the tables, and runs the job; stays the caller's</param>
internal sealed class PreviewTables(PreparedJob job, IServerSession session)
{
    private const int MaxShownInFile = 1_000_000;

    /// <summary>Up to so many rows, the whole table is copied, if it is not known beforehand which rows the records touch.</summary>
    private const int MaxRowsOfAll = 10_000;

    private readonly LoadFacts _facts = job.Facts;
    private readonly LoadRequest _request = job.Request;
    private readonly PreviewSql _sql = new(job.Facts.Table);
    private readonly PreviewGuards _guards = new(session, new PreviewSql(job.Facts.Table), job.Facts);
    private readonly PreviewLookups _lookups = new(job.Facts);
    private IReadOnlyList<UniqueKey> _unseen = [];
    private long _emptied;
    private bool _looksFirst;
    private PreviewReferences _references = new([], []);
    private string? _copyNote;

    /// <summary>Condition that a row fits a partition, if the copy does not check it. Empty: every row fits; null: unknown.</summary>
    private string? _partitions = "";

    /// <summary>Whether foreign keys see that a replaced row is deleted first. MySQL from 9.6 on sees that its key stays.</summary>
    private bool DeletesToReplace => !_looksFirst && _request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Replace };

    /// <returns>the facts of the job on the copy</returns>
    /// <exception cref="PlanException">the server cannot copy such a table, or the account lacks the right</exception>
    public async Task<LoadFacts> CreateAsync(CancellationToken cancellationToken)
    {
        var table = _facts.Table;
        try
        {
            await CopyTableAsync(cancellationToken);
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
        {
            var grant = await AccountGrant.OfAsync(
                session, $"{DoctorSql.TemporaryTables}, SELECT", table.Database, null, cancellationToken);
            throw new PlanException(fault.IsAccessDenied
                ? $"--preview works on a temporary copy of {table.DisplayName}, and this account may not make one ({fault.ServerText}): "
                    + grant
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
            Request = _request with { Key = _request.Key with { Where = _guards.Where } },
            Table = table with
            {
                Name = PreviewSql.Copy,
                CopyOf = table.Name,
                Known = new KnownTable(PreviewSql.Copy, table.Name),
                InsertTriggers = [],
                UpdateTriggers = [],
                DeleteTriggers = [],
                CallingTriggers = [],
            },
        };
    }

    public Reject Reword(Reject reject) => _guards.Reword(reject);

    public ValueTask<bool> IsIgnoredAsync(RowBlock block, int row, string refusal, CancellationToken cancellationToken) =>
        _guards.IsIgnoredAsync(block, row, refusal, cancellationToken);

    /// <summary>Creates the copy again, as it was, in another engine. If a statement in a temporary InnoDB table has changed the bytes of a
    /// key to equal ones, MariaDB undoes it wrongly, and rows are lost.</summary>
    /// <returns>null: the server cannot do it</returns>
    public async Task<LoadFacts?> BeginAgainAsync(LoadFacts facts, CancellationToken cancellationToken)
    {
        await session.ExecuteAsync(PreviewSql.BeLenient, cancellationToken);
        try
        {
            foreach (var statement in _sql.BeginAgain)
            {
                await session.ExecuteAsync(statement, cancellationToken);
            }

            await _guards.MarkAgainAsync(cancellationToken);
            await BeginNumbersAsync(cancellationToken);
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
        {
            return null;
        }

        await session.ExecuteAsync(PreviewSql.BeStrict, cancellationToken);
        await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        return facts with { Table = facts.Table with { Engine = PreviewSql.OtherEngine, IsTransactional = false } };
    }

    /// <summary>Uses the server's own statement; where that cannot make a temporary copy, leaves out what prevents it.</summary>
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
            _partitions = PartitionSql.Condition((await session.QueryAsync(
                PartitionSql.Partitions(_facts.Table.Database, _facts.Table.Name), cancellationToken)).Rows);
            _copyNote = $"the copy has no partitions, no FULLTEXT and no SPATIAL index, since the server makes none ({fault.Message})";
        }

        async Task ExecuteAsync(IEnumerable<string> statements)
        {
            foreach (var statement in statements)
            {
                await session.ExecuteAsync(statement, cancellationToken);
            }
        }
    }

    /// <summary>What the job has changed in the copy, and what the table would refuse of that.</summary>
    /// <param name="file">gets all changes; null: nobody wants them</param>
    /// <exception cref="RejectFileException">the file cannot be written</exception>
    public async Task<PreviewReport> CompareAsync(PreviewFile? file, CancellationToken cancellationToken)
    {
        // Existing rows may have values that a strict session refuses to compare.
        await session.ExecuteAsync(PreviewSql.BeLenient, cancellationToken);
        var refusals = new PreviewRefusals(_facts, session, _sql, _references, DeletesToReplace);
        if (_copyNote is not null)
        {
            refusals.Findings.Add(_copyNote);
        }

        await refusals.FindAsync(_guards.HasRefusedBound ? _lookups.Found : [], _unseen, _partitions, cancellationToken);
        if (_guards.IsInDoubt)
        {
            refusals.NotExact.Add(
                "of a record that breaks a foreign key, and whose key is there, it is not known which the server sees first");
        }

        var differences = _sql.HasKey ? _sql.Differences(StageSql.MaxShown) : null;
        var (added, changed, gone) =
            differences is null ? default : await RowDifferences.CountAsync(session, differences, cancellationToken);
        refusals.DescribeGone(gone);
        if (file is not null)
        {
            await file.WriteAsync(session, _sql.HasKey ? _sql.Differences(MaxShownInFile) : null, cancellationToken);
        }

        return new PreviewReport
        {
            Key = _facts.Table.RowKey?.Columns.ToList() ?? [],
            InsertedRows = added,
            UpdatedRows = changed,
            DeletedRows = gone + _emptied,
            EmptiedRows = _emptied,
            Changes = differences is null ? []
                : await RowDifferences.ShowAsync(session, differences, _request.PreviewRows, cancellationToken),
            RefusedInserts = refusals.Inserted,
            RefusedUpdates = refusals.Updated,
            RefusedDeletes = refusals.Deleted,
            RefusedOthers = refusals.Others,
            Findings = refusals.Findings,
            NotExact = refusals.NotExact,
            File = _request.PreviewFile,
        };
    }

    /// <summary>Copies the rows that have a key of the records, and sets guards for the foreign keys.</summary>
    private async Task CopyRowsAsync(CancellationToken cancellationToken)
    {
        _looksFirst = (await session.QueryAsync(PreviewSql.LooksFirst, cancellationToken)).Rows.Count > 0;
        List<PreviewLookup> lookups = _request.Truncate ? [] : _lookups.Found;
        var references = FindReferences();
        var staging = references.Where(reference => reference.Columns.All(column => _facts.IndexOf(column) >= 0)).ToList();
        if (lookups.Count > 0 || staging.Count > 0)
        {
            await CopyRowsAsync(lookups, staging, cancellationToken);
        }

        _unseen = _request.Truncate ? [] : _lookups.Unseen;
        if (_unseen.Count > 0 && (await session.QueryAsync(_sql.FindRowAfter(MaxRowsOfAll), cancellationToken)).Rows.Count == 0)
        {
            await session.ExecuteAsync(_sql.CopyAll, cancellationToken);
            _unseen = [];
        }

        foreach (var (key, columns) in references.Except(staging))
        {
            await _guards.RefuseOrphansAsync(key, columns, cancellationToken);
        }

        if (_partitions is { Length: > 0 } condition && _request.Kind != JobKind.Delete
            && await _guards.RefuseOutsideAsync(condition, cancellationToken))
        {
            _partitions = "";
        }

        if (_request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Ignore } && !_looksFirst)
        {
            _guards.IgnoreTaken([.. lookups.Where(lookup => !lookup.NeedsRow)]);
        }

        if (lookups.Count > 0)
        {
            await GuardParentsAsync(lookups, cancellationToken);
        }
    }

    /// <summary>Finds the rows by the records' keys, which are put into a temporary table.</summary>
    private async Task CopyRowsAsync(
        List<PreviewLookup> lookups, List<(ForeignKey Key, IReadOnlyList<TableColumn> Columns)> references,
        CancellationToken cancellationToken)
    {
        // The key's own columns come first, as in every mapping.
        List<TableColumn> columns =
        [
            .. _facts.Columns.Where(column =>
                lookups.Exists(lookup => lookup.Parts.Contains((column, PreviewPart.Record)))
                || references.Exists(reference => reference.Columns.Contains(column))),
        ];
        var staged = new StagedKeySql(_facts.Table, columns, isNullable: true);
        var facts = _facts with { Columns = columns, SetFields = [], Assignments = [] };
        LoadSource[] sources = [.. job.Sources.Select(
            source => source with { Mapping = source.Mapping.ToColumns(columns, judgesAll: true) })];
        var everything = _request with { MaxRejects = RejectLimit.OfPercent(100) };
        await StagedKeys.FillAsync(
            session, staged, facts, new InputReader(sources, facts with { Request = everything }, job.Decision.Sizes), cancellationToken);
        await GiveNoNumbersAsync(staged.QuotedName, columns, cancellationToken);
        foreach (var lookup in lookups.Where(lookup => !lookup.NeedsRow))
        {
            await session.ExecuteAsync(_sql.CopyRows(staged.QuotedName, Values(lookup, columns), lookup.Index), cancellationToken);
        }

        if (lookups.Exists(lookup => lookup.NeedsRow))
        {
            await session.ExecuteAsync(_sql.Keep, cancellationToken);
            foreach (var lookup in lookups.Where(lookup => lookup.NeedsRow))
            {
                foreach (var touching in lookups.Where(touching => !touching.NeedsRow))
                {
                    var touched = string.Join(
                        " AND ", Values(touching, columns).Select(one => $"b.{SqlName.Quote(one.Column)} = {one.Value}"));
                    await session.ExecuteAsync(
                        _sql.CopyRows(staged.QuotedName, Values(lookup, columns), lookup.Index, touched), cancellationToken);
                }
            }

            await session.ExecuteAsync(_sql.ForgetKept, cancellationToken);
        }

        foreach (var (reference, own) in references)
        {
            string[] places = [.. own.Select(column => KeySql.Name(columns.IndexOf(column)))];
            await _guards.RefuseOrphansAsync(reference, own, staged.QuotedName, places, cancellationToken);
        }

        await session.ExecuteAsync(staged.Drop, cancellationToken);
    }

    /// <summary>Keeps the copy from generating numbers where the job does not want them.</summary>
    private async Task GiveNoNumbersAsync(string stage, List<TableColumn> columns, CancellationToken cancellationToken)
    {
        if (_guards.Number is { } column && (_request.Kind == JobKind.Update || (columns.IndexOf(column) is >= 0 and var place
            && (await session.QueryAsync(PreviewSql.AsksForNumber(stage, KeySql.Name(place)), cancellationToken)).Rows.Count == 0)))
        {
            await session.ExecuteAsync(_sql.GiveNoNumbers(column), cancellationToken);
            _guards.Number = null;
        }
    }

    /// <summary>The values of a key's columns; a record without such a field has the column's default.</summary>
    private IEnumerable<(string Column, string Value)> Values(PreviewLookup lookup, List<TableColumn> staged) =>
        lookup.Parts.Select(part => (part.Column.Name, part.Part switch
        {
            PreviewPart.Default => PreviewSql.DefaultOf(part.Column)!,
            PreviewPart.Row => $"b.{SqlName.Quote(part.Column.Name)}",
            _ when _request.Kind == JobKind.Import && PreviewSql.DefaultOf(part.Column) is { } value =>
                $"COALESCE(s.{SqlName.Quote(KeySql.Name(staged.IndexOf(part.Column)))}, {value})",
            _ => $"s.{SqlName.Quote(KeySql.Name(staged.IndexOf(part.Column)))}",
        }));

    /// <summary>Sets guards for rows to which other tables refer.</summary>
    private async Task GuardParentsAsync(List<PreviewLookup> lookups, CancellationToken cancellationToken)
    {
        var isReplace = _request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Replace };
        var changesKeys = _request.Kind == JobKind.Update || _request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Update };
        foreach (var key in _references.Others.Where(key => !key.IsToItself))
        {
            if ((changesKeys ? key.UpdateRule : key.DeleteRule) is "CASCADE" or "SET NULL")
            {
                continue;
            }

            if (isReplace)
            {
                List<IReadOnlyList<TableColumn>> keys = [.. lookups.Select(lookup => lookup.Columns.ToList())];
                await _guards.ProtectAsync(key, keys, DeletesToReplace, cancellationToken);
            }
            else if (_request.Kind == JobKind.Delete || (changesKeys && key.ToColumns.Any(MayChange)))
            {
                await _guards.KeepAsync(key, cancellationToken);
            }
        }
    }

    private bool MayChange(string column) => _facts.Table.Find(column) is { IsGenerated: true }
        || (_request.Kind == JobKind.Import ? _facts.Columns : _facts.ChangedColumns).Any(one => one.Name == column)
        || _facts.Assignments.Any(one => one.Column == column);

    /// <summary>Foreign keys that the records may break. InnoDB does not check them for a record that is ignored because its key exists
    /// (MySQL from 9.6 on checks them before it asks InnoDB). A row that refers to a row of its own table may find it among the records
    /// before it.</summary>
    private List<(ForeignKey Key, IReadOnlyList<TableColumn> Columns)> FindReferences() =>
    [
        .. _references.Own
            .Where(key => _request.Kind != JobKind.Delete && !key.IsToItself
                && (_request.Kind == JobKind.Import || key.Columns.Any(MayChange)))
            .Select(key => (key, (IReadOnlyList<TableColumn>)[.. key.Columns.Select(_facts.Table.Find).OfType<TableColumn>()])),
    ];

    /// <summary>New rows must not get a number that a row of the table has.</summary>
    private async Task BeginNumbersAsync(CancellationToken cancellationToken)
    {
        if (_guards.Number is not { } column)
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
