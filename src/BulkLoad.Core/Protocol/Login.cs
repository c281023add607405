namespace BulkLoad.Core.Protocol;

/// <summary>From the server's greeting to a session that is logged in (MySQL client/server protocol, "Connection Phase").</summary>
internal readonly record struct Login(InitialHandshake Greeting, Capabilities Capabilities, ExtendedCapabilities Extended)
{
    private const int MaxPacket = 64 * 1024;
    private const int MaxRounds = 16;

    private const Capabilities Needed = Capabilities.Protocol41 | Capabilities.SecureConnection;

    private const Capabilities Wanted = Needed | Capabilities.Mysql | Capabilities.LongFlag | Capabilities.Transactions
        | Capabilities.MultiResults | Capabilities.PluginAuthentication | Capabilities.PluginAuthenticationLengthEncoded
        | Capabilities.ConnectAttributes | Capabilities.DeprecateEof;

    public static async Task<Login> RunAsync(
        PacketConnection wire, ConnectionOptions options, SecurityFiles files, CancellationToken cancellationToken)
    {
        var greeting = InitialHandshake.Parse((await ReadGreetingAsync(wire, options, cancellationToken)).Span);
        var isTlsDue = TlsUpgrade.IsDue(options, greeting.Capabilities, wire.Channel);
        var capabilities = Agree(greeting.Capabilities, options);
        var extended = greeting.ExtendedCapabilities & ExtendedCapabilities.BulkExecute;
        wire.TakeTurn();
        if (isTlsDue)
        {
            capabilities |= Capabilities.Tls;
            await wire.Writer.WriteAsync(HandshakeResponse.TlsRequest(capabilities, extended), cancellationToken);
            await wire.EncryptAsync(plain => TlsUpgrade.RunAsync(plain, options, files, cancellationToken), TlsUpgrade.Verifies(options));
        }

        var login = new Login(greeting, capabilities, extended);
        await login.AuthenticateAsync(wire, options, files, cancellationToken);
        return login;
    }

    private static Capabilities Agree(Capabilities offered, ConnectionOptions options)
    {
        if ((offered & Needed) != Needed)
        {
            throw new ServerException(FaultKind.Configuration, "the server is too old: it does not know the protocol of MySQL 4.1");
        }

        if (options.Database is not null && !offered.HasFlag(Capabilities.ConnectWithDatabase))
        {
            throw new ServerException(
                FaultKind.Configuration,
                "the server takes no default database at the login: leave --database out, and write --table database.table");
        }

        // A server that does not offer LOCAL refuses the statement, and the plan then says so.
        var wanted = Wanted;
        wanted |= options.Database is null ? Capabilities.None : Capabilities.ConnectWithDatabase;
        wanted |= options.CountsFoundRows ? Capabilities.FoundRows : Capabilities.None;
        wanted |= options.OffersLocalInfile ? Capabilities.LocalFiles : Capabilities.None;
        wanted |= options.SendsSeveralStatements ? Capabilities.MultiStatements : Capabilities.None;
        return offered & wanted;
    }

    private async Task AuthenticateAsync(
        PacketConnection wire, ConnectionOptions options, SecurityFiles files, CancellationToken cancellationToken)
    {
        var credentials = new Credentials(Encoding.UTF8.GetBytes(options.Password ?? ""), wire.Channel)
        {
            MayAskForServerKey = options.GetServerPublicKey,
            ServerKeyPem = files.ServerKeyPem,
            MayUseClearPlugin = options.EnableCleartextPlugin,
        };
        var plugin = AuthenticationPlugins.First(Greeting.Plugin);
        var conversation = AuthenticationPlugins.Create(plugin, credentials, Greeting.Challenge);
        var answer = HandshakeResponse.Create(Capabilities, Extended, options, plugin, conversation.Begin());
        await wire.Writer.WriteAsync(answer, cancellationToken);
        for (var round = 0; round < MaxRounds; round++)
        {
            wire.GiveTurn();
            var question = (await ReadAsync(wire, cancellationToken)).Span;
            if (question[0] == OkPacket.Header)
            {
                return;
            }

            byte[]? reply;
            if (question[0] == AuthenticationSwitch.Header)
            {
                var (name, challenge) = AuthenticationSwitch.Parse(question);
                conversation = AuthenticationPlugins.Create(name, credentials, challenge);
                reply = conversation.Begin();
            }
            else
            {
                reply = conversation.Continue(AuthenticationSwitch.MoreData(question));
            }

            wire.TakeTurn();
            if (reply is not null)
            {
                await wire.Writer.WriteAsync(reply, cancellationToken);
            }
        }

        throw ProtocolViolation.Of("its authentication does not come to an end");
    }

    /// <summary>An error in place of a greeting may come from anybody on the way.</summary>
    private static async ValueTask<ReadOnlyMemory<byte>> ReadGreetingAsync(
        PacketConnection wire, ConnectionOptions options, CancellationToken cancellationToken)
    {
        try
        {
            return await ReadAsync(wire, cancellationToken);
        }
        catch (ServerException error) when (error.Code > 0 && TlsUpgrade.IsDemanded(options))
        {
            throw new ServerException(error.Code, error.SqlState, $"{error.ServerText}, said before encryption was set up");
        }
    }

    /// <summary>Neither empty nor an error; valid until the next read.</summary>
    private static async ValueTask<ReadOnlyMemory<byte>> ReadAsync(PacketConnection wire, CancellationToken cancellationToken)
    {
        var payload = await wire.Reader.ReadAsync(MaxPacket, cancellationToken);
        return payload.Span switch
        {
            [] => throw ProtocolViolation.Of("an empty packet came while logging in"),
            [ErrorPacket.Header, ..] => throw ErrorPacket.Parse(payload.Span),
            _ => payload,
        };
    }
}

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

/// <summary>The two opening packets (MySQL "Protocol::SSLRequest" and "Protocol::HandshakeResponse41"; MariaDB "Handshake Response
/// Packet").</summary>
internal static class HandshakeResponse
{
    // utf8mb4_general_ci: the utf8mb4 collation that every server knows.
    private const byte Collation = 45;
    private const uint MaxPacketBytes = 1024 * 1024 * 1024;

    private static readonly string ClientVersion = typeof(HandshakeResponse).Assembly.GetName().Version?.ToString(3) ?? "0";

    /// <summary>A server keeps the flags of the first packet, so both packets have the same.</summary>
    public static ReadOnlyMemory<byte> TlsRequest(Capabilities capabilities, ExtendedCapabilities extended) =>
        Head(capabilities, extended).Payload;

    public static ReadOnlyMemory<byte> Create(
        Capabilities capabilities, ExtendedCapabilities extended, ConnectionOptions options, string plugin, ReadOnlySpan<byte> proof)
    {
        var builder = Head(capabilities, extended).Terminated(options.User).LengthEncoded(proof);
        if (capabilities.HasFlag(Capabilities.ConnectWithDatabase))
        {
            builder.Terminated(options.Database ?? "");
        }

        if (capabilities.HasFlag(Capabilities.PluginAuthentication))
        {
            builder.Terminated(plugin);
        }

        if (capabilities.HasFlag(Capabilities.ConnectAttributes))
        {
            builder.LengthEncoded(Attributes().Span);
        }

        return builder.Payload;
    }

    private static PayloadBuilder Head(Capabilities capabilities, ExtendedCapabilities extended) =>
        new PayloadBuilder().UInt32((uint)capabilities).UInt32(MaxPacketBytes).Byte(Collation).Zeros(19).UInt32((uint)extended);

    private static ReadOnlyMemory<byte> Attributes() => new PayloadBuilder()
        .LengthEncoded("program_name").LengthEncoded("bulkload")
        .LengthEncoded("_client_version").LengthEncoded(ClientVersion)
        .LengthEncoded("_os").LengthEncoded(Environment.OSVersion.Platform.ToString())
        .Payload;
}

/// <summary>What both sides can do (MySQL client/server protocol, "Capabilities Flags"), as far as this client reads or sets it.</summary>
[Flags]
internal enum Capabilities : uint
{
    None = 0,

    /// <summary>MySQL: long passwords. MariaDB: unset by a side that has MariaDB's extended capabilities.</summary>
    Mysql = 1 << 0,

    /// <summary>An UPDATE counts the rows found, changed or not.</summary>
    FoundRows = 1 << 1,

    LongFlag = 1 << 2,
    ConnectWithDatabase = 1 << 3,
    LocalFiles = 1 << 7,
    Protocol41 = 1 << 9,
    Tls = 1 << 11,
    Transactions = 1 << 13,
    SecureConnection = 1 << 15,
    MultiStatements = 1 << 16,
    MultiResults = 1 << 17,
    PluginAuthentication = 1 << 19,
    ConnectAttributes = 1 << 20,
    PluginAuthenticationLengthEncoded = 1 << 21,
    DeprecateEof = 1 << 24,
}

/// <summary>What only MariaDB can do (MariaDB protocol, "Connecting": the upper half of its 64 capability bits). Both sides send it only
/// without <see cref="Capabilities.Mysql"/>.</summary>
[Flags]
internal enum ExtendedCapabilities : uint
{
    None = 0,

    /// <summary>COM_STMT_BULK_EXECUTE.</summary>
    BulkExecute = 1 << 2,
}
