using System.Net.Sockets;
using System.Security.Cryptography;
using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

/// <summary>Servers that are not the user's own and ask for the password in every way that the protocol has.</summary>
public sealed class PasswordThiefTests
{
    // Making a key takes long.
    private static readonly RSA Rsa = RSA.Create(2048);

    private static readonly ConnectionOptions Options = Peers.Options;

    public static TheoryData<string, string, SslMode> PlainRoutes { get; } = Routes("loopback", "remote");

    public static TheoryData<string, string, SslMode> SocketRoutes { get; } = Routes("socket of a stranger");

    [Theory]
    [MemberData(nameof(PlainRoutes))]
    [MemberData(nameof(SocketRoutes))]
    public async Task A_thief_gets_neither_the_password_nor_a_question_for_its_key(string route, string way, SslMode mode)
    {
        var peer = Thief(way);
        var fault =
            await Assert.ThrowsAsync<ConnectException>(() => Peers.ConnectAsync(peer, ChannelOf(route), Options with { SslMode = mode }));
        Assert.DoesNotContain("hush7", fault.ToString(), StringComparison.Ordinal);
        Assert.Contains(
            way == "mysql_clear_password" ? "--enable-cleartext-plugin" : "--ssl-mode=required", fault.Message, StringComparison.Ordinal);
        Assert.Single(peer.Heard);
        Assert.True(peer.Written.IndexOf("hush7"u8) < 0);
        Assert.True(peer.IsClosed);
    }

    [Theory]
    [InlineData("loopback")]
    [InlineData("remote")]
    public async Task What_refuses_the_password_names_every_way_on(string route)
    {
        var fault =
            await Assert.ThrowsAsync<ConnectException>(() => Peers.ConnectAsync(Thief("caching_sha2_password"), ChannelOf(route), Options));
        foreach (var option in (string[])["--ssl-mode=required", "over unix sockets too", "--get-server-public-key",
            "--server-public-key-path"])
        {
            Assert.Contains(option, fault.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("caching_sha2_password")]
    [InlineData("sha256_password")]
    [InlineData("mysql_clear_password")]
    public async Task TLS_that_is_not_offered_was_done_without_though_a_CA_was_given(string way)
    {
        using var certificates = new TestCertificates();
        var ca = certificates.File("ca.pem", certificates.Root);
        foreach (var route in (string[])["loopback", "remote", "socket of a stranger"])
        {
            var peer = Thief(way);
            var options = Options with { SslMode = SslMode.Preferred, SslCa = ca, GetServerPublicKey = true, EnableCleartextPlugin = true };
            var fault = await Assert.ThrowsAsync<ConnectException>(() => Peers.ConnectAsync(peer, ChannelOf(route), options));
            Assert.EndsWith("the server does not offer TLS, which --ssl-ca asks for", fault.Message, StringComparison.Ordinal);
            Assert.True(peer.Written.IsEmpty);
        }
    }

    [Fact]
    public async Task With_the_users_word_the_key_is_asked_for()
    {
        var peer = Thief("caching_sha2_password");
        await Peers.ConnectAsync(peer, Peers.Loopback, Options with { GetServerPublicKey = true });
        Assert.Equal([2], peer.Heard[1]);
        var password = Rsa.Decrypt(peer.Heard[2], RSAEncryptionPadding.OaepSHA1);
        Assert.Equal("hush7\0", Encoding.UTF8.GetString([.. password.Select((value, i) => (byte)(value ^ Challenge[i % 20]))]));
    }

    [Fact]
    public async Task The_account_behind_a_unix_socket_is_known()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "other systems are not asked");
        var path = Path.Combine(Path.GetTempPath(), $"bulkload-{Guid.NewGuid():N}.sock");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen();
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), TestContext.Current.CancellationToken);
            var self = PeerAccount.UserOf(socket);
            Assert.NotNull(self);
            Assert.True(PeerAccount.IsTrusted(socket));
            Assert.Equal(Environment.IsPrivilegedProcess, self == 0);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory]
    [InlineData(0u, true)]
    [InlineData(1000u, true)]
    [InlineData(101u, true)]
    [InlineData(102u, false)]
    [InlineData(33u, false)]
    [InlineData(65534u, false)]
    public void Root_oneself_and_the_user_mysql_are_trusted(uint user, bool isTrusted)
    {
        string[] users = ["root:x:0:0::/root:/bin/sh", "", "mysql", "www:x:33:33:mysql:/:", "mysql:x:101:102:MySQL Server:/:/bin/false",
            "mysqlx:x:102:1::/:"];
        Assert.Equal(isTrusted, PeerAccount.IsTrusted(user, 1000, () => users));
    }

    private static ScriptedPeer Thief(string way)
    {
        var key = Encoding.ASCII.GetBytes(Rsa.ExportSubjectPublicKeyInfoPem());
        var script = new Script().Then(0, 0, Greeting());
        return new ScriptedPeer(way == "caching_sha2_password"
            ? script.Then(1, 2, More(4)).Then(1, 4, [1, .. key]).Then(1, 6, Ok())
            : script.Then(1, 2, Switch(way)).Then(1, 4, [1, .. key]).Then(1, 6, Ok()));
    }

    private static ChannelSecurity ChannelOf(string route) => route switch
    {
        "loopback" => Peers.Loopback,
        "remote" => Peers.Remote,
        _ => Peers.StrangeSocket,
    };

    private static TheoryData<string, string, SslMode> Routes(params string[] routes)
    {
        var data = new TheoryData<string, string, SslMode>();
        foreach (var route in routes)
        {
            foreach (var way in (string[])["caching_sha2_password", "sha256_password", "mysql_clear_password"])
            {
                data.Add(route, way, SslMode.Disabled);
                data.Add(route, way, SslMode.Preferred);
            }
        }

        return data;
    }
}
