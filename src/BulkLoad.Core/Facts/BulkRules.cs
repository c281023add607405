namespace BulkLoad.Core.Facts;

/// <summary>Whether the count of MariaDB's bulk execution is that of the records. It has in it what a stored function reads by a query of its own, a row for each call.</summary>
internal static class BulkRules
{
    /// <summary>Why the count may be another one, for people; null where it is that of the records.</summary>
    public static string? FindCountObstacle(LoadFacts facts)
    {
        var expressions = facts.Request.Assignments.Select(assignment => (Name: $"--set {assignment.Column}", Text: assignment.Expression));
        if (facts.Request.Key.Where is { } guard)
        {
            expressions = expressions.Append(("--where", guard));
        }

        foreach (var (name, text) in expressions)
        {
            if (SqlCalls.FindStored(text) is { } called)
            {
                return $"{name} calls {called}, which may be a stored function: MariaDB would add what that reads to the count";
            }
        }

        return OrderRules.TriggersOf(facts.Request, facts.Table).FirstOrDefault(facts.Table.CallingTriggers.Contains) is { } trigger
            ? $"trigger {trigger} may call a stored function: MariaDB would add what that reads to the count"
            : null;
    }
}
