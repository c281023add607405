using System.CommandLine;
using BulkLoad.Cli.Connecting;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Options;

/// <summary>Where and how to connect, by the names of every MySQL client.</summary>
internal sealed class ConnectionArguments : ArgumentGroup
{
    /// <summary>The option that asks for a password where it stands alone.</summary>
    public const string Password = "--password";

    /// <summary>Not for typing: it brings the word with <c>://</c>.</summary>
    public const string Url = "--connection-url";

    /// <summary>What an error calls that word.</summary>
    private const string UrlWord = "the word with '://', which is the connection";

    private readonly Option<string?> _url;
    private readonly Option<string?> _host;
    private readonly Option<int?> _port;
    private readonly Option<string?> _user;
    private readonly Option<string?> _password;
    private readonly Option<string?> _socket;
    private readonly Option<Transport?> _protocol;
    private readonly Option<string?> _database;
    private readonly Option<SslMode?> _sslMode;
    private readonly Option<string?> _sslCa;
    private readonly Option<string?> _sslCert;
    private readonly Option<string?> _sslKey;
    private readonly Option<bool> _getServerPublicKey;
    private readonly Option<string?> _serverPublicKeyPath;
    private readonly Option<bool> _enableCleartextPlugin;
    private readonly Option<TimeSpan?> _connectTimeout;
    private readonly Option<TimeSpan?> _readTimeout;
    private readonly Option<TimeSpan?> _wait;
    private readonly Option<string?> _defaultsFile;
    private readonly Option<string?> _defaultsExtraFile;
    private readonly Option<string?> _defaultsGroupSuffix;
    private readonly Option<string?> _loginPath;
    private readonly Option<bool> _noDefaults;

    public ConnectionArguments() : base("Connection")
    {
        _url = Text(Url, "URL", "mysql://user:pass@host:port/db");
        _url.Hidden = true;
        _host = Text("--host", "NAME", "server (default: localhost)", "-h");
        _port = Value("--port", "N", "TCP port (default: 3306)", ConnectionWords.ParsePort, "-P");
        _user = Text("--user", "NAME", "account (default: the login name)", "-u");
        _password = Declare(
            new Option<string?>(Password, "-p") { Arity = ArgumentArity.ZeroOrOne },
            "password, attached: -pSECRET or --password=SECRET; alone it is asked for. An option file or MYSQL_PWD keep it off the "
                + "process list",
            "SECRET");
        _socket = Text("--socket", "PATH", "unix socket (default for localhost: the usual path, if it is there)", "-S");
        _protocol = Value("--protocol", "NAME", "tcp or socket (default: by host, port and socket)", ConnectionWords.ParseProtocol);
        _database = Text("--database", "NAME", "database of tables named without one", "-D");
        _sslMode = Value(
            "--ssl-mode",
            "MODE",
            "disabled, preferred (default; with --ssl-ca as required), required, verify-ca (needs --ssl-ca, and is the default with it), "
                + "verify-identity",
            ConnectionWords.ParseSslMode);
        _sslCa = Text("--ssl-ca", "FILE", "CA certificates to trust (PEM)");
        _sslCert = Text("--ssl-cert", "FILE", "client certificate (PEM)");
        _sslKey = Text("--ssl-key", "FILE", "the certificate's private key (PEM)");
        _getServerPublicKey = Flag("--get-server-public-key",
            "ask the server for its RSA key, to send the password without TLS: anybody on the way can answer with another key");
        _serverPublicKeyPath = Text("--server-public-key-path", "FILE", "the server's RSA key (PEM)");
        _enableCleartextPlugin = Flag("--enable-cleartext-plugin",
            "allow mysql_clear_password, which shows the server the password, over verified TLS or a unix socket of a trusted account");
        _connectTimeout = Value("--connect-timeout", "SECONDS",
            "bound on reaching the server, logging in, and each answer before the first record is sent, in which a wait for a lock may "
                + "take a minute more (default: 10)",
            ConnectionWords.ParseTimeout);
        _readTimeout = Value("--read-timeout", "SECONDS",
            "bound on the answer to each statement of a job; one that takes longer is a lost session, and is tried again (default: none)",
            ConnectionWords.ParseTimeout);
        _wait = Value("--wait", "TIME", "try to connect for so long, such as 60s: for a server that is just starting (default: try once)",
            OptionParsers.Time);
        _defaultsFile = Text("--defaults-file", "FILE", "read this option file only");
        _defaultsExtraFile = Text("--defaults-extra-file", "FILE", "read this option file too");
        _defaultsGroupSuffix = Text("--defaults-group-suffix", "TEXT", "read the groups with this suffix too, such as [client_test]");
        _loginPath = Text("--login-path", "NAME", "read this group of the login path file (mysql_config_editor)");
        _noDefaults = Flag("--no-defaults", "read no option file");
    }

    /// <summary>What options and the connection's URL say together.</summary>
    /// <exception cref="RequestException">the URL is malformed, or says something else than an option</exception>
    public ConnectionSettings Bind(ParseResult words)
    {
        var typed = BindOptions(words);
        var word = words.GetValue(_url);
        var url = ConnectionUrl.Read(
            word, word is not null && ConnectionUrl.IsOfGo(word) ? "the word with '@tcp(' or '@unix(', which is a connection" : UrlWord);
        return typed.ContradictedBy(url) is { } option
            ? throw new RequestException($"{option} and the connection's URL contradict each other: leave one out")
            : typed.Over(url);
    }

    /// <summary>The connection as it was typed, for a command that is printed: without its password, which -p asks for, and without time
    /// limits.</summary>
    public IEnumerable<string> Typed(ParseResult words)
    {
        Option[] left = [_url, _password, _connectTimeout, _readTimeout, _wait];
        var url = words.GetValue(_url);
        var hasPassword = words.GetResult(_password) is { Implicit: false } || (url is not null && Bind(words).Password is not null);
        string[] first = url is null ? [] : [ConnectionUrl.WithoutPassword(url)];
        string[] last = hasPassword ? ["-p"] : [];
        return [.. first, .. Typed(words, Options.Except(left), isShort: true), .. last];
    }

    private ConnectionSettings BindOptions(ParseResult words) => new()
    {
        Host = words.GetValue(_host),
        Port = words.GetValue(_port),
        Socket = words.GetValue(_socket),
        Protocol = words.GetValue(_protocol),
        User = words.GetValue(_user),
        Password = words.GetValue(_password),
        AsksPassword = words.GetResult(_password) is { Tokens.Count: 0, Implicit: false },
        Database = words.GetValue(_database),
        SslMode = words.GetValue(_sslMode),
        SslCa = words.GetValue(_sslCa),
        SslCert = words.GetValue(_sslCert),
        SslKey = words.GetValue(_sslKey),
        GetServerPublicKey = words.GetValue(_getServerPublicKey) ? true : null,
        ServerPublicKeyPath = words.GetValue(_serverPublicKeyPath),
        EnableCleartextPlugin = words.GetValue(_enableCleartextPlugin) ? true : null,
        ConnectTimeout = words.GetValue(_connectTimeout),
        ReadTimeout = words.GetValue(_readTimeout),
        Wait = words.GetValue(_wait),
    };

    /// <exception cref="RequestException">two options contradict each other</exception>
    public OptionFileChoice BindOptionFiles(ParseResult words)
    {
        var choice = new OptionFileChoice
        {
            None = words.GetValue(_noDefaults),
            Only = words.GetValue(_defaultsFile),
            Extra = words.GetValue(_defaultsExtraFile),
            GroupSuffix = words.GetValue(_defaultsGroupSuffix) ?? "",
            LoginPath = words.GetValue(_loginPath),
        };
        return choice is { None: true } and ({ Only: not null } or { Extra: not null })
            ? throw new RequestException("--no-defaults reads no option file: leave out --defaults-file and --defaults-extra-file")
            : choice;
    }
}
