using BulkLoad.Cli.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Connecting;

/// <summary>Over what the server is reached; null where nobody says.</summary>
internal enum Transport
{
    Tcp,
    Socket,
}

/// <summary>
/// What one source (command line, URL, login path, option files, environment) says of the connection; null: nothing.
/// Never printed whole: it holds the password.
/// </summary>
internal sealed record ConnectionSettings
{
    public string? Host { get; init; }

    public int? Port { get; init; }

    public string? Socket { get; init; }

    public Transport? Protocol { get; init; }

    public string? User { get; init; }

    public string? Password { get; init; }

    /// <summary>The password is to be asked for.</summary>
    public bool AsksPassword { get; init; }

    public string? Database { get; init; }

    public SslMode? SslMode { get; init; }

    public string? SslCa { get; init; }

    public string? SslCert { get; init; }

    public string? SslKey { get; init; }

    public bool? GetServerPublicKey { get; init; }

    public string? ServerPublicKeyPath { get; init; }

    public bool? EnableCleartextPlugin { get; init; }

    public TimeSpan? ConnectTimeout { get; init; }

    public TimeSpan? ReadTimeout { get; init; }

    public TimeSpan? Wait { get; init; }

    private bool SaysPassword => AsksPassword || Password is not null;

    /// <summary>These settings, and the other's where these say nothing.</summary>
    public ConnectionSettings Over(ConnectionSettings other) => new()
    {
        Host = Host ?? other.Host,
        Port = Port ?? other.Port,
        Socket = Socket ?? other.Socket,
        Protocol = Protocol ?? other.Protocol,
        User = User ?? other.User,
        Password = SaysPassword ? Password : other.Password,
        AsksPassword = SaysPassword ? AsksPassword : other.AsksPassword,
        Database = Database ?? other.Database,
        SslMode = SslMode ?? other.SslMode,
        SslCa = SslCa ?? other.SslCa,
        SslCert = SslCert ?? other.SslCert,
        SslKey = SslKey ?? other.SslKey,
        GetServerPublicKey = GetServerPublicKey ?? other.GetServerPublicKey,
        ServerPublicKeyPath = ServerPublicKeyPath ?? other.ServerPublicKeyPath,
        EnableCleartextPlugin = EnableCleartextPlugin ?? other.EnableCleartextPlugin,
        ConnectTimeout = ConnectTimeout ?? other.ConnectTimeout,
        ReadTimeout = ReadTimeout ?? other.ReadTimeout,
        Wait = Wait ?? other.Wait,
    };

    /// <summary>The option whose value differs from what the other says; null: none.</summary>
    public string? ContradictedBy(ConnectionSettings other)
    {
        (string Option, object? Here, object? There)[] both =
        [
            ("--host", Host, other.Host), ("--port", Port, other.Port), ("--socket", Socket, other.Socket),
            ("--protocol", Protocol, other.Protocol),
            ("--user", User, other.User), ("--password", AsksPassword ? AsksPassword : Password, other.Password),
            ("--database", Database, other.Database),
            ("--ssl-mode", SslMode, other.SslMode), ("--ssl-ca", SslCa, other.SslCa), ("--ssl-cert", SslCert, other.SslCert),
            ("--ssl-key", SslKey, other.SslKey),
            ("--get-server-public-key", GetServerPublicKey, other.GetServerPublicKey),
            ("--server-public-key-path", ServerPublicKeyPath, other.ServerPublicKeyPath),
            ("--enable-cleartext-plugin", EnableCleartextPlugin, other.EnableCleartextPlugin),
            ("--connect-timeout", ConnectTimeout, other.ConnectTimeout),
        ];
        return Array.Find(both, setting => setting is { Here: not null, There: not null } && !setting.Here.Equals(setting.There)).Option;
    }

    /// <summary>What this source says, for people: names as in option files; of a password only that there is one.</summary>
    public IEnumerable<(string Name, string Value)> Said()
    {
        (string Name, string? Value)[] all =
        [
            ("host", Host), ("port", Port?.ToString(CultureInfo.InvariantCulture)), ("socket", Socket),
            ("protocol", Protocol is null ? null : Protocol == Transport.Tcp ? "tcp" : "socket"),
            ("user", User), ("password", AsksPassword ? "asked for" : Password is null ? null : Password.Length == 0 ? "empty" : "given"),
            ("database", Database),
            ("ssl-mode", SslMode is { } mode ? ConnectionOrigins.WordOf(mode) : null), ("ssl-ca", SslCa), ("ssl-cert", SslCert),
            ("ssl-key", SslKey),
            ("get-server-public-key", WordOf(GetServerPublicKey)), ("server-public-key-path", ServerPublicKeyPath),
            ("enable-cleartext-plugin", WordOf(EnableCleartextPlugin)),
            ("connect-timeout", WordOf(ConnectTimeout)), ("read-timeout", WordOf(ReadTimeout)), ("wait", WordOf(Wait)),
        ];
        return all.Where(setting => setting.Value is not null).Select(setting => (setting.Name, setting.Value!));
    }

    private static string? WordOf(bool? isOn) => isOn is null ? null : isOn.Value ? "on" : "off";

    private static string? WordOf(TimeSpan? time) =>
        time is { } given ? $"{given.TotalSeconds.ToString(CultureInfo.InvariantCulture)} s" : null;

    /// <summary>Everything but the secrets.</summary>
    public override string ToString() => $"{User}@{Host}:{Port} {Socket}";
}

/// <summary>Which option files are read.</summary>
internal sealed record OptionFileChoice
{
    /// <summary>None but the login path file.</summary>
    public bool None { get; init; }

    /// <summary>Only this one.</summary>
    public string? Only { get; init; }

    /// <summary>This one too, after the machine's and before the user's.</summary>
    public string? Extra { get; init; }

    /// <summary>Groups with this suffix are read too.</summary>
    public string GroupSuffix { get; init; } = "";

    /// <summary>The group of the login path file.</summary>
    public string? LoginPath { get; init; }
}

/// <summary>How the values of connection settings are spelled, the same in every source.</summary>
internal static class ConnectionWords
{
    private static readonly (string, SslMode)[] SslModes =
    [
        ("disabled", SslMode.Disabled), ("preferred", SslMode.Preferred), ("required", SslMode.Required),
        ("verify-ca", SslMode.VerifyCa), ("verify-identity", SslMode.VerifyIdentity),
    ];

    private static readonly (string, Transport)[] Transports = [("tcp", Transport.Tcp), ("socket", Transport.Socket)];

    private static readonly (string, bool)[] Switches =
        [("1", true), ("on", true), ("true", true), ("0", false), ("off", false), ("false", false)];

    public static int ParsePort(string text) => OptionParsers.Whole(text, 1, 65535);

    /// <summary>MySQL writes VERIFY_CA, people write verify-ca.</summary>
    public static SslMode ParseSslMode(string text) => OptionParsers.Choice(text.Replace('_', '-'), SslModes);

    public static Transport ParseProtocol(string text) => OptionParsers.Choice(text, Transports);

    public static bool ParseSwitch(string text) => OptionParsers.Choice(text, Switches);

    /// <summary>Seconds.</summary>
    public static TimeSpan ParseTimeout(string text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var seconds) && seconds is > 0 and <= 86_400
            ? TimeSpan.FromSeconds(seconds)
            : throw new FormatException($"'{text}' is not a number of seconds");

    /// <summary>The settings with one more, by its name in URLs and option files; null: there is none of that name.</summary>
    /// <param name="settings">what was said so far</param>
    /// <param name="name">with dashes</param>
    /// <param name="value">null: the name stood alone</param>
    /// <exception cref="FormatException">the value cannot be read</exception>
    public static ConnectionSettings? With(this ConnectionSettings settings, string name, string? value) => name switch
    {
        "host" => settings with { Host = Given(value) },
        "port" => settings with { Port = ParsePort(Given(value)) },
        "socket" => settings with { Socket = Given(value) },
        "protocol" => settings with { Protocol = ParseProtocol(Given(value)) },
        "user" => settings with { User = Given(value) },
        "password" => settings with { Password = value, AsksPassword = value is null },
        "database" => settings with { Database = Given(value) },
        "ssl-mode" => settings with { SslMode = ParseSslMode(Given(value)) },
        "ssl-ca" => settings with { SslCa = Given(value) },
        "ssl-cert" => settings with { SslCert = Given(value) },
        "ssl-key" => settings with { SslKey = Given(value) },
        "get-server-public-key" => settings with { GetServerPublicKey = ParseSwitch(value ?? "1") },
        "server-public-key-path" => settings with { ServerPublicKeyPath = Given(value) },
        "enable-cleartext-plugin" => settings with { EnableCleartextPlugin = ParseSwitch(value ?? "1") },
        "connect-timeout" => settings with { ConnectTimeout = ParseTimeout(Given(value)) },
        "read-timeout" => settings with { ReadTimeout = ParseTimeout(Given(value)) },

        // MariaDB's own words for what MySQL calls ssl-mode.
        "ssl" => settings.AtLeast(ParseSwitch(value ?? "1") ? SslMode.Required : SslMode.Disabled),
        "skip-ssl" => settings with { SslMode = SslMode.Disabled },
        "ssl-verify-server-cert" => ParseSwitch(value ?? "1") ? settings.AtLeast(SslMode.VerifyIdentity) : settings,
        _ => null,
    };

    /// <summary>The setting that a name of <see cref="With"/> is about: several names say <c>ssl-mode</c>.</summary>
    public static string SettingOf(string name) => name is "ssl" or "skip-ssl" or "ssl-verify-server-cert" ? "ssl-mode" : name;

    private static ConnectionSettings AtLeast(this ConnectionSettings settings, SslMode mode) =>
        mode == SslMode.Disabled || settings.SslMode is null || settings.SslMode < mode ? settings with { SslMode = mode } : settings;

    private static string Given(string? value) => value ?? throw new FormatException("a value is missing");
}
