using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Connecting;

/// <summary>Finds and reads the option files. A later file wins over an earlier one; within a file <c>[bulkload]</c> wins over
/// <c>[client]</c>, wherever they stand.</summary>
internal sealed class OptionFiles(HostEnvironment host, Action<string> warn)
{
    public const string OwnGroup = "bulkload";

    /// <summary>MySQL's own limit.</summary>
    private const int DeepestInclude = 10;

    /// <summary>The last two are MariaDB's; Debian's packages put the socket into the first of them.</summary>
    private static readonly string[] SharedGroups = ["client", "client-server", "client-mariadb"];

    /// <summary>File and group of each setting that was read.</summary>
    public Dictionary<string, string> Origins { get; } = new(StringComparer.Ordinal);

    public List<string> Files { get; } = [];

    /// <exception cref="RequestException">a file that was named cannot be read, or a setting makes no sense</exception>
    public ConnectionSettings Read(OptionFileChoice choice)
    {
        var settings = new ConnectionSettings();
        foreach (var (path, isNamed) in Paths(choice))
        {
            settings = ReadFile(path, isNamed, choice.GroupSuffix).Over(settings);
        }

        return settings;
    }

    private List<(string Path, bool IsNamed)> Paths(OptionFileChoice choice)
    {
        if (choice.Only is { } only)
        {
            return [(Expanded(only), true)];
        }

        if (choice.None)
        {
            return [];
        }

        List<(string, bool)> paths = [("/etc/my.cnf", false), ("/etc/mysql/my.cnf", false)];
        if (host.Variable("MYSQL_HOME") is { Length: > 0 } mysqlHome)
        {
            paths.Add((Path.Combine(mysqlHome, "my.cnf"), false));
        }

        if (choice.Extra is { } extra)
        {
            paths.Add((Expanded(extra), true));
        }

        if (host.Home.Length > 0)
        {
            paths.Add((Path.Combine(host.Home, ".my.cnf"), false));
        }

        return paths;
    }

    private ConnectionSettings ReadFile(string path, bool isNamed, string suffix)
    {
        if (isNamed && path.Length == 0)
        {
            throw new RequestException("--defaults-file or --defaults-extra-file: the file name is empty");
        }

        if (!host.Files.Exists(path))
        {
            return isNamed ? throw new RequestException($"{path}: there is no such option file") : new ConnectionSettings();
        }

        List<(string Path, OptionFileEntry Entry)> entries = [];
        Collect(path, isNamed, isTyped: isNamed, 0, entries);
        var settings = new ConnectionSettings();
        foreach (var (file, entry) in entries.Where(entry => IsOf(SharedGroups, entry.Entry.Group, suffix)))
        {
            settings = Apply(settings, file, entry, isStrict: false, Origins);
        }

        foreach (var (file, entry) in entries.Where(entry => IsOf([OwnGroup], entry.Entry.Group, suffix)))
        {
            settings = Apply(settings, file, entry, isStrict: true, Origins);
        }

        return settings;
    }

    /// <param name="isNamed">whether it must exist and be readable</param>
    /// <param name="isTyped">whether the command line names it, or the file that includes it</param>
    /// <param name="depth">number of files that include it</param>
    /// <param name="entries">gets the file's own</param>
    private void Collect(string path, bool isNamed, bool isTyped, int depth, List<(string Path, OptionFileEntry Entry)> entries)
    {
        if (depth > DeepestInclude)
        {
            throw new RequestException($"{path}: more than {DeepestInclude} option files include each other");
        }

        if (TextOf(path, isNamed, isTyped) is not { } text)
        {
            return;
        }

        Files.Add(path);
        foreach (var entry in Parse(path, text))
        {
            foreach (var included in Included(path, entry))
            {
                Collect(included, isNamed: true, isTyped, depth + 1, entries);
            }

            entries.Add((path, entry));
        }
    }

    private IEnumerable<string> Included(string path, OptionFileEntry entry) => entry.Name switch
    {
        "!include" => [entry.Value!],
        "!includedir" when host.Files.Exists(entry.Value!) => FilesOf(path, entry),
        "!includedir" => throw new RequestException($"{path}:{entry.Line}: the folder '{entry.Value}' is not there"),
        _ => [],
    };

    private IEnumerable<string> FilesOf(string path, OptionFileEntry entry)
    {
        try
        {
            return host.Files.In(entry.Value!).Where(file => file.EndsWith(".cnf", StringComparison.Ordinal));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new RequestException($"{path}:{entry.Line}: the folder '{entry.Value}' cannot be read: {fault.Message}");
        }
    }

    /// <summary>Null: it is skipped, with a warning.</summary>
    /// <exception cref="RequestException">it was named and cannot be read; or the command line means a file that anybody may write: if it
    /// were skipped, the job would run with another account</exception>
    private string? TextOf(string path, bool isNamed, bool isTyped)
    {
        try
        {
            if ((host.Files.ModeOf(path) & UnixFileMode.OtherWrite) != 0)
            {
                if (isTyped)
                {
                    throw new RequestException(
                        $"{path}: anyone may write this option file, so nothing in it can be trusted (chmod o-w fixes it)");
                }

                warn($"{path}: anyone may write this option file, so it is ignored");
                return null;
            }

            return Encoding.UTF8.GetString(host.Files.Read(path));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            if (isNamed)
            {
                throw new RequestException($"{path}: this option file cannot be read: {fault.Message}");
            }

            warn($"{path}: this option file cannot be read and is ignored: {fault.Message}");
            return null;
        }
    }

    private string Expanded(string path) =>
        path.StartsWith("~/", StringComparison.Ordinal) && host.Home.Length > 0 ? Path.Combine(host.Home, path[2..]) : path;

    private static bool IsOf(IEnumerable<string> groups, string group, string suffix) =>
        groups.Any(name => group == name || (suffix.Length > 0 && group == name + suffix));

    private static IReadOnlyList<OptionFileEntry> Parse(string path, string text)
    {
        try
        {
            return OptionFile.Parse(text);
        }
        catch (FormatException wrong)
        {
            throw new RequestException($"{path}: {wrong.Message}");
        }
    }

    /// <summary>An unknown setting belongs to other programs in the shared groups, and is an error in our own.</summary>
    /// <param name="origins">gets file and group of the setting</param>
    internal static ConnectionSettings Apply(
        ConnectionSettings settings, string path, OptionFileEntry entry, bool isStrict, Dictionary<string, string> origins)
    {
        const string Loose = "loose-";
        if (entry.Name[0] == '!')
        {
            return settings;
        }

        var isLoose = entry.Name.StartsWith(Loose, StringComparison.Ordinal);
        var name = isLoose ? entry.Name[Loose.Length..] : entry.Name;
        try
        {
            if (settings.With(name, entry.Value) is { } more)
            {
                if (!ReferenceEquals(more, settings))
                {
                    origins[ConnectionText.SettingOf(name)] = $"{path} [{entry.Group}]";
                }

                return more;
            }
        }
        catch (FormatException wrong)
        {
            throw new RequestException($"{path}:{entry.Line}: {name}: {wrong.Message}");
        }

        return isStrict && !isLoose
            ? throw new RequestException(
                $"{path}:{entry.Line}: [{entry.Group}] has a setting that is not a connection setting, such as '{Named(entry)}'")
            : settings;
    }

    /// <summary>A line without '=' may be the rest of a broken password.</summary>
    private static string Named(OptionFileEntry entry) => entry.Value is null ? "..." : entry.Name;
}
