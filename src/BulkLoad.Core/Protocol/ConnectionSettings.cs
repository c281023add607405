namespace BulkLoad.Core.Protocol;

/// <summary>How the server is reached; a null of this type: no source says it.</summary>
internal enum Transport
{
    Tcp,
    Socket,
}

/// <summary>The connection settings of one source (command line, URL, login path, option files, environment); null: the source does not set
/// it. Never printed whole: it contains the password.</summary>
internal sealed record ConnectionSettings
{
    public string? Host { get; init; }

    public int? Port { get; init; }

    public string? Socket { get; init; }

    public Transport? Protocol { get; init; }

    public string? User { get; init; }

    public string? Password { get; init; }

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

    /// <summary>The value of a password that the user must be asked for.</summary>
    private static readonly object Asked = new();

    /// <summary>Each setting once, by its name in options, URLs and option files.</summary>
    private static readonly Setting[] All =
    [
        Text("host", said => said.Host, (said, host) => said with { Host = host }),
        Of("port", ConnectionText.ParsePort, said => said.Port, (said, port) => said with { Port = port }, port => $"{port}"),
        Text("socket", said => said.Socket, (said, path) => said with { Socket = path }),
        Of("protocol", ConnectionText.ParseProtocol, said => said.Protocol, (said, protocol) => said with { Protocol = protocol },
            protocol => protocol == Transport.Tcp ? "tcp" : "socket"),
        Text("user", said => said.User, (said, user) => said with { User = user }),
        new Setting("password", text => text ?? Asked, said => said.AsksPassword ? Asked : said.Password,
            (said, value) => said with { Password = value as string, AsksPassword = value == Asked },
            value => value == Asked ? "asked for" : value is "" ? "empty" : "given"),
        Text("database", said => said.Database, (said, name) => said with { Database = name }),
        Of("ssl-mode", ConnectionText.ParseSslMode, said => said.SslMode, (said, mode) => said with { SslMode = mode },
            ConnectionText.Of),
        Text("ssl-ca", said => said.SslCa, (said, file) => said with { SslCa = file }),
        Text("ssl-cert", said => said.SslCert, (said, file) => said with { SslCert = file }),
        Text("ssl-key", said => said.SslKey, (said, file) => said with { SslKey = file }),
        Switch("get-server-public-key", said => said.GetServerPublicKey, (said, isOn) => said with { GetServerPublicKey = isOn }),
        Text("server-public-key-path", said => said.ServerPublicKeyPath, (said, file) => said with { ServerPublicKeyPath = file }),
        Switch("enable-cleartext-plugin", said => said.EnableCleartextPlugin, (said, isOn) => said with { EnableCleartextPlugin = isOn }),
        Time("connect-timeout", said => said.ConnectTimeout, (said, time) => said with { ConnectTimeout = time }),
        Time("read-timeout", said => said.ReadTimeout, (said, time) => said with { ReadTimeout = time }),
        Time("wait", said => said.Wait, (said, time) => said with { Wait = time }),
    ];

    /// <summary>These settings, and the other's where these are null.</summary>
    public ConnectionSettings Over(ConnectionSettings other) => All.Aggregate(this, (said, setting) =>
        setting.Get(said) is null && setting.Get(other) is { } value ? setting.Set(said, value) : said);

    /// <summary>The option whose value differs from the other's; null: none.</summary>
    public string? ContradictedBy(ConnectionSettings other) => All
        .Where(setting => setting.Get(this) is { } here && setting.Get(other) is { } there && !here.Equals(there))
        .Select(setting => $"--{setting.Name}").FirstOrDefault();

    /// <summary>For people: names as in option files; of a password only that there is one.</summary>
    public IEnumerable<(string Name, string Value)> Said() =>
        from setting in All
        let value = setting.Get(this)
        where value is not null
        select (setting.Name, setting.Show(value));

    /// <summary>The settings with one more, by its name; null: there is no setting of that name.</summary>
    /// <param name="value">null: the name stood alone</param>
    /// <exception cref="FormatException">the value cannot be read</exception>
    public ConnectionSettings? Set(string name, string? value) =>
        Array.Find(All, setting => setting.Name == name) is { } known ? known.Set(this, known.Parse(value)) : null;

    /// <summary>With the defaults for what is not set.</summary>
    public ConnectionOptions ToOptions()
    {
        var unset = new ConnectionOptions();
        return new ConnectionOptions
        {
            Host = string.IsNullOrEmpty(Host) ? unset.Host : Host,
            Port = Port ?? unset.Port,
            Socket = Protocol == Transport.Tcp ? null : Socket,
            User = User ?? unset.User,
            Password = Password,
            Database = Database,
            SslMode = SslMode ?? (SslCa is null ? unset.SslMode : BulkLoad.SslMode.VerifyCa),
            SslCa = SslCa,
            SslCert = SslCert,
            SslKey = SslKey,
            GetServerPublicKey = GetServerPublicKey ?? unset.GetServerPublicKey,
            ServerPublicKeyPath = ServerPublicKeyPath,
            EnableCleartextPlugin = EnableCleartextPlugin ?? unset.EnableCleartextPlugin,
            ConnectTimeout = ConnectTimeout ?? unset.ConnectTimeout,
            ReadTimeout = ReadTimeout,
            Wait = Wait,
        };
    }

    /// <summary>Everything but the secrets.</summary>
    public override string ToString() => $"{User}@{Host}:{Port} {Socket}";

    private static Setting Text(
        string name, Func<ConnectionSettings, string?> get, Func<ConnectionSettings, string, ConnectionSettings> set) =>
        Of(name, text => text, get, set, text => text);

    private static Setting Switch(
        string name, Func<ConnectionSettings, bool?> get, Func<ConnectionSettings, bool, ConnectionSettings> set) =>
        new(name, text => ConnectionText.ParseSwitch(text), said => get(said), (said, isOn) => set(said, (bool)isOn),
            isOn => (bool)isOn ? "on" : "off");

    private static Setting Time(
        string name, Func<ConnectionSettings, TimeSpan?> get, Func<ConnectionSettings, TimeSpan, ConnectionSettings> set) =>
        Of(name, ConnectionText.ParseTimeout, said => get(said), set,
            time => $"{time.TotalSeconds.ToString(CultureInfo.InvariantCulture)} s");

    private static Setting Of<T>(string name, Func<string, T> parse, Func<ConnectionSettings, object?> get,
        Func<ConnectionSettings, T, ConnectionSettings> set, Func<T, string> show) where T : notnull =>
        new(name, text => parse(text ?? throw new FormatException("a value is missing")), get, (said, value) => set(said, (T)value),
            value => show((T)value));

    /// <param name="Parse">reads the text behind the name; null: the name stood alone</param>
    /// <param name="Get">null: the source does not set it</param>
    /// <param name="Show">for people</param>
    private sealed record Setting(string Name, Func<string?, object> Parse, Func<ConnectionSettings, object?> Get,
        Func<ConnectionSettings, object, ConnectionSettings> Set, Func<object, string> Show);
}

/// <summary>Spellings of the values of connection settings, the same in every source.</summary>
internal static class ConnectionText
{
    private static readonly (string Name, SslMode Mode)[] SslModes =
    [
        ("disabled", SslMode.Disabled), ("preferred", SslMode.Preferred), ("required", SslMode.Required),
        ("verify-ca", SslMode.VerifyCa), ("verify-identity", SslMode.VerifyIdentity),
    ];

    private static readonly (string, Transport)[] Transports = [("tcp", Transport.Tcp), ("socket", Transport.Socket)];

    private static readonly (string, bool)[] Switches =
        [("1", true), ("on", true), ("true", true), ("0", false), ("off", false), ("false", false)];

    public static int ParsePort(string text) => TypedValue.Whole(text, 1, 65535);

    /// <summary>MySQL writes VERIFY_CA, people write verify-ca.</summary>
    public static SslMode ParseSslMode(string text) => TypedValue.Choice(text.Replace('_', '-'), SslModes);

    public static Transport ParseProtocol(string text) => TypedValue.Choice(text, Transports);

    /// <param name="text">null: the name stood alone, which is on</param>
    public static bool ParseSwitch(string? text) => TypedValue.Choice(text ?? "1", Switches);

    /// <summary>Seconds.</summary>
    public static TimeSpan ParseTimeout(string text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var seconds) && seconds is > 0 and <= 86_400
            ? TimeSpan.FromSeconds(seconds)
            : throw new FormatException($"'{text}' is not a number of seconds");

    public static string Of(SslMode mode) => Array.Find(SslModes, word => word.Mode == mode).Name;

    /// <summary>The settings with one more, by its name in URLs and option files; null: there is no setting of that name.</summary>
    /// <param name="name">with dashes</param>
    /// <param name="value">null: the name stood alone</param>
    /// <exception cref="FormatException">the value cannot be read</exception>
    public static ConnectionSettings? With(this ConnectionSettings settings, string name, string? value) => name switch
    {
        // MariaDB's own names for MySQL's ssl-mode.
        "ssl" => settings.AtLeast(ParseSwitch(value) ? SslMode.Required : SslMode.Disabled),
        "skip-ssl" => settings with { SslMode = SslMode.Disabled },
        "ssl-verify-server-cert" => ParseSwitch(value) ? settings.AtLeast(SslMode.VerifyIdentity) : settings,

        // An option only.
        "wait" => null,
        _ => settings.Set(name, value),
    };

    /// <summary>The setting that a name of <see cref="With"/> sets: several names set <c>ssl-mode</c>.</summary>
    public static string SettingOf(string name) => name is "ssl" or "skip-ssl" or "ssl-verify-server-cert" ? "ssl-mode" : name;

    private static ConnectionSettings AtLeast(this ConnectionSettings settings, SslMode mode) =>
        mode == SslMode.Disabled || settings.SslMode is null || settings.SslMode < mode ? settings with { SslMode = mode } : settings;
}
