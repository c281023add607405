namespace BulkLoad.Core.Ledger;

/// <summary>What a job's row in the ledger says of whether its rows can be taken back. Pure.</summary>
/// <param name="Database">of its table; empty if there is an obstacle</param>
/// <param name="Obstacle">why they cannot, for people, behind the job's name; null: the row allows it</param>
internal sealed record UndoableJob(string Database, string Table, string? Obstacle)
{
    private const string NothingKept =
        "has changed no row, or its rows as they were have been kept for as long as --undoable said, and are dropped";

    /// <param name="rows">that the job has inserted</param>
    public static UndoableJob Of(string id, JobRecord job, long rows)
    {
        if (job.Images is { } images)
        {
            return new UndoableJob(images.Database, images.Table, null);
        }

        if (job.Command != "import")
        {
            return Refused(job.Rules.ContainsKey("--undoable") ? NothingKept
                : $"is {(job.Command == "update" ? "an" : "a")} {job.Command} that has not kept its rows as they were: --undoable does");
        }

        if (job.Dropped is { } dropped)
        {
            return Refused($"has dropped {dropped.Describe()}: 'bulkload jobs restore {id}' adds {dropped.Them} again; undo it after that");
        }

        if (job.SortedBy.Length > 0 && job.Sources.Any(source => source.LoadedUpTo > 0 || source.LoadedFrom is not null))
        {
            return Refused("has left out what other jobs had loaded (--append), and sorted the rest: its records cannot be told from the "
                + "others any more");
        }

        // A name may have a point.
        var places = Enumerable.Range(0, job.Table.Length).Where(at => job.Table[at] == '.');
        foreach (var (mode, at) in Enum.GetValues<DuplicateMode>().SelectMany(mode => places.Select(at => (mode, at))))
        {
            var (database, table) = (job.Table[..at], job.Table[(at + 1)..]);
            if (JobIdentity.FamilyOf(database, table, mode) == job.Family)
            {
                return mode switch
                {
                    DuplicateMode.Error when rows > 0 => new UndoableJob(database, table, null),
                    _ when job.Rules.ContainsKey("--undoable") => Refused(NothingKept),
                    DuplicateMode.Error => Refused(
                        $"has inserted no row: there is nothing to undo ('bulkload jobs forget {id}' forgets it)"),
                    DuplicateMode.Ignore => Refused("was started with --on-duplicate ignore: a row that was there before it may be equal "
                        + "to a record that it has left out, and would go too"),
                    _ => Refused($"was started with --on-duplicate {DuplicateModes.Of(mode)}, and has not kept its rows as they were: "
                        + "--undoable does"),
                };
            }
        }

        return Refused(job.Rules.ContainsKey("--undoable") ? NothingKept
            : $"has computed values of {job.Table} by SQL (--set), which the input does not tell: with --undoable it would have kept its "
                + "rows");

        static UndoableJob Refused(string why) => new("", "", why);
    }
}
