using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace BulkLoad.Core.Protocol;

/// <summary>TLS on a connection that began in clear (MySQL manual, "Command Options for Encrypted Connections").</summary>
internal static class TlsUpgrade
{
    private static readonly Oid ServerAuthentication = new("1.3.6.1.5.5.7.3.1");

    /// <summary>Whether the connection continues under TLS. Throws if it must, and the server does not offer it.</summary>
    public static bool IsDue(ConnectionOptions options, Capabilities offered, ChannelSecurity channel)
    {
        var isOffered = offered.HasFlag(Capabilities.Tls);
        if (!IsDemanded(options))
        {
            return options.SslMode == SslMode.Preferred && isOffered && !channel.IsUnixSocket;
        }

        return isOffered
            ? true
            : throw new ServerException(
                FaultKind.Configuration,
                $"the server does not offer TLS, which {(options.SslMode == SslMode.Preferred ? "--ssl-ca" : "--ssl-mode")} asks for");
    }

    /// <summary>Whether the server has no choice.</summary>
    public static bool IsDemanded(ConnectionOptions options) => options.SslMode switch
    {
        SslMode.Disabled => false,
        SslMode.Preferred => options.SslCa is not null,
        _ => true,
    };

    /// <summary>With a CA the certificate is always checked, also where the mode would not. MySQL's clients ignore the CA then.</summary>
    public static bool Verifies(ConnectionOptions options) =>
        options.SslMode is SslMode.VerifyCa or SslMode.VerifyIdentity || options.SslCa is not null;

    public static async Task<SslStream> RunAsync(
        Stream plain, ConnectionOptions options, SecurityFiles files, CancellationToken cancellationToken)
    {
        string? refusal = null;
        var stream = new SslStream(plain, leaveInnerStreamOpen: true);
        try
        {
            await stream.AuthenticateAsClientAsync(
                new SslClientAuthenticationOptions
                {
                    TargetHost = options.Host,
                    CertificateChainPolicy = TrustPolicy(options, files),
                    ClientCertificateContext = files.Own,

                    // Whatever the machine's own settings still allow.
                    EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
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
        if (!Verifies(options))
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

    private static X509ChainPolicy TrustPolicy(ConnectionOptions options, SecurityFiles files)
    {
        var policy = new X509ChainPolicy
        {
            RevocationMode = X509RevocationMode.NoCheck,
            DisableCertificateDownloads = true,
            ApplicationPolicy = { ServerAuthentication },
        };
        if (options.SslCa is not null)
        {
            policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            policy.CustomTrustStore.AddRange(files.Trusted);
            policy.ExtraStore.AddRange(files.Trusted);
        }

        return policy;
    }
}
