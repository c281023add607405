using System.Diagnostics;
using BulkLoad.Core.Strategies;

namespace BulkLoad.IntegrationTests;

/// <summary>
/// The real servers: those that the environment names (<c>eng/servers.sh where</c>), otherwise those that
/// <c>eng/servers.sh start</c> starts. Without any, tests are skipped, except where CI=true: there they fail.
/// </summary>
internal static class Servers
{
    public const string MariaDb = "MariaDB";
    public const string MySql = "MySQL";

    private const string Script = "eng/servers.sh";
    private const string Prefix = "BULKLOAD_TEST_";
    private const string ClusterSet = "clusters";

    // The variables as the shell understands them, whatever it takes to quote them.
    private const string ReadAssignments = "set -a; assignments=$(\"$0\" start \"$1\") || exit; eval \"$assignments\"; exec env -0";

    private static readonly Lazy<Dictionary<string, string>> Variables = new(Find);

    /// <summary>The names of both, for theories.</summary>
    public static TheoryData<string> Both => [MariaDb, MySql];

    /// <summary>The strategies that a server of the name knows.</summary>
    public static string[] StrategiesOf(string name) =>
        [.. StrategyCatalog.Import.Select(strategy => strategy.Name).Where(strategy => Knows(name, strategy))];

    /// <summary>False for a test's value that begins with the name of a strategy that this server does not know.</summary>
    public static bool Knows(string name, object value) =>
        name == MariaDb || !$"{value}".StartsWith("bulk-execute", StringComparison.Ordinal);

    public static string TlsCa => Variable("TLS_CA");

    public static string TlsOtherCa => Variable("TLS_OTHER_CA");

    public static string TlsClientCert => Variable("TLS_CLIENT_CERT");

    public static string TlsClientKey => Variable("TLS_CLIENT_KEY");

    /// <summary>One of the servers; ends the test where there is none.</summary>
    /// <param name="name"><see cref="MariaDb"/> or <see cref="MySql"/></param>
    public static TestServer Get(string name) => Get(name, Variable) with { IsShared = true };

    /// <summary>Starts a server that nobody else uses; ends the test where that is not possible.</summary>
    /// <param name="name"><see cref="MariaDb"/> or <see cref="MySql"/></param>
    /// <param name="set">the name of its set, behind the name of the tests' own</param>
    /// <param name="settings">lines of its configuration</param>
    /// <returns>the server and its process id</returns>
    public static (TestServer Server, int ProcessId) StartPrivate(string name, string set, string settings = "")
    {
        Get(name);
        var variables = Start(name.ToLowerInvariant(), PrivateSet(set), settings);
        if (variables.Count == 0)
        {
            Assert.Skip($"{Script} could not start another {name}");
        }

        var pid = int.Parse(variables[$"{Prefix}{name.ToUpperInvariant()}_PID"], CultureInfo.InvariantCulture);
        return (Get(name, variable => variables[Prefix + variable]), pid);
    }

    /// <summary>Stops such a server, if it still runs, and deletes its data.</summary>
    public static void DestroyPrivate(string name, string set) =>
        RunScript(["-c", "\"$0\" destroy \"$1\"", name.ToLowerInvariant()], PrivateSet(set));

    /// <summary>Starts what does not run of a cluster that nobody else uses; ends the test where that is not possible.</summary>
    /// <param name="name">as <c>eng/servers.sh</c> calls it</param>
    /// <param name="kind"><see cref="MariaDb"/> or <see cref="MySql"/></param>
    /// <param name="settings">lines of its configuration</param>
    /// <returns>its nodes, the first one first</returns>
    public static TestServer[] StartCluster(string name, string kind, string settings)
    {
        var variables = Start(name, PrivateSet(ClusterSet), settings);
        var prefix = name.Replace('-', '_');
        var nodes = Enumerable.Range(1, 4)
            .TakeWhile(number => variables.ContainsKey($"{Prefix}{prefix.ToUpperInvariant()}_{number}_HOST"))
            .Select(number => Get(kind, $"{prefix}_{number}", variable => variables[Prefix + variable])).ToArray();
        if (nodes.Length == 0)
        {
            Assert.Skip($"{Script} could not start {name}");
        }

        return nodes;
    }

    /// <summary>Ends a node of such a cluster as a crash does.</summary>
    /// <param name="number">1 is the first</param>
    public static void KillNode(string cluster, int number) =>
        RunScript(["-c", "\"$0\" kill \"$1\"", $"{cluster}-{number}"], PrivateSet(ClusterSet));

    /// <summary>Stops such a cluster, if it still runs, and deletes its data.</summary>
    public static void DestroyCluster(string name) => DestroyPrivate(name, ClusterSet);

    private static string PrivateSet(string set) => $"{Environment.GetEnvironmentVariable("BULKLOAD_SERVERS_NAME") ?? "test"}-{set}";

    private static TestServer Get(string name, Func<string, string> variable) => Get(name, name, variable);

    private static TestServer Get(string name, string variables, Func<string, string> variable)
    {
        var prefix = variables.ToUpperInvariant() + "_";
        return new TestServer
        {
            Name = name,
            Host = variable(prefix + "HOST"),
            Port = int.Parse(variable(prefix + "PORT"), CultureInfo.InvariantCulture),
            Socket = variable(prefix + "SOCKET"),
            User = variable(prefix + "USER"),
            Password = variable(prefix + "PASSWORD"),
            AdminUser = variable(prefix + "ADMIN_USER"),
            Version = variable(prefix + "VERSION"),
        };
    }

    private static string Variable(string name)
    {
        if (Variables.Value.TryGetValue(Prefix + name, out var value))
        {
            return value;
        }

        var reason = $"there is no {Prefix}{name}: {Script} could not start the servers";
        if (Environment.GetEnvironmentVariable("CI") == "true")
        {
            Assert.Fail(reason);
        }

        Assert.Skip(reason);
        return "";
    }

    private static Dictionary<string, string> Find()
    {
        var given = Environment.GetEnvironmentVariables().Keys.Cast<string>()
            .Where(name => name.StartsWith(Prefix, StringComparison.Ordinal))
            .ToDictionary(name => name, name => Environment.GetEnvironmentVariable(name)!);
        return given.Count > 0 ? given : Start();
    }

    private static Dictionary<string, string> Start(string servers = "all", string? set = null, string settings = "") =>
        RunScript(["-c", ReadAssignments, servers], set, settings).Split('\0', StringSplitOptions.RemoveEmptyEntries)
            .Select(variable => variable.Split('=', 2))
            .Where(variable => variable[0].StartsWith(Prefix, StringComparison.Ordinal))
            .ToDictionary(variable => variable[0], variable => variable[1]);

    /// <summary>What bash prints for a line in which $0 is the script; empty where there is no script.</summary>
    /// <param name="words">-c, the line, and what follows $0</param>
    /// <param name="set">BULKLOAD_SERVERS_NAME, or null for that of the environment</param>
    /// <param name="settings">lines of a server's configuration</param>
    private static string RunScript(string[] words, string? set, string settings = "")
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, Script)))
        {
            folder = folder.Parent;
        }

        if (folder is null)
        {
            return "";
        }

        var start = new ProcessStartInfo("bash", [words[0], words[1], Path.Combine(folder.FullName, Script), words[2]])
        {
            RedirectStandardOutput = true,
        };
        foreach (var name in start.Environment.Keys.Where(name => name.StartsWith(Prefix, StringComparison.Ordinal)).ToArray())
        {
            start.Environment.Remove(name);
        }

        start.Environment["BULKLOAD_SERVERS_SETTINGS"] = settings;
        if (set is not null)
        {
            start.Environment["BULKLOAD_SERVERS_NAME"] = set;
        }

        using var shell = Process.Start(start)!;
        var output = shell.StandardOutput.ReadToEnd();
        shell.WaitForExit();
        return output;
    }
}
