using System.Net.Security;
using System.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace BulkLoad.Core.Protocol;

/// <summary>Certificate and key files of the options, read before connecting.</summary>
internal sealed class SecurityFiles : IDisposable
{
    private X509Certificate2? _own;

    /// <summary>Empty: the system's.</summary>
    public X509Certificate2Collection Trusted { get; } = [];

    /// <summary>With the chain in its file.</summary>
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
            // Without the cause, which would be taken for one that passes: the file is the same another time.
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
