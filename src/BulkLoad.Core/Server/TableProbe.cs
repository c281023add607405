using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

internal static class TableProbe
{
    /// <exception cref="PlanException">no such table, or not one that can be loaded</exception>
    public static async Task<TableFacts> LookAsync(
        IServerSession session, string database, string table, CancellationToken cancellationToken) =>
        (await LookAsync(session, database, table, [], cancellationToken)).Table;

    /// <param name="named">where the table's name comes from, for people; empty: the user has typed it</param>
    /// <param name="waysOn">what the user can do if the table is missing</param>
    /// <returns>the table, and an answer for each of the other questions</returns>
    /// <exception cref="PlanException">no such table, or not one that can be loaded</exception>
    public static async Task<(TableFacts Table, TextResultSet[] More)> LookAsync(
        IServerSession session, string database, string table, IReadOnlyList<string> more, CancellationToken cancellationToken,
        string named = "", string waysOn = "")
    {
        string[] questions = [CatalogSql.Table(database, table), CatalogSql.Triggers(database, table), CatalogSql.Columns(database, table),
            CatalogSql.UniqueKeys(database, table)];
        var answers = await session.QueryAllAsync([.. questions, .. more], cancellationToken);
        if (answers[0].Rows.Count == 0)
        {
            throw new PlanException(await DescribeMissingAsync(session, database, table, named, waysOn, cancellationToken));
        }

        var facts = Read(answers[0].FirstRow, answers[1].Rows, answers[2].Rows, answers[3].Rows, session.Server);
        facts = facts with { Columns = await WithSystemsAsync(facts.Columns, session, database, table, cancellationToken) };
        var type = answers[0].FirstRow[2];
        if (type is not ("BASE TABLE" or "SYSTEM VERSIONED"))
        {
            throw new PlanException($"{facts.DisplayName} is not a table but a {type}: name the table itself with --table");
        }

        if (facts.Columns.Any(column => !column.CanInsert || !column.CanUpdate || !column.CanSelect))
        {
            var account = await session.QueryAsync(CatalogSql.Account, cancellationToken);
            facts = facts with { Account = account.Rows is [[var name, ..], ..] ? name : null };
        }

        return (facts, answers[questions.Length..]);
    }

    /// <summary>All base tables of a database with their foreign keys, but without spatial reference systems; and all foreign keys from or
    /// to them.</summary>
    public static async Task<(IReadOnlyList<TableFacts> Tables, IReadOnlyList<ForeignKey> References)> LookAtAllAsync(
        IServerSession session, string database, CancellationToken cancellationToken)
    {
        var answers = await session.QueryAllAsync(
            [CatalogSql.Tables(database), CatalogSql.Triggers(database, null), CatalogSql.Columns(database, null),
                CatalogSql.UniqueKeys(database, null), ConstraintSql.ReferencesWith(database)],
            cancellationToken);
        var (triggers, columns, keys) = (ByTable(answers[1]), ByTable(answers[2]), ByTable(answers[3]));
        var references = ForeignKey.Read(answers[4].Rows);
        return ([.. answers[0].Rows.Select(row =>
            Read(row, triggers[row[1]!], columns[row[1]!], keys[row[1]!], session.Server) with
            {
                References = [.. references.Where(key => key.Database == database && key.Table == row[1])],
                Status = StatusOf(row),
            })], references);

        static ILookup<string, string?[]> ByTable(TextResultSet rows) => rows.Rows.ToLookup(row => row[^1]!);
    }

    /// <summary>By table.</summary>
    public static async Task<IReadOnlyDictionary<string, (string? Created, ulong? NextNumber)>> LookAtStatusAsync(
        IServerSession session, string database, CancellationToken cancellationToken) =>
        (await session.QueryAsync(CatalogSql.Tables(database), cancellationToken)).Rows
            .ToDictionary(row => row[1]!, StatusOf, StringComparer.Ordinal);

    private static (string? Created, ulong? NextNumber) StatusOf(IReadOnlyList<string?> row) =>
        (row[5], row[6] is { } next ? ulong.Parse(next, CultureInfo.InvariantCulture) : null);

    /// <summary>Rows of CatalogSql.Table, Triggers, Columns and UniqueKeys.</summary>
    private static TableFacts Read(IReadOnlyList<string?> table, IEnumerable<IReadOnlyList<string?>> triggers,
        IEnumerable<IReadOnlyList<string?>> columns, IEnumerable<IReadOnlyList<string?>> keys, ServerIdentity server) => new()
        {
            Database = table[0]!,
            Name = table[1]!,
            Engine = table[3] ?? "none",
            IsTransactional = table[4] == "YES",
            UndoPart = EngineRules.UndoPartOf(table[3], hasSavepoints: table[^1] != "NO" && SpeakerRules.HasSavepoints(server.VersionText)),
            Columns = [.. columns.Select(row => ColumnReader.Read(row, server.IsMariaDb))],
            InsertTriggers = TriggersOn("INSERT", triggers),
            UpdateTriggers = TriggersOn("UPDATE", triggers),
            DeleteTriggers = TriggersOn("DELETE", triggers),
            CallingTriggers = [.. triggers.Where(row => row[3] is not { Length: > 0 } body || SqlCalls.FindStored(body) is not null)
                .Select(NameTrigger)],
            UniqueKeys =
            [
                .. keys.GroupBy(row => row[0]!, row => new KeyPart(row[1], row[2] is { } prefix
                    ? int.Parse(prefix, CultureInfo.InvariantCulture)
                    : null)).Select(key => new UniqueKey(key.Key, [.. key])),
            ],
            IsVersioned = table[2] == "SYSTEM VERSIONED",
        };

    /// <summary>Tables whose foreign keys refer to this one. MariaDB looks at every table to find out.</summary>
    public static async Task<IReadOnlyList<string>> FindReferencingAsync(
        IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        var rows = await session.QueryAsync(CatalogSql.Referencing(table.Database, table.Name), cancellationToken);
        return [.. rows.Rows.Select(row => $"{row[0]}.{row[1]}")];
    }

    /// <summary>Whether the account can see a table of that name.</summary>
    public static async Task<bool> IsThereAsync(
        IServerSession session, string database, string table, CancellationToken cancellationToken) =>
        (await session.QueryAsync(CatalogSql.Table(database, table), cancellationToken)).Rows.Count > 0;

    /// <summary>The table's statement, as the server writes it, every name in backticks; and foreign keys to it, its own too.</summary>
    public static async Task<(string Definition, IReadOnlyList<ForeignKey> References)> DefineAsync(
        IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        var answers = await session.QueryAllAsync(
            [IndexSql.QuoteNames, new RefreshSql(table.Database).Definition(table.Name),
                ConstraintSql.ReferencesTo(table.Database, table.Name)],
            cancellationToken);
        return (answers[1].FirstRow[1]!, ForeignKey.Read(answers[2].Rows));
    }

    public static async Task<bool> RefersToItselfAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken) =>
        (await session.QueryAsync(CatalogSql.OwnReference(table.Database, table.Name), cancellationToken)).Rows.Count > 0;

    /// <summary>In the table's order; empty: the table is gone.</summary>
    public static async Task<IReadOnlyList<TableColumn>> LookAtColumnsAsync(
        IServerSession session, string database, string table, CancellationToken cancellationToken)
    {
        var rows = (await session.QueryAsync(CatalogSql.Columns(database, table), cancellationToken)).Rows;
        return await WithSystemsAsync(
            [.. rows.Select(row => ColumnReader.Read(row, session.Server.IsMariaDb))], session, database, table, cancellationToken);
    }

    private static async Task<IReadOnlyList<TableColumn>> WithSystemsAsync(
        IReadOnlyList<TableColumn> columns, IServerSession session, string database, string table, CancellationToken cancellationToken)
    {
        if (columns.Any(column => column.Kind == ColumnKind.Geometry))
        {
            var systems = await session.QueryAsync(
                CatalogSql.SpatialReferences(database, table, session.Server.IsMariaDb), cancellationToken);
            var srids = systems.Rows.ToDictionary(row => row[0]!, row => uint.Parse(row[1] ?? "0", CultureInfo.InvariantCulture));
            columns = [.. columns.Select(column => column with { Srid = srids.GetValueOrDefault(column.Name) })];
        }

        return columns;
    }

    private static List<string> TriggersOn(string change, IEnumerable<IReadOnlyList<string?>> triggers) =>
        [.. triggers.Where(row => row[2] == change).Select(NameTrigger)];

    private static string NameTrigger(IReadOnlyList<string?> row) => $"{row[0]} ({row[1]} {row[2]})";

    /// <summary>Checks, as far as possible, that a table can be made there.</summary>
    /// <exception cref="PlanException">the table exists, or the server would not make one that can be loaded</exception>
    public static async Task CheckFreeAsync(
        IServerSession session, string database, string table, bool hasKey, CancellationToken cancellationToken)
    {
        if ((await session.QueryAsync(CatalogSql.Table(database, table), cancellationToken)).Rows.Count > 0)
        {
            throw new PlanException(
                $"table {database}.{table} already exists: leave out --create to add the records to it, or name another with --table");
        }

        if (await FindMissingDatabaseAsync(session, database, cancellationToken) is { } missing)
        {
            throw new PlanException(missing);
        }

        var engine = (await session.QueryAsync(CatalogSql.DefaultEngine, cancellationToken)).Rows;
        if (engine is [var row] && row[1] != "YES")
        {
            throw new PlanException(
                $"the server makes new tables with engine {row[0]}, which has no transactions: create the table with another engine, and "
                    + "leave out --create");
        }

        var demands = (await session.QueryAsync(CatalogSql.KeyDemands, cancellationToken)).Rows;
        if (!hasKey && demands.FirstOrDefault(demand => demand[1] == "ON") is { } demanded)
        {
            throw new PlanException(
                $"the server takes no table without a primary key ({demanded[0]} is ON): name its columns with --primary-key");
        }
    }

    /// <summary>For people; null: the database exists.</summary>
    private static async Task<string?> FindMissingDatabaseAsync(
        IServerSession session, string database, CancellationToken cancellationToken)
    {
        var databases = (await session.QueryAsync(CatalogSql.Databases, cancellationToken)).Rows.Select(row => row[0]!).ToArray();
        return databases.Contains(database, StringComparer.OrdinalIgnoreCase)
            ? null
            : $"database {database} does not exist, or this account has no right on it{Names.DidYouMean(database, databases)}";
    }

    private static async Task<string> DescribeMissingAsync(
        IServerSession session, string database, string table, string named, string waysOn, CancellationToken cancellationToken)
    {
        if (await FindMissingDatabaseAsync(session, database, cancellationToken) is { } missing)
        {
            return missing;
        }

        var names = (await session.QueryAsync(CatalogSql.TableNames(database), cancellationToken)).Rows.Select(row => row[0]!);
        var near = Names.DidYouMean(table, names);
        var others = near.Length > 0 ? []
            : (await session.QueryAsync(CatalogSql.DatabasesWith(table), cancellationToken)).Rows
                .Select(row => $"{row[0]}.{table}").ToList();
        return $"table {database}.{table}{named} does not exist, or this account has no right on it{waysOn}{near}"
            + (others.Count == 0 ? "" : $"; there is {string.Join(", ", others)}");
    }
}

/// <summary>Asks the catalogue what the target's rows must agree with, and whether the table has rows.</summary>
internal static class ConstraintProbe
{
    public static async Task<TableConstraints> LookAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        var (database, name) = (table.Database, table.Name);
        var answers = await session.QueryAllAsync(
            [ConstraintSql.ForeignKeys(database, name), ConstraintSql.CountChecks(database, name, session.Server.IsMariaDb),
                ConstraintSql.CountBoundedPartitions(database, name)],
            cancellationToken);
        var constraints = new TableConstraints
        {
            ForeignKeys = ForeignKey.Read(answers[0].Rows),
            HasChecks = Number(answers[1].Scalar!) > 0,
            CanLackPartition = Number(answers[2].Scalar!) > 0,
            HasRows = await HasRowsAsync(session, table, cancellationToken),
        };

        // With autocommit off these questions have begun a transaction, which would prevent others from altering the table.
        await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return constraints;
    }

    private static async Task<bool?> HasRowsAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        try
        {
            return (await session.QueryAsync(ConstraintSql.AnyRow(table.Database, table.Name), cancellationToken)).Rows.Count > 0;
        }
        catch (ServerException fault) when (fault.Error is ServerError.TableAccessDenied or ServerError.ColumnAccessDenied)
        {
            // INSERT is enough for an import; SELECT is another right.
            return null;
        }
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);
}

internal static class TruncateProbe
{
    /// <exception cref="PlanException">its database may not be emptied, nothing could be rolled back, or other tables have rows that refer
    /// to it</exception>
    public static async Task RequireAsync(
        IServerSession session, TableFacts table, LoadRequest request, CancellationToken cancellationToken)
    {
        if (DatabaseGuard.FindObstacle("--truncate", table.Database, request.AllowedDatabase) is { } obstacle)
        {
            throw new PlanException(obstacle);
        }

        if (!table.IsTransactional)
        {
            throw new PlanException($"--truncate: engine {table.Engine} of {table.DisplayName} cannot roll back, and the table could end "
                + "up empty: empty it yourself");
        }

        try
        {
            await session.QueryAsync(CatalogSql.ExplainEmptying(table.Database, table.Name), cancellationToken);
        }
        catch (ServerException fault) when (fault.IsAccessDenied)
        {
            var grant = await AccountGrant.OfAsync(session, "DELETE", table.Database, table.Name, cancellationToken);
            throw new PlanException(
                $"--truncate: this account may not delete rows of {table.DisplayName} ({fault.ServerText}): {grant}", fault);
        }

        var rows = (await session.QueryAsync(CatalogSql.ReferringColumns(table.Database, table.Name), cancellationToken)).Rows;
        foreach (var key in rows.GroupBy(row => (Database: row[0]!, Table: row[1]!, Key: row[2]!)))
        {
            if (key.Key.Database == table.Database && key.Key.Table == table.Name)
            {
                continue;
            }

            try
            {
                if ((await session.QueryAsync(CatalogSql.HasReference(key.Key.Database, key.Key.Table, [.. key.Select(row => row[3]!)]),
                    cancellationToken)).Rows.Count > 0)
                {
                    throw new PlanException($"--truncate: rows of {key.Key.Database}.{key.Key.Table} refer to {table.DisplayName} "
                        + $"(foreign key {key.Key.Key}): empty that table first");
                }
            }
            catch (ServerException fault) when (fault.IsAccessDenied)
            {
                var grant = await AccountGrant.OfAsync(session, "SELECT", key.Key.Database, key.Key.Table, cancellationToken);
                throw new PlanException($"--truncate: it is not known whether rows of {key.Key.Database}.{key.Key.Table} refer to "
                    + $"{table.DisplayName}: {fault.ServerText}: {grant}", fault);
            }
        }
    }
}
