using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

internal static class KeyProbe
{
    /// <summary>Bytes that MySQL counts for one value of a list, rounded up (MySQL manual, "Limiting Memory Use for Range
    /// Optimization").</summary>
    private const long BytesOfRange = 256;

    public static string[] Questions(ServerIdentity server, string database, string table) =>
        [ConstraintSql.Indexes(database, table, server), ConstraintSql.KeyLimits, ConstraintSql.Referring(database, table)];

    /// <param name="answers">to <see cref="Questions"/></param>
    /// <exception cref="PlanException">there is no such key, or rows may not be looked for by it</exception>
    public static KeyFacts Read(ServerIdentity server, TableFacts table, KeyOptions options, TextResultSet[] answers)
    {
        var columns = Resolve(table, options);
        var (indexes, limits) = (answers[0], answers[1]);
        var (most, by) = FindMaxKeys(limits, columns.Count);
        return new KeyFacts
        {
            Columns = columns,
            Indexes =
            [
                .. indexes.Rows.GroupBy(row => row[0]!).Select(index => new TableIndex(
                    index.Key, index.First()[1] == "0",
                    [.. index.Select(part => new KeyPart(part[2], part[3] is { } prefix ? (int)Number(prefix) : null))])
                {
                    IsUsed = index.First()[4] != "YES",
                }),
            ],
            Referring = ReadReferring(answers[2]),
            MaxListKeys = most,
            MaxListKeysBy = by,
            Stage = new StageFacts(null, MemoryBytes(limits, server.IsMariaDb)),
        };
    }

    /// <summary>The storage engine's present estimate; null: the server does not say.</summary>
    public static Task<long?> CountRowsAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken) =>
        EstimateAsync(session, new IndexSql(table.Database, table.Name).Rows, cancellationToken);

    /// <summary>Bytes of a row, by the storage engine's present estimate; null: the server does not say.</summary>
    public static Task<long?> EstimateRowBytesAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken) =>
        EstimateAsync(session, new IndexSql(table.Database, table.Name).RowBytes, cancellationToken);

    private static async Task<long?> EstimateAsync(IServerSession session, string question, CancellationToken cancellationToken)
    {
        var answers = await session.QueryAllAsync(
            session.Server.IsMariaDb ? [question] : [SessionSql.FreshStatistics, question], cancellationToken);
        return answers[^1].Rows is [[{ } rows]] ? Number(rows) : null;
    }

    /// <summary>Limit of the keys in one list for which the server uses an index.</summary>
    public static async Task<int> FindMaxListKeysAsync(IServerSession session, int columns, CancellationToken cancellationToken) =>
        FindMaxKeys(await session.QueryAsync(ConstraintSql.KeyLimits, cancellationToken), columns).Max;

    /// <summary>The foreign keys that refer to the target and to all tables whose rows are deleted or changed with its rows, through any
    /// number of tables.</summary>
    public static async Task<IReadOnlyList<CascadingKey>> FindCascadingAsync(
        IServerSession session, TableFacts table, KeyFacts key, CancellationToken cancellationToken)
    {
        var found = new List<CascadingKey>();
        var seen = new HashSet<string>(StringComparer.OrdinalIgnoreCase) { table.DisplayName };
        for (var next = new Queue<(string Parent, IReadOnlyList<ReferringKey> Keys)>([(
            table.DisplayName, key.Referring)]); next.TryDequeue(out var to);)
        {
            foreach (var referring in to.Keys)
            {
                found.Add(new CascadingKey(to.Parent, referring));
                if (referring.OnDelete == "CASCADE" && seen.Add(referring.Table))
                {
                    next.Enqueue((referring.Table,
                        ReadReferring(
                        await session.QueryAsync(ConstraintSql.Referring(referring.Database, referring.TableName), cancellationToken))));
                }
            }
        }

        return found;
    }

    /// <summary>Shows the server a statement that finds rows, before anything is sent.</summary>
    /// <exception cref="PlanException">the account has no right, or the server does not understand <c>--where</c></exception>
    public static async Task CheckAsync(
        IServerSession session, string database, string statement, string? where, CancellationToken cancellationToken)
    {
        if (await StatementProbe.FindRefusalAsync(session, statement, cancellationToken) is { } fault)
        {
            throw new PlanException(
                where is null || fault.Error is ServerError.TableAccessDenied or ServerError.ColumnAccessDenied
                    ? $"the server refuses: {fault.Message}{await AccountGrant.ForAsync(session, fault, database, cancellationToken)}"
                    : $"--where '{where}': the server refuses it: {fault.Message}",
                fault);
        }
    }

    private static IReadOnlyList<ReferringKey> ReadReferring(TextResultSet rows) =>
        [.. rows.Rows.Select(
            row => new ReferringKey($"{row[0]}.{row[1]}", row[2]!, row[3]!, row[4]!) { Database = row[0]!, TableName = row[1]! })];

    private static List<TableColumn> Resolve(TableFacts table, KeyOptions options)
    {
        if (options.Columns.Count > 0)
        {
            return [.. options.Columns.Select(name => table.Find(name) ?? throw new PlanException(
                $"--key {name}: {table.DisplayName} has no column of that "
                    + $"name{Names.DidYouMean(name, table.Columns.Select(column => column.Name))}"))];
        }

        var primary = table.UniqueKeys.FirstOrDefault(key => key.IsPrimary)
            ?? throw new PlanException($"{table.DisplayName} has no primary key to find rows by: name the columns of a key with --key");
        return [.. primary.Columns.Select(name => table.Find(name)
            ?? throw new PlanException($"this account may not see column '{name}' of {table.DisplayName}, by which rows are "
                + $"found: {table.Grant("SELECT")}"))];
    }

    private static (int Max, string By) FindMaxKeys(TextResultSet limits, int columns)
    {
        var (most, by) = (int.MaxValue, "no limit");
        foreach (var row in limits.Rows)
        {
            var keys = (row[0], Number(row[1]!)) switch
            {
                // 0: no limit. Half of the allowed memory, since --where may need some.
                ("range_optimizer_max_mem_size", > 0 and var bytes) => bytes / 2 / (BytesOfRange * columns),

                // From this number of values on, a list becomes a subquery.
                ("in_predicate_conversion_threshold", > 0 and var threshold) => (threshold - 1) / columns,
                ("optimizer_max_sel_arg_weight", > 0 and var weight) => weight / 2 / columns,
                _ => int.MaxValue,
            };
            if (keys < most)
            {
                (most, by) = ((int)Math.Max(1, keys), $"the server's {row[0]} of {Number(row[1]!):N0}");
            }
        }

        return (most, by);
    }

    /// <summary>Only MariaDB: MySQL warns of transactions that change tables in memory beside others (warning 6414).</summary>
    private static long MemoryBytes(TextResultSet limits, bool isMariaDb) =>
        isMariaDb && limits.Rows.FirstOrDefault(row => row[0] == "max_heap_table_size") is { } row ? Number(row[1]!) : 0;

    private static long Number(string text) => long.TryParse(text, CultureInfo.InvariantCulture, out var number) ? number : long.MaxValue;
}

/// <summary>Tries a temporary table for keys, and LOAD DATA LOCAL into it, and leaves nothing: neither can be deduced.</summary>
internal static class StageProbe
{
    /// <param name="session">usable; the probe of LOAD DATA LOCAL may cost it</param>
    /// <returns>why keys cannot be staged, and why not by LOAD DATA LOCAL, for people; null: they can</returns>
    public static async Task<(string? Refusal, string? LocalInfileRefusal)> FindRefusalsAsync(
        IServerSession session, TableFacts table, IReadOnlyList<TableColumn> row, CancellationToken cancellationToken)
    {
        var sql = new StagedKeySql(table, row);
        if (await CreateAsync(session, sql, cancellationToken) is { } fault)
        {
            return ($"the server creates no temporary table here: {fault.Message}", null);
        }

        var (stage, columns) = sql.AsTarget;
        var refusal = await LocalInfileProbe.FindRefusalAsync(session, stage, columns, [], cancellationToken);
        if (session.IsUsable)
        {
            await session.ExecuteAsync(sql.Drop, cancellationToken);
        }

        return (null, refusal);
    }

    /// <summary>Whether the server would compare keys in a temporary table.</summary>
    /// <returns>the server's error; null: it would, or it need not be asked</returns>
    public static async Task<string?> FindComparisonRefusalAsync(
        IServerSession session, TableFacts table, IReadOnlyList<TableColumn> key, CancellationToken cancellationToken)
    {
        if (key.All(column => KeyComparisons.Of(column, column.Collation) == KeyComparison.Exact))
        {
            return null;
        }

        var sql = new StagedKeySql(table, key);
        if (await CreateAsync(session, sql, cancellationToken) is { } fault)
        {
            return fault.Message;
        }

        await session.ExecuteAsync(sql.Drop, cancellationToken);
        return null;
    }

    private static async Task<ServerException?> CreateAsync(IServerSession session, StagedKeySql sql, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(sql.Create, cancellationToken);
            return null;
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable && !fault.EndsTransaction)
        {
            return fault;
        }
    }
}
