namespace BulkLoad.IntegrationTests;

/// <summary>How a test's session reaches its server.</summary>
public enum Way
{
    /// <summary>TCP in clear text.</summary>
    Plain,

    /// <summary>TCP under TLS.</summary>
    Tls,

    /// <summary>Its unix socket.</summary>
    Socket,
}
