namespace BulkLoad.Core.Protocol;

/// <summary>The server's greeting (MySQL "Protocol::HandshakeV10"; MariaDB "Initial Handshake Packet").</summary>
internal sealed record InitialHandshake
{
    private const byte SupportedVersion = 10;
    private const int FirstChallengeLength = 8;
    private const string ReplicationPrefix = "5.5.5-";

    public required string VersionText { get; init; }

    public required bool IsMariaDb { get; init; }

    public required uint ConnectionId { get; init; }

    public required Capabilities Capabilities { get; init; }

    /// <summary>None: no MariaDB, or an old one.</summary>
    public required ExtendedCapabilities ExtendedCapabilities { get; init; }

    public required byte[] Challenge { get; init; }

    public required string Plugin { get; init; }

    /// <summary>0 where the text has no number.</summary>
    public Version Version
    {
        get
        {
            Span<int> numbers = [0, 0, 0];
            var count = 0;
            foreach (var part in VersionText.Split('.', numbers.Length))
            {
                var digits = part.AsSpan();
                var end = digits.IndexOfAnyExceptInRange('0', '9');
                digits = end < 0 ? digits : digits[..end];
                if (!int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out numbers[count++]) || end >= 0)
                {
                    break;
                }
            }

            return new Version(numbers[0], numbers[1], numbers[2]);
        }
    }

    public static InitialHandshake Parse(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        var protocol = reader.ReadByte();
        if (protocol != SupportedVersion)
        {
            throw ProtocolViolation.Of($"its greeting has version {protocol}, not {SupportedVersion}; is this a MySQL or MariaDB port?");
        }

        var version = ServerText.Decode(reader.ReadTerminated());
        var connectionId = reader.ReadUInt32();
        var challenge = new List<byte>(reader.ReadBytes(FirstChallengeLength).ToArray());
        reader.ReadByte();
        var capabilities = (Capabilities)reader.ReadUInt16();
        reader.ReadBytes(3);
        capabilities |= (Capabilities)((uint)reader.ReadUInt16() << 16);
        var challengeLength = reader.ReadByte();
        reader.ReadBytes(6);

        // Zeros where the peer is a MySQL.
        var extended = (ExtendedCapabilities)reader.ReadUInt32();

        // The second part has at least 13 bytes, the last of them a zero.
        var second = reader.ReadBytes(Math.Min(reader.Remaining, Math.Max(13, challengeLength - FirstChallengeLength)));
        challenge.AddRange(second.Length > 0 && second[^1] == 0 ? second[..^1] : second);
        var plugin = capabilities.HasFlag(Capabilities.PluginAuthentication)
            ? ServerText.Decode(reader.ReadTerminated())
            : "mysql_native_password";
        var isMariaDb = !capabilities.HasFlag(Capabilities.Mysql) || version.Contains("MariaDB", StringComparison.OrdinalIgnoreCase);
        return new InitialHandshake
        {
            VersionText = isMariaDb && version.StartsWith(ReplicationPrefix, StringComparison.Ordinal)
                ? version[ReplicationPrefix.Length..]
                : version,
            IsMariaDb = isMariaDb,
            ConnectionId = connectionId,
            Capabilities = capabilities,
            ExtendedCapabilities = capabilities.HasFlag(Capabilities.Mysql) ? ExtendedCapabilities.None : extended,
            Challenge = [.. challenge],
            Plugin = plugin,
        };
    }
}
