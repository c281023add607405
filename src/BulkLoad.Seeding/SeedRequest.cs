using BulkLoad.Core.Options;

namespace BulkLoad.Seeding;

internal enum SeedMode
{
    /// <summary>They stay; the files' records are inserted once.</summary>
    Insert,

    /// <summary>Rows are inserted, updated and deleted by primary key, until the table is equal to its file.</summary>
    Sync,

    /// <summary>They are deleted first.</summary>
    Truncate,
}

internal sealed record SeedRequest
{
    /// <summary>Its files are named after tables, or in its <c>seed.yaml</c>.</summary>
    public required string Folder { get; init; }

    public SeedMode Mode { get; init; }

    /// <summary>A file of statements that make the tables, run where the database has none; null: none.</summary>
    public string? Schema { get; init; }

    /// <summary>Tables without their database; empty: all of the folder.</summary>
    public IReadOnlyList<string> Only { get; init; } = [];

    /// <summary>Tables that are filled at the same time; null: the default.</summary>
    public int? Threads { get; init; }

    /// <summary>All tables in one transaction, or none.</summary>
    public bool Atomic { get; init; }

    /// <summary>Whether files are compared with their tables even where both are as the last seed has left them.</summary>
    public bool Force { get; init; }

    public bool KeepsCopies { get; init; }

    /// <summary>A database whose rows may be deleted whatever its name is; null: only one whose name says that it is for tests.</summary>
    public string? AllowedDatabase { get; init; }

    /// <summary>Of a preview, how many changes of a table are shown; null: no preview.</summary>
    public int? PreviewRows { get; init; }

    /// <summary>Its database is the one that is filled, unless files name another one.</summary>
    public required ConnectionOptions Connection { get; init; }

    /// <summary>Makes the import of a table's files, with the options that <c>seed.yaml</c> gives.</summary>
    /// <exception cref="RequestException">an option cannot be understood</exception>
    public required Func<SeedEntry, LoadRequest> CreateImport { get; init; }

    public SeedCopyOptions Copies { get; init; } = new();

    /// <summary>The database that a folder's files or its <c>seed.yaml</c> name; null: none.</summary>
    /// <exception cref="RequestException">there is no such folder, or it cannot be understood</exception>
    public static string? DatabaseOf(string folder) => SeedFolder.Read(folder).Database;

    /// <summary>Refuses an output that a seed of the folder would read as the file of a table.</summary>
    /// <param name="outputs">option and path of each</param>
    public static void RequireOutside(string folder, IEnumerable<(string Option, string Path)> outputs)
    {
        var own = FileIdentity.Of(folder);
        foreach (var (option, path) in outputs)
        {
            if (SeedFolder.IsData(Path.GetFileName(path)) && FileIdentity.Of(Path.GetDirectoryName(Path.GetFullPath(path))!) == own)
            {
                throw new RequestException(
                    $"{option}: '{path}' would be the file of a table, since {folder} is the folder of these: name another folder");
            }
        }
    }

    internal bool Deletes => Mode != SeedMode.Insert;

    internal bool IsOneTransaction => Atomic || Mode == SeedMode.Sync;

    internal void Validate()
    {
        if (AllowedDatabase is not null && !Deletes)
        {
            throw new RequestException("--allow-database is for --mode sync and --mode truncate: leave it out, or add one of these");
        }

        if (PreviewRows is not null && Mode != SeedMode.Sync)
        {
            throw new RequestException("--preview is for --mode sync: add that, or use --plan");
        }

        if (Force && Mode != SeedMode.Sync)
        {
            throw new RequestException("--force is for --mode sync: leave it out");
        }

        if (!KeepsCopies && (Copies.Schema is not null || Copies.Except.Count > 0))
        {
            throw new RequestException("--seed-schema and --except are for --for-reset: leave them out, or add that");
        }

        if (Threads is < 1 or > LoadRequest.MaxThreads)
        {
            throw new RequestException($"--threads: {Threads} is not between 1 and {LoadRequest.MaxThreads}");
        }
    }
}
