using System.Globalization;
using BulkLoad.Core.Checking;

namespace BulkLoad.Core.Planning;

/// <summary>Decides how many sessions carry rows: more than one only where it cannot matter in which order records arrive. Pure.</summary>
internal static class SessionPlanner
{
    /// <summary>Where nobody says: on two cores more gain nothing, and one keeps the server waiting while its answers travel.</summary>
    private const int Usual = 2;

    /// <summary>Bytes of input below which a second session is not worth its start: it would not carry two chunks.</summary>
    public const long LeastBytes = 16 * 1024 * 1024;

    /// <summary>Whether the table's references to itself must be known for <see cref="Plan"/>.</summary>
    public static bool NeedsOwnReferences(LoadFacts facts) => FindSimpleObstacle(facts) is null && FindKeyObstacle(facts).Obstacle is null;

    /// <summary>How many, and why.</summary>
    public static SessionPlan Plan(LoadFacts facts)
    {
        if (FindSimpleObstacle(facts) is { } obstacle)
        {
            return SessionPlan.One(obstacle);
        }

        var (keyObstacle, keys) = FindKeyObstacle(facts);
        if (keyObstacle is not null || facts.Table.RefersToItself)
        {
            return SessionPlan.One(keyObstacle ?? $"a foreign key of {facts.Table.DisplayName} points to itself, so that a record may need one before it");
        }

        var sort = SortPlanner.Plan(facts);
        keys = sort.IsSorted ? [sort.Key] : keys;
        var reason = sort.IsSorted ? $"sorted by {sort.By}, so that those of one key go together"
            : keys.Count == 0 ? "no key can be met twice in the input" : $"as long as {Names(facts, keys)} {(keys.Count == 1 ? "rises" : "rise")} through the input";
        return new SessionPlan(facts.Request.Threads ?? Usual, facts.Request.Threads is null ? reason : $"--threads; {reason}", keys);
    }

    private static string? FindSimpleObstacle(LoadFacts facts)
    {
        var request = facts.Request;
        if (request.Threads == 1)
        {
            return "--threads";
        }

        if (request.Kind != JobKind.Import)
        {
            return request.Kind == JobKind.Update ? "updates go in the input's order" : "deletes go in the input's order";
        }

        if (!facts.Table.IsTransactional)
        {
            return $"engine {facts.Table.Engine} undoes nothing";
        }

        if (request.IsOneChunk)
        {
            return "all is one transaction";
        }

        if (request.Threads is null && facts.Sources.All(source => source.Bytes is not null) && facts.Sources.Sum(source => source.Bytes) < LeastBytes)
        {
            return $"the input has less than {(LeastBytes / (1024 * 1024)).ToString(CultureInfo.InvariantCulture)} MiB";
        }

        if (request.OnDuplicate != DuplicateMode.Error)
        {
            return $"--on-duplicate {DuplicateWords.Of(request.OnDuplicate)}: what becomes of a record depends on those before it";
        }

        if (request.Throttle.IsAny)
        {
            return "it slows down, waits or stops for the sake of others";
        }

        if (facts.Table.InsertTriggers is [var trigger, ..])
        {
            return $"trigger {trigger} may depend on the records before";
        }

        if (facts.Server.LogsStatements)
        {
            return "the binary log is by statement, so that sessions would wait for each other";
        }

        if (facts.Server.LocksIds && facts.Table.Columns.Any(column => column.Default == ColumnDefault.AutoIncrement))
        {
            return "the server lets one statement at a time into a table with AUTO_INCREMENT (innodb_autoinc_lock_mode)";
        }

        return null;
    }

    /// <summary>The keys that have to be watched: places of their columns in the rows.</summary>
    private static (string? Obstacle, IReadOnlyList<IReadOnlyList<int>> Keys) FindKeyObstacle(LoadFacts facts)
    {
        var keys = new List<IReadOnlyList<int>>();
        foreach (var key in facts.Table.UniqueKeys)
        {
            if (key.Parts.Any(part => part.Column is { } name && IsGenerated(facts, facts.Table.Find(name))))
            {
                continue;
            }

            var places = new List<int>();
            foreach (var part in key.Parts)
            {
                var column = part.Column is null || part.Prefix is not null ? null : facts.Table.Find(part.Column);
                var place = facts.IndexOf(column);
                if (column is null || place < 0 || !RisingKeys.CanTell([column]))
                {
                    return ($"two records of the input could have the same key {key.Name}, and the first has to win", []);
                }

                places.Add(place);
            }

            keys.Add(places);
        }

        return (null, keys);
    }

    /// <summary>Whether the server gives each row another value.</summary>
    private static bool IsGenerated(LoadFacts facts, TableColumn? column) =>
        column is { Default: ColumnDefault.AutoIncrement } && facts.IndexOf(column) < 0 && !facts.Request.Assigns(column.Name);

    private static string Names(LoadFacts facts, IReadOnlyList<IReadOnlyList<int>> keys) =>
        string.Join(" and ", keys.Select(key => $"({string.Join(", ", key.Select(place => facts.Columns[place].Name))})"));
}
