using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>Why the input's order must be kept, for people; null: it need not.</summary>
internal static class OrderRules
{
    /// <summary>Triggers that records may fire. An import that meets duplicates fires those of updates and deletes, too.</summary>
    public static IReadOnlyList<string> TriggersOf(LoadRequest request, TableFacts table) => request switch
    {
        { Kind: JobKind.Update } => table.UpdateTriggers,
        { Kind: JobKind.Delete } => table.DeleteTriggers,
        { OnDuplicate: DuplicateMode.Error } => table.InsertTriggers,
        _ => [.. table.InsertTriggers, .. table.UpdateTriggers, .. table.DeleteTriggers],
    };

    public static string DependsOn(string trigger) => $"trigger {trigger} may depend on the records before";

    /// <summary>Why the order matters where records make rows. Null: duplicates and triggers leave it open.</summary>
    public static string? FindInsertObstacle(LoadFacts facts) => facts.Request.OnDuplicate != DuplicateMode.Error
        ? $"--on-duplicate {DuplicateModes.Of(facts.Request.OnDuplicate)}: what becomes of a record depends on those before it"
        : facts.Table.InsertTriggers is [var trigger, ..] ? DependsOn(trigger) : null;

    /// <summary>Why the order matters where rows are changed or deleted: a trigger, or what <see cref="UpdateRules.FindOrder"/> or
    /// <see cref="KeyRules.FindOrder"/> says. Null: it does not matter.</summary>
    public static string? FindChangeObstacle(LoadFacts facts)
    {
        var isUpdate = facts.Request.Kind == JobKind.Update;
        return TriggersOf(facts.Request, facts.Table) is [var trigger, ..] ? DependsOn(trigger)
            : (isUpdate ? UpdateRules.FindOrder(facts) : KeyRules.FindOrder(facts)) is { } order ? $"the order decides: {order}" : null;
    }

    /// <summary>Whether an expression may read other rows or earlier effects: by query, variable, or unknown function.</summary>
    /// <param name="hasFields">whether <c>@name</c> is a field of the record in it</param>
    public static bool ReadsMore(string expression, bool hasFields = false) =>
        SqlTokens.Of(expression).Any(token => token.Kind == SqlTokenKind.SystemVariable || (token.Kind == SqlTokenKind.Variable
        && !hasFields)) || expression.Contains("select", StringComparison.OrdinalIgnoreCase) || SqlCalls.FindStored(expression) is not null;

    /// <summary>Of a delete with a guard; <see cref="UpdateRules.FindOrder"/> reads the guard of an update.</summary>
    public static string? FindGuardObstacle(LoadFacts facts) =>
        facts.Request is { Kind: JobKind.Delete, Key.Where: not null } ? "--where may read what another record has changed" : null;
}

/// <summary>Whether a job can be run once more and leaves the same rows. If so, a start after a complete one runs in full. Pure.</summary>
internal static class RepeatRules
{
    /// <summary>True of <c>delete</c>. Of changes only if they read nothing of the rows, and each record finds its row again.</summary>
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

    /// <summary>Whether the file gives all values of a unique key without NULL, so that no record can make a second row.</summary>
    private static bool FillsKey(LoadFacts facts) => facts.Table.UniqueKeys.Any(key => IsFilled(facts, key));

    /// <summary>Whether the file gives all values of this key, and none can be NULL.</summary>
    public static bool IsFilled(LoadFacts facts, UniqueKey key) => key.Parts.All(part =>
        part.Column is not null && facts.Table.Find(part.Column) is { IsNullable: false, IsGenerated: false } column
        && facts.IndexOf(column) >= 0 && !CanBeLeftOut(facts, column));

    private static bool CanBeLeftOut(LoadFacts facts, TableColumn column) =>
        column.Default != ColumnDefault.None && (facts.RecordsCanLackColumns
        || (facts.Request.Values.EmptyOf(column.Name) == EmptyMeaning.Default && column.Default != ColumnDefault.AutoIncrement));
}

/// <summary>What the beginning of the inputs tells about the order of their records, and whether there is room to sort them.</summary>
/// <param name="Late">records in the second half of an input's beginning whose key is below one of the first half</param>
/// <param name="Room">free bytes in the folder for temporary files; 0: the folder cannot be used</param>
internal sealed record KeyOrderInfo(int Records, int Late, long Room);

/// <summary>In which order records may change rows, and which records may go together. The result is that of one UPDATE a record, in the
/// file's order.</summary>
/// <remarks>Any doubt decides for the file's order. All else follows from <see cref="FindOrder"/>: which strategies fit, whether keys are
/// sorted, and whether a record can be superseded.</remarks>
internal static class UpdateRules
{
    /// <summary>Whether records may go in an order that is not the file's.</summary>
    public static bool CanSort(LoadFacts facts) => FindOrder(facts) is null && facts.Key!.StagingRefusal is null;

    /// <summary>Why each record has to be sent by itself and in the file's order, for people. Null: records with different keys do not
    /// depend on each other, and of those with the same key the last one decides.</summary>
    public static string? FindOrder(LoadFacts facts)
    {
        var table = facts.Table;
        if (facts.RecordsCanLackColumns)
        {
            return "a record changes only the columns that it has, and others may have others";
        }

        if (facts.Key!.Columns.FirstOrDefault(column => Changes(facts, column.Name)) is { } moved)
        {
            return $"column '{moved.Name}' changes, by which rows are found: what one record moves another may look for";
        }

        foreach (var key in table.UniqueKeys)
        {
            if (key.Parts.Any(part => part.Column is null || table.Find(part.Column) is { IsGenerated: true }))
            {
                return $"unique key {key.Name} is made of an expression, which may change";
            }

            if (key.Columns.FirstOrDefault(column => Changes(facts, column)) is { } changed)
            {
                return $"column '{changed}' changes, which is part of unique key {key.Name}: what one record frees another may take";
            }
        }

        if (facts.Key.Referring.Any(key => KeyRules.RefersTo(key, table)) && FindIndexed(facts) is { } referred)
        {
            return $"column '{referred}' changes, and a foreign key of the table refers to the table itself";
        }

        foreach (var (column, expression) in facts.Assignments)
        {
            if (OrderRules.ReadsMore(expression, hasFields: true) || table.Columns.Any(read => Names(expression, read.Name)))
            {
                return $"--set {column} reads what another record may have changed";
            }
        }

        return facts.Request.Key.Where is { } guard
            && (OrderRules.ReadsMore(guard) || table.Columns.Any(read => Changes(facts, read.Name) && Names(guard, read.Name)))
            ? "--where reads what another record may have changed"
            : null;
    }

    /// <summary>Why several records cannot go in one statement, for people; null: they can.</summary>
    public static string? FindSetObstacle(LoadFacts facts)
    {
        if (FindOrder(facts) is { } order)
        {
            return $"needs an order that no set has: {order}";
        }

        if (!facts.Key!.IsUnique)
        {
            return "a key can find several rows, and a set does not say which record changed any";
        }

        if (facts.Key.Index is null)
        {
            return "no index that the server uses begins with the key, and a set is joined by one";
        }

        if (facts.Key.StagingRefusal is { } refusal)
        {
            return $"it is not known which keys are equal to their column: {refusal}";
        }

        return facts.DefaultedColumn is { } defaulted
            ? $"column '{defaulted.Name}' may be left to its default, an expression, which no set can name"
            : null;
    }

    public static IEnumerable<string> Notes(LoadFacts facts)
    {
        var key = facts.Key!;
        var order = FindOrder(facts);
        foreach (var trigger in facts.Table.UpdateTriggers)
        {
            yield return $"trigger {trigger} runs for every row{(order is null ? ", in the order of the keys within a batch" : "")}";
        }

        var changedKeys = facts.Table.UniqueKeys.Any(unique => unique.Columns.Any(column => Changes(facts, column)));
        foreach (var (table, name, _, onUpdate) in key.Referring.Where(_ => changedKeys))
        {
            yield return onUpdate switch
            {
                "CASCADE" =>
                    $"foreign key {name} of {table} is ON UPDATE CASCADE: its rows follow a value that they refer to, and are not counted",
                "SET NULL" => $"foreign key {name} of {table} is ON UPDATE SET NULL: its rows lose their reference to a value that changes",
                _ => $"foreign key {name} of {table}: a value that its rows refer to cannot change, and its record is a reject",
            };
        }

        if (order is not null)
        {
            yield return $"every record is sent, one statement each and in the file's order, and none is superseded: {order}";
        }
        else if (key.StagingRefusal is { } refusal)
        {
            yield return "records whose keys are equal only to the column, such as in another letter case, are all sent, in the file's " +
                $"order, and none of them is superseded: the server would not compare keys in a temporary table ({refusal})";
        }

        if (facts.Request.Key.CountsMatched)
        {
            yield return "--counts matched: a record counts as updated also where its row had the values already";
        }

        foreach (var note in KeyRules.NotesOnKey(key, "updated"))
        {
            yield return note;
        }
    }

    /// <summary>Whether a changed column is part of an index, as columns are that foreign keys refer to.</summary>
    public static bool ChangesIndex(LoadFacts facts) => FindIndexed(facts) is not null;

    private static string? FindIndexed(LoadFacts facts) =>
        facts.Key!.Indexes.SelectMany(index => index.Parts).FirstOrDefault(
            part => part.Column is { } column && Changes(facts, column))?.Column;

    private static bool Changes(LoadFacts facts, string column) => facts.Request.Assigns(column)
        || facts.ChangedColumns.Any(changed => changed.Name.Equals(column, StringComparison.OrdinalIgnoreCase));

    private static bool Names(string expression, string name) =>
        SqlTokens.NamesIn(expression).Contains(name, StringComparer.OrdinalIgnoreCase);
}
