using System.Text.RegularExpressions;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Jobs;

/// <summary>Next commands for a record whose key exists already; reads the key from the server's message.</summary>
internal static partial class DuplicateAdvice
{
    /// <returns>empty: no option helps. A record without a key duplicates no other one, and must not replace it.</returns>
    /// <param name="hasCommitted">whether the job is bound to its options already</param>
    public static WayOn[] Of(Reject reject, LoadFacts facts, bool hasCommitted)
    {
        // After a commit the new table exists: a next command must not create it again.
        string[] made = hasCommitted && facts.NewTable is not null ? ["--create", "--primary-key", "--type"] : [];
        var table = facts.Table;
        var match = Entry().Match(reject.Message);
        var name = match.Groups["key"].Value;
        var key = table.UniqueKeys.FirstOrDefault(key => key.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
        var columns = (key?.Columns ?? []).Select(table.Find).OfType<TableColumn>().ToArray();
        if (match.Success && columns.Any(column => column.IsCharacter) && HasEmptyPart(match.Groups["value"].Value))
        {
            var own = columns.FirstOrDefault(column =>
                column.IsCharacter && column.Default is ColumnDefault.Constant or ColumnDefault.Expression);
            return own is null || hasCommitted ? []
                : [new WayOn($"to give '{own.Name}' its default where it is empty") { Words = ["--empty", "default"] }];
        }

        WayOn Update(string purpose) => new(purpose) { Words = ["--on-duplicate", "update"], Without = made };
        WayOn Leave(string purpose) => new(purpose) { Words = ["--on-duplicate", "ignore"], Without = made };
        if (key is null || name.Equals(UniqueKey.Primary, StringComparison.OrdinalIgnoreCase))
        {
            return [Update("to update the rows that are there"), Leave("to leave them as they are")];
        }

        // The record and the row are known to be equal in this key only.
        var primary = table.UniqueKeys.FirstOrDefault(one => one.IsPrimary);
        var changed = primary is null ? "" : $", its {string.Join(", ", primary.Columns)} too";
        return
        [
            Leave("to leave such records out"),
            Update($"to change the row that has the same {string.Join(", ", key.Columns)}{changed}"),
        ];
    }

    /// <summary>The server joins the parts of a key by hyphens.</summary>
    private static bool HasEmptyPart(string value) =>
        value.Length == 0 || value[0] == '-' || value[^1] == '-' || value.Contains("--", StringComparison.Ordinal);

    /// <summary>MySQL writes the table before the key's name.</summary>
    [GeneratedRegex("Duplicate entry '(?<value>.*)' for key '(?:[^']*\\.)?(?<key>[^'.]+)'", RegexOptions.Singleline)]
    private static partial Regex Entry();
}
