using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Planning;

/// <summary>What to know before a check, for people.</summary>
internal static class CheckNotes
{
    /// <summary>Where nothing is sent.</summary>
    public static IEnumerable<string> Of(LoadFacts facts)
    {
        var keys = ComparedKey.Of(facts);
        if (keys.Count > 0)
        {
            yield return $"records that have the same key are found here, by reading the input twice: {string.Join(", ", keys.Select(key => key.Name))}";
        }

        if (!facts.Table.IsTransactional)
        {
            yield return $"{facts.Table.DisplayName} has no transactions (engine {facts.Table.Engine}): an import needs --no-ledger";
        }
    }

    /// <summary>Where everything is sent, and rolled back.</summary>
    public static IEnumerable<string> OnServer(LoadFacts facts)
    {
        if (facts.Table.Columns.Any(column => column.Default == ColumnDefault.AutoIncrement))
        {
            yield return "AUTO_INCREMENT ids that were given out are not given back: later ones start after them";
        }

        if (facts.Table.InsertTriggers.Count > 0)
        {
            yield return "what triggers do to tables without transactions is not undone";
        }
    }
}
