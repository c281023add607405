namespace BulkLoad.Core.Protocol;

/// <summary><c>mysql://user:pass@host:port/db?ssl-mode=...</c> (RFC 3986; <c>mariadb://</c> too). Errors say what is wrong but never repeat
/// a part of the URL: in a malformed one the password may stand anywhere.</summary>
internal static class ConnectionUrl
{
    public const string Variable = "BULKLOAD_URL";

    public const string Example = "mysql://USER:PASSWORD@127.0.0.1:3306/DATABASE";

    /// <summary>Beginnings of URLs for other kinds of servers.</summary>
    private static readonly string[] OfOthers =
        ["postgres://", "postgresql://", "sqlserver://", "mssql://", "sqlite:", "oracle://", "mongodb", "redis"];

    private static readonly string[] OfFiles =
        ["http://", "https://", "s3://", "s3a://", "gs://", "gcs://", "ftp://", "ftps://", "sftp://", "az://", "abfs://", "hdfs://"];

    private static readonly string[] Schemes = ["mysql://", "mariadb://"];

    private static readonly string[] Parameters =
    [
        "ssl-mode", "ssl-ca", "ssl-cert", "ssl-key", "get-server-public-key", "server-public-key-path", "enable-cleartext-plugin",
        "connect-timeout", "read-timeout", "socket", "protocol",
    ];

    public static bool HasScheme(string text) => Schemes.Any(name => text.StartsWith(name, StringComparison.OrdinalIgnoreCase));

    public static bool IsOfFile(string text) => OfFiles.Any(start => text.StartsWith(start, StringComparison.OrdinalIgnoreCase));

    /// <summary>Whether it is a data source name of Go's driver, such as <c>user:pass@tcp(host:3306)/db</c>, which may have a
    /// password.</summary>
    public static bool IsOfGo(string text) =>
        text.Contains("@tcp(", StringComparison.OrdinalIgnoreCase) || text.Contains("@unix(", StringComparison.OrdinalIgnoreCase);

    /// <summary>Whether it is a connection string of names and values, such as <c>Server=db;Uid=app;Pwd=secret</c>, which has a
    /// password.</summary>
    public static bool IsOfPairs(string text) => text.Contains(';', StringComparison.Ordinal)
        && text.Split(';').Any(pair => Cut(pair, '=') is (var name, not null) && name.Trim().ToUpperInvariant() is "PWD" or "PASSWORD");

    /// <summary>Whether a word is, or may be meant as, the connection: it is no file, and may have a password.</summary>
    public static bool IsMeant(string text) => text.Contains("://", StringComparison.Ordinal) || IsOfGo(text) || IsOfPairs(text);

    /// <summary>The path of <c>file:///people.csv</c> (RFC 8089); null: no such word.</summary>
    public static string? LocalPath(string text) =>
        text.StartsWith("file://", StringComparison.OrdinalIgnoreCase) && Uri.TryCreate(text, UriKind.Absolute, out var address)
        && address is { IsFile: true, Host.Length: 0 } ? address.LocalPath : null;

    /// <param name="url">well-formed</param>
    public static string WithoutPassword(string url)
    {
        var from = url.IndexOf("://", StringComparison.Ordinal) + 3;
        var authority = url[from..].Split('/', '?')[0];
        var at = authority.LastIndexOf('@');
        return at < 0 ? url : $"{url[..from]}{Cut(authority[..at], ':').Before}{url[(from + at)..]}";
    }

    /// <param name="url">null or empty: nothing is set</param>
    /// <param name="name">of the variable or option that has the value</param>
    /// <exception cref="RequestException">it is malformed</exception>
    public static ConnectionSettings Read(string? url, string name = Variable)
    {
        try
        {
            return string.IsNullOrEmpty(url) ? new ConnectionSettings() : Read(url);
        }
        catch (FormatException wrong)
        {
            throw new RequestException($"{name}: {wrong.Message}");
        }
    }

    private static ConnectionSettings Read(string url)
    {
        var scheme = Schemes.FirstOrDefault(name => url.StartsWith(name, StringComparison.OrdinalIgnoreCase))
            ?? throw Wrong(WhyNot(url));
        var rest = url[scheme.Length..];
        if (rest.Contains('#', StringComparison.Ordinal))
        {
            throw Wrong("a '#' in a name or password must be written %23");
        }

        var (beforeQuery, query) = Cut(rest, '?');
        var (authority, database) = Cut(beforeQuery, '/');
        if (database?.Contains('@', StringComparison.Ordinal) == true)
        {
            // The text before the '@' may be a password, and is no host.
            throw Wrong("an '@' comes after the host (in a name or password '/' is written %2F, '@' %40)");
        }

        var at = authority.LastIndexOf('@');
        var settings = Account(at < 0 ? null : authority[..at]);
        settings = Server(settings, authority[(at + 1)..]);
        settings = string.IsNullOrEmpty(database) ? settings : settings with { Database = Decoded(database) };
        return string.IsNullOrEmpty(query) ? settings : query.Split('&').Aggregate(settings, Parameter);
    }

    /// <summary>What is wrong with a connection in another form.</summary>
    private static string WhyNot(string url)
    {
        bool Begins(string start) => url.StartsWith(start, StringComparison.OrdinalIgnoreCase);
        return Begins("jdbc:") ? "a JDBC URL is written mysql://user:pass@host:port/db here, without jdbc: and without its parameters"
            : Begins("mysql+") || Begins("mariadb+") ? $"without '+' and the driver behind it: {Example}"
            : Begins("mysqlx://") ? $"the X protocol is not spoken here: {Example}"
            : IsOfFile(url) ? ReadIt(url)
            : IsOfGo(url) ? "a data source name of Go is written mysql://user:pass@host:port/db here"
            : OfOthers.Any(Begins) ? $"it is for another kind of server; MySQL and MariaDB are reached by {Example}"
            : url.Contains('=', StringComparison.Ordinal) && !url.Contains("://", StringComparison.Ordinal)
                ? $"a connection string of names and values is written {Example} here"
            : $"it must begin with mysql:// or mariadb://, as in {Example}";
    }

    /// <summary>The address of a file may contain a secret, and is not shown.</summary>
    private static string ReadIt(string url)
    {
        var reader = url.StartsWith("s3:", StringComparison.OrdinalIgnoreCase) ? "aws s3 cp s3://BUCKET/FILE -"
            : url.StartsWith("gs:", StringComparison.OrdinalIgnoreCase) ? "gcloud storage cat gs://BUCKET/FILE"
            : "curl -sf URL";
        return $"it is the address of a file, and bulkload reads files and pipes: {reader} | bulkload import - --table NAME";
    }

    private static ConnectionSettings Account(string? text)
    {
        var (user, password) = Cut(text ?? "", ':');
        return new ConnectionSettings
        {
            User = user.Length == 0 ? null : Decoded(user),
            Password = password is null ? null : Decoded(password),
        };
    }

    private static ConnectionSettings Server(ConnectionSettings settings, string text)
    {
        var bracket = text.StartsWith('[') ? text.IndexOf(']', StringComparison.Ordinal) : 0;
        if (bracket < 0)
        {
            throw Wrong("an IPv6 address ends with ']'");
        }

        var host = bracket > 0 ? text[1..bracket] : Cut(text, ':').Before;
        var port = Cut(bracket > 0 ? text[(bracket + 1)..] : text, ':').After;
        if (bracket > 0 && port is null && bracket + 1 < text.Length)
        {
            throw Wrong("after ']' comes ':' and the port, or nothing");
        }

        return settings with { Host = host.Length == 0 ? null : Decoded(host), Port = string.IsNullOrEmpty(port) ? null : PortOf(port) };
    }

    private static int PortOf(string text)
    {
        try
        {
            return ConnectionText.ParsePort(text);
        }
        catch (FormatException)
        {
            throw Wrong("the port is not a number from 1 to 65535 (in a name or password ':' is written %3A, '/' %2F, '?' %3F, '@' %40)");
        }
    }

    private static ConnectionSettings Parameter(ConnectionSettings settings, string text)
    {
        var (name, value) = Cut(text, '=');
        if (!Parameters.Contains(name))
        {
            throw Wrong($"after '?' there is an unknown setting; known are {string.Join(", ", Parameters)}");
        }

        try
        {
            return settings.With(name, value is null ? null : Decoded(value))!;
        }
        catch (FormatException)
        {
            throw Wrong($"the value of '{name}' cannot be read");
        }
    }

    private static string Decoded(string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        var end = 0;
        for (var i = 0; i < bytes.Length; i++, end++)
        {
            if (bytes[i] != '%')
            {
                bytes[end] = bytes[i];
                continue;
            }

            if (i + 2 >= bytes.Length || !char.IsAsciiHexDigit((char)bytes[i + 1]) || !char.IsAsciiHexDigit((char)bytes[i + 2]))
            {
                throw Wrong("a '%' is not followed by two hexadecimal digits; '%' itself is written %25");
            }

            bytes[end] = Convert.FromHexString([(char)bytes[i + 1], (char)bytes[i + 2]])[0];
            i += 2;
        }

        return Encoding.UTF8.GetString(bytes, 0, end);
    }

    private static (string Before, string? After) Cut(string text, char at)
    {
        var index = text.IndexOf(at, StringComparison.Ordinal);
        return index < 0 ? (text, null) : (text[..index], text[(index + 1)..]);
    }

    private static FormatException Wrong(string what) => new(what);
}
