using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace BulkLoad.Core.Protocol;

/// <summary>TLS on a connection that began in clear (MySQL manual, "Command Options for Encrypted Connections").</summary>
internal static class TlsUpgrade
{
    private static readonly Oid ServerAuthentication = new("1.3.6.1.5.5.7.3.1");

    /// <summary>Refuses a check that would check nothing: any public CA signs for any name.</summary>
    /// <exception cref="ConnectException">verify-ca without a CA</exception>
    public static void RequireTrust(ConnectionOptions options)
    {
        if (options.SslMode == SslMode.VerifyCa && options.SslCa is null)
        {
            throw new ConnectException(
                "--ssl-mode=verify-ca needs the CA that must have signed: give its file with --ssl-ca, or use --ssl-mode=verify-identity");
        }
    }

    /// <summary>Whether this connection goes on under TLS.</summary>
    /// <exception cref="ServerException">it must, but the server does not offer it</exception>
    public static bool IsDue(ConnectionOptions options, Capabilities offered, Channel channel)
    {
        var isOffered = offered.HasFlag(Capabilities.Tls);
        return options.SslMode switch
        {
            SslMode.Disabled => false,
            SslMode.Preferred => isOffered && !channel.IsUnixSocket,
            _ when isOffered => true,
            _ => throw new ServerException(
                FaultKind.Configuration, "the server does not offer TLS, which --ssl-mode asks for"),
        };
    }

    /// <summary>Whether the server's certificate is checked.</summary>
    public static bool Verifies(SslMode mode) => mode is SslMode.VerifyCa or SslMode.VerifyIdentity;

    /// <exception cref="AuthenticationException">the handshake failed, or the certificate was refused; the message says why</exception>
    /// <exception cref="CryptographicException">a certificate file cannot be used</exception>
    public static async Task<SslStream> RunAsync(Stream plain, ConnectionOptions options, CancellationToken cancellationToken)
    {
        string? refusal = null;
        var stream = new SslStream(plain, leaveInnerStreamOpen: true);
        try
        {
            using var own = LoadOwn(options);
            await stream.AuthenticateAsClientAsync(
                new SslClientAuthenticationOptions
                {
                    TargetHost = options.Host,
                    CertificateChainPolicy = TrustPolicy(options),
                    ClientCertificateContext = own is null ? null : SslStreamCertificateContext.Create(own, null, offline: true),
                    RemoteCertificateValidationCallback = (_, certificate, chain, errors) =>
                        (refusal = Refusal(options, certificate, chain, errors)) is null,
                },
                cancellationToken);
            return stream;
        }
        catch (Exception fault)
        {
            await stream.DisposeAsync();
            if (refusal is not null && fault is AuthenticationException)
            {
                throw new AuthenticationException(refusal, fault);
            }

            throw;
        }
    }

    private static string? Refusal(ConnectionOptions options, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        if (!Verifies(options.SslMode))
        {
            return null;
        }

        if (certificate is null || errors.HasFlag(SslPolicyErrors.RemoteCertificateNotAvailable))
        {
            return "the server sent no certificate";
        }

        if (errors.HasFlag(SslPolicyErrors.RemoteCertificateChainErrors))
        {
            var reasons = chain?.ChainStatus.Select(status => status.StatusInformation.Trim()).Distinct() ?? [];
            return $"the server's certificate is not trusted ({string.Join("; ", reasons)}); "
                + (options.SslCa is null ? "give the file of its CA with --ssl-ca" : $"its CA must be in {options.SslCa} (--ssl-ca)");
        }

        return options.SslMode == SslMode.VerifyIdentity && errors.HasFlag(SslPolicyErrors.RemoteCertificateNameMismatch)
            ? $"the server's certificate is not for '{options.Host}'; use the name it was made for as --host, or --ssl-mode=verify-ca"
            : null;
    }

    private static X509ChainPolicy TrustPolicy(ConnectionOptions options)
    {
        var policy = new X509ChainPolicy
        {
            RevocationMode = X509RevocationMode.NoCheck,
            DisableCertificateDownloads = true,
            ApplicationPolicy = { ServerAuthentication },
        };
        if (Verifies(options.SslMode) && options.SslCa is { } path)
        {
            var trusted = new X509Certificate2Collection();
            trusted.ImportFromPemFile(path);
            policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            policy.CustomTrustStore.AddRange(trusted);
            policy.ExtraStore.AddRange(trusted);
        }

        return policy;
    }

    private static X509Certificate2? LoadOwn(ConnectionOptions options)
    {
        if (options.SslCert is not { } path)
        {
            return null;
        }

        var certificate = X509Certificate2.CreateFromPemFile(path, options.SslKey);
        if (!OperatingSystem.IsWindows())
        {
            return certificate;
        }

        // SChannel cannot use a key that lives in memory only.
        using (certificate)
        {
            return X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), null);
        }
    }
}
