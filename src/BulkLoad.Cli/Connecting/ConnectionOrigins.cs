using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Connecting;

/// <param name="Name">as options and option files write it</param>
/// <param name="Value">for people; of a password only whether there is one</param>
/// <param name="Origin">the source, for people</param>
internal sealed record SettingOrigin(string Name, string Value, string Origin);

/// <summary>Names the source of each connection setting.</summary>
/// <param name="layers">the settings of each source, the nearest first: command line, URL, login path, option files, environment</param>
/// <param name="loginPath">file and group of each setting of the login path</param>
/// <param name="optionFiles">file and group of each setting of the option files</param>
internal sealed class ConnectionOrigins(
    IReadOnlyList<ConnectionSettings> layers,
    IReadOnlyDictionary<string, string> loginPath,
    IReadOnlyDictionary<string, string> optionFiles)
{
    private const string Default = "default";
    private const string CommandLine = "command line";

    private static readonly Dictionary<string, string> Variables = new(StringComparer.Ordinal)
    {
        ["host"] = "MYSQL_HOST",
        ["port"] = "MYSQL_TCP_PORT",
        ["socket"] = "MYSQL_UNIX_PORT",
        ["password"] = "MYSQL_PWD",
    };

    /// <summary>The settings that every connection has, and others that a source sets.</summary>
    /// <param name="options">the result of all sources</param>
    public IReadOnlyList<SettingOrigin> Of(ConnectionOptions options)
    {
        var settings = new List<SettingOrigin>();
        if (options.Socket is { } socket)
        {
            settings.Add(new SettingOrigin(
                "socket", socket, Find("socket") is { } said && said.Value == socket ? said.Origin : "default: it is there"));
        }
        else
        {
            settings.Add(Find("host") ?? new SettingOrigin("host", options.Host, Default));
            settings.Add(Find("port") ?? new SettingOrigin("port", $"{options.Port}", Default));
        }

        settings.Add(Find("user") ?? new SettingOrigin("user", options.User, "default: the login name"));
        settings.Add(Find("password") ?? new SettingOrigin("password", "none", Default));
        settings.Add(Find("database") ?? new SettingOrigin("database", "none", Default));
        settings.Add(Find("ssl-mode")
            ?? new SettingOrigin("ssl-mode", ConnectionText.Of(options.SslMode), options.SslCa is null ? Default : "default with ssl-ca"));
        string[] shown = ["host", "port", "socket", "user", "password", "database", "ssl-mode"];
        settings.AddRange(layers.SelectMany(layer => layer.Said()).Select(said => said.Name).Distinct().Where(
            name => !shown.Contains(name)).Select(name => Find(name)!));
        return settings;
    }

    /// <summary>Where the host and account of a failed connection come from; null: all were typed.</summary>
    /// <param name="options">the result of all sources</param>
    public string? Describe(ConnectionOptions options)
    {
        string[] asked = ["host", "port", "socket", "user", "password"];
        var settings = Of(options).Where(setting => asked.Contains(setting.Name)).ToList();
        if (settings.All(setting => setting.Origin == CommandLine))
        {
            return null;
        }

        var from = settings.GroupBy(setting => setting.Origin).Select(group => $"{string.Join(", ", group.Select(Shown))} ({group.Key})");
        var way = settings.All(setting => setting.Name == "socket" || setting.Origin.StartsWith(Default, StringComparison.Ordinal))
            ? $"say where the server is: export {ConnectionUrl.Variable}='{ConnectionUrl.Example}'"
            : "'bulkload doctor' shows all settings";
        return $"the connection was: {string.Join("; ", from)}; {way}";
    }

    private static string Shown(SettingOrigin setting) =>
        setting.Name != "password" ? $"{setting.Name} {setting.Value}" : setting.Value == "none" ? "no password" : "password";

    /// <summary>The setting of the nearest source; null: no source sets it.</summary>
    private SettingOrigin? Find(string name)
    {
        for (var i = 0; i < layers.Count; i++)
        {
            if (layers[i].Said().FirstOrDefault(said => said.Name == name) is { Value: { } value })
            {
                return new SettingOrigin(name, value, OriginOf(i, name));
            }
        }

        return null;
    }

    private string OriginOf(int layer, string name) => layer switch
    {
        0 => CommandLine,
        1 => ConnectionUrl.Variable,
        2 => loginPath.GetValueOrDefault(name, "login path"),
        3 => optionFiles.GetValueOrDefault(name, "option file"),
        _ => Variables.GetValueOrDefault(name, "environment"),
    };
}
