namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>The server's questions while logging in (MySQL "Protocol::AuthSwitchRequest" and "Protocol::AuthMoreData").</summary>
internal static class AuthenticationSwitch
{
    public const byte Header = 0xfe;

    private const byte MoreDataHeader = 0x01;

    /// <summary>Which plugin the account really uses, and the challenge for it.</summary>
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
