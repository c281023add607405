using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Values.Mapping;

internal static class RequestedColumns
{
    /// <summary>The assignments of <c>--set</c>, with the columns' names as the table spells them.</summary>
    /// <exception cref="PlanException">a column cannot be a target</exception>
    public static IReadOnlyList<ColumnAssignment> ResolveAssignments(TableFacts table, LoadRequest request) =>
        [.. request.Assignments.Select(assignment => assignment with { Column = FindTarget(table, assignment.Column, request.Kind).Name })];

    /// <summary>Checks that the columns of <c>--null-value COLUMN=TEXT</c> and <c>--empty COLUMN=MEANING</c> exist.</summary>
    public static void CheckNullTexts(TableFacts table, LoadRequest request)
    {
        foreach (var (column, _) in request.Values.EmptyColumns)
        {
            if (table.Find(column) is null && !IsSetField(column, request))
            {
                throw new PlanException($"--empty {column}=: {table.DisplayName} has no column '{column}'{DidYouMean(table, column)}");
            }
        }

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

    /// <summary>Checks that the columns of <c>--date-format COLUMN=PATTERN</c> and the like exist, and have a type that the option is
    /// for.</summary>
    public static void CheckFormats(TableFacts table, LoadRequest request)
    {
        foreach (var (name, form) in request.Values.BinaryColumns)
        {
            var option = $"--binary {name}={form.ToString().ToLowerInvariant()}";
            var column = table.Find(name)
                ?? throw new PlanException($"{option}: {table.DisplayName} has no column '{name}'{DidYouMean(table, name)}");
            var isFit = column.Kind == ColumnKind.Bit ? form is BinaryForm.Raw or BinaryForm.Number
                : column is { IsBinary: true, VectorSize: 0 } && form != BinaryForm.Number;
            if (!isFit)
            {
                throw new PlanException(
                    $"{option}: column '{column.Name}' is {column.TypeText}, and the option is for BINARY, VARBINARY and BLOB columns; "
                        + "number and raw are for BIT columns");
            }
        }

        foreach (var format in request.Values.Formats.Where(format => format.Column is not null))
        {
            var column = table.Find(format.Column!)
                ?? throw new PlanException(
                    $"{format}: {table.DisplayName} has no column '{format.Column}'{DidYouMean(table, format.Column!)}");
            if (NotationSet.FindMisfit(format, column) is { } misfit)
            {
                throw new PlanException(misfit);
            }
        }
    }

    /// <summary>Why this account may not set a column, for people; null: it may.</summary>
    public static string? FindRefusal(TableColumn column, TableFacts table, JobKind kind) => kind switch
    {
        JobKind.Update when !column.CanUpdate =>
            $"this account may not update column '{column.Name}' of {table.DisplayName}: {table.Grant("UPDATE")}",
        JobKind.Import when !column.CanInsert =>
            $"this account may not insert into column '{column.Name}' of {table.DisplayName}: {table.Grant("INSERT")}",
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

/// <summary>Fields of one input without a column that an expression of <c>--set</c> reads: <c>@name</c> in <c>--columns</c>, or behind a
/// field in <c>--map</c>.</summary>
internal sealed class BoundFields
{
    /// <summary>The use of such a field, in a plan.</summary>
    public const string Use = "text for --set";

    private readonly Dictionary<int, TableColumn> _byField = [];

    /// <param name="targets">what <c>--columns</c> or <c>--map</c> says of each field; null: nothing</param>
    /// <param name="request">names every field that an expression reads exactly once</param>
    public BoundFields(IReadOnlyList<string?> targets, LoadRequest request, FaultList faults)
    {
        var read = request.Assignments.SelectMany(assignment => SetFields.In(assignment.Expression)).ToHashSet(SetFields.Names);
        if (read.Count == 0)
        {
            return;
        }

        var filled = new HashSet<string>(SetFields.Names);
        for (var field = 0; field < targets.Count; field++)
        {
            if (targets[field] is { } target && SetFields.IsField(target) && read.Contains(target[1..]))
            {
                _byField.Add(field, ColumnOf(target));
                if (!filled.Add(target[1..]))
                {
                    faults.Add(
                        $"field {target} of --set is filled by more than one field (send one of them elsewhere with --map {field + 1}=@)");
                }
            }
        }

        faults.AddRange(read.Except(filled, SetFields.Names).Select(name => $"field @{name} of --set is filled by no field of the file"));
    }

    /// <summary>In the order of their fields.</summary>
    public IReadOnlyList<TableColumn> Columns => [.. _byField.OrderBy(pair => pair.Key).Select(pair => pair.Value)];

    /// <summary>For each of <see cref="Columns"/> its 0-based field.</summary>
    public IReadOnlyList<int> Fields => [.. _byField.Keys.Order()];

    /// <summary>With its <c>@</c>; null: no expression reads the field.</summary>
    public string? NameOf(int field) => _byField.GetValueOrDefault(field)?.Name;

    /// <summary>Takes any text, or NULL.</summary>
    private static TableColumn ColumnOf(string name) => new()
    {
        Name = name,
        TypeText = "longtext",
        Kind = ColumnKind.Text,
        IsNullable = true,
        Default = ColumnDefault.Null,
        Charset = "utf8mb4",
        MaxBytes = uint.MaxValue,
        IsField = true,
    };
}
