namespace BulkLoad;

/// <summary>How a server is reached, as MySQL's own clients name it. Never printed whole: it contains the password.</summary>
public sealed record ConnectionOptions
{
    /// <summary>Host name or address. <c>localhost</c> together with <see cref="Socket"/> means the unix socket, as in MySQL's
    /// clients.</summary>
    public string Host { get; init; } = "localhost";

    /// <summary>The TCP port.</summary>
    public int Port { get; init; } = 3306;

    /// <summary>Path of a unix socket, used instead of TCP; null: TCP.</summary>
    public string? Socket { get; init; }

    /// <summary>The account.</summary>
    public string User { get; init; } = "";

    /// <summary>Null or empty: no password.</summary>
    public string? Password { get; init; }

    /// <summary>Default database; null for none.</summary>
    public string? Database { get; init; }

    /// <summary>How strict TLS must be.</summary>
    public SslMode SslMode { get; init; } = SslMode.Preferred;

    /// <summary>PEM file with the CA certificates to trust; null: the system's, which only <see cref="SslMode.VerifyIdentity"/> may
    /// use.</summary>
    public string? SslCa { get; init; }

    /// <summary>Whether the server's certificate is checked against the CAs that the system trusts.</summary>
    internal bool RestsOnSystemTrust => SslMode is SslMode.VerifyCa or SslMode.VerifyIdentity && SslCa is null;

    /// <summary>PEM file with the client's certificate; null: none.</summary>
    public string? SslCert { get; init; }

    /// <summary>PEM file with the key of <see cref="SslCert"/>.</summary>
    public string? SslKey { get; init; }

    /// <summary>Whether the client may ask for the server's RSA key over an unencrypted connection, and send the password under
    /// it.</summary>
    public bool GetServerPublicKey { get; init; }

    /// <summary>PEM file with the server's RSA public key.</summary>
    public string? ServerPublicKeyPath { get; init; }

    /// <summary>Whether the plugin mysql_clear_password, which shows the server the password itself, may be used.</summary>
    public bool EnableCleartextPlugin { get; init; }

    /// <summary>Limit of reaching the server and logging in.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Limit of the wait for the answer to a statement of a job; null: as long as the connection lasts.</summary>
    public TimeSpan? ReadTimeout { get; init; }

    /// <summary>How long a server that does not answer yet is tried again; null: it is tried once.</summary>
    public TimeSpan? Wait { get; init; }

    /// <summary>CLIENT_LOCAL_FILES.</summary>
    internal bool OffersLocalInfile { get; init; }

    /// <summary>CLIENT_MULTI_STATEMENTS, for measurements only.</summary>
    internal bool SendsSeveralStatements { get; init; }

    /// <summary>Whether the session blocks the thread that uses it. Such a session serves no files: that needs to read the server's answer
    /// while writing.</summary>
    internal bool KeepsThread { get; init; }

    internal bool CountsFoundRows { get; init; }

    /// <summary>What the sessions that are made from these options, or from copies of them, find out about the way to the server.</summary>
    internal RouteMemory Route { get; init; } = new();

    /// <summary>For people: <c>127.0.0.1:3306</c>, <c>[::1]:3306</c> or the socket's path.</summary>
    internal string Endpoint => Socket ?? (Host.Contains(':') && !Host.StartsWith('[') ? $"[{Host}]:{Port}" : $"{Host}:{Port}");

    /// <summary>Reads <c>mysql://user:password@host:port/database?ssl-mode=verify-identity</c> (<c>mariadb://</c> too). The parts before
    /// the question mark are percent-encoded (RFC 3986); behind it are MySQL's options with <c>&amp;</c> between them. Without
    /// <c>socket</c> it is TCP, for <c>localhost</c> too.</summary>
    /// <exception cref="BulkLoadException">it is malformed; the message repeats no part of it, since that may be the password</exception>
    public static ConnectionOptions Parse(string url) => Core.Protocol.ConnectionUrl.Read(url, "the connection's URL").ToOptions();

    /// <summary>Everything but the secrets.</summary>
    public override string ToString() => $"{User}@{Endpoint}";
}

/// <summary>Some proxies lose their place in commands that come before the answer to an earlier one (MySQL Router without TLS). One session
/// notices it, and all of the same job heed it.</summary>
internal sealed class RouteMemory
{
    private volatile bool _isStepwise;

    /// <summary>Whether no command may be sent before the answer to the one before it.</summary>
    public bool IsStepwise
    {
        get => _isStepwise;
        set => _isStepwise = value;
    }

    /// <summary>What was found out is no part of the options: two that say the same are equal.</summary>
    public override bool Equals(object? obj) => obj is RouteMemory;

    public override int GetHashCode() => 0;
}
