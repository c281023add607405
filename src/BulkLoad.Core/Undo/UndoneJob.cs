using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;

namespace BulkLoad.Core.Undo;

/// <summary>The table and the inputs of a job, as its row in the ledger and the request tell them together.</summary>
/// <param name="Database">of the table</param>
/// <param name="Table">its name</param>
/// <param name="Request">of an import of the same inputs into that table</param>
internal sealed record UndoneJob(string Database, string Table, LoadRequest Request)
{
    /// <param name="schema">of the ledger</param>
    /// <exception cref="PlanException">the job cannot be undone</exception>
    /// <exception cref="InputException">an input is not where it was</exception>
    public static UndoneJob Of(LoadRequest request, string schema, HeldJob held)
    {
        var (database, table) = TableOf(request, schema, held);
        if (held.Job.Images is not null && InputOf(request) is { } file)
        {
            throw new RequestException($"job {held.Id} has kept its rows, and no file is read to undo it: leave out {file}");
        }

        return new UndoneJob(database, table, request with
        {
            Undo = null,
            Table = SqlName.Quote(database, table),
            Files = held.Job.Images is null ? FilesOf(request, held) : [],
            Part = JobIdentity.FindPart(held.Id),
            GoesOnBeyondMaxRejects = true,
        });
    }

    /// <summary>What the request names to be read, as it is typed; null: nothing.</summary>
    public static string? InputOf(LoadRequest request) =>
        request.Files is [var file, ..] ? file : request.Undo!.IdsFile is { } ids ? $"--ids-file {ids}" : null;

    /// <summary>Compares the inputs' columns and the options with those of the job.</summary>
    /// <exception cref="PlanException">they differ</exception>
    public static void RequireSame(HeldJob held, LoadFacts facts, IReadOnlyList<LoadSource> sources)
    {
        var (id, job) = (held.Id, held.Job);
        var now = JobStart.Describe(facts, SortPlan.None, sources, JobIdentity.Of(facts, sources), default);
        if (now.Sources.Count != job.Sources.Count)
        {
            throw new PlanException($"job {id} has loaded {Plural.Count(job.Sources.Count, "file")}, and "
                + $"{Plural.Count(now.Sources.Count, "file")} {Plural.For(now.Sources.Count, "is", "are")} named: name all of them, in the "
                + "order of the import");
        }

        if (JobResume.FindDifference(held.Found, now) is { } difference)
        {
            throw new PlanException($"job {id} was started {difference}: the options for reading and values must be those of the import");
        }

        if (job.Sources.Zip(now.Sources).FirstOrDefault(pair => pair.First.Mapping != pair.Second.Mapping).Second is { } other)
        {
            throw new PlanException($"{other.Name}: its fields go to other columns than in job {id}: --columns, --map, --header and "
                + "--no-header must be those of the import, and the table must have its columns");
        }

        if (now.Columns != job.Columns)
        {
            throw new PlanException($"columns of {job.Table} that job {id} has filled were altered since, and so its rows may be");
        }
    }

    private static (string Database, string Table) TableOf(LoadRequest request, string schema, HeldJob held)
    {
        var (id, job) = (held.Id, held.Job);
        var undoable = UndoableJob.Of(id, job, held.Chunks.Taken.Count);
        if (undoable.Obstacle is { } obstacle)
        {
            throw new PlanException($"job {id} {obstacle}");
        }

        var rejects = held.Chunks.Rejects;
        if (job.Images is null && rejects.Keys.FirstOrDefault(UndoRules.IsByOtherRows) is { } code)
        {
            throw new PlanException($"job {id} had {Plural.Count(rejects[code], "record")} refused for {code}: the row that was there may "
                + "be equal to the record, and which of its rows the job has inserted is not known");
        }

        if (request.Table is { } typed)
        {
            var name = TableName.Parse(typed);
            var database = name.Database ?? request.Connection.Database ?? schema;
            if ((database, name.Table) != (undoable.Database, undoable.Table))
            {
                throw new PlanException($"job {id} has loaded {job.Table}, not {database}.{name.Table}: leave --table out");
            }
        }

        return (undoable.Database, undoable.Table);
    }

    private static IReadOnlyList<string> FilesOf(LoadRequest request, HeldJob held)
    {
        if (request.Files.Count > 0)
        {
            return request.Files;
        }

        foreach (var source in held.Job.Sources)
        {
            if (source.Path is not { } path)
            {
                throw new PlanException($"job {held.Id} has loaded {source.Name}, which cannot be read again: name a file with the same "
                    + "content behind the job");
            }

            // Who can write to the ledger must not choose what is read here: a device, a pipe, or a file that only this user may read.
            var file = new FileInfo(path);
            if (!file.Exists || source.Bytes is not > 0)
            {
                throw new InputException($"{path}: is not there any more, and job {held.Id} has loaded it: name the file where it is now "
                    + "behind the job");
            }

            if (file.Length != source.Bytes || file.LastWriteTimeUtc != source.Changed)
            {
                throw new InputException($"{path}: was written to since job {held.Id} has loaded it: if its first records are still the "
                    + "same, name it behind the job");
            }
        }

        return [.. held.Job.Sources.Select(source => source.Path!)];
    }
}
