using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Seeding;

/// <summary>Puts a database's tables back to the copies that <see cref="SeedCopies"/> took; repeatedly, over one session.</summary>
/// <param name="session">usable, without an open transaction; its settings are changed</param>
/// <param name="connect">opens another session, to ask who holds a lock</param>
/// <param name="time">for the report, and for the wait before that question</param>
internal sealed class SeedReset(
    IServerSession session, string database, SeedResetOptions options, Func<CancellationToken, Task<IServerSession>> connect,
        TimeProvider time)
{
    /// <summary>How often a table is compared again that others, or triggers, have changed meanwhile.</summary>
    private const int MaxRounds = 3;

    private const string Unchanged = "nothing was changed";

    private readonly TableWatch _watch = new(session, database);
    private readonly LockHolders _holders = new(connect, time);
    private readonly Dictionary<(string Table, string Definition), TableFacts> _facts = [];
    private bool _isSetUp;

    /// <summary>Puts changed tables back.</summary>
    /// <exception cref="PlanException">the database does not allow it, there are no copies, or its tables are not the same ones any
    /// more</exception>
    /// <exception cref="ReconciliationException">a table differs after it was put back several times</exception>
    /// <exception cref="ServerException">such as a lock that others hold</exception>
    public async Task<SeedResetReport> RunAsync(CancellationToken cancellationToken)
    {
        var begun = time.GetTimestamp();
        RequireAllowed(database, options);
        try
        {
            if (!_isSetUp)
            {
                await CopySession.SetUpAsync(session, cancellationToken, ResetSql.WaitBriefly);
                _isSetUp = true;
            }

            return await PutBackAsync(cancellationToken) with { Elapsed = time.GetElapsedTime(begun) };
        }
        catch (BulkLoadException fault)
        {
            await UndoAsync();
            if (fault is ServerException { Kind: FaultKind.Configuration } && session.IsUsable)
            {
                throw new PlanException($"seed reset of {database}: {fault.Message}", fault);
            }

            throw;
        }
    }

    private async Task UndoAsync()
    {
        try
        {
            await session.ExecuteAsync(TransactionSql.RollBack, CancellationToken.None);
        }
        catch (ServerException)
        {
            // The session is lost, and its locks with it.
        }
    }

    /// <exception cref="PlanException">neither the database's name nor the options say that its tables may be changed so</exception>
    public static void RequireAllowed(string database, SeedResetOptions options)
    {
        if (DatabaseGuard.FindObstacle("seed reset", database, options.AllowedDatabase) is { } obstacle)
        {
            throw new PlanException(obstacle);
        }
    }

    private async Task<SeedResetReport> PutBackAsync(CancellationToken cancellationToken)
    {
        var (place, records) = await FindCopiesAsync(cancellationToken);
        var seen = await _watch.LookAsync(cancellationToken);
        var except = SeedCopies.Except([.. seen.Keys.Union(records.Keys)], options.Except);
        CopyRecord[] copied = [.. records.Values.Where(record => record.Copy is not null && !except.Contains(record.Name))];
        await RequireSameAsync(place, copied, seen, cancellationToken);
        var dropped = await DropNewAsync([.. seen.Values.Where(table => table.IsUsers && !records.ContainsKey(table.Name)
            && !except.Contains(table.Name)).Select(table => table.Name)], cancellationToken);
        var done = new Dictionary<string, ResetTable>();
        for (var round = 0; ; round++)
        {
            seen = round == 0 ? seen : await _watch.LookAsync(cancellationToken);
            var sums = await _watch.SumAsync([.. copied.Where(record => done.ContainsKey(record.Name)
                || record.NeedsChecksum(StateOf(record))).Select(record => record.Name)], cancellationToken);
            await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
            List<CopyRecord> touched = [.. copied.Where(record => done.ContainsKey(record.Name)
                ? sums[record.Name] != record.Checksum
                : record.IsTouched(StateOf(record), sums.GetValueOrDefault(record.Name)))];
            if (touched.Count == 0)
            {
                break;
            }

            if (round == MaxRounds)
            {
                throw NotAsItWas(touched);
            }

            if (await TryPutBackAsync(place, touched, copied, done, isLast: round == MaxRounds - 1, cancellationToken))
            {
                await SetNextIdsAsync(touched, done, cancellationToken);
            }
        }

        await RecordAsync(place, copied, seen, cancellationToken);
        return new SeedResetReport
        {
            Database = database,
            Place = place.Describe(),
            Tables = [.. done.Values.Where(table => table.IsChanged).OrderBy(table => table.Name, StringComparer.Ordinal)],
            Looked = copied.Length,
            Dropped = dropped,
            Notes = [.. copied.Where(record => !record.State.HasSameNextId(StateOf(record))).Select(record =>
                $"{database}.{record.Name}: AUTO_INCREMENT is {StateOf(record).NextId}, and was {record.State.NextId ?? "1"}: the server "
                    + $"has not taken it back")],
            Elapsed = default,
        };

        TableState StateOf(CopyRecord record) => seen.TryGetValue(record.Name, out var table) ? table.State : throw Gone([record.Name], []);
    }

    private async Task<(CopyPlace Place, Dictionary<string, CopyRecord> Records)> FindCopiesAsync(CancellationToken cancellationToken)
    {
        var schemas = options.Schema is { } schema ? [schema]
            : new[] { CopyPlace.DefaultSchema(database), database }.Where(CopyPlace.IsName);
        (CopyPlace, Dictionary<string, CopyRecord> Records)? newest = null;
        foreach (var place in schemas.Select(name => new CopyPlace(database, name)))
        {
            var records = await place.ReadAsync(session, cancellationToken);
            if (records.Count > 0 && (newest is not { } other || string.CompareOrdinal(TakenOf(records), TakenOf(other.Records)) > 0))
            {
                newest = (place, records);
            }
        }

        return newest ?? throw new PlanException(
            $"there are no copies of the tables of {database} in {string.Join(" or ", schemas)}: 'bulkload seed' with "
                + "--for-reset takes them; --seed-schema names another schema");

        static string TakenOf(Dictionary<string, CopyRecord> records) => records.Values.Max(record => record.Taken)!;
    }

    /// <exception cref="PlanException">a table was dropped or made again, or its copy is not complete</exception>
    private async Task RequireSameAsync(
        CopyPlace place, CopyRecord[] copied, Dictionary<string, TableSeen> seen, CancellationToken cancellationToken)
    {
        if (copied.FirstOrDefault(record => record.Definition.Length == 0) is { } incomplete)
        {
            throw new PlanException($"the copy of {database}.{incomplete.Name} in {place.Describe()} is not complete, since taking it "
                + $"was broken off: seed again");
        }

        string[] there = [.. copied.Select(record => record.Name).Where(name => seen.TryGetValue(name, out var table) && table.IsUsers)];
        var digests = await _watch.DigestAsync(there, cancellationToken);
        string[] altered = [.. copied.Where(record => digests.TryGetValue(record.Name, out var digest) && digest != record.Definition)
            .Select(record => record.Name)];
        if (there.Length < copied.Length || altered.Length > 0)
        {
            throw Gone([.. copied.Select(record => record.Name).Except(there)], altered);
        }
    }

    private PlanException Gone(IReadOnlyList<string> gone, IReadOnlyList<string> altered) => new(
        $"tables of {database} are not the ones that were seeded: "
        + string.Join("; ", new[] { gone.Count == 0 ? null : $"dropped: {string.Join(", ", gone)}", altered.Count == 0 ? null
            : $"altered: {string.Join(", ", altered)}" }.OfType<string>())
        + $": seed again, or leave them out with --except; {Unchanged}");

    private async Task<IReadOnlyList<string>> DropNewAsync(string[] tables, CancellationToken cancellationToken)
    {
        if (tables.Length > 0 && !options.DropNew)
        {
            throw new PlanException(
                $"{database} has tables that were made since it was seeded: {string.Join(", ", tables)}: --drop-new drops them, --except "
                    + $"leaves them, and seeding again takes copies of them; {Unchanged}");
        }

        foreach (var table in tables)
        {
            await _holders.ExecuteAsync(session, database, table, ResetSql.Drop(database, table), Unchanged, cancellationToken);
        }

        return tables;
    }

    /// <summary>Puts tables back in one transaction.</summary>
    /// <returns>false: a deadlock has undone it, and it may be tried again</returns>
    private async Task<bool> TryPutBackAsync(
        CopyPlace place, List<CopyRecord> touched, CopyRecord[] copied, Dictionary<string, ResetTable> done, bool isLast,
            CancellationToken cancellationToken)
    {
        await LearnAsync(touched, cancellationToken);
        await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        try
        {
            var changes = await PutBackAsync(place, touched, copied, cancellationToken);
            await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
            foreach (var change in changes)
            {
                Add(done, change);
            }

            return true;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.TransactionLost && !isLast && session.IsUsable)
        {
            await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            return false;
        }
    }

    private async Task<IEnumerable<ResetTable>> PutBackAsync(
        CopyPlace place, List<CopyRecord> touched, CopyRecord[] copied, CancellationToken cancellationToken)
    {
        var changes = new Dictionary<string, ResetTable>();
        for (var pass = 1; ; pass++)
        {
            // Tables with triggers first: their changes of other tables are put back with those.
            foreach (var record in touched.OrderByDescending(HasTriggers))
            {
                Add(changes, await PutBackAsync(place, record, pass, cancellationToken));
            }

            if (!touched.Any(HasTriggers))
            {
                return changes.Values;
            }

            string[] summed = [.. copied.Where(record => changes.ContainsKey(record.Name) || record.Rows <= CopyRecord.MaxRowsToSum)
                .Select(record => record.Name)];
            var sums = await _watch.SumAsync(summed, cancellationToken);
            touched = [.. copied.Where(record => sums.TryGetValue(record.Name, out var sum) && sum != record.Checksum)];
            if (touched.Count == 0)
            {
                return changes.Values;
            }

            if (pass == MaxRounds)
            {
                throw NotAsItWas(touched);
            }

            await LearnAsync(touched, cancellationToken);
        }
    }

    private async Task<ResetTable> PutBackAsync(CopyPlace place, CopyRecord record, int pass, CancellationToken cancellationToken)
    {
        var sql = new CopySql(FactsOf(record), place.Schema, record.Copy!);
        if (sql.Key is null)
        {
            return (await session.QueryAsync(sql.FindDifference, cancellationToken)).Rows.Count == 0
                ? new ResetTable(record.Name, 0, 0)
                : new ResetTable(record.Name, await RunAsync(sql.DeleteAll), await RunAsync(sql.InsertAll));
        }

        // Again after triggers have changed what was inserted: those of an update may leave it.
        var updated = pass == 1 ? 0 : await RunAsync(sql.UpdateOthers);
        var deleted = await RunAsync(sql.DeleteOthers);

        // Each remaining row has its copy: where there are as many rows, none is missing.
        var isWhole = (await session.QueryAsync(sql.Count, cancellationToken)).Scalar == record.Rows.ToString(CultureInfo.InvariantCulture);
        return new ResetTable(record.Name, deleted, isWhole ? 0 : await RunAsync(sql.InsertMissing)) { Updated = updated };

        async Task<long> RunAsync(string statement)
        {
            try
            {
                return (long)(
                    await _holders.ExecuteAsync(session, database, record.Name, statement, Unchanged, cancellationToken)).AffectedRows;
            }
            catch (ServerException fault) when (fault.Kind is FaultKind.Data or FaultKind.Other)
            {
                throw new ServerException($"{database}.{record.Name} cannot be put back: {fault.Message}; {Unchanged}", fault);
            }
        }
    }

    /// <summary>Sets back AUTO_INCREMENT, which no transaction covers.</summary>
    private async Task SetNextIdsAsync(List<CopyRecord> touched, Dictionary<string, ResetTable> done, CancellationToken cancellationToken)
    {
        var seen = await _watch.LookAsync(cancellationToken);
        await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        foreach (var record in touched.Where(record => done.ContainsKey(record.Name))
            .Where(record => seen.TryGetValue(record.Name, out var table) && !table.State.HasSameNextId(record.State)))
        {
            var next = ulong.Parse(record.State.NextId ?? "1", CultureInfo.InvariantCulture);
            await _holders.ExecuteAsync(
                session, database, record.Name, ResetSql.SetNextId(database, record.Name, next),
                    "the rows of all tables are as they were, but its AUTO_INCREMENT is not", cancellationToken);
            done[record.Name] = done[record.Name] with { IsNextIdSet = true };
        }
    }

    /// <summary>Records the states of tables that are equal to their copies, where the states have changed.</summary>
    private async Task RecordAsync(
        CopyPlace place, CopyRecord[] copied, Dictionary<string, TableSeen> seen, CancellationToken cancellationToken)
    {
        string[] writes =
            [.. copied.Select(record => record with { State = seen[record.Name].Lasting with { NextId = record.State.NextId } })
            .Zip(copied, (now, record) => (now, record)).Where(pair => !pair.now.State.IsLike(pair.record.State))
            .Select(pair => place.List.Write(database, pair.now.Name, pair.now.Write()))];
        if (writes.Length > 0)
        {
            await session.QueryAllAsync([.. writes, TransactionSql.Commit], cancellationToken);
        }
    }

    private async Task LearnAsync(IEnumerable<CopyRecord> records, CancellationToken cancellationToken)
    {
        foreach (var record in records.Where(record => !_facts.ContainsKey((record.Name, record.Definition))))
        {
            _facts[(record.Name, record.Definition)] = await TableProbe.LookAsync(session, database, record.Name, cancellationToken);
        }
    }

    private TableFacts FactsOf(CopyRecord record) => _facts[(record.Name, record.Definition)];

    private bool HasTriggers(CopyRecord record) => FactsOf(record).HasTriggers;

    private ReconciliationException NotAsItWas(IEnumerable<CopyRecord> tables) => new(
        $"put back {MaxRounds} times, and still not as {Plural.For(tables.Count(), "it was", "they were")}: "
            + $"{string.Join(", ", tables.Select(table => $"{database}.{table.Name}"))}: "
        + "triggers change what is put back, or others use the database");

    private static void Add(Dictionary<string, ResetTable> tables, ResetTable change) =>
        tables[change.Name] = tables.TryGetValue(change.Name, out var before)
            ? before with
            {
                Deleted = before.Deleted + change.Deleted,
                Inserted = before.Inserted
                + change.Inserted,
                Updated = before.Updated + change.Updated
            }
            : change;
}
