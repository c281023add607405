namespace BulkLoad.Core.Planning;

/// <summary>Whether records are sorted by the primary key before they are sent, and why.</summary>
/// <param name="Key">0-based places of the key's columns in the rows, in the key's order; none: they go in the input's order</param>
/// <param name="By">those columns for people, as <c>(id)</c>; empty: they go in the input's order</param>
/// <param name="Reason">for people; empty: there is nothing to say, since nobody would think of it</param>
internal sealed record SortPlan(IReadOnlyList<int> Key, string By, string Reason)
{
    /// <summary>The input's order.</summary>
    public static SortPlan None { get; } = InOrder("");

    public bool IsSorted => Key.Count > 0;

    /// <summary>The input's order, for a reason.</summary>
    public static SortPlan InOrder(string reason) => new([], "", reason);
}
