using System.Security.Cryptography;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

public sealed class AuthenticationTests
{
    // Making a key takes long.
    private static readonly RSA Rsa = RSA.Create(2048);

    // Computed apart, with Python's hashlib, for the challenge 1, 2, ... 20.
    [Theory]
    [InlineData("mysql_native_password", "secret", "b32bb3a583e1340c0a1108d58b1be49781ad8c2f")]
    [InlineData("mysql_native_password", "pä$$ wörd 🔑", "79c7d2b4c01f4c3a9faf7b13a7730773a067fd3c")]
    [InlineData("mysql_native_password", "", "")]
    [InlineData("caching_sha2_password", "secret", "746ebe205d56a0707acb3e796e834e0dd7b1d61743b26bd5202c7a623230c7c9")]
    [InlineData("caching_sha2_password", "pä$$ wörd 🔑", "57457bdba19287c1a51109aeae53bf0d3c0faa0d4c9b0354eee39be86c20d297")]
    [InlineData("caching_sha2_password", "", "00")]
    [InlineData("sha256_password", "", "00")]
    [InlineData("auth_socket", "secret", "")]
    [InlineData("unix_socket", "secret", "")]
    public void The_first_answer_is_the_known_one(string plugin, string password, string expected) =>
        Assert.Equal(expected, Convert.ToHexStringLower(Create(plugin, Peers.Remote, password).Begin()));

    [Fact]
    public void A_cached_account_needs_no_more_than_the_proof() =>
        Assert.Null(Create("caching_sha2_password", Peers.Remote).Continue([3]));

    [Fact]
    public void The_password_goes_in_clear_where_nobody_can_listen()
    {
        foreach (var channel in (ChannelSecurity[])[Peers.Encrypted, Peers.Verified, Peers.UnixSocket])
        {
            Assert.Equal("hush7\0"u8.ToArray(), Create("caching_sha2_password", channel).Continue([4]));
        }

        Assert.Equal("hush7\0"u8.ToArray(), Create("sha256_password", Peers.Encrypted).Begin());
        Assert.Equal("hush7\0"u8.ToArray(), Create("mysql_clear_password", Peers.Verified, mayUseClear: true).Begin());
        Assert.Equal("hush7\0"u8.ToArray(), Create("mysql_clear_password", Peers.UnixSocket, mayUseClear: true).Begin());
    }

    [Fact]
    public void The_password_is_refused_where_somebody_can_listen()
    {
        Refused(() => Create("caching_sha2_password", Peers.Remote).Continue([4]), "--ssl-mode=required");
        Refused(() => Create("sha256_password", Peers.Remote).Begin(), "--get-server-public-key");
        foreach (var channel in (ChannelSecurity[])[Peers.Remote, Peers.Loopback, Peers.Encrypted, Peers.StrangeSocket])
        {
            Refused(() => Create("mysql_clear_password", channel, mayUseClear: true).Begin(), "verify-ca");
        }
    }

    [Fact]
    public void The_key_of_a_server_on_the_same_machine_was_asked_for_though_anybody_may_listen_there()
    {
        foreach (var plugin in (string[])["caching_sha2_password", "sha256_password"])
        {
            Refused(() => Full(Create(plugin, Peers.Loopback)), "--get-server-public-key");
        }

        Refused(() => Create("sha256_password", Peers.UnixSocket).Begin(), "--server-public-key-path");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_password_went_in_clear_to_a_unix_socket_of_anybodys(bool mayAskForKey) =>
        Refused(() => Full(Create("caching_sha2_password", Peers.StrangeSocket, mayAskForKey: mayAskForKey)),
            "works over unix sockets too (--ssl-mode=required)");

    [Fact]
    public void The_plugin_for_clear_passwords_needs_the_users_word()
    {
        foreach (var channel in (ChannelSecurity[])[Peers.Verified, Peers.UnixSocket])
        {
            Refused(() => Create("mysql_clear_password", channel).Begin(), "--enable-cleartext-plugin");
        }
    }

    [Fact]
    public void Without_a_password_there_is_nothing_to_keep() =>
        Assert.Equal([0], Create("mysql_clear_password", Peers.Remote, "").Begin());

    [Theory]
    [InlineData("caching_sha2_password", true)]
    [InlineData("caching_sha2_password", false)]
    [InlineData("sha256_password", true)]
    [InlineData("sha256_password", false)]
    public void The_password_is_sealed_with_the_servers_key_where_that_is_allowed(string plugin, bool isLoopback)
    {
        var conversation = Create(plugin, new ChannelSecurity { IsLoopback = isLoopback }, mayAskForKey: true);
        byte[] question = plugin == "sha256_password" ? [1] : [2];
        Assert.Equal(question, plugin == "sha256_password" ? conversation.Begin() : Full(conversation));
        var sealedPassword = conversation.Continue(Encoding.ASCII.GetBytes(Rsa.ExportSubjectPublicKeyInfoPem()));
        Assert.Equal("hush7\0", Unseal(sealedPassword!));
    }

    [Fact]
    public void A_key_of_the_users_is_taken_without_asking()
    {
        var pem = Rsa.ExportSubjectPublicKeyInfoPem();
        Assert.Equal("hush7\0", Unseal(Create("sha256_password", Peers.Remote, pem: pem).Begin()));
        Assert.Equal("hush7\0", Unseal(Full(Create("caching_sha2_password", Peers.Remote, pem: pem))));
    }

    [Theory]
    [InlineData("")]
    [InlineData("no key")]
    [InlineData("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----")]
    public void A_broken_key_is_refused(string key)
    {
        var conversation = Create("caching_sha2_password", Peers.Loopback, mayAskForKey: true);
        Full(conversation);
        Assert.Throws<ServerException>(() => conversation.Continue(Encoding.ASCII.GetBytes(key)));
    }

    [Fact]
    public void A_password_that_does_not_fit_the_key_is_refused()
    {
        using var rsa = RSA.Create(1024);
        var conversation = Create("sha256_password", Peers.Remote, new string('x', 200), pem: rsa.ExportSubjectPublicKeyInfoPem());
        Assert.Throws<ServerException>(conversation.Begin);
    }

    [Theory]
    [InlineData("mysql_native_password")]
    [InlineData("caching_sha2_password")]
    [InlineData("sha256_password")]
    [InlineData("mysql_clear_password")]
    [InlineData("auth_socket")]
    public void An_unknown_question_is_a_violation(string plugin)
    {
        foreach (var question in (byte[][])[[], [9], [4, 4], [3, 0]])
        {
            var fault = Assert.Throws<ServerException>(() => Create(plugin, Peers.Verified).Continue(question));
            Assert.Equal(FaultKind.Protocol, fault.Kind);
        }
    }

    [Theory]
    [InlineData("mysql_native_password")]
    [InlineData("caching_sha2_password")]
    public void A_short_challenge_is_a_violation(string plugin)
    {
        var credentials = new Credentials("secret"u8.ToArray(), Peers.Remote);
        Assert.Throws<ServerException>(() => AuthenticationPlugins.Create(plugin, credentials, new byte[19]).Begin());
    }

    [Theory]
    [InlineData("client_ed25519")]
    [InlineData("parsec")]
    [InlineData("dialog")]
    [InlineData("mysql_old_password")]
    public void An_unsupported_plugin_is_named_with_those_supported(string plugin)
    {
        var fault = Assert.Throws<ServerException>(() => Create(plugin, Peers.Verified));
        Assert.Contains($"'{plugin}'", fault.Message, StringComparison.Ordinal);
        Assert.Contains("caching_sha2_password", fault.Message, StringComparison.Ordinal);
    }

    private static IAuthentication Create(
        string plugin, ChannelSecurity channel, string password = "hush7", bool mayAskForKey = false, string? pem = null,
        bool mayUseClear = false) =>
        AuthenticationPlugins.Create(
            plugin,
            new Credentials(Encoding.UTF8.GetBytes(password),
                channel)
            { MayAskForServerKey = mayAskForKey, ServerKeyPem = pem, MayUseClearPlugin = mayUseClear },
            ServerPayloads.Challenge);

    private static byte[] Full(IAuthentication conversation)
    {
        conversation.Begin();
        return conversation.Continue([4])!;
    }

    private static string Unseal(byte[] password)
    {
        var bytes = Rsa.Decrypt(password, RSAEncryptionPadding.OaepSHA1);
        return Encoding.UTF8.GetString([.. bytes.Select((value, i) => (byte)(value ^ ServerPayloads.Challenge[i % 20]))]);
    }

    private static void Refused(Action action, string advice)
    {
        var fault = Assert.Throws<ServerException>(action);
        Assert.Contains(advice, fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hush7", fault.ToString(), StringComparison.Ordinal);
    }
}
