using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>What the server says of a table that is to be made exactly the input.</summary>
/// <param name="Definition">its statement, as the server writes it, every name in backticks</param>
/// <param name="References">foreign keys to it, its own too</param>
/// <param name="HasStatistics">that somebody has asked for: histograms, or MariaDB's persistent ones</param>
internal sealed record RefreshFacts(TableFacts Table, string Definition, IReadOnlyList<ForeignKey> References, bool HasStatistics)
{
    /// <summary>Those that can be exchanged: subpartitions where there are some. Set only where one is to be exchanged.</summary>
    public IReadOnlyList<PartitionFacts> Partitions { get; init; } = [];

    /// <summary>Whether columns were added without a rebuild of the rows, in a way that MySQL does not exchange partitions of.</summary>
    public bool HasInstantColumns { get; init; }

    /// <summary>Foreign keys of the table to itself.</summary>
    public IReadOnlyList<ForeignKey> Own { get; } = [.. References.Where(key => key.IsToItself)];

    public IReadOnlyList<ForeignKey> Others { get; } = [.. References.Where(key => !key.IsToItself)];

    /// <summary>The definition without what a change of the table's name, or of its rows, changes.</summary>
    public string Lasting => TwinText.Lasting(Table.Name, Definition);
}

/// <param name="Name">as the server writes it</param>
/// <param name="Others">a condition for rows that do not belong to it; null: only the server knows</param>
internal sealed record PartitionFacts(string Name, string? Others);

/// <summary>Which way is taken, and why.</summary>
/// <param name="Way">never <see cref="RefreshWay.Auto"/></param>
/// <param name="Reason">for people</param>
internal sealed record RefreshPlan(RefreshWay Way, string Reason);

/// <summary>Chooses the way. Pure.</summary>
internal static class RefreshRules
{
    /// <exception cref="PlanException">neither way, or not the one that was asked for, is exact</exception>
    public static RefreshPlan Choose(RefreshOptions options, RefreshFacts facts)
    {
        if (options.Partition is { } partition)
        {
            return FindPartitionObstacle(facts) is { } obstacle
                ? throw new PlanException($"--partition {partition}: {obstacle}") : new(RefreshWay.Partition, "asked for");
        }

        var (swap, diff) = (FindSwapObstacle(facts), FindDiffObstacle(options, facts));
        return options.Way switch
        {
            RefreshWay.Swap => swap is null ? new(RefreshWay.Swap, "asked for") : throw Refuse("swap", swap, diff is null ? "diff" : null),
            RefreshWay.Diff => diff is null ? new(RefreshWay.Diff, "asked for") : throw Refuse("diff", diff, swap is null ? "swap" : null),
            _ when swap is null => new(RefreshWay.Swap, "nothing of the table is lost by an exchange"),
            _ => diff is null ? new(RefreshWay.Diff, swap)
                : throw new PlanException($"--full-refresh: the tables cannot be exchanged, since {swap}; and the rows cannot be compared, "
                    + $"since {diff}"),
        };

        PlanException Refuse(string way, string reason, string? other) => new(
            $"--full-refresh={way}: {reason}{(other is null ? "" : $": use --full-refresh={other}")}");
    }

    /// <summary>What an exchange of tables would lose or leave behind, for people; null: nothing. Each was tried on both servers.</summary>
    public static string? FindSwapObstacle(RefreshFacts facts)
    {
        var table = facts.Table;
        var trigger = table.InsertTriggers.Concat(table.UpdateTriggers).Concat(table.DeleteTriggers).FirstOrDefault();
        return facts.Others is [var key, ..]
            ? $"foreign key {key.Name} of {key.Database}.{key.Table} refers to the table, and would follow the former one"
            : trigger is not null ? $"trigger {trigger} would stay at the former table"
            : table.IsVersioned ? "the table's old row versions would stay in the former one"
            : facts.HasStatistics ? "the table's histograms or persistent statistics would be lost"
            : null;
    }

    public static string? FindPartitionObstacle(RefreshFacts facts)
    {
        var table = facts.Table;
        return facts.Partitions.Count == 0 ? $"{table.Database}.{table.Name} has no partitions"
            : table.Partition is null ? $"{table.Database}.{table.Name} has no such partition: its partitions are "
                + $"{Plural.Names([.. facts.Partitions.Select(one => one.Name)])}"
            : table.HasTriggers ? "the table has triggers, which an exchange does not run"
            : facts.HasInstantColumns ? "MySQL does not exchange partitions of a table that got or lost a column by ALGORITHM=INSTANT: "
                + $"{RefreshSql.WriteRowsNew(table.Lasting.QuotedName)} writes its rows new"
            : null;
    }

    private static string? FindDiffObstacle(RefreshOptions options, RefreshFacts facts) =>
        facts.Table.IsVersioned ? "the table is system-versioned"
        : facts.Table.PrimaryKey.Count == 0 ? "the table has no primary key"
        : facts.Own.FirstOrDefault(key => !facts.Table.NullableOf(key).Any()) is { } own
            ? $"its rows refer to each other by columns that may not be NULL ({own.Name})"
        : options.KeepOld ? "no former table is left that --keep-old could keep"
        : null;
}
