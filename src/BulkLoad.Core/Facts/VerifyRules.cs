using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>Which values of a table's rows are compared with the records, and by which key the rows are found.</summary>
/// <param name="Key">0-based places of the key's columns in a row; empty where there is none</param>
/// <param name="Unverifiable">why nothing can be said of the rows, for people; null: something can</param>
internal sealed record VerifyRules(VerifyMode Mode, IReadOnlyList<int> Key, string? Unverifiable)
{
    public const int MaxKeys = 1000;

    /// <summary>Null: nobody asked for it.</summary>
    /// <exception cref="PlanException">the account may not read what has to be compared, or there is no such key</exception>
    public static VerifyRules? Of(LoadFacts facts)
    {
        if (facts.Request.Verify == VerifyMode.None)
        {
            return null;
        }

        if (facts.Request.Mode != JobMode.Verify && facts.Request.OnDuplicate != DuplicateMode.Error)
        {
            return Not(facts, $"with --on-duplicate {DuplicateModes.Of(facts.Request.OnDuplicate)} a row may differ from its record");
        }

        if (facts.Request.Mode != JobMode.Verify && facts.Table.InsertTriggers.FirstOrDefault(TableFacts.RunsBefore) is { } trigger)
        {
            return Not(facts, $"trigger {trigger} may change the rows");
        }

        var (key, reason) = FindKey(facts);
        if (reason is not null)
        {
            return Not(facts, reason);
        }

        IEnumerable<TableColumn> read = facts.Request.Verify == VerifyMode.Count ? key.Select(place => facts.Columns[place])
            : facts.Columns;
        return read.FirstOrDefault(column => !column.CanSelect) is { } hidden
            ? throw new PlanException($"--verify: this account may not read column '{hidden.Name}' of {facts.Table.DisplayName}: " +
                facts.Table.Grant("SELECT"))
            : new VerifyRules(facts.Request.Verify, key, null);
    }

    public PlannedVerification Describe(LoadFacts facts) => new(
        Mode,
        [.. Key.Select(place => facts.Columns[place].Name)],
        Unverifiable is not null ? [] : Mode == VerifyMode.Count ? [.. Key.Select(place => facts.Columns[place].Name)]
            : [.. facts.Columns.Select(column => column.Name)],
        [.. facts.Assignments.Select(assignment => assignment.Column)],
        Unverifiable);

    private static VerifyRules Not(LoadFacts facts, string reason) => new(facts.Request.Verify, [], reason);

    private static (IReadOnlyList<int> Key, string? Reason) FindKey(LoadFacts facts)
    {
        if (facts.Request.Key.Columns is { Count: > 0 } names)
        {
            return ([.. names.Select(name => RequirePlace(facts, name))], null);
        }

        var (key, reason) = FindUniqueKey(facts);
        return (key is null ? [] : PlacesOf(facts, key), reason);
    }

    /// <summary>The first key of the table that tells which row a record has made, without asking the server. Or why there is none, for
    /// people.</summary>
    public static (UniqueKey? Key, string? Reason) FindUniqueKey(LoadFacts facts)
    {
        var table = facts.Table;
        if (table.UniqueKeys.Count == 0)
        {
            return (null, $"{table.DisplayName} has no primary or unique key that distinguishes its rows");
        }

        var reasons = table.UniqueKeys.Select(key => FindFault(facts, key)).ToArray();
        var fit = Array.IndexOf(reasons, null);
        return fit < 0 ? (null, reasons[0]) : (table.UniqueKeys[fit], null);
    }

    /// <summary>0-based places of the key's columns in a row.</summary>
    public static IReadOnlyList<int> PlacesOf(LoadFacts facts, UniqueKey key) => [.. key.Columns.Select(name => Place(facts, name))];

    private static int RequirePlace(LoadFacts facts, string name)
    {
        var column = facts.Table.Find(name) ?? throw new PlanException(
            $"--key {name}: {facts.Table.DisplayName} has no column of that name");
        return Place(facts, name) is >= 0 and var place && CanFind(column)
            ? place
            : throw new PlanException($"--key {name}: " +
                $"{(CanFind(column) ? "the file does not have that column" : $"values of {column.TypeText} cannot be compared exactly")}" +
                ": name other columns");
    }

    private static string? FindFault(LoadFacts facts, UniqueKey key)
    {
        foreach (var part in key.Parts)
        {
            if (part.Column is null || part.Prefix is not null || facts.Table.Find(part.Column) is not { IsNullable: false } column
                || !CanFind(column))
            {
                return $"key '{key.Name}' does not distinguish rows by their whole values";
            }

            if (Place(facts, part.Column) < 0)
            {
                return $"key '{key.Name}' has column '{part.Column}', whose values are not in the file";
            }
        }

        return null;
    }

    private static bool CanFind(TableColumn column) => column.Behaviour.KeyUse != KeyUse.None;

    private static int Place(LoadFacts facts, string name) => facts.IndexOf(facts.Table.Find(name));
}
