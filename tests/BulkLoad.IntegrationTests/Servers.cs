using System.Diagnostics;
using System.Globalization;
using Xunit;

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

    // The variables as the shell understands them, whatever it takes to quote them.
    private const string ReadAssignments = "set -a; assignments=$(\"$0\" start) || exit; eval \"$assignments\"; exec env -0";

    private static readonly Lazy<Dictionary<string, string>> Variables = new(Find);

    /// <summary>The names of both, for theories.</summary>
    public static TheoryData<string> Both => [MariaDb, MySql];

    public static string TlsCa => Variable("TLS_CA");

    public static string TlsOtherCa => Variable("TLS_OTHER_CA");

    public static string TlsClientCert => Variable("TLS_CLIENT_CERT");

    public static string TlsClientKey => Variable("TLS_CLIENT_KEY");

    /// <summary>One of the servers; ends the test where there is none.</summary>
    /// <param name="name"><see cref="MariaDb"/> or <see cref="MySql"/></param>
    public static TestServer Get(string name)
    {
        var prefix = name.ToUpperInvariant() + "_";
        return new TestServer
        {
            Name = name,
            Host = Variable(prefix + "HOST"),
            Port = int.Parse(Variable(prefix + "PORT"), CultureInfo.InvariantCulture),
            Socket = Variable(prefix + "SOCKET"),
            User = Variable(prefix + "USER"),
            Password = Variable(prefix + "PASSWORD"),
            AdminUser = Variable(prefix + "ADMIN_USER"),
            Version = Variable(prefix + "VERSION"),
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

    private static Dictionary<string, string> Start()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, Script)))
        {
            folder = folder.Parent;
        }

        if (folder is null)
        {
            return [];
        }

        using var shell = Process.Start(new ProcessStartInfo("bash", ["-c", ReadAssignments, Path.Combine(folder.FullName, Script)])
        {
            RedirectStandardOutput = true,
        })!;
        var variables = shell.StandardOutput.ReadToEnd().Split('\0', StringSplitOptions.RemoveEmptyEntries)
            .Select(variable => variable.Split('=', 2))
            .Where(variable => variable[0].StartsWith(Prefix, StringComparison.Ordinal))
            .ToDictionary(variable => variable[0], variable => variable[1]);
        shell.WaitForExit();
        return variables;
    }
}
