using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security;
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

    /// <summary>Whether the connection must not continue in clear, whatever the server offers.</summary>
    public static bool IsDemanded(ConnectionOptions options) => options.SslMode switch
    {
        SslMode.Disabled => false,
        SslMode.Preferred => options.SslCa is not null,
        _ => true,
    };

    /// <summary>With a CA, the certificate is checked in every mode. MySQL's clients ignore the CA in some modes.</summary>
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

                    // Whatever the settings of the machine allow.
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

/// <summary>Certificate and key files of the options, read before connecting.</summary>
internal sealed class SecurityFiles : IDisposable
{
    private X509Certificate2? _own;

    /// <summary>Empty: the system's CAs.</summary>
    public X509Certificate2Collection Trusted { get; } = [];

    /// <summary>The client's certificate, with the chain in its file.</summary>
    public SslStreamCertificateContext? Own { get; private set; }

    public string? ServerKeyPem { get; private set; }

    public static SecurityFiles Load(ConnectionOptions options)
    {
        var files = new SecurityFiles();
        try
        {
            files.ServerKeyPem = options.ServerPublicKeyPath is { } path ? Read("--server-public-key-path", path) : null;
            if (options.SslMode != SslMode.Disabled)
            {
                files.LoadTrusted(options);
                files.LoadOwn(options);
            }

            return files;
        }
        catch
        {
            files.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        _own?.Dispose();
        foreach (var certificate in Trusted)
        {
            certificate.Dispose();
        }
    }

    private void LoadTrusted(ConnectionOptions options)
    {
        if (options.SslCa is { } path)
        {
            var pem = Read("--ssl-ca", path);
            Use($"--ssl-ca '{path}'", () => Trusted.ImportFromPem(pem));
            Require(Trusted.Count > 0, $"--ssl-ca '{path}' has no certificate in PEM form");
        }
        else
        {
            Require(
                options.SslMode != SslMode.VerifyCa,
                "--ssl-mode=verify-ca needs the CA that must have signed: give its file with --ssl-ca, or use --ssl-mode=verify-identity");
        }
    }

    private void LoadOwn(ConnectionOptions options)
    {
        if (options.SslCert is not { } path)
        {
            Require(options.SslKey is null, "--ssl-key is the key to a certificate: give that with --ssl-cert");
            return;
        }

        var pem = Read("--ssl-cert", path);
        var key = options.SslKey is { } keyPath ? Read("--ssl-key", keyPath) : pem;
        Require(key.Contains("PRIVATE KEY-----", StringComparison.Ordinal), options.SslKey is { } without
            ? $"--ssl-key '{without}' has no private key in PEM form"
            : $"--ssl-cert '{path}' has no private key in it: give that with --ssl-key");
        Use($"--ssl-cert '{path}' with its key", () =>
        {
            _own = ForThisSystem(X509Certificate2.CreateFromPem(pem, key));
            var chain = new X509Certificate2Collection();
            chain.ImportFromPem(pem);
            Own = SslStreamCertificateContext.Create(_own, chain, offline: true);
        });
    }

    private static X509Certificate2 ForThisSystem(X509Certificate2 certificate)
    {
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

    private static string Read(string option, string path)
    {
        Require(path.Length > 0, $"{option} names no file");
        var text = "";
        Use($"{option} '{path}'", () => text = File.ReadAllText(path));
        return text;
    }

    private static void Use(string what, Action load)
    {
        try
        {
            load();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException
            or SecurityException or CryptographicException)
        {
            // Without the cause, which would be retried: the file will be the same at the next try.
            throw new ConnectException($"cannot use {what}: {fault.Message}");
        }
    }

    private static void Require(bool isSo, string otherwise)
    {
        if (!isSo)
        {
            throw new ConnectException(otherwise);
        }
    }
}

/// <summary>Between TLS and the socket: knows how much of an incomplete record has come (RFC 8446, 5.1: five bytes of header, the last two
/// are the length). TLS delivers complete records before it reads more, so nothing else can be missing. <paramref name="onRead"/> gets that
/// number before each read.</summary>
internal sealed class TlsRecordStream(Stream transport, Action<int> onRead) : Stream
{
    private const int HeaderBytes = 5;

    private int _headerBytes;
    private int _bodyLeft;
    private int _length;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    private int Begun => _headerBytes < HeaderBytes ? _headerBytes : HeaderBytes + _length - _bodyLeft;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        onRead(Begun);
        var count = await transport.ReadAsync(buffer, cancellationToken);
        Pass(buffer.Span[..count]);
        return count;
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        transport.WriteAsync(buffer, cancellationToken);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        transport.WriteAsync(buffer, offset, count, cancellationToken);

    public override void Write(byte[] buffer, int offset, int count) => transport.Write(buffer, offset, count);

    public override void Flush() => transport.Flush();

    public override Task FlushAsync(CancellationToken cancellationToken) => transport.FlushAsync(cancellationToken);

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    private void Pass(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_headerBytes < HeaderBytes)
            {
                _length = _headerBytes < HeaderBytes - 2 ? 0 : (_length << 8) | bytes[0];
                _headerBytes++;
                _bodyLeft = _length;
                bytes = bytes[1..];
            }
            else
            {
                var passed = Math.Min(_bodyLeft, bytes.Length);
                _bodyLeft -= passed;
                bytes = bytes[passed..];
            }

            _headerBytes = _headerBytes == HeaderBytes && _bodyLeft == 0 ? 0 : _headerBytes;
        }
    }
}
