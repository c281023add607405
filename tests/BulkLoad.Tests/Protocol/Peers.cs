using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

/// <summary>Sessions with scripted servers.</summary>
internal static class Peers
{
    public static readonly ChannelSecurity Remote = new() { IsLoopback = false };
    public static readonly ChannelSecurity Loopback = new() { IsLoopback = true };
    public static readonly ChannelSecurity UnixSocket = new() { IsUnixSocket = true, IsOfTrustedPeer = true };
    public static readonly ChannelSecurity StrangeSocket = new() { IsUnixSocket = true };
    public static readonly ChannelSecurity Encrypted = new() { IsEncrypted = true };
    public static readonly ChannelSecurity Verified = new() { IsEncrypted = true, IsVerified = true };

    public static ConnectionOptions Options => new()
    {
        Host = "db.example",
        User = "bob",
        Password = "hush7",
        OffersLocalInfile = true,
        ConnectTimeout = TimeSpan.FromMinutes(1),
    };

    /// <summary>A server that takes the account at once.</summary>
    public static Script Login { get; } = LoginOf(ServerPayloads.MySqlCapabilities);

    /// <summary>The same, but its results end with EOF packets.</summary>
    public static Script OldLogin { get; } = LoginOf(ServerPayloads.MySqlCapabilities & ~Capabilities.DeprecateEof);

    /// <summary>A MariaDB, which takes bulk executions.</summary>
    public static Script MariaDbLogin { get; } = LoginOf(ServerPayloads.MariaDbCapabilities, "11.4.2-MariaDB", extended: 4);

    public static Task<ServerSession> ConnectAsync(ScriptedPeer peer, ChannelSecurity channel = default, ConnectionOptions? options = null)
    {
        var connecting = ServerSession.ConnectAsync(options ?? Options, _ => Task.FromResult(new PacketConnection(peer, channel)), default);
        if (!connecting.IsCompleted)
        {
            peer.End();
        }

        return connecting;
    }

    /// <summary>A session whose login is done.</summary>
    public static async Task<(ServerSession Session, ScriptedPeer Peer)> ConnectAsync(Script script)
    {
        var peer = new ScriptedPeer(script);
        return (await ConnectAsync(peer), peer);
    }

    private static Script LoginOf(Capabilities capabilities, string version = "9.7.4", uint extended = 0) => new Script()
        .Then(0, 0, ServerPayloads.Greeting(version, capabilities, extended: extended))
        .Then(1, 2, ServerPayloads.More(3), ServerPayloads.Ok());
}
