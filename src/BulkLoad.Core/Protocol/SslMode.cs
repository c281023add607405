namespace BulkLoad;

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
