using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>Why records may have to go in the input's order, whoever would rather have them in another one or at the same time. For people;
/// null where they need not.</summary>
internal static class OrderRules
{
    /// <summary>Triggers that records may fire: those of an import that meets duplicates are those of updates and deletes, too.</summary>
    public static IReadOnlyList<string> TriggersOf(LoadRequest request, TableFacts table) => request switch
    {
        { Kind: JobKind.Update } => table.UpdateTriggers,
        { Kind: JobKind.Delete } => table.DeleteTriggers,
        { OnDuplicate: DuplicateMode.Error } => table.InsertTriggers,
        _ => [.. table.InsertTriggers, .. table.UpdateTriggers, .. table.DeleteTriggers],
    };

    /// <summary>Of a trigger that runs for each record.</summary>
    public static string DependsOn(string trigger) => $"trigger {trigger} may depend on the records before";

    /// <summary>Of rows that are changed or deleted: a trigger, or what <see cref="UpdateRules.FindOrder"/> or
    /// <see cref="KeyRules.FindOrder"/> says.</summary>
    /// <param name="facts">with a key</param>
    public static string? FindChangeObstacle(LoadFacts facts)
    {
        var isUpdate = facts.Request.Kind == JobKind.Update;
        return TriggersOf(facts.Request, facts.Table) is [var trigger, ..] ? DependsOn(trigger)
            : (isUpdate ? UpdateRules.FindOrder(facts) : KeyRules.FindOrder(facts)) is { } order ? $"the order decides: {order}" : null;
    }

    /// <summary>Whether an expression may read other rows, or what earlier statements left behind: by a query, a variable, or a function
    /// whose body is not known.</summary>
    /// <param name="expression">of <c>--set</c> or <c>--where</c></param>
    /// <param name="hasFields">whether <c>@name</c> is a field of the record in it</param>
    public static bool ReadsMore(string expression, bool hasFields = false) =>
        SqlTokens.Of(expression).Any(token => token.Kind == SqlTokenKind.SystemVariable || (token.Kind == SqlTokenKind.Variable
        && !hasFields)) || expression.Contains("select", StringComparison.OrdinalIgnoreCase) || SqlCalls.FindStored(expression) is not null;

    /// <summary>Of a delete that is guarded; <see cref="UpdateRules.FindOrder"/> reads the guard of an update.</summary>
    public static string? FindGuardObstacle(LoadFacts facts) =>
        facts.Request is { Kind: JobKind.Delete, Key.Where: not null } ? "--where may read what another record has changed" : null;
}

/// <summary>Whether a job that is done can be done once more and leaves the same rows: then a start after a complete one runs in full.
/// Pure.</summary>
internal static class RepeatRules
{
    /// <summary>Of <c>delete</c> always; of changes to rows only where they read nothing of them, and where each record meets its row
    /// again.</summary>
    public static bool IsIdempotent(LoadFacts facts) => facts.Request switch
    {
        { Kind: JobKind.Delete } => true,
        { Kind: JobKind.Update } => !ReadsRow(facts),
        { OnDuplicate: DuplicateMode.Error } => false,
        _ => !ReadsRow(facts) && FillsKey(facts),
    };

    private static bool ReadsRow(LoadFacts facts) =>
        facts.Assignments.Select(assignment => assignment.Expression).Append(facts.Request.Key.Where ?? "")
            .Any(text => SqlExpression.Mentions(text, "select") || SqlCalls.FindStored(text) is not null
                || facts.Table.Columns.Any(column => SqlExpression.Mentions(text, column.Name)));

    /// <summary>Whether a unique key without NULL has all its values from the file, so that no record can make a second row.</summary>
    private static bool FillsKey(LoadFacts facts) => facts.Table.UniqueKeys.Any(key => key.Parts.All(part =>
        part.Column is not null && facts.Table.Find(part.Column) is { IsNullable: false, IsGenerated: false } column
        && facts.IndexOf(column) >= 0 && !CanBeLeftOut(facts, column)));

    private static bool CanBeLeftOut(LoadFacts facts, TableColumn column) =>
        column.Default != ColumnDefault.None && (facts.RecordsCanLackColumns
        || (facts.Request.Values.Empty == EmptyMeaning.Default && column.Default != ColumnDefault.AutoIncrement));
}

/// <summary>What the beginning of the inputs tells about the order of their records, and whether there is room to sort them.</summary>
/// <param name="Late">those of them, in the second half of an input's beginning, whose key is below one of the first half</param>
/// <param name="Room">bytes that are free in the folder for temporary files; 0 where it cannot be used</param>
internal sealed record KeyOrderInfo(int Records, int Late, long Room);
