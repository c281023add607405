using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>What can be promised of a table whose engine cannot roll back: what a failed statement has done stays. Pure.</summary>
internal static class NonTransactionalRules
{
    /// <summary>Engines that insert a statement's rows in order, and stop at the first refused one; tested.</summary>
    private static readonly string[] InsertInOrder = ["MyISAM", "Aria", "MEMORY"];

    /// <summary>Why the request cannot be kept on such a table, for people; null: it can, or the engine can roll back.</summary>
    public static string? FindObstacle(LoadRequest request, TableFacts table)
    {
        if (table.IsTransactional || (request.Mode.JudgesOnly && !request.Mode.SendsRows))
        {
            return null;
        }

        var what = request.Mode.IsCheck
            ? "what the check sends could not be undone (ALTER TABLE ... ENGINE=InnoDB, or leave out --on-server)"
            : request.KeepsLedger ? "what failed could not be undone (ALTER TABLE ... ENGINE=InnoDB, or --no-ledger to do without)"
            : request.Atomic ? "--atomic could not be kept: leave it out"
            : request.Key.Expect is not null ? "what is too much could not be undone: leave out --expect"
            : request.Verify != VerifyMode.None
                ? "wrong rows could not be rolled back: leave out --verify, and run bulkload verify afterwards"
            : null;
        return what is null ? null : $"table {table.DisplayName} uses engine {table.Engine}, which has no transactions: {what}";
    }

    /// <summary>Why a strategy for sets is unfit, for people; null: the engine can roll back.</summary>
    public static string? FindSetObstacle(LoadFacts facts) => facts.Table.UndoesBatches ? null
        : facts.Table.IsTransactional ? $"engine {facts.Table.Engine} cannot undo a batch without the rows before it"
        : $"engine {facts.Table.Engine} cannot roll back, and a statement that fails would not say which of its rows it has done";

    /// <summary>Why LOAD DATA is unfit, for people: it continues after a row that the server refuses, and does not say which row it was.
    /// Null: the engine can roll back, or the server can refuse nothing but duplicates of <see cref="FindTellingKey"/>.</summary>
    public static string? FindLoadObstacle(LoadFacts facts)
    {
        var table = facts.Table;
        if (table.UndoesBatches)
        {
            return null;
        }

        if (table.IsTransactional)
        {
            return $"engine {table.Engine} cannot undo a batch without the rows before it, and LOAD DATA keeps rows that it warns of";
        }

        var refusing = !TakesInOrder(table) ? "it is not known to stop at a row that it refuses"
            : FindTellingKey(facts) is null && facts.Table.UniqueKeys.FirstOrDefault(key => !facts.IsNumbered(key)) is { } key
                ? $"key {key.Name} can refuse rows"
            : table.InsertTriggers is [var trigger, ..] ? $"trigger {trigger} can"
            : table.HasConstraints ? "a CHECK or a partition can"
            : table.Columns.Any(column => column.IsGenerated) ? "a generated column can"
            : facts.Assignments.Count > 0 ? "--set can"
            : null;
        return refusing is null ? null
            : $"engine {table.Engine} cannot roll back, and LOAD DATA does not say which rows it has left out: {refusing}";
    }

    /// <summary>The only key by which the server can refuse rows, if its values show beforehand that there are no duplicates: one integer
    /// column. Null: there is no such key.</summary>
    public static TableColumn? FindTellingKey(LoadFacts facts) =>
        facts.Table.UniqueKeys.Where(key => !facts.IsNumbered(key)).ToList() is [{ Parts: [{ Column: { } name, Prefix: null }] }]
        && facts.Table.Find(name) is { Behaviour.Family: ColumnFamily.Integer } column && facts.IndexOf(column) >= 0
            ? column : null;

    /// <summary>Whether a refused INSERT of several rows has left the rows before the refused one in the table, and no others.</summary>
    public static bool TakesInOrder(TableFacts table) => InsertInOrder.Contains(table.Engine, StringComparer.OrdinalIgnoreCase);

    public static string Describe(TableFacts table) =>
        $"none: engine {table.Engine} cannot roll back, and committed rows stay, whatever happens later";

    public static string DescribeEnd(TableFacts table) =>
        $"engine {table.Engine} cannot roll back: records of the current statement may be in {table.DisplayName} after the last one " +
        "that is reported as committed; look there before you continue";
}

/// <summary>Whether the server reports every value that an expression has to convert. During LOAD DATA, MariaDB gives no warning where it
/// converts a column inside an expression (text to a number, for example). In an INSERT that is an error; here the value would be stored as
/// another one. Pure.</summary>
internal static class ConversionRules
{
    private const string Why =
        "MariaDB gives no warning when LOAD DATA converts a value inside an expression, and a wrong value would be stored";

    /// <summary>Why LOAD DATA is unfit, for people; null: no expression reads anything that the server could convert.</summary>
    public static string? FindLoadObstacle(LoadFacts facts)
    {
        if (!facts.Server.IsMariaDb)
        {
            return null;
        }

        foreach (var (column, expression) in facts.Assignments)
        {
            if (FindRead(expression, facts.Table) is { } read)
            {
                return $"--set {column} reads {read}: {Why}";
            }
        }

        foreach (var column in facts.Table.Columns)
        {
            var isDefault = column.Default == ColumnDefault.Expression && facts.IndexOf(column) < 0 && !facts.Request.Assigns(column.Name);
            if (column.Expression is { } expression && (column.IsGenerated || isDefault) && FindRead(expression, facts.Table) is { } read)
            {
                return $"{(column.IsGenerated ? "generated column" : "the default of column")} '{column.Name}' reads {read}: {Why}";
            }
        }

        return null;
    }

    /// <summary>The first value that is no literal and no result of a function, for people; null: there is none.</summary>
    private static string? FindRead(string expression, TableFacts table)
    {
        if (SetFields.In(expression).FirstOrDefault() is { } field)
        {
            return $"@{field}";
        }

        foreach (var name in SqlTokens.NamesIn(expression))
        {
            if (name.Equals("select", StringComparison.OrdinalIgnoreCase))
            {
                return "a table";
            }

            if (table.Find(name) is { } column)
            {
                return $"column '{column.Name}'";
            }
        }

        return null;
    }
}

/// <summary>Whether the server executes statements in bulk, and whether it then counts only the records. Its count includes the rows that
/// queries of a stored function read, for each call.</summary>
internal static class BulkRules
{
    /// <summary>Why the server executes no statement in bulk, for people; null: it does.</summary>
    public static string? FindServerObstacle(LoadFacts facts)
    {
        if (!facts.Server.TakesBulkExecutions)
        {
            return facts.Server.IsMariaDb
                ? "this server or a proxy in front of it does not offer bulk execution (MariaDB 10.2 and newer do)"
                : "MySQL has no bulk execution; it is MariaDB's";
        }

        if (facts.Server.LogsStatements)
        {
            return "the server's binary log by statement refuses bulk execution (error 4033)";
        }

        return facts.Server.MaxPreparedStatements == 0
            ? "the server allows no prepared statements (max_prepared_stmt_count is 0)"
            : FindCountObstacle(facts);
    }

    /// <summary>Why the count may not be that of the records, for people; null: it is.</summary>
    private static string? FindCountObstacle(LoadFacts facts)
    {
        var expressions = facts.Request.Assignments.Select(assignment => (Name: $"--set {assignment.Column}", Text: assignment.Expression));
        if (facts.Request.Key.Where is { } guard)
        {
            expressions = expressions.Append(("--where", guard));
        }

        foreach (var (name, text) in expressions)
        {
            if (SqlCalls.FindStored(text) is { } called)
            {
                return $"{name} calls {called}, which may be a stored function: MariaDB would add what that reads to the count";
            }
        }

        return OrderRules.TriggersOf(facts.Request, facts.Table).FirstOrDefault(facts.Table.CallingTriggers.Contains) is { } trigger
            ? $"trigger {trigger} may call a stored function: MariaDB would add what that reads to the count"
            : null;
    }
}

/// <summary>What storage engines do that their catalogue does not say. Pure.</summary>
internal static class EngineRules
{
    private const string MyRocks = "ROCKSDB", Spider = "SPIDER";

    /// <summary>Tested: they give back what they got.</summary>
    private static readonly string[] Known = ["InnoDB", "MyISAM", "Aria", "MEMORY", MyRocks, Spider];

    /// <param name="engine">null: the table has none</param>
    /// <param name="hasSavepoints">by the catalogue</param>
    public static UndoPart UndoPartOf(string? engine, bool hasSavepoints) =>
        !hasSavepoints ? UndoPart.Row : Is(engine, MyRocks) ? UndoPart.Statement : UndoPart.Savepoint;

    public static bool IsKnown(string engine) => Known.Any(name => Is(engine, name));

    /// <summary>Why no job can fill these columns, for people; null: it can.</summary>
    /// <param name="filled">columns of the table</param>
    public static string? FindChange(TableFacts table, IEnumerable<string> filled) =>
        filled.Where(table.ChangedByEngine.Contains).ToList() is { Count: > 0 } changed
            ? $"table {table.DisplayName} uses engine {table.Engine}, which stores other values than it gets in "
                + $"{Plural.For(changed.Count, "column")} {string.Join(", ", changed)} (ALTER TABLE ... ENGINE=InnoDB)"
            : null;

    /// <summary>What a trial of the engine has found, for people.</summary>
    public static IEnumerable<string> Notes(TableFacts table)
    {
        if (table.EngineRefusal is { } refusal)
        {
            yield return $"warning: engine {table.Engine} is not known here, and whether it keeps values as they are could not be tried: "
                + refusal;
        }

        var lost = table.Columns.Where(column => column is { LosesNull: true, IsNullable: true }).Select(column => column.Name).ToList();
        if (lost.Count > 0)
        {
            yield return $"warning: engine {table.Engine} stores another value in place of NULL in {Plural.For(lost.Count, "column")} "
                + $"{string.Join(", ", lost)}: records with NULL there are refused, and a column that the input does not have gets that "
                + "value";
        }
    }

    /// <summary>Why the request cannot be kept on such a table, for people; null: it can.</summary>
    public static string? FindObstacle(LoadRequest request, TableFacts table)
    {
        if (!Is(table.Engine, Spider) || !request.Mode.SendsRows)
        {
            return null;
        }

        var what = request.Kind == JobKind.Delete || request.Truncate
            ? "which says of each DELETE that it found no row, whatever it deleted: delete the rows on its shards"
            : request.KeepsLedger
            ? "whose shards commit by themselves: the ledger could have what one of them has not (--no-ledger to do without)"
            : request.Atomic || request.Key.Expect is not null
            ? $"whose shards commit by themselves: leave out {(request.Atomic ? "--atomic" : "--expect")}"
            : null;
        return what is null ? null : $"table {table.DisplayName} uses engine {table.Engine}, {what}";
    }

    /// <summary>Whether its rows lie on other servers, a partition on each.</summary>
    public static bool IsSharded(TableFacts table) => Is(table.Engine, Spider);

    private static bool Is(string? engine, string name) => name.Equals(engine, StringComparison.OrdinalIgnoreCase);
}
