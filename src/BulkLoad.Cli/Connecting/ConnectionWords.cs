using BulkLoad.Cli.Options;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Connecting;

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
