using System.CommandLine;
using BulkLoad.Cli.Connecting;
using BulkLoad.Core;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Options;

/// <summary>Where and how to connect, by the names of every MySQL client.</summary>
internal sealed class ConnectionArguments : ArgumentGroup
{
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
    private readonly Option<TimeSpan?> _connectTimeout;
    private readonly Option<TimeSpan?> _readTimeout;
    private readonly Option<string?> _defaultsFile;
    private readonly Option<string?> _defaultsExtraFile;
    private readonly Option<string?> _defaultsGroupSuffix;
    private readonly Option<string?> _loginPath;
    private readonly Option<bool> _noDefaults;

    public ConnectionArguments()
        : base("Connection")
    {
        _host = Text("--host", "NAME", "server (default: localhost)", "-h");
        _port = Value("--port", "N", "TCP port (default: 3306)", ConnectionWords.ParsePort, "-P");
        _user = Text("--user", "NAME", "account (default: the login name)", "-u");
        _password = Declare(
            new Option<string?>("--password", "-p") { Arity = ArgumentArity.ZeroOrOne },
            "password, attached: -pSECRET or --password=SECRET; alone it is asked for. An option file or MYSQL_PWD keep it off the process list",
            "SECRET");
        _socket = Text("--socket", "PATH", "unix socket (default for localhost: the usual path, if it is there)", "-S");
        _protocol = Value("--protocol", "NAME", "tcp or socket (default: by host, port and socket)", ConnectionWords.ParseProtocol);
        _database = Text("--database", "NAME", "database of tables named without one", "-D");
        _sslMode = Value(
            "--ssl-mode",
            "MODE",
            "disabled, preferred (default), required, verify-ca (needs --ssl-ca, and is the default with it), verify-identity",
            ConnectionWords.ParseSslMode);
        _sslCa = Text("--ssl-ca", "FILE", "CA certificates to trust (PEM)");
        _sslCert = Text("--ssl-cert", "FILE", "client certificate (PEM)");
        _sslKey = Text("--ssl-key", "FILE", "the certificate's private key (PEM)");
        _getServerPublicKey = Flag("--get-server-public-key", "ask the server for its RSA key, to send the password without TLS");
        _serverPublicKeyPath = Text("--server-public-key-path", "FILE", "the server's RSA key (PEM)");
        _connectTimeout = Value("--connect-timeout", "SECONDS", "bound on reaching the server, logging in, and each answer before the first record is sent, in which a wait for a lock may take a minute more (default: 10)", ConnectionWords.ParseTimeout);
        _readTimeout = Value("--read-timeout", "SECONDS", "bound on the answer to each statement of a job; one that takes longer is a lost session, and is tried again (default: none)", ConnectionWords.ParseTimeout);
        _defaultsFile = Text("--defaults-file", "FILE", "read this option file only");
        _defaultsExtraFile = Text("--defaults-extra-file", "FILE", "read this option file too");
        _defaultsGroupSuffix = Text("--defaults-group-suffix", "TEXT", "read the groups with this suffix too, such as [client_test]");
        _loginPath = Text("--login-path", "NAME", "read this group of the login path file (mysql_config_editor)");
        _noDefaults = Flag("--no-defaults", "read no option file");
    }

    public ConnectionSettings Bind(ParseResult words) => new()
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
        ConnectTimeout = words.GetValue(_connectTimeout),
        ReadTimeout = words.GetValue(_readTimeout),
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
