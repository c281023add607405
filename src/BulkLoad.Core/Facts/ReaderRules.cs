using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Facts;

/// <summary>How many readers read an input at the same time.</summary>
internal static class ReaderRules
{
    /// <summary>Smaller inputs, in bytes as stored, are read before other threads have begun.</summary>
    public const long MinBytes = 4 * 1024 * 1024;

    /// <summary>One thread finds pieces and cuts blocks for all readers: more of them would wait for it.</summary>
    private const int MaxReaders = 8;

    /// <summary>How a job reads that looks for its committed records.</summary>
    public static PlannedReaders Continued { get; } = One("what is left of a job");

    /// <summary>Readers of an input that is large enough, and can be divided.</summary>
    public static int Of(LoadFacts facts) => FindObstacle(facts) is null ? Math.Min(facts.Cores, MaxReaders) : 1;

    /// <summary>Null: all inputs are small.</summary>
    public static PlannedReaders? Plan(LoadFacts facts)
    {
        var large = facts.Sources.Where(source => source.Bytes >= MinBytes).ToArray();
        if (large.Length == 0)
        {
            return null;
        }

        if (FindObstacle(facts) is { } obstacle)
        {
            return One(obstacle);
        }

        var undivided = Array.Find(large, source => source.Undivided is not null);
        if (undivided is not null && large.All(source => source.Undivided is not null))
        {
            return One(undivided.Undivided!);
        }

        var others = undivided is null ? "" : $"; one thread reads {undivided.Name}, {undivided.Undivided}";
        return new PlannedReaders(Of(facts), $"pieces of a large file are read at the same time{others}");
    }

    /// <summary>With <c>--max-memory</c> the share of more readers is not known before.</summary>
    private static string? FindObstacle(LoadFacts facts) => facts.Request.MaxMemory is not null ? "with --max-memory"
        : facts.Request.Limit is not null ? "with --limit"
        : facts.Cores == 1 ? "on a machine with one core"
        : null;

    private static PlannedReaders One(string what) => new(1, $"one thread reads {what}");
}
