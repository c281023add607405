namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Tests that change settings of a whole server: one after the other, on servers that no other tests use.</summary>
[CollectionDefinition(Name)]
public sealed class ServerSettings : ICollectionFixture<OwnServers>
{
    public const string Name = "settings of a whole server";
}

/// <summary>A MariaDB and a MySQL of a collection's own, each started when it is first asked for.</summary>
public class OwnServers : IDisposable
{
    private readonly string _set;
    private readonly string _settings;
    private readonly Dictionary<string, TestServer> _started = [];

    public OwnServers()
        : this("settings", "")
    {
    }

    /// <param name="set">the name of their set</param>
    /// <param name="settings">lines of their configuration</param>
    protected OwnServers(string set, string settings) => (_set, _settings) = (set, settings);

    public void Dispose()
    {
        foreach (var name in _started.Keys)
        {
            Servers.DestroyPrivate(name, _set);
        }

        GC.SuppressFinalize(this);
    }

    internal TestServer Get(string name) =>
        _started.TryGetValue(name, out var server) ? server : _started[name] = Servers.StartPrivate(name, _set, _settings).Server;
}

/// <summary>Global settings of a server for the time of a test.</summary>
internal sealed class ChangedSettings : IAsyncDisposable
{
    private const int MaxTries = 100;

    private readonly TestServer _server;
    private readonly string _restore;

    private ChangedSettings(TestServer server, string restore)
    {
        _server = server;
        _restore = restore;
    }

    /// <param name="server">where</param>
    /// <param name="settings">names with the values, as SQL</param>
    public static async Task<ChangedSettings> SetAsync(TestServer server, params (string Name, string Value)[] settings)
    {
        var restore = "";
        foreach (var (name, _) in settings)
        {
            restore += $"SET GLOBAL {name} = {await ServerClient.ScalarAsync(server, null, $"SELECT QUOTE(@@GLOBAL.{name});")};\n";
        }

        // Numbers do not come in quotes.
        var changed = new ChangedSettings(server, System.Text.RegularExpressions.Regex.Replace(restore, @"'(\d+)'", "$1"));
        await ServerClient.RunAsync(
            server, null, string.Concat(settings.Select(setting => $"SET GLOBAL {setting.Name} = {setting.Value};\n")));
        return changed;
    }

    public async ValueTask DisposeAsync()
    {
        for (var tries = 1; ; tries++)
        {
            try
            {
                await ServerClient.RunAsync(_server, null, _restore);
                return;
            }
            catch (InvalidOperationException fault) when (tries < MaxTries
                && fault.Message.Contains("ERROR 1040", StringComparison.Ordinal))
            {
                // A full server has room for one administrator, and the one before may not be quite gone.
                await Task.Delay(100);
            }
        }
    }
}
