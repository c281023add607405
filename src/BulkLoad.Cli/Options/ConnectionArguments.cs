using System.CommandLine;
using BulkLoad.Cli.Connecting;
using BulkLoad.Core.Protocol;
using static BulkLoad.Cli.Options.OptionRole;

namespace BulkLoad.Cli.Options;

/// <summary>Where and how to connect, by the names of every MySQL client.</summary>
internal sealed class ConnectionArguments : OptionGroup<ConnectionSettings>
{
    /// <summary>Without a value, it asks for a password.</summary>
    public const string Password = "--password";

    /// <summary>Not for typing: carries the word with <c>://</c>.</summary>
    public const string Url = "--connection-url";

    private const string UrlWord = "the word with '://', which is the connection";

    private readonly OptionFileArguments _files = new();

    public ConnectionArguments() : base("Connection", NextCommand.Connection)
    {
        Text(Url, "URL", "mysql://user:pass@host:port/db", Way).In(NextCommand.None);
        Options[0].Hidden = true;
        Text("--host", "NAME", "server (default: localhost)", Way, (typed, host) => typed with { Host = host }, "-h")
            .InShortHelp(280).AlsoCalled("--hostname");
        Value("--port", "N", "TCP port (default: 3306)", Way, ConnectionText.ParsePort, (typed, port) => typed with { Port = port }, "-P");
        Text("--user", "NAME", "account (default: the login name)", Way, (typed, user) => typed with { User = user }, "-u")
            .InShortHelp(290).AlsoCalled("--username");
        Optional(Password, "SECRET",
            "password, attached: -pSECRET or --password=SECRET; alone it is asked for. An option file or MYSQL_PWD keep it off the "
                + "process list",
            Way, text => text, (typed, password) => typed with { Password = password, AsksPassword = password is null }, "-p")
            .InShortHelp(300, "password, attached: -pSECRET or --password=SECRET; alone it is asked for")
            .AlsoCalled("--pass", "that is --password=SECRET, or MYSQL_PWD").In(NextCommand.None);
        Input("--socket", "unix socket (default for localhost: the usual path, if it is there)",
            Way, (typed, path) => typed with { Socket = path }, "PATH", "-S");
        Value("--protocol", "NAME", "tcp or socket (default: by host, port and socket)",
            Way, ConnectionText.ParseProtocol, (typed, protocol) => typed with { Protocol = protocol });
        Text("--database", "NAME", "database of tables named without one", Way, (typed, name) => typed with { Database = name }, "-D")
            .InShortHelp(20).AlsoCalled("--db --schema-name");
        Value("--ssl-mode", "MODE",
            "disabled, preferred (default; with --ssl-ca as required), required, verify-ca (needs --ssl-ca, and is the default with it), "
                + "verify-identity",
            Way, ConnectionText.ParseSslMode, (typed, mode) => typed with { SslMode = mode })
            .AlsoCalled("--ssl", "that is --ssl-mode required").AlsoCalled("--skip-ssl --no-ssl", "that is --ssl-mode disabled");
        Input("--ssl-ca", "CA certificates to trust (PEM)", Way, (typed, file) => typed with { SslCa = file });
        Input("--ssl-cert", "client certificate (PEM)", Way, (typed, file) => typed with { SslCert = file });
        Input("--ssl-key", "the certificate's private key (PEM)", Way, (typed, file) => typed with { SslKey = file });
        Flag("--get-server-public-key",
            "ask the server for its RSA key, to send the password without TLS: anybody on the way can answer with another key",
            Way, typed => typed with { GetServerPublicKey = true });
        Input("--server-public-key-path", "the server's RSA key (PEM)",
            Way, (typed, file) => typed with { ServerPublicKeyPath = file });
        Flag("--enable-cleartext-plugin",
            "allow mysql_clear_password, which shows the server the password, over verified TLS or a unix socket of a trusted account",
            Way, typed => typed with { EnableCleartextPlugin = true });
        Value("--connect-timeout", "SECONDS",
            "bound on reaching the server, logging in, and each answer before the first record is sent, in which a wait for a lock may "
                + "take a minute more (default: 10)",
            Way, ConnectionText.ParseTimeout, (typed, time) => typed with { ConnectTimeout = time })
            .In(NextCommand.None);
        Value("--read-timeout", "SECONDS",
            "bound on the answer to each statement of a job; one that takes longer is a lost session, and is tried again (default: none)",
            Way, ConnectionText.ParseTimeout, (typed, time) => typed with { ReadTimeout = time })
            .In(NextCommand.None);
        Value("--wait", "TIME", "try to connect for so long, such as 60s: for a server that is just starting (default: try once)",
            Way, OptionParsers.Time, (typed, time) => typed with { Wait = time })
            .InShortHelp(330).In(NextCommand.None);
        Include(_files);
    }

    /// <summary>Combines the options and the connection's URL.</summary>
    /// <exception cref="RequestException">the URL is malformed, or contradicts an option</exception>
    public ConnectionSettings Bind(ParseResult words)
    {
        var typed = Apply(new ConnectionSettings(), words);
        var word = words.GetValue<string>(Url);
        var url = ConnectionUrl.Read(
            word,
            word is not null && ConnectionUrl.IsOfFile(word) ? "the word with '://'"
            : word is null || word.Contains("://", StringComparison.Ordinal) ? UrlWord
            : ConnectionUrl.IsOfGo(word) ? "the word with '@tcp(' or '@unix(', which is a connection"
            : "the word with a password in it, which is a connection");
        return typed.ContradictedBy(url) is { } option
            ? throw new RequestException($"{option} and the connection's URL contradict each other: leave one out")
            : typed.Over(url);
    }

    /// <exception cref="RequestException">two options contradict each other</exception>
    public OptionFileChoice BindOptionFiles(ParseResult words) => _files.Apply(new OptionFileChoice(), words) switch
    {
        { None: true } and ({ Only: not null } or { Extra: not null }) =>
            throw new RequestException("--no-defaults reads no option file: leave out --defaults-file and --defaults-extra-file"),
        var choice => choice,
    };

    /// <summary>The connection as it was typed, for a command that is printed: without its password, which -p asks for, and without time
    /// limits.</summary>
    public IEnumerable<string> Typed(ParseResult words)
    {
        var url = words.GetValue<string>(Url);
        string[] first = url is null ? [] : [ConnectionUrl.WithoutPassword(url)];
        string[] last = Bind(words) is { Password: not null } or { AsksPassword: true } ? ["-p"] : [];
        var printed = Options.Where(option => option.Notes().NextCommand == NextCommand.Connection);
        return [.. first, .. Typed(words, printed, isShort: true), .. last];
    }

    private sealed class OptionFileArguments : OptionGroup<OptionFileChoice>
    {
        public OptionFileArguments() : base("", NextCommand.Connection)
        {
            Input("--defaults-file", "read this option file only", Way, (choice, file) => choice with { Only = file });
            Input("--defaults-extra-file", "read this option file too", Way, (choice, file) => choice with { Extra = file });
            Text("--defaults-group-suffix", "TEXT", "read the groups with this suffix too, such as [client_test]",
                Way, (choice, suffix) => choice with { GroupSuffix = suffix });
            Text("--login-path", "NAME", "read this group of the login path file (mysql_config_editor)",
                Way, (choice, name) => choice with { LoginPath = name });
            Flag("--no-defaults", "read no option file", Way, choice => choice with { None = true });
        }
    }
}
