using BulkLoad.Core.Schema;

namespace BulkLoad.Seeding;

/// <summary>A table in the order of a seed.</summary>
/// <param name="Before">tables of the seed that must be filled before it</param>
/// <param name="Deferred">foreign keys whose columns are NULL at first, and are set when the cycle's rows are inserted</param>
/// <param name="Group">number of its cycle, the same for all its tables; -1: no cycle</param>
internal sealed record SeedStep(TableFacts Table, IReadOnlyList<string> Before, IReadOnlyList<ForeignKey> Deferred, int Group)
{
    /// <summary>Foreign keys to the table itself that cannot be NULL: parents are inserted first, level by level.</summary>
    public IReadOnlyList<ForeignKey> ByLevels { get; init; } = [];

    /// <summary>Whether its rows need an order that its file may not have, and so go through a staging table.</summary>
    public bool NeedsStage => Deferred.Count > 0 || ByLevels.Count > 0 || Group >= 0;
}

/// <summary>Sorts tables by their foreign keys. Pure.</summary>
internal static class SeedOrder
{
    /// <summary>Parents before children.</summary>
    /// <param name="after">for each table, those that must come before it without a foreign key</param>
    /// <exception cref="PlanException">tables refer to each other in a circle, and no column of it may be NULL</exception>
    public static IReadOnlyList<SeedStep> Of(IReadOnlyList<TableFacts> tables, IReadOnlyDictionary<string, IReadOnlyList<string>> after)
    {
        var names = tables.Select(table => table.Name).ToHashSet(StringComparer.Ordinal);
        var edges = tables.ToDictionary(
            table => table.Name,
            table => table.References.Where(key => key.ToDatabase == table.Database && names.Contains(key.ToTable) && !key.IsToItself)
                .ToList());
        var deferred = tables.ToDictionary(table => table.Name, _ => new List<ForeignKey>());
        var byName = tables.ToDictionary(table => table.Name);
        var groups = new Dictionary<string, int>();
        var number = 0;
        foreach (var circle in Circles(tables, edges, after))
        {
            circle.ForEach(name => groups[name] = number);
            number++;
        }

        // Defers as few keys as possible: one of a circle at a time, until no circle is left.
        while (Circles(tables, edges, after) is [var circle, ..])
        {
            var inside = circle.ToHashSet(StringComparer.Ordinal);
            var free = circle.SelectMany(name => edges[name])
                .Where(key => inside.Contains(key.ToTable) && byName[key.Table].NullableOf(key).Any()).ToList();
            if (free.Count == 0)
            {
                throw new PlanException(
                    $"tables refer to each other in a circle, and no column of it may be NULL: {ShowCircle(circle, edges, after)}; "
                    + "make one of these columns nullable, or leave one of the tables out (--only)");
            }

            var chosen = free.FirstOrDefault(
                key => Circles([.. circle.Select(name => byName[name])], Without(edges, key), after).Count == 0) ?? free[0];
            edges[chosen.Table].Remove(chosen);
            deferred[chosen.Table].Add(chosen);
        }

        foreach (var table in tables)
        {
            deferred[table.Name]
                .AddRange(table.References.Where(key => key.IsToItself && table.NullableOf(key).Any()));
        }

        var left = tables.Select(table => new SeedStep(
            table, [.. edges[table.Name].Select(key => key.ToTable).Concat(AfterOf(table.Name, after).Where(names.Contains)).Distinct()],
            deferred[table.Name], groups.GetValueOrDefault(table.Name, -1))
        {
            ByLevels = [.. table.References.Where(
                key => key.IsToItself && !table.NullableOf(key).Any())],
        }).ToList();
        var ordered = new List<SeedStep>();
        var done = new HashSet<string>(StringComparer.Ordinal);
        while (left.Count > 0)
        {
            var next = left.First(step => step.Before.All(done.Contains));
            left.Remove(next);
            ordered.Add(next);
            done.Add(next.Table.Name);
        }

        return ordered;
    }

    private static Dictionary<string, List<ForeignKey>> Without(Dictionary<string, List<ForeignKey>> edges, ForeignKey key) =>
        edges.ToDictionary(pair => pair.Key, pair => pair.Value.Where(other => other != key).ToList());

    private static IReadOnlyList<string> AfterOf(string table, IReadOnlyDictionary<string, IReadOnlyList<string>> after) =>
        after.GetValueOrDefault(table) ?? [];

    /// <summary>Sets of tables that can be reached from each other (Tarjan's strongly connected components of more than one
    /// table).</summary>
    private static List<List<string>> Circles(
        IReadOnlyList<TableFacts> tables, Dictionary<string, List<ForeignKey>> edges,
        IReadOnlyDictionary<string, IReadOnlyList<string>> after)
    {
        var names = tables.Select(table => table.Name).ToHashSet(StringComparer.Ordinal);
        var (index, low) = (new Dictionary<string, int>(), new Dictionary<string, int>());
        var (stack, circles) = (new Stack<string>(), new List<List<string>>());
        foreach (var table in tables.Where(table => !index.ContainsKey(table.Name)))
        {
            Visit(table.Name);
        }

        return circles;

        void Visit(string name)
        {
            index[name] = low[name] = index.Count;
            stack.Push(name);
            foreach (var next in edges[name].Select(key => key.ToTable).Concat(AfterOf(name, after)).Where(names.Contains))
            {
                if (!index.TryGetValue(next, out var seen))
                {
                    Visit(next);
                    low[name] = Math.Min(low[name], low[next]);
                }
                else if (stack.Contains(next))
                {
                    low[name] = Math.Min(low[name], seen);
                }
            }

            if (low[name] != index[name])
            {
                return;
            }

            var circle = new List<string>();
            do
            {
                circle.Add(stack.Pop());
            }
            while (circle[^1] != name);
            if (circle.Count > 1)
            {
                circle.Reverse();
                circles.Add(circle);
            }
        }
    }

    /// <summary>Such as <c>a.b_id -> b; b.a_id -> a</c>.</summary>
    private static string ShowCircle(
        List<string> circle, Dictionary<string, List<ForeignKey>> edges, IReadOnlyDictionary<string, IReadOnlyList<string>> after)
    {
        var inside = circle.ToHashSet(StringComparer.Ordinal);
        var (path, at) = (new List<string>(), circle[0]);
        while (!path.Contains(at))
        {
            path.Add(at);
            at = edges[at].Select(key => key.ToTable).Concat(AfterOf(at, after)).First(inside.Contains);
        }

        var round = path[path.IndexOf(at)..];
        return string.Join("; ", round.Select((name, i) =>
        {
            var next = round[(i + 1) % round.Count];
            return edges[name].FirstOrDefault(key => key.ToTable == next)?.Show() ?? $"{name} after {next}";
        }));
    }
}

/// <summary>Sorts names so that each comes behind those that it needs.</summary>
internal static class SeedTree
{
    /// <param name="names">in the order that is kept where the needs allow it</param>
    /// <param name="needs">a name, and one that it needs; names that are not in <paramref name="names"/> do not matter</param>
    /// <returns>all names; those of a circle in some order</returns>
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

        // The recursion is as deep as the longest chain of tables.
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

/// <summary>Runs units in parallel, each when those that it depends on are done.</summary>
internal static class SeedSchedule
{
    /// <summary>A job has several sessions where that helps: more jobs than these would wait for each other.</summary>
    public const int DefaultThreads = 4;

    /// <param name="units">tables that are filled together</param>
    /// <param name="isOrdered">whether a unit waits for the tables before it</param>
    public static async Task RunAsync(
        IReadOnlyList<List<SeedTask>> units, int most, Func<List<SeedTask>, CancellationToken, Task> run,
        CancellationToken cancellationToken, bool isOrdered = true)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var waiting = units.ToList();
        var open = units.SelectMany(unit => unit).Select(task => task.Table.Name).ToHashSet(StringComparer.Ordinal);
        var running = new Dictionary<Task, List<SeedTask>>();
        BulkLoadException? failure = null;
        while (failure is null && waiting.Count > 0 || running.Count > 0)
        {
            while (failure is null && running.Count < most && waiting.FirstOrDefault(IsReady) is { } next)
            {
                waiting.Remove(next);
                running.Add(Task.Run(() => run(next, stop.Token), CancellationToken.None), next);
            }

            var ended = await Task.WhenAny(running.Keys);
            running.Remove(ended, out var unit);
            try
            {
                await ended;
                unit!.ForEach(task => open.Remove(task.Table.Name));
            }
            catch (BulkLoadException fault)
            {
                // Running units continue to their end: their work need not be done again.
                failure ??= fault;
            }
            catch when (running.Count > 0)
            {
                await stop.CancelAsync();
                await Task.WhenAll(running.Keys).ContinueWith(_ => { }, TaskScheduler.Default);
                throw;
            }
        }

        if (failure is not null)
        {
            throw failure;
        }

        bool IsReady(List<SeedTask> unit) => !isOrdered
            || unit.All(task => task.Step.Before.All(name => !open.Contains(name) || unit.Any(other => other.Table.Name == name)));
    }
}
