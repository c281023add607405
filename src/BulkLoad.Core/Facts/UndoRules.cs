using System.Text.RegularExpressions;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>Whether the input tells which rows a job has inserted, with all of their values. Pure.</summary>
internal static partial class UndoRules
{
    /// <summary>Why not, as far as the table decides; null: it allows it.</summary>
    public static string? FindObstacle(TableFacts table) => FindTableObstacle(table)
        ?? (table.InsertTriggers.FirstOrDefault(TableFacts.RunsBefore) is { } trigger
            ? $"trigger {trigger} may have changed the rows, and the input does not tell how" : null);

    /// <summary>Why rows of the table cannot be put back, wherever their values come from; null: they can.</summary>
    public static string? FindTableObstacle(TableFacts table) =>
        !table.UndoesBatches ? $"engine {table.Engine} of {table.DisplayName} has no transactions that undo what failed"
        : table.PrimaryKey.Count == 0
            ? $"{table.DisplayName} has no primary key, so that nobody can tell its rows from equal ones of others"
        : table.IsVersioned ? $"{table.DisplayName} is system-versioned: its own history has the rows as they were"
        : table.Columns.FirstOrDefault(column => !column.CanSelect) is { } hidden
            ? $"this account may not read column '{hidden.Name}', so that nobody knows whether it has changed: {table.Grant("SELECT")}"
        : null;

    /// <summary>Why not, as far as table, columns and options decide; null: it does.</summary>
    /// <param name="hasIds">whether a file has the ids that the server has generated</param>
    public static string? FindObstacle(LoadFacts facts, bool hasIds)
    {
        if (FindObstacle(facts.Table) is { } obstacle)
        {
            return obstacle;
        }

        foreach (var column in facts.Table.Columns.Where(column => !column.IsGenerated && facts.IndexOf(column) < 0))
        {
            if (column.Default == ColumnDefault.AutoIncrement)
            {
                if (hasIds)
                {
                    continue;
                }

                return $"the server has made the values of '{column.Name}', and the input does not have them";
            }

            if (column.Default == ColumnDefault.Expression && !IsConstant(column))
            {
                return $"the server has computed the values of '{column.Name}' ({column.Expression}), and the input does not have them";
            }
        }

        return facts.DefaultedColumn is { } defaulted && !IsConstant(defaulted)
            ? $"records may have left '{defaulted.Name}' to the server ({defaulted.Expression}), which computes it each time"
            : null;
    }

    /// <summary>Columns whose values the server makes where the input does not fill them, each time others.</summary>
    public static IEnumerable<TableColumn> MadeByServer(TableFacts table) => table.Columns.Where(column => !column.IsGenerated
        && (column.Default == ColumnDefault.AutoIncrement || (column.Default == ColumnDefault.Expression && !IsConstant(column))));

    /// <summary>Whether records with that reason may have been refused for rows that were there, or by what only the server
    /// knows.</summary>
    public static bool IsByOtherRows(string code) => code is "duplicate-key" or "foreign-key" or "trigger-signal" or "refused-by-server";

    private static bool IsConstant(TableColumn column) =>
        column.HasConstantDefault || (column.Expression is { } text && Constant().IsMatch(text));

    /// <summary>A literal, such as <c>b'01'</c>, <c>-1.5e3</c> or a text.</summary>
    [GeneratedRegex(@"^([bx]?'([^'\\]|''|\\.)*'|_[a-z0-9]+'([^'\\]|''|\\.)*'|-?[0-9.]+(e[+-]?[0-9]+)?|0x[0-9a-f]+)\z",
        RegexOptions.CultureInvariant | RegexOptions.IgnoreCase | RegexOptions.Singleline)]
    private static partial Regex Constant();
}
