using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>A preview's temporary tables: made, filled with the rows that the records may touch, and compared when the job has run on one of them.</summary>
/// <param name="session">that has them, and runs the job; stays the caller's</param>
internal sealed class PreviewTables(PreparedJob job, IServerSession session)
{
    private const int MostShownInFile = 1_000_000;

    private readonly LoadFacts _facts = job.Facts;
    private readonly LoadRequest _request = job.Request;
    private readonly PreviewSql _sql = new(job.Facts.Table);
    private readonly List<UniqueKey> _unseen = [];
    private long _emptied;
    private string? _copyNote;

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
        if (_request.Truncate)
        {
            _emptied = Number((await session.QueryAsync(_sql.CountRows, cancellationToken)).Scalar);
        }
        else
        {
            await CopyRowsAsync(cancellationToken);
        }

        await BeginNumbersAsync(cancellationToken);
        await session.ExecuteAsync(_sql.Keep, cancellationToken);
        await session.ExecuteAsync(PreviewSql.BeStrict, cancellationToken);
        await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        return _facts with
        {
            Verify = null,
            Indexes = null,
            Table = table with { Name = PreviewSql.Copy, CopyOf = table.Name, InsertTriggers = [], UpdateTriggers = [], DeleteTriggers = [], CallingTriggers = [] },
        };
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
            _copyNote = $"the copy has no partitions, no FULLTEXT and no SPATIAL index, since the server makes none ({fault.Message}): records that these would refuse are not foreseen";
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
    /// <exception cref="RequestException">the file of all changes cannot be written</exception>
    public async Task<PreviewReport> CompareAsync(CancellationToken cancellationToken)
    {
        // Rows as they are may have values that a strict session would not compare.
        await session.ExecuteAsync(PreviewSql.BeLenient, cancellationToken);
        var (findings, refused) = await FindRefusalsAsync(cancellationToken);
        var preview = new PreviewReport(_sql.HasKey ? [.. _facts.Table.RowKey!.Columns] : [])
        {
            DeletedRows = _emptied,
            RefusedRows = refused,
            Findings = findings,
            File = _request.PreviewFile,
        };
        if (_sql.HasKey)
        {
            var differences = _sql.Differences(StageSql.MostShown);
            var (added, changed, gone) = await RowDifferences.CountAsync(session, differences, cancellationToken);
            preview = preview with
            {
                InsertedRows = added,
                UpdatedRows = changed,
                DeletedRows = gone + _emptied,
                Changes = await RowDifferences.ShowAsync(session, differences, _request.PreviewRows!.Value, cancellationToken),
            };
        }

        if (_request.PreviewFile is { } path)
        {
            await PreviewFile.WriteAsync(path, session, _sql.HasKey ? _sql.Differences(MostShownInFile) : null, cancellationToken);
        }

        return preview;
    }

    /// <summary>The rows that have a key of the records, into the copy.</summary>
    private async Task CopyRowsAsync(CancellationToken cancellationToken)
    {
        var lookups = Lookups().ToList();
        var columns = lookups.SelectMany(key => key.Columns).Distinct().ToList();

        // The key's own columns first: they are in front of every mapping.
        columns = [.. _facts.Columns.Where(columns.Contains)];
        if (lookups.Count == 0)
        {
            return;
        }

        var staged = new StagedKeySql(_facts.Table, columns, isNullable: true);
        var facts = _facts with { Columns = columns, SetFields = [], Assignments = [] };
        LoadSource[] sources = [.. job.Sources.Select(source => source with { Mapping = source.Mapping.ToColumns(columns, judgesAll: true) })];
        var everything = _request with { MaxRejects = RejectLimit.OfPercent(100) };
        await StagedKeys.FillAsync(session, staged, facts, new InputReader(sources, everything, facts, job.Decision.Sizes), cancellationToken);
        foreach (var (key, index) in lookups)
        {
            await session.ExecuteAsync(_sql.CopyRows(staged.QuotedName, [.. key.Select(column => (column.Name, KeySql.Name(columns.IndexOf(column))))], index), cancellationToken);
        }

        await session.ExecuteAsync(staged.Drop, cancellationToken);
    }

    /// <summary>What rows are looked up by: the key of an update or a delete, and every unique key that the records have all of.</summary>
    private IEnumerable<(IReadOnlyList<TableColumn> Columns, string? Index)> Lookups()
    {
        if (_facts.Key is { } key)
        {
            yield return (key.Columns, key.Index?.Name);
        }

        if (_request.Kind == JobKind.Delete)
        {
            yield break;
        }

        foreach (var unique in _facts.Table.UniqueKeys)
        {
            var parts = unique.Parts.Select(part => part is { Column: { } name, Prefix: null } ? _facts.Columns.FirstOrDefault(column => column.Name == name) : null).ToList();
            if (parts.Contains(null))
            {
                _unseen.Add(unique);
            }
            else if (_facts.Key is null || !parts.All(part => _facts.Key.Columns.Contains(part!)))
            {
                yield return ([.. parts.Select(part => part!)], unique.Name);
            }
        }
    }

    /// <summary>New rows get no number that a row of the table has.</summary>
    private async Task BeginNumbersAsync(CancellationToken cancellationToken)
    {
        if (_facts.Table.Columns.FirstOrDefault(column => column.Default == ColumnDefault.AutoIncrement) is { } column
            && ulong.TryParse((await session.QueryAsync(_sql.NextNumber(column), cancellationToken)).Scalar, NumberStyles.None, CultureInfo.InvariantCulture, out var next))
        {
            await session.ExecuteAsync(_sql.BeginWith(next), cancellationToken);
        }
    }

    /// <summary>What only the table itself can refuse, since a copy has no foreign keys and not all rows.</summary>
    private async Task<(List<string> Findings, long Refused)> FindRefusalsAsync(CancellationToken cancellationToken)
    {
        var table = _facts.Table;
        List<string> findings = _copyNote is null ? [] : [_copyNote];
        var refused = 0L;
        foreach (var (_, key, _) in await ReferencesAsync(isIncoming: false, cancellationToken))
        {
            if (key.IsToItself && key.ToDatabase == table.Database)
            {
                findings.Add($"foreign key {key.Name} refers to {table.DisplayName} itself: whether each record has its parent is not known here");
            }
            else if (_request.Kind != JobKind.Delete && await CountAsync(_sql.CountOrphans(key), cancellationToken) is > 0 and var orphans)
            {
                findings.Add($"{orphans:N0} {Plural.For(orphans, "row")} would be refused: foreign key {key.Name} ({key.Show()}) finds no row");
                refused += orphans;
            }
        }

        foreach (var (database, key, onUpdate) in _sql.HasKey && !_request.Truncate ? await ReferencesAsync(isIncoming: true, cancellationToken) : [])
        {
            if (await CountAsync(_sql.CountChildren(database, key), cancellationToken) is > 0 and var children)
            {
                var (text, isRefused) = DescribeChildren($"{children:N0} {Plural.For(children, "row")} of {database}.{key.Table}", children, key, onUpdate);
                findings.Add(text);
                refused += isRefused ? children : 0;
            }
        }

        foreach (var key in _unseen)
        {
            if (!_sql.HasKey || _request.Truncate || key.Parts.Any(part => part is not { Column: not null, Prefix: null }))
            {
                findings.Add($"unique key {key.Name}: the records do not have all of it, and rows with the same value are not foreseen");
            }
            else if (await CountAsync(_sql.CountConflicts(key), cancellationToken) is > 0 and var conflicts)
            {
                findings.Add($"{conflicts:N0} {Plural.For(conflicts, "row")} would have a value of unique key {key.Name} that another row has");
                refused += conflicts;
            }
        }

        if (ChangesKeys && _sql.HasKey && await CountAsync(_sql.Differences(StageSql.MostShown).CountExtra, cancellationToken) is > 0 and var moved)
        {
            findings.Add($"{moved:N0} {Plural.For(moved, "row")} would get another key: shown as deleted and inserted");
        }

        string[] triggers = _request.Kind switch
        {
            JobKind.Update => [.. table.UpdateTriggers],
            JobKind.Delete => [.. table.DeleteTriggers],
            _ => _request.OnDuplicate == DuplicateMode.Error ? [.. table.InsertTriggers] : [.. table.InsertTriggers, .. table.UpdateTriggers, .. table.DeleteTriggers],
        };
        if (triggers.Length > 0)
        {
            findings.Add($"what {Plural.For(triggers.Length, "trigger")} {string.Join(", ", triggers)} would do is not foreseen");
        }

        return (findings, refused);
    }

    /// <summary>An update, and an upsert, delete no row: what is not there any more has another key.</summary>
    private bool ChangesKeys => _request.Kind == JobKind.Update || (_request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Update });

    private (string Text, bool IsRefused) DescribeChildren(string rows, long count, SeedReference key, string onUpdate) =>
        (ChangesKeys, ChangesKeys ? onUpdate : key.DeleteRule) switch
        {
            (false, "CASCADE") => ($"{rows} would be deleted too: foreign key {key.Name} is ON DELETE CASCADE", false),
            (true, "CASCADE") => ($"{rows} would follow the key that changes: foreign key {key.Name} is ON UPDATE CASCADE", false),
            (_, "SET NULL") => ($"{rows} would lose their reference: foreign key {key.Name} is {(ChangesKeys ? "ON UPDATE" : "ON DELETE")} SET NULL", false),
            _ => ($"{rows} {Plural.For(count, "refers", "refer")} to rows that would {(ChangesKeys ? "get another key" : "be deleted")}: foreign key {key.Name} refuses that", true),
        };

    private async Task<IReadOnlyList<(string Database, SeedReference Key, string OnUpdate)>> ReferencesAsync(bool isIncoming, CancellationToken cancellationToken)
    {
        var rows = (await session.QueryAsync(ConstraintSql.References(_facts.Table.Database, _facts.Table.Name, isIncoming), cancellationToken)).Rows;
        return
        [
            .. rows.GroupBy(row => (Database: row[0]!, Table: row[1]!, Name: row[2]!)).Select(group => (group.Key.Database, new SeedReference(
                group.Key.Name, group.Key.Table, [.. group.Select(row => row[3]!)], group.First()[4]!, group.First()[5]!, [.. group.Select(row => row[6]!)], group.First()[7]!), group.First()[8]!)),
        ];
    }

    private async Task<long> CountAsync(string question, CancellationToken cancellationToken)
    {
        try
        {
            return Number((await session.QueryAsync(question, cancellationToken)).Scalar);
        }
        catch (ServerException fault) when (fault.Error is ServerError.TableAccessDenied or ServerError.ColumnAccessDenied && session.IsUsable)
        {
            // Another table, which the account may not read: what refers to it is not known.
            return 0;
        }
    }

    private static long Number(string? text) => long.Parse(text ?? "0", CultureInfo.InvariantCulture);
}
