using BulkLoad.Core.Input;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>Whether a job that is done can be done once more and leaves the same rows: then a start after a complete one runs in full. Pure.</summary>
internal static class RepeatRules
{
    /// <summary>Of <c>delete</c> always; of changes to rows only where they read nothing of them, and where each record meets its row again.</summary>
    public static bool IsIdempotent(LoadFacts facts) => facts.Request switch
    {
        { Kind: JobKind.Delete } => true,
        { Kind: JobKind.Update } => !ReadsRow(facts),
        { OnDuplicate: DuplicateMode.Error } => false,
        _ => !ReadsRow(facts) && FillsKey(facts),
    };

    private static bool ReadsRow(LoadFacts facts) =>
        facts.Assignments.Select(assignment => assignment.Expression).Append(facts.Request.Key.Where ?? "")
            .Any(text => SqlExpression.Mentions(text, "select") || SqlCalls.FindStored(text) is not null || facts.Table.Columns.Any(column => SqlExpression.Mentions(text, column.Name)));

    /// <summary>Whether a unique key without NULL has all its values from the file, so that no record can make a second row.</summary>
    private static bool FillsKey(LoadFacts facts) => facts.Table.UniqueKeys.Any(key => key.Parts.All(part =>
        part.Column is not null && facts.Table.Find(part.Column) is { IsNullable: false, IsGenerated: false } column && facts.IndexOf(column) >= 0 && !CanBeLeftOut(facts, column)));

    private static bool CanBeLeftOut(LoadFacts facts, TableColumn column) =>
        column.Default != ColumnDefault.None && (facts.RecordsCanLackColumns || (facts.Request.Values.Empty == EmptyMeaning.Default && column.Default != ColumnDefault.AutoIncrement));
}
