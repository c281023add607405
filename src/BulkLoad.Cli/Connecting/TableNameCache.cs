using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Connecting;

/// <summary>
/// Names of the tables of the last connection, kept for an hour for completion, which never connects: one file in the user's cache folder,
/// which only the user may read. It holds names of a server, a database and tables, and no secret. What goes wrong here goes wrong in
/// silence, since nothing depends on it.
/// </summary>
/// <param name="folder">of the program, in the user's cache folder</param>
/// <param name="time">of this machine</param>
internal sealed class TableNameCache(string folder, TimeProvider time)
{
    private const string Form = "bulkload-tables 1";
    private const int MostBytes = 256 * 1024, MostNames = 2000;
    private const UnixFileMode OwnFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private static readonly TimeSpan Kept = TimeSpan.FromHours(1);

    private readonly string _path = Path.Combine(folder, "tables");

    /// <summary>Null where the user has no such folder.</summary>
    public static TableNameCache? Of(HostEnvironment host)
    {
        var caches = host.Variable("XDG_CACHE_HOME") is { Length: > 0 } named && Path.IsPathRooted(named) ? named
            : host.Home.Length > 0 ? Path.Combine(host.Home, ".cache")
            : null;
        return caches is null ? null : new TableNameCache(Path.Combine(caches, "bulkload"), host.Time);
    }

    /// <summary>Server and database in one line.</summary>
    public static string PlaceOf(PlannedServer server, string database) => $"{server.Endpoint}/{database}";

    /// <summary>The names that are kept; empty where there are none, or none that are recent.</summary>
    public IReadOnlyList<string> Read() => ReadOf(null);

    /// <summary>Keeps names in place of all others.</summary>
    /// <param name="place">server and database that they are of</param>
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
                foreach (var name in names.Where(IsOneLine).Take(MostNames))
                {
                    to.Write($"{name}\n");
                }
            }

            File.Move(fresh, _path, overwrite: true);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // No cache, no names.
        }
    }

    /// <summary>Keeps one more name of the same place, or in place of another's.</summary>
    public void Add(string place, string name) => Keep(place, ReadOf(place).Prepend(name).Distinct(StringComparer.Ordinal));

    private string[] ReadOf(string? place)
    {
        try
        {
            var file = new FileInfo(_path);
            var age = time.GetUtcNow() - file.LastWriteTimeUtc;
            if (!file.Exists || file.Length > MostBytes || age > Kept || age < -Kept)
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
