using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>Whether the server tells of every value that an expression has to convert. MariaDB gives no warning during LOAD DATA where it
/// converts a column inside an expression (text to a number, for example), which is an error in an INSERT: a value that is none would be
/// stored as another one. Pure.</summary>
internal static class ConversionRules
{
    private const string Why =
        "MariaDB gives no warning when LOAD DATA converts a value inside an expression, and a wrong value would be stored";

    /// <summary>Why LOAD DATA is unfit, for people; null: no expression reads anything that it could convert.</summary>
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

/// <summary>Whether the server executes statements in bulk, and whether the count of that is the records'. The count has in it what a stored
/// function reads by its queries, a row for each call.</summary>
internal static class BulkRules
{
    /// <summary>Why the server executes no statement in bulk, for people; null where it does.</summary>
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

    /// <summary>Why the count may be another one, for people; null where it is that of the records.</summary>
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
