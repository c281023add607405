namespace BulkLoad.Seeding;

/// <summary>Advice after the import of a table's files has failed: a seed has other options than an import.</summary>
internal static class SeedAdvice
{
    /// <summary>Replaces the import's advice.</summary>
    /// <param name="state">what is in the table now</param>
    /// <param name="ways">the import's advice</param>
    public static void End(BulkLoadException fault, string state, IEnumerable<WayOn> ways, SeedRequest request, SeedTask task) =>
        fault.End(state, fault.Committed, ways.SelectMany(way => Of(way, request, task))
            .DistinctBy(way => (way.Purpose, way.Command, string.Join(' ', way.Words))));

    /// <summary>Advice that loads a changed file, or rows whose keys are in the table already.</summary>
    public static WayOn Replace(SeedTask task) => task.Table.PrimaryKey.Count > 0
        ? new WayOn($"to make {task.Table.Name} equal to {task.Entry.Name}") { Words = ["--mode", "sync"] }
        : new WayOn($"to empty {task.Table.Name}, and load {task.Entry.Name}") { Words = ["--mode", "truncate"] };

    private static IEnumerable<WayOn> Of(WayOn way, SeedRequest request, SeedTask task) => way switch
    {
        { Command: not null } => request.Schema is { } schema
            ?
            [
                new WayOn("to look at keys and foreign keys of all files too, without a server")
                {
                    Command = "check",
                    Words = ["--schema", schema],
                },
            ]
            : [],
        { Words: [] or ["--mode", ..] } => [way],
        { Words: ["--on-duplicate", ..] } => request.Mode == SeedMode.Insert ? [Replace(task)] : [],
        { Words: ["--reload" or "--append" or "--job-id" or "--preview", ..] } => [],
        _ => [new WayOn($"{way.Purpose}: in {SeedFolder.MapFile}, options of {task.Entry.Name}: {SeedYaml.OptionsOf(way.Words)}")],
    };
}
