using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace BulkLoad.Tests.Protocol;

/// <summary>A CA, one below it, and certificates that they sign, in PEM files of a folder that is deleted at the end.</summary>
internal sealed class TestCertificates : IDisposable
{
    private const string ServerUse = "1.3.6.1.5.5.7.3.1";
    private const string ClientUse = "1.3.6.1.5.5.7.3.2";

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload-tls-").FullName;

    public TestCertificates()
    {
        Root = CreateCa("root", null);
        Middle = CreateCa("middle", Root);
        Other = CreateCa("other", null);
    }

    public X509Certificate2 Root { get; }

    /// <summary>A CA that the root has signed.</summary>
    public X509Certificate2 Middle { get; }

    public X509Certificate2 Other { get; }

    public string File(string name, params X509Certificate2[] certificates)
    {
        var path = Path.Combine(_folder, name);
        System.IO.File.WriteAllText(path, string.Concat(certificates.Select(certificate => certificate.ExportCertificatePem() + "\n")));
        return path;
    }

    public string KeyFile(string name, X509Certificate2 certificate)
    {
        var path = Path.Combine(_folder, name);
        using var key = certificate.GetECDsaPrivateKey()!;
        System.IO.File.WriteAllText(path, key.ExportPkcs8PrivateKeyPem());
        return path;
    }

    /// <param name="issuer">who signs</param>
    /// <param name="isExpired">whether it ended yesterday</param>
    /// <param name="isForClients">a client's certificate instead of a server's for <c>db.example</c></param>
    public static X509Certificate2 Sign(X509Certificate2 issuer, bool isExpired = false, bool isForClients = false)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=test", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("db.example");
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(isForClients ? ClientUse : ServerUse)], false));
        var now = DateTimeOffset.UtcNow;
        using var certificate = request.Create(
            issuer, now.AddDays(-5), isExpired ? now.AddDays(-1) : now.AddDays(5), RandomNumberGenerator.GetBytes(8));
        return certificate.CopyWithPrivateKey(key);
    }

    public void Dispose()
    {
        Root.Dispose();
        Middle.Dispose();
        Other.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private static X509Certificate2 CreateCa(string name, X509Certificate2? issuer)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        var now = DateTimeOffset.UtcNow;
        return issuer is null
            ? request.CreateSelfSigned(now.AddDays(-10), now.AddDays(10))
            : request.Create(issuer, now.AddDays(-9), now.AddDays(9), RandomNumberGenerator.GetBytes(8)).CopyWithPrivateKey(key);
    }
}
