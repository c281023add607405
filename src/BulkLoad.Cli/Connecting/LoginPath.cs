using System.Buffers.Binary;
using System.Security.Cryptography;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Connecting;

/// <summary>The login path file of mysql_config_editor: an option file that is obfuscated, not encrypted safely. Always read, as every
/// MySQL client does; <c>--login-path</c> adds a group.</summary>
internal sealed class LoginPath(HostEnvironment host, Action<string> warn)
{
    private const int SeedOffset = 4;
    private const int SeedBytes = 20;
    private const int KeyBytes = 16;
    private const UnixFileMode ForOthers =
        UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite;

    /// <summary>The file need not exist.</summary>
    public string FilePath => host.Variable("MYSQL_TEST_LOGIN_FILE") is { Length: > 0 } path
        ? path
        : Path.Combine(host.Home, ".mylogin.cnf");

    /// <summary>File and group of each setting that was read.</summary>
    public Dictionary<string, string> Origins { get; } = new(StringComparer.Ordinal);

    /// <exception cref="RequestException">the login path that was named does not exist</exception>
    public ConnectionSettings Read(OptionFileChoice choice)
    {
        var entries = Entries();
        if (choice.LoginPath is { } named && !entries.Any(entry => entry.Group == named))
        {
            throw new RequestException($"--login-path: {FilePath} has no group '{named}'");
        }

        string[] groups = ["client", OptionFiles.OwnGroup, choice.LoginPath ?? ""];
        return groups
            .SelectMany(group => entries.Where(
                entry => entry.Group == group || (choice.GroupSuffix.Length > 0 && entry.Group == group + choice.GroupSuffix)))
            .Aggregate(
                new ConnectionSettings(), (settings, entry) => OptionFiles.Apply(settings, FilePath, entry, isStrict: false, Origins));
    }

    /// <summary>The tests encode and decode; the format is MySQL's own (mysys_ssl, my_default).</summary>
    /// <exception cref="FormatException">these are not the bytes of such a file</exception>
    internal static string Decode(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < SeedOffset + SeedBytes)
        {
            throw new FormatException("it is too short");
        }

        using var aes = Aes.Create();
        aes.Key = KeyOf(bytes.Slice(SeedOffset, SeedBytes));
        var text = new StringBuilder();
        var rest = bytes[(SeedOffset + SeedBytes)..];
        while (rest.Length > 0)
        {
            var length = rest.Length < sizeof(int) ? -1 : BinaryPrimitives.ReadInt32LittleEndian(rest);
            if (length < 0 || length > rest.Length - sizeof(int))
            {
                throw new FormatException("it ends in the middle of a line");
            }

            text.Append(Line(aes, rest.Slice(sizeof(int), length)));
            rest = rest[(sizeof(int) + length)..];
        }

        return text.ToString();
    }

    /// <summary>The seed, folded onto the key's length.</summary>
    internal static byte[] KeyOf(ReadOnlySpan<byte> seed)
    {
        var key = new byte[KeyBytes];
        for (var i = 0; i < seed.Length; i++)
        {
            key[i % KeyBytes] ^= seed[i];
        }

        return key;
    }

    private static string Line(Aes aes, ReadOnlySpan<byte> cipher)
    {
        try
        {
            return Encoding.UTF8.GetString(aes.DecryptEcb(cipher, PaddingMode.PKCS7));
        }
        catch (CryptographicException)
        {
            throw new FormatException("a line cannot be decrypted");
        }
    }

    private IReadOnlyList<OptionFileEntry> Entries()
    {
        var path = FilePath;
        if (!host.Files.Exists(path))
        {
            return [];
        }

        if ((host.Files.ModeOf(path) & ForOthers) != 0)
        {
            warn($"{path}: others may read or write this login path file, so it is ignored (chmod 600 fixes it)");
            return [];
        }

        try
        {
            return OptionFile.Parse(Decode(host.Files.Read(path)));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or FormatException)
        {
            warn($"{path}: this login path file cannot be read and is ignored: {fault.Message}");
            return [];
        }
    }
}
