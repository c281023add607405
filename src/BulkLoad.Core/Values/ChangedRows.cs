using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>Which fields of an input find the rows that the others change.</summary>
internal static class ChangedRows
{
    /// <summary>The field of each column of the key, in its order.</summary>
    public static IReadOnlyList<int> FindKeys(
        IReadOnlyList<TableColumn> key, IReadOnlyList<TableColumn?> found, IReadOnlyList<string>? header, FaultList faults)
    {
        var fields = new List<int>();
        foreach (var column in key)
        {
            var having = Enumerable.Range(0, found.Count).Where(field => found[field] == column).ToArray();

            // The field of the column's own name finds the row; one that is renamed to it, by --map id2=id, has the value that it gets.
            var own = having.Where(field => header is not null && header[field].Equals(column.Name, StringComparison.OrdinalIgnoreCase))
                .ToArray();
            if (having is [var only])
            {
                fields.Add(only);
            }
            else if (having.Length == 0)
            {
                faults.Add($"column '{column.Name}', by which rows are found, has no field (rename one with --map FIELD={column.Name}, " +
                    "or name another key with --key)");
            }
            else if (having.Length == 2 && own is [var named])
            {
                fields.Add(named);
            }
            else
            {
                faults.Add($"column '{column.Name}', by which rows are found, is the target of fields " +
                    $"{string.Join(" and ", having.Select(field => field + 1))} (skip one; a field of another name that --map sends " +
                    "there is its new value)");
            }
        }

        return fields;
    }

    /// <summary>Sees to it that something is to be changed, and nothing twice.</summary>
    /// <param name="isEmpty">whether there is no record that could change anything</param>
    public static void FindNothing(
        IReadOnlyList<TableColumn?> found, IReadOnlyList<int> keyFields, LoadRequest request, bool isEmpty, FaultList faults)
    {
        var set = Enumerable.Range(0, found.Count).Where(field => found[field] is not null && !keyFields.Contains(field)).ToArray();
        if (!isEmpty && faults.Count == 0 && set.Length == 0 && request.Assignments.Count == 0)
        {
            faults.Add("no field goes to a column that could be changed: only the key is there");
        }

        foreach (var field in set.Where(field => keyFields.Any(other => found[other] == found[field])))
        {
            if (found[field]!.IsGenerated)
            {
                faults.Add($"column '{found[field]!.Name}' is generated: its value cannot be set");
            }
            else if (request.Assigns(found[field]!.Name))
            {
                faults.Add($"column '{found[field]!.Name}' is the target of field {field + 1} and of --set");
            }
        }
    }
}
