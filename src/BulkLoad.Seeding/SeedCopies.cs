using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Seeding;

internal sealed record SeedCopyOptions
{
    /// <summary>The schema that has the copies; null: the database's name with <c>_bulkload</c> behind it.</summary>
    public string? Schema { get; init; }

    public IReadOnlyList<string> Except { get; init; } = [];
}

/// <param name="Place">where the copies are, for people</param>
/// <param name="Made">tables whose copies were made anew</param>
/// <param name="Kept">number of copies that were still right</param>
/// <param name="Notes">what was chosen or left out, for people</param>
internal sealed record SeedCopyReport(string Place, IReadOnlyList<string> Made, int Kept, IReadOnlyList<string> Notes);

/// <summary>Keeps copies of a database's tables, from which <see cref="SeedReset"/> puts them back.</summary>
internal sealed class SeedCopies
{
    private const int MaxTries = 3;

    private readonly IServerSession _session;
    private readonly string _database;
    private readonly CopyPlace _place;
    private readonly TableWatch _watch;
    private readonly TableWatch _copies;

    private SeedCopies(IServerSession session, string database, CopyPlace place)
    {
        _session = session;
        _database = database;
        _place = place;
        _watch = new TableWatch(session, database);
        _copies = new TableWatch(session, place.Schema);
    }

    /// <summary>Copies all tables that have no copy, or a copy with other rows.</summary>
    /// <param name="session">usable, without an open transaction; its settings are changed</param>
    /// <exception cref="PlanException">a table cannot be put back, or copies cannot be kept there</exception>
    /// <exception cref="ReconciliationException">the tables never stop changing</exception>
    public static async Task<SeedCopyReport> TakeAsync(
        IServerSession session, string database, SeedCopyOptions options, CancellationToken cancellationToken)
    {
        await CopySession.SetUpAsync(session, cancellationToken);
        try
        {
            var seen = await new TableWatch(session, database).LookAsync(cancellationToken);
            var tables = Choose(database, seen, options.Except);
            var (place, note) = await PrepareAsync(session, database, options.Schema, cancellationToken);
            return await new SeedCopies(session, database, place)
                .TakeAsync(tables, Except(seen.Keys, options.Except), note, cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            throw new PlanException($"copies of the tables of {database}, which seed reset needs, cannot be taken: {fault.Message}", fault);
        }
    }

    private async Task<SeedCopyReport> TakeAsync(
        List<string> tables, IReadOnlyList<string> except, string? note, CancellationToken cancellationToken)
    {
        var records = await _place.ReadAsync(_session, cancellationToken);
        await RequireOwnAsync(cancellationToken);
        await DropStaleAsync(records, tables, cancellationToken);
        var changed = await FindChangedAsync(records, tables, cancellationToken);
        var made = changed;
        for (var tries = 0; changed.Count > 0; tries++)
        {
            if (tries == MaxTries)
            {
                throw new ReconciliationException(
                    $"{_database}.{changed[0]} was changed by others while it was copied, {MaxTries} times: nobody else may use the "
                        + $"database meanwhile");
            }

            var copies = await _copies.LookAsync(cancellationToken);
            foreach (var table in changed)
            {
                records[table] = await CopyAsync(table, records, copies, cancellationToken);
            }

            changed = await RecordAsync(records, changed, cancellationToken);
        }

        await FinishAsync(records, tables, except, cancellationToken);
        string[] sequences =
            [.. (await _watch.LookAsync(cancellationToken)).Values.Where(table => table.Type == "SEQUENCE").Select(table => table.Name)];
        return new SeedCopyReport(_place.Describe(), made, tables.Count - made.Count,
        [
            .. note is null ? Array.Empty<string>() : [note],
            .. sequences.Length == 0 ? Array.Empty<string>()
                : [$"{Plural.For(sequences.Length, "sequence")} {string.Join(", ", sequences)}: not put back by seed reset"],
        ]);
    }

    /// <exception cref="PlanException">a table could not be put back exactly as it was</exception>
    private static List<string> Choose(string database, Dictionary<string, TableSeen> seen, IReadOnlyList<string> except)
    {
        var left = Except(seen.Keys, except);
        var tables = seen.Values.Where(table => table.IsUsers && !left.Contains(table.Name)).ToList();
        foreach (var table in tables)
        {
            var obstacle = table.Type == "SYSTEM VERSIONED" ? "is system-versioned, and its history would grow"
                : !string.Equals(table.Engine, "InnoDB", StringComparison.OrdinalIgnoreCase)
                    ? $"has the engine {table.Engine ?? "of none"}, which does not roll back"
                : null;
            if (obstacle is not null)
            {
                throw new PlanException($"{database}.{table.Name} {obstacle}: seed reset cannot put it back just as it was; leave it out "
                    + $"with --except {table.Name}");
            }
        }

        return [.. tables.Select(table => table.Name)];
    }

    /// <summary>The names of tables that are left out, in the server's spelling.</summary>
    /// <exception cref="PlanException">there is no such table</exception>
    public static List<string> Except(IReadOnlyCollection<string> tables, IReadOnlyList<string> except) =>
    [
        .. except.Select(name => tables.FirstOrDefault(table => table == name)
            ?? tables.FirstOrDefault(table => table.Equals(name, StringComparison.OrdinalIgnoreCase))
            ?? throw new PlanException($"--except: there is no table {name}{Names.DidYouMean(name, tables)}")),
    ];

    private static async Task<(CopyPlace Place, string? Note)> PrepareAsync(
        IServerSession session, string database, string? schema, CancellationToken cancellationToken)
    {
        var name = schema ?? CopyPlace.DefaultSchema(database);
        string obstacle;
        ServerException? cause = null;
        try
        {
            if (CopyPlace.IsName(name))
            {
                if (!(await session.QueryAsync(CatalogSql.Databases, cancellationToken)).Rows.Any(row => row[0] == name))
                {
                    await session.ExecuteAsync(ResetSql.CreateDatabase(name), cancellationToken);
                }

                var place = new CopyPlace(database, name);
                await session.ExecuteAsync(place.List.Create, cancellationToken);
                return (place, null);
            }

            obstacle = "its name is too long";
        }
        catch (ServerException fault) when (fault.Error is ServerError.DbAccessDenied or ServerError.TableAccessDenied)
        {
            (obstacle, cause) = (fault.ServerText, fault);
        }

        if (schema is not null)
        {
            throw new PlanException($"--seed-schema: schema {schema} cannot have the copies of {database}: {obstacle}: name another one, "
                + $"or {database} itself", cause);
        }

        var beside = new CopyPlace(database, database);
        await session.ExecuteAsync(beside.List.Create, cancellationToken);
        return (beside, $"schema {name} could not be made ({obstacle}): the copies are {beside.Describe()}");
    }

    /// <summary>Refuses a schema that has the copies of another database, or other tables by the same names.</summary>
    private async Task RequireOwnAsync(CancellationToken cancellationToken)
    {
        if ((await _session.QueryAsync(_place.List.Others(_database), cancellationToken)).Rows is [var other, ..])
        {
            throw new PlanException(
                $"{_place.Describe()} has the copies of {other[0]}: name another one for those of {_database} with --seed-schema");
        }
    }

    /// <summary>Drops copies of tables that were dropped, or are left out from now on.</summary>
    private async Task DropStaleAsync(Dictionary<string, CopyRecord> records, List<string> tables, CancellationToken cancellationToken)
    {
        var copies = await _copies.LookAsync(cancellationToken);
        foreach (var stale in records.Values.Where(record => !tables.Contains(record.Name)).ToArray())
        {
            if (stale.Copy is { } copy && copies.ContainsKey(copy))
            {
                await _session.ExecuteAsync(ResetSql.Drop(_place.Schema, copy), cancellationToken);
            }

            await _session.ExecuteAsync(_place.List.Forget(_database, stale.Name), cancellationToken);
            records.Remove(stale.Name);
        }

        await _session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
    }

    /// <summary>Finds tables that differ from their copies, and records the present state of the others.</summary>
    private async Task<List<string>> FindChangedAsync(
        Dictionary<string, CopyRecord> records, List<string> tables, CancellationToken cancellationToken)
    {
        var copies = await _copies.LookAsync(cancellationToken);
        var seen = await _watch.LookAsync(cancellationToken);
        var digests = await _watch.DigestAsync(tables, cancellationToken);
        var known = tables.Where(table => records.TryGetValue(table, out var record) && record.Copy is { } copy && copies.ContainsKey(copy)
            && record.Definition == digests[table]).ToList();
        var sums = await _watch.SumAsync([.. known.Where(table => records[table].NeedsChecksum(seen[table].State))], cancellationToken);
        var right = known.Where(table => !records[table].IsTouched(seen[table].State, sums.GetValueOrDefault(table))).ToList();
        foreach (var table in known.Except(right).ToArray())
        {
            if (await IsSameAsync(records[table], sums.GetValueOrDefault(table), cancellationToken))
            {
                right.Add(table);
            }
        }

        await _session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        foreach (var table in right)
        {
            records[table] = records[table] with { State = seen[table].Lasting };
        }

        return [.. tables.Except(right)];
    }

    /// <summary>Whether a table has exactly the rows of its copy, though its state is another one.</summary>
    /// <param name="record">of the copy</param>
    /// <param name="checksum">of the table; null: not known yet</param>
    private async Task<bool> IsSameAsync(CopyRecord record, string? checksum, CancellationToken cancellationToken)
    {
        checksum ??= (await _watch.SumAsync([record.Name], cancellationToken))[record.Name];
        if (checksum != record.Checksum)
        {
            return false;
        }

        var facts = await TableProbe.LookAsync(_session, _database, record.Name, cancellationToken);
        var sql = new CopySql(facts, _place.Schema, record.Copy!);
        if (sql.Key is null)
        {
            return (await _session.QueryAsync(sql.FindDifference, cancellationToken)).Rows.Count == 0;
        }

        // Each row has its copy: where the copy has as many rows, none is missing.
        var answers = await _session.QueryAllAsync([sql.FindOther, .. sql.CountTableAndCopy], cancellationToken);
        return answers[0].Rows.Count == 0 && answers[1].Scalar == answers[2].Scalar;
    }

    /// <summary>Makes a table's copy anew.</summary>
    /// <returns>the copy's record, without what is found out afterwards</returns>
    private async Task<CopyRecord> CopyAsync(
        string table, Dictionary<string, CopyRecord> records, Dictionary<string, TableSeen> copies, CancellationToken cancellationToken)
    {
        var copy = _place.NameOf(table);
        if (copies.ContainsKey(copy) && records.GetValueOrDefault(table)?.Copy != copy)
        {
            throw new PlanException(
                $"{_place.Schema} has a table {copy} that this program has not made: the copy of {_database}.{table} cannot be kept "
                    + $"there; name another schema with --seed-schema");
        }

        // The copy is recorded as incomplete until it is complete, whenever this may end.
        var record = new CopyRecord { Name = table, Copy = copy, Taken = Now(), State = TableState.Unknown };
        await WriteAsync([record], cancellationToken);
        if (copies.ContainsKey(copy))
        {
            await _session.ExecuteAsync(ResetSql.Drop(_place.Schema, copy), cancellationToken);
        }

        var digest = (await _watch.DigestAsync([table], cancellationToken))[table];
        await _session.ExecuteAsync(ResetSql.CreateLike(_place.Schema, copy, _database, table), cancellationToken);
        var facts = await TableProbe.LookAsync(_session, _database, table, cancellationToken);
        var filled = await _session.ExecuteAsync(new CopySql(facts, _place.Schema, copy).Fill, cancellationToken);
        await _session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        return record with { Definition = digest, Rows = (long)filled.AffectedRows };
    }

    /// <summary>Records the state in which each table is equal to its copy.</summary>
    /// <returns>tables that are not equal</returns>
    private async Task<List<string>> RecordAsync(
        Dictionary<string, CopyRecord> records, List<string> changed, CancellationToken cancellationToken)
    {
        // The state first: a change after it shows in a later state.
        var seen = await _watch.LookAsync(cancellationToken);
        var sums = await _watch.SumAsync(changed, cancellationToken);
        string[] names = [.. changed.Select(table => records[table].Copy!)];
        await _copies.DigestAsync(names, cancellationToken);
        var copies = await _copies.SumAsync(names, cancellationToken);
        await _session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        foreach (var table in changed)
        {
            var record = records[table];
            var isRight = seen.ContainsKey(table) && sums[table] is not null && sums[table] == copies[record.Copy!];
            records[table] = isRight ? record with { Checksum = sums[table]!, State = seen[table].Lasting }
                : record with { Definition = "" };
        }

        return [.. changed.Where(table => records[table].Definition.Length == 0)];
    }

    private Task FinishAsync(
        Dictionary<string, CopyRecord> records, List<string> tables, IReadOnlyList<string> except, CancellationToken cancellationToken)
    {
        var taken = Now();
        return WriteAsync(
            [
                .. tables.Select(table => records[table] with { Taken = taken }),
                .. except.Select(table => new CopyRecord { Name = table, Taken = taken, State = TableState.Unknown }),
            ],
            cancellationToken);
    }

    private async Task WriteAsync(IEnumerable<CopyRecord> records, CancellationToken cancellationToken) => await _session.QueryAllAsync(
        [.. records.Select(record => _place.List.Write(_database, record.Name, record.Write())), TransactionSql.Commit], cancellationToken);

    private static string Now() =>
        TimeProvider.System.GetUtcNow().UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss.ffffff", CultureInfo.InvariantCulture);
}
