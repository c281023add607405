namespace BulkLoad.Core.Seeding;

/// <summary>Names in an order in which each comes behind those that it needs.</summary>
internal static class SeedTree
{
    /// <param name="names">in the order that is kept where nothing speaks against it</param>
    /// <param name="needs">a name, and one that it needs; others than those of <paramref name="names"/> do not matter</param>
    /// <returns>all of them; those of a circle too, in some order</returns>
    public static IReadOnlyList<string> Sort(IReadOnlyList<string> names, IEnumerable<(string Name, string Needs)> needs)
    {
        var known = needs.ToLookup(pair => pair.Name, pair => pair.Needs, StringComparer.Ordinal);
        var sorted = new List<string>();
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var all = names.ToHashSet(StringComparer.Ordinal);
        foreach (var name in names)
        {
            Add(name);
        }

        return sorted;

        // As deep as the longest chain of tables.
        void Add(string name)
        {
            if (!seen.Add(name))
            {
                return;
            }

            foreach (var needed in known[name].Where(all.Contains).Order(StringComparer.Ordinal))
            {
                Add(needed);
            }

            sorted.Add(name);
        }
    }
}
