namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>The only list of authentication plugins.</summary>
internal static class AuthenticationPlugins
{
    private const string Supported =
        $"{CachingSha2Password.Name}, {NativePassword.Name}, {Sha256Password.Name}, {ClearPassword.Name}, "
        + $"{SocketIdentity.MySqlName}, {SocketIdentity.MariaDbName}";

    public static IAuthentication Create(string name, Credentials credentials, byte[] challenge) => name switch
    {
        CachingSha2Password.Name => new CachingSha2Password(credentials, challenge),
        NativePassword.Name => new NativePassword(credentials, challenge),
        Sha256Password.Name => new Sha256Password(credentials, challenge),
        ClearPassword.Name => new ClearPassword(credentials),
        SocketIdentity.MySqlName or SocketIdentity.MariaDbName => new SocketIdentity(),
        _ => throw new ServerException(
            FaultKind.Configuration,
            $"the account uses the authentication plugin '{name}', which is not supported; supported are {Supported}"),
    };

    /// <summary>The plugin for the first answer, before the server says what the account uses. It never shows the password.</summary>
    public static string First(string serverDefault) =>
        serverDefault == NativePassword.Name ? NativePassword.Name : CachingSha2Password.Name;
}

/// <summary>The server's messages while logging in (MySQL "Protocol::AuthSwitchRequest" and "Protocol::AuthMoreData").</summary>
internal static class AuthenticationSwitch
{
    public const byte Header = 0xfe;

    private const byte MoreDataHeader = 0x01;

    public static (string Plugin, byte[] Challenge) Parse(ReadOnlySpan<byte> payload)
    {
        if (payload.Length == 1)
        {
            // Protocol::OldAuthSwitchRequest
            return ("mysql_old_password", []);
        }

        var reader = new PayloadReader(payload[1..]);
        return (ServerText.Decode(reader.ReadTerminated()), reader.ReadRest().ToArray());
    }

    public static ReadOnlySpan<byte> MoreData(ReadOnlySpan<byte> payload) => payload is [MoreDataHeader, .. var question]
        ? question
        : throw ProtocolViolation.Of("an unknown packet came while logging in");
}
