using BulkLoad.Core.Protocol.Authentication;

namespace BulkLoad.Core.Protocol;

/// <summary>From the server's greeting to a session that is logged in (MySQL client/server protocol, "Connection Phase").</summary>
internal readonly record struct Login(InitialHandshake Greeting, Capabilities Capabilities, ExtendedCapabilities Extended)
{
    private const int LongestPacket = 64 * 1024;
    private const int MostRounds = 16;

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
        for (var round = 0; round < MostRounds; round++)
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

    /// <summary>Anybody on the way may have sent an error in place of a greeting.</summary>
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
        var payload = await wire.Reader.ReadAsync(LongestPacket, cancellationToken);
        return payload.Span switch
        {
            [] => throw ProtocolViolation.Of("an empty packet came while logging in"),
            [ErrorPacket.Header, ..] => throw ErrorPacket.Parse(payload.Span),
            _ => payload,
        };
    }
}
