using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Planning;

/// <summary>Decides whether records are sorted by the primary key before sending: if that saves time and changes no result. Pure.</summary>
internal static class SortPlanner
{
    /// <summary>Bytes of input below which sorting saves too little.</summary>
    public const long MinBytes = 8 * 1024 * 1024;

    /// <summary>Room of a sorted record: the record, its values, and notes about it.</summary>
    private const int TimesRecord = 2;
    private const int BytesBeside = 64;

    /// <summary>Parts of so many bytes are merged into one file while they still exist; so many such files are merged again.</summary>
    private const long MergedBytes = 512L * 1024 * 1024;
    private const int MergedFiles = 64;

    /// <summary>At least one of this number of sampled records has to be late.</summary>
    private const int MinLateShare = 8;

    /// <summary>A large job of files, and a table in the order of the primary key, by which a delete or an update finds rows.</summary>
    public static bool IsConsidered(LoadFacts facts) =>
        !facts.Request.Mode.JudgesOnly
        && facts.Sources.All(source => source.Bytes is not null) && IsLarge(facts)
        && facts.Table.Engine.Equals("InnoDB", StringComparison.OrdinalIgnoreCase)
        && facts.Table.UniqueKeys is [{ IsPrimary: true } primary, ..]
        && primary.Parts.All(part => IsTaken(facts, facts.IndexOf(part.Column is null ? null : facts.Table.Find(part.Column))))
        && (facts.Request.Kind == JobKind.Import || facts.KeyCount == primary.Parts.Count);

    /// <summary>Whether the order of the records matters here: then <see cref="Plan"/> needs <see cref="LoadFacts.KeyOrder"/>.</summary>
    public static bool NeedsLook(LoadFacts facts) => IsConsidered(facts) && FindObstacle(facts) is null;

    /// <summary>Whether <see cref="LoadFacts.SortedBefore"/> cannot matter, so that nobody has to ask for it: rising keys are not sorted.
    /// Needs <see cref="LoadFacts.KeyOrder"/>.</summary>
    public static bool IsInOrder(LoadFacts facts) => facts.Request.Kind != JobKind.Import && !IsLate(facts);

    public static bool NeedsOwnReferences(LoadFacts facts) =>
        facts.Request.Kind == JobKind.Import && (facts.SortedBefore is not null || (NeedsLook(facts) && IsLate(facts)));

    /// <exception cref="PlanException">the job was begun sorted, and that cannot be any more</exception>
    public static SortPlan Plan(LoadFacts facts)
    {
        if (!IsConsidered(facts))
        {
            return SortPlan.None;
        }

        var obstacle = FindObstacle(facts)
            ?? (facts.Table.RefersToItself
            ? $"a foreign key of {facts.Table.DisplayName} points to itself, and a record may need one before it"
            : null);
        if (facts.SortedBefore is { } before)
        {
            return before.Length == 0 ? SortPlan.InOrder("as the job was started")
                : obstacle is null && before == NamesOf(facts) ? Sorted(facts, "as the job was started")
                : throw new PlanException(facts.Request.NoSort
                    ? $"--no-sort: the job was started with its records sorted by {before}: leave the option out; or {JobVerbs.WaysOn}"
                    : $"the job was started with its records sorted by {before}, and cannot resume like that, since "
                        + $"{obstacle ?? $"the primary key is {NamesOf(facts)} now"}: {JobVerbs.WaysOn}");
        }

        if (obstacle is not null || facts.KeyOrder is not { } look)
        {
            return SortPlan.InOrder(obstacle ?? "");
        }

        if (!IsLate(facts))
        {
            return SortPlan.InOrder($"{NamesOf(facts)} rises in the first records, or nearly so");
        }

        var needed = RoomFor(facts);
        return look.Room < needed
            ? SortPlan.InOrder($"sorting would take about {needed / (1024 * 1024):N0} MiB in {facts.Request.TempFolder}, which has "
                + $"{look.Room / (1024 * 1024):N0} (--temp-dir names another folder)")
            : Sorted(facts, $"{look.Late:N0} of the first {look.Records:N0} records have a key that belongs before others (--no-sort "
                + "keeps the input's order)");
    }

    /// <summary>Whether records have the column at this place; where they find rows by a key, as a part of that key.</summary>
    private static bool IsTaken(LoadFacts facts, int place) =>
        place >= 0 && (facts.Request.Kind == JobKind.Import || place < facts.KeyCount);

    /// <summary>Deletes and updates cost by records more than by bytes, and a small one finds its keys in order within a batch.</summary>
    private static bool IsLarge(LoadFacts facts) => facts.Request.Kind == JobKind.Import
        ? facts.Sources.Sum(source => source.Bytes) >= MinBytes
        : facts.EstimatedRecords >= SessionPlanner.MinChanges && !facts.Request.Source.ReadsRanges;

    private static SortPlan Sorted(LoadFacts facts, string reason) => new(PlacesOf(facts), NamesOf(facts), reason);

    /// <summary>Why the records have to go in the input's order; null: they need not.</summary>
    private static string? FindObstacle(LoadFacts facts)
    {
        var request = facts.Request;
        if (request.NoSort)
        {
            return "--no-sort";
        }

        var table = facts.Table;
        var primary = table.UniqueKeys[0];
        foreach (var part in primary.Parts)
        {
            var column = table.Find(part.Column!)!;
            if (part.Prefix is not null || !KeyColumns.CanWrite(column))
            {
                return $"the server's order of {column.Name} ({column.TypeText}) is not known here";
            }

            if (column.Default is ColumnDefault.Constant or ColumnDefault.Expression
                && (facts.RecordsCanLackColumns || request.Values.EmptyOf(column.Name) == EmptyMeaning.Default))
            {
                return $"a record may leave {column.Name} to its default";
            }
        }

        if (request.Kind != JobKind.Import)
        {
            return OrderRules.FindChangeObstacle(facts) ?? OrderRules.FindGuardObstacle(facts);
        }

        if (table.Columns.FirstOrDefault(
            column => column.Default == ColumnDefault.AutoIncrement && facts.IndexOf(column) < 0) is { } generated)
        {
            return $"the server gives {generated.Name} in the order in which records arrive";
        }

        if (table.UniqueKeys.Skip(1).FirstOrDefault(key => !Contains(key, primary)) is { } other)
        {
            return $"two records could have the same key {other.Name}, and the first has to win";
        }

        return OrderRules.TriggersOf(request, table) is [var trigger, ..] ? OrderRules.DependsOn(trigger) : null;
    }

    /// <summary>Whether equal values of this key always mean equal values of the other one.</summary>
    private static bool Contains(UniqueKey key, UniqueKey other) =>
        other.Columns.All(
            column => key.Parts.Any(part => part.Prefix is null && column.Equals(part.Column, StringComparison.OrdinalIgnoreCase)));

    private static bool IsLate(LoadFacts facts) => facts.KeyOrder is { Late: > 0 } look && look.Late >= look.Records / MinLateShare;

    private static long RoomFor(LoadFacts facts)
    {
        var once = (long)((facts.EstimatedRecords ?? 0) * ((TimesRecord * facts.RecordBytes) + BytesBeside));
        return once < MergedBytes ? once : once < MergedBytes * MergedFiles ? once + MergedBytes : 2 * once;
    }

    private static int[] PlacesOf(LoadFacts facts) =>
        [.. facts.Table.UniqueKeys[0].Columns.Select(name => facts.IndexOf(facts.Table.Find(name)))];

    private static string NamesOf(LoadFacts facts) => $"({string.Join(", ", facts.Table.UniqueKeys[0].Columns)})";
}

/// <summary>Whether records are sorted by the primary key before they are sent, and why.</summary>
/// <param name="Key">0-based places of the key's columns in the rows, in the key's order; empty: the input's order is kept</param>
/// <param name="By">those columns for people, as <c>(id)</c>; empty: the input's order is kept</param>
/// <param name="Reason">for people; empty: there is nothing to say, since nobody would expect sorting</param>
internal sealed record SortPlan(IReadOnlyList<int> Key, string By, string Reason)
{
    public static SortPlan None { get; } = InOrder("");

    public bool IsSorted => Key.Count > 0;

    public static SortPlan InOrder(string reason) => new([], "", reason);
}
