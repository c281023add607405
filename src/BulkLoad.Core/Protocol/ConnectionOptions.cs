namespace BulkLoad.Core.Protocol;

/// <summary>How strict TLS must be (MySQL manual, "Command Options for Encrypted Connections").</summary>
public enum SslMode
{
    /// <summary>Never.</summary>
    Disabled,

    /// <summary>If the server offers it, otherwise unencrypted. Where <see cref="ConnectionOptions.SslCa"/> is given it is as
    /// <see cref="Required"/>: a user who names a CA does not want a connection whose encryption anybody on the way can prevent.</summary>
    Preferred,

    /// <summary>Always. The certificate is checked, as by <see cref="VerifyCa"/>, only where <see cref="ConnectionOptions.SslCa"/> is
    /// given.</summary>
    Required,

    /// <summary>Always; the certificate must be signed by a CA of <see cref="ConnectionOptions.SslCa"/>, which must be given.</summary>
    VerifyCa,

    /// <summary>Always; the certificate must be signed by a CA of <see cref="ConnectionOptions.SslCa"/>, or else of the system's, and name
    /// the host.</summary>
    VerifyIdentity,
}

/// <summary>Never printed whole: it contains the password.</summary>
internal sealed record ConnectionOptions
{
    /// <summary>Host name or address. <c>localhost</c> together with <see cref="Socket"/> means the unix socket, as in MySQL's
    /// clients.</summary>
    public string Host { get; init; } = "localhost";

    public int Port { get; init; } = 3306;

    /// <summary>Path of a unix socket, used instead of TCP; null: TCP.</summary>
    public string? Socket { get; init; }

    public string User { get; init; } = "";

    /// <summary>Null or empty: no password.</summary>
    public string? Password { get; init; }

    /// <summary>Default database; null for none.</summary>
    public string? Database { get; init; }

    public SslMode SslMode { get; init; } = SslMode.Preferred;

    /// <summary>PEM file with the CA certificates to trust; null: the system's, which only <see cref="SslMode.VerifyIdentity"/> may
    /// use.</summary>
    public string? SslCa { get; init; }

    /// <summary>Whether the server's certificate is checked against the CAs that the system trusts.</summary>
    public bool RestsOnSystemTrust => SslMode is SslMode.VerifyCa or SslMode.VerifyIdentity && SslCa is null;

    /// <summary>PEM.</summary>
    public string? SslCert { get; init; }

    /// <summary>PEM.</summary>
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

    /// <summary>For people: <c>127.0.0.1:3306</c>, <c>[::1]:3306</c> or the socket's path.</summary>
    internal string Endpoint => Socket ?? (Host.Contains(':') && !Host.StartsWith('[') ? $"[{Host}]:{Port}" : $"{Host}:{Port}");

    /// <summary>Everything but the secrets.</summary>
    public override string ToString() => $"{User}@{Endpoint}";
}
