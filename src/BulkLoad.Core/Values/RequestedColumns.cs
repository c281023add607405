using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>What the request says of single columns by name, compared with the table.</summary>
internal static class RequestedColumns
{
    /// <summary>The assignments of <c>--set</c>, with the columns' names as the table has them.</summary>
    /// <exception cref="PlanException">a column that cannot be a target</exception>
    public static IReadOnlyList<ColumnAssignment> ResolveAssignments(TableFacts table, LoadRequest request) =>
        [.. request.Assignments.Select(assignment => assignment with { Column = FindTarget(table, assignment.Column, request.Kind).Name })];

    /// <summary>Sees to it that the columns of <c>--null-value COLUMN=TEXT</c> exist.</summary>
    /// <exception cref="PlanException">one does not</exception>
    public static void CheckNullTexts(TableFacts table, LoadRequest request)
    {
        foreach (var (column, text) in request.Values.NullTexts)
        {
            if (column is not null && table.Find(column) is null && !IsSetField(column, request))
            {
                throw new PlanException(
                    $"--null-value '{column}={text}': {table.DisplayName} has no column '{column}'{DidYouMean(table, column)} (if that " +
                    $"is the text itself, write '={column}={text}')");
            }
        }
    }

    /// <summary>Why this account may not give a column its value, for people; null where it may.</summary>
    public static string? FindRefusal(TableColumn column, TableFacts table, JobKind kind) => kind switch
    {
        JobKind.Update when !column.CanUpdate =>
            $"this account may not update column '{column.Name}' of {table.DisplayName}: GRANT UPDATE ON {table.DisplayName} to it",
        JobKind.Import when !column.CanInsert =>
            $"this account may not insert into column '{column.Name}' of {table.DisplayName}: GRANT INSERT ON {table.DisplayName} to it",
        _ => null,
    };

    private static bool IsSetField(string name, LoadRequest request) =>
        SetFields.IsField(name)
        && request.Assignments.Any(assignment => SetFields.In(assignment.Expression).Contains(name[1..], SetFields.Names));

    private static TableColumn FindTarget(TableFacts table, string name, JobKind kind)
    {
        var column = table.Find(name) ?? throw new PlanException(
            $"--set {name}: {table.DisplayName} has no column of that name{DidYouMean(table, name)}");
        if (column.IsGenerated)
        {
            throw new PlanException($"--set {name}: column '{column.Name}' of {table.DisplayName} is generated, its value cannot be set");
        }

        return FindRefusal(column, table, kind) is { } refusal ? throw new PlanException($"--set {name}: {refusal}") : column;
    }

    private static string DidYouMean(TableFacts table, string name) => Names.DidYouMean(name, table.Columns.Select(column => column.Name));
}
