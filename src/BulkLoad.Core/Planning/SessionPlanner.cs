using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Planning;

/// <summary>Decides how many sessions carry rows: more than one only where the order in which records arrive cannot matter. Pure.</summary>
internal static class SessionPlanner
{
    /// <summary>On two cores more sessions gain nothing, and with a single one the server waits while its answers travel.</summary>
    public const int DefaultSessions = 2;

    /// <summary>Sessions at most that an import tries while it runs, each with a chunk in memory. There are no more than cores that server
    /// and client share: on two cores more than two sessions gain nothing, and two more take 24 MiB.</summary>
    public const int MaxTried = 8;

    /// <summary>Bytes of input below which a second session is not worth its start: it would not carry two chunks.</summary>
    public const long MinBytes = 16 * 1024 * 1024;

    /// <summary>Records below which a second session gains nothing where rows are changed or deleted: one chunk has most.</summary>
    public const long MinChanges = ChunkSizes.SharedChanges * 3 / 2;

    /// <summary>Rows that a table must have for each key of a delete, where the server may read the table instead of an index. With so
    /// many, even the last list is a small part of the remaining rows, and the server's estimate may be wrong.</summary>
    public const int MinTableRows = 3;

    /// <summary>Whether <see cref="LoadFacts.KeyOrder"/> must be known for <see cref="Plan"/>: a delete that may be shared.</summary>
    public static bool NeedsLook(LoadFacts facts) =>
        facts.Request.Kind == JobKind.Delete && FindSimpleObstacle(facts) is null && RisingKeys.CanTell(facts.Key!.Columns);

    /// <summary>Whether <see cref="KeyFacts.TableRows"/> must be known beside it: where the server may read the table instead of an
    /// index.</summary>
    public static bool NeedsTableRows(LoadFacts facts) => !facts.Server.IsMariaDb;

    public static bool NeedsOwnReferences(LoadFacts facts) =>
        facts.Request.Kind == JobKind.Import && FindSimpleObstacle(facts) is null && FindKeyObstacle(facts).Obstacle is null;

    public static SessionPlan Plan(LoadFacts facts, SortPlan sort)
    {
        if (FindSimpleObstacle(facts) is { } obstacle)
        {
            return SessionPlan.One(obstacle);
        }

        return facts.Request.Kind == JobKind.Import ? PlanImport(facts, sort) : PlanChange(facts, sort);
    }

    private static SessionPlan PlanImport(LoadFacts facts, SortPlan sort)
    {
        var (keyObstacle, keys, hasSecondary) = FindKeyObstacle(facts);
        if (keyObstacle is not null || facts.Table.RefersToItself)
        {
            return SessionPlan.One(
                keyObstacle ?? $"a foreign key of {facts.Table.DisplayName} points to itself, and a record may need one before it");
        }

        if (sort.IsSorted)
        {
            (keys, hasSecondary) = ([sort.Key], false);
        }

        var reason = sort.IsSorted ? GoTogether(sort)
            : keys.Count == 0
                ? "no key can be met twice in the input"
                : $"{(hasSecondary ? "as long as" : "where")} {Names(facts, keys)} {(keys.Count == 1 ? "rises" : "rise")} through the "
                    + "input";
        var several = Several(facts, reason, keys) with { AllWait = hasSecondary };
        return facts.Request is { Threads: null, MaxMemory: null } ? several with { MaxTried = MaxWorthTrying(facts) } : several;
    }

    /// <summary>Number of sessions to try while the job runs; 0: none.</summary>
    private static int MaxWorthTrying(LoadFacts facts)
    {
        var max = Math.Min(MaxTried, facts.Server.SharedCores ?? MaxTried);
        return max > DefaultSessions ? max : 0;
    }

    private static SessionPlan PlanChange(LoadFacts facts, SortPlan sort)
    {
        if (FindChangeObstacle(facts) is { } obstacle)
        {
            return SessionPlan.One(obstacle);
        }

        if (sort.IsSorted)
        {
            return Several(facts, GoTogether(sort), []);
        }

        if (facts.Request.Kind == JobKind.Update || facts.KeyOrder is { Late: > 0 })
        {
            return Several(facts, "no two records that are sent have the same key", []) with { NeedsDistinctKeys = true };
        }

        IReadOnlyList<int> key = [.. Enumerable.Range(0, facts.KeyCount)];
        return Several(facts, $"where {Names(facts, [key])} rises through the input", [key]);
    }

    private static string GoTogether(SortPlan sort) => $"sorted by {sort.By}, and those of one key stay together";

    private static SessionPlan Several(LoadFacts facts, string reason, IReadOnlyList<IReadOnlyList<int>> watched) =>
        new(facts.Request.Threads ?? DefaultSessions, facts.Request.Threads is null ? reason : $"--threads; {reason}", watched);

    private static string? FindSimpleObstacle(LoadFacts facts)
    {
        var request = facts.Request;
        if (request.Threads == 1)
        {
            return "--threads";
        }

        if (!facts.Table.IsTransactional)
        {
            return $"engine {facts.Table.Engine} cannot roll back";
        }

        if (request.IsOneChunk)
        {
            return "all is one transaction";
        }

        if (request.Truncate)
        {
            return "--truncate empties the table in the first chunk's transaction";
        }

        if (request.Threads is null && FindSmallness(facts) is { } smallness)
        {
            return smallness;
        }

        if (request.Throttle.IsAny)
        {
            return "it slows down, waits or stops for the sake of others";
        }

        if (facts.Server.LogsStatements)
        {
            return "the binary log is by statement, and sessions would wait for each other";
        }

        return request.Kind == JobKind.Import ? FindImportObstacle(facts) : null;
    }

    /// <returns>why the input is too small for a second session; null: it is not</returns>
    private static string? FindSmallness(LoadFacts facts) =>
        facts.Request.Kind != JobKind.Import
            ? facts.EstimatedRecords < MinChanges ? $"the input has less than {MinChanges:N0} records" : null
            : facts.Sources.All(source => source.Bytes is not null) && facts.Sources.Sum(source => source.Bytes) < MinBytes
                ? $"the input has less than {MinBytes / (1024 * 1024)} MiB" : null;

    private static string? FindImportObstacle(LoadFacts facts)
    {
        if (OrderRules.FindInsertObstacle(facts) is { } order)
        {
            return order;
        }

        if (facts.Server.LocksIds && facts.Table.Columns.Any(column => column.Default == ColumnDefault.AutoIncrement))
        {
            return "the server lets one statement at a time into a table with AUTO_INCREMENT (innodb_autoinc_lock_mode)";
        }

        return null;
    }

    /// <summary>Why sessions must not change existing rows at the same time: order matters, or they would wait. Null: they may.</summary>
    private static string? FindChangeObstacle(LoadFacts facts)
    {
        var (key, isUpdate) = (facts.Key!, facts.Request.Kind == JobKind.Update);
        if (OrderRules.FindChangeObstacle(facts) is { } order)
        {
            return order;
        }

        if (isUpdate && key.StagingRefusal is { } refusal)
        {
            return $"it is not known which keys are equal to their column: {refusal}";
        }

        if (!key.IsUnique || key.Index is null)
        {
            return key.Index is null ? "every statement reads the whole table" : "a key can find several rows";
        }

        if (!isUpdate && FindDeleteObstacle(facts) is { } obstacle)
        {
            return obstacle;
        }

        return key.Referring is [var referring, ..] && (!isUpdate || UpdateRules.ChangesIndex(facts))
            ? $"foreign key {referring.Name} of {referring.Table}: its rows are locked, too" : null;
    }

    private static string? FindDeleteObstacle(LoadFacts facts)
    {
        if (OrderRules.FindGuardObstacle(facts) is { } guard)
        {
            return guard;
        }

        if (!RisingKeys.CanTell(facts.Key!.Columns))
        {
            return "two records of the input could have the same key, and the first one counts";
        }

        // MariaDB can be told to use the index; MySQL cannot, in a DELETE.
        return !NeedsTableRows(facts)
            || (facts.Key.TableRows >= facts.EstimatedRecords * MinTableRows && !facts.Request.Source.ReadsRanges) ? null
            : $"the table does not have {MinTableRows:N0} times as many rows as there are keys: the server could find a list by reading "
                + "the table, and wait for what another session has deleted";
    }

    /// <summary>The keys to watch, as 0-based places of their columns in the rows.</summary>
    private static (string? Obstacle, IReadOnlyList<IReadOnlyList<int>> Keys, bool HasSecondary) FindKeyObstacle(LoadFacts facts)
    {
        var keys = new List<IReadOnlyList<int>>();
        var hasSecondary = false;
        foreach (var key in facts.Table.UniqueKeys)
        {
            if (facts.IsNumbered(key))
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
                    return ($"two records of the input could have the same key {key.Name}, and the first has to win", [], false);
                }

                places.Add(place);
            }

            keys.Add(places);
            hasSecondary |= !key.IsPrimary;
        }

        return (null, keys, hasSecondary);
    }

    private static string Names(LoadFacts facts, IReadOnlyList<IReadOnlyList<int>> keys) =>
        string.Join(" and ", keys.Select(key => $"({string.Join(", ", key.Select(place => facts.Columns[place].Name))})"));
}
