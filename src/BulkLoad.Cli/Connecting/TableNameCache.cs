using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Connecting;

/// <summary>Names of the tables of the last connection, kept for an hour for completion, which never connects: one file in the user's cache
/// folder, which only the user may read. It contains names of a server, a database and tables, and no secret. Errors are ignored, since
/// nothing depends on it.</summary>
/// <param name="folder">of the program, in the user's cache folder</param>
internal sealed class TableNameCache(string folder, TimeProvider time)
{
    private const string Form = "bulkload-tables 1";
    private const int MaxBytes = 256 * 1024, MaxNames = 2000;
    private const UnixFileMode OwnFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private static readonly TimeSpan Kept = TimeSpan.FromHours(1);

    private readonly string _path = Path.Combine(folder, "tables");

    /// <summary>Null: the user has no cache folder.</summary>
    public static TableNameCache? Of(HostEnvironment host)
    {
        var caches = host.Variable("XDG_CACHE_HOME") is { Length: > 0 } named && Path.IsPathRooted(named) ? named
            : host.Home.Length > 0 ? Path.Combine(host.Home, ".cache")
            : null;
        return caches is null ? null : new TableNameCache(Path.Combine(caches, "bulkload"), host.Time);
    }

    public static string PlaceOf(PlannedServer server, string database) => $"{server.Endpoint}/{database}";

    /// <summary>Empty: there are none, or none that are recent.</summary>
    public IReadOnlyList<string> Read() => ReadOf(null);

    /// <summary>Replaces all names.</summary>
    /// <param name="place">server and database of the names</param>
    public void Keep(string place, IEnumerable<string> names)
    {
        try
        {
            if (OperatingSystem.IsWindows())
            {
                Directory.CreateDirectory(folder);
            }
            else
            {
                Directory.CreateDirectory(folder, OwnFile | UnixFileMode.UserExecute);
            }

            var fresh = $"{_path}.{Environment.ProcessId}";
            var options = new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write };
            if (!OperatingSystem.IsWindows())
            {
                options.UnixCreateMode = OwnFile;
            }

            using (var to = new StreamWriter(new FileStream(fresh, options)))
            {
                to.Write($"{Form}\n{OneLine(place)}\n");
                foreach (var name in names.Where(IsOneLine).Take(MaxNames))
                {
                    to.Write($"{name}\n");
                }
            }

            File.Move(fresh, _path, overwrite: true);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // Without a cache, completion has no names.
        }
    }

    /// <summary>Adds a name of the same place, or replaces the names of another place.</summary>
    public void Add(string place, string name) => Keep(place, ReadOf(place).Prepend(name).Distinct(StringComparer.Ordinal));

    private string[] ReadOf(string? place)
    {
        try
        {
            var file = new FileInfo(_path);
            var age = time.GetUtcNow() - file.LastWriteTimeUtc;
            if (!file.Exists || file.Length > MaxBytes || age > Kept || age < -Kept)
            {
                return [];
            }

            var lines = File.ReadAllLines(_path);
            return lines is [Form, var known, .. var names] && (place is null || known == OneLine(place)) ? names : [];
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private static bool IsOneLine(string name) => name.Length > 0 && !name.Any(char.IsControl);

    private static string OneLine(string text) => string.Concat(text.Where(letter => !char.IsControl(letter)));
}
