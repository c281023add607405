namespace BulkLoad.Core.Facts;

/// <summary>When parts of a file may be loaded side by side: where the order of records cannot matter. Pure.</summary>
internal static class PartRules
{
    /// <summary>Why a part cannot be loaded by itself, for people; null: it can.</summary>
    public static string? FindObstacle(LoadFacts facts)
    {
        var request = facts.Request;
        if (request.Part is null || !request.Mode.SendsRows)
        {
            return null;
        }

        var obstacle = request.Kind switch
        {
            JobKind.Update => "of two records with the same key the last one counts, and they may be in different parts",
            JobKind.Delete => OrderRules.FindChangeObstacle(facts) ?? OrderRules.FindGuardObstacle(facts),
            _ => OrderRules.FindInsertObstacle(facts) ?? (facts.Table.RefersToItself
                ? "a foreign key of the table refers to the table itself: a record may need one of another part" : null),
        };
        return obstacle is null ? null : $"--part: parts are loaded in any order, and here it matters: {obstacle}";
    }
}
