using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Protocol;

public sealed class AccountTests
{
    private const string Password = "pä$$ wörd 🔑";

    [Theory]
    [InlineData(Servers.MariaDb, "IDENTIFIED VIA mysql_native_password USING PASSWORD('{0}')")]
    [InlineData(Servers.MySql, "IDENTIFIED WITH caching_sha2_password BY '{0}'")]
    [InlineData(Servers.MySql, "IDENTIFIED WITH sha256_password BY '{0}'")]
    public async Task An_account_with_a_password_logs_in_on_every_channel(string name, string identity)
    {
        var server = Servers.Get(name);
        foreach (var password in (string[])[Password, ""])
        {
            await using var account = await TestAccount.CreateAsync(
                server, string.Format(null, identity, password).Replace("USING PASSWORD('')", "USING ''", StringComparison.Ordinal),
                password, "tü_");

            // Twice over each channel: a server's cache makes the second time another conversation.
            var plain = account.Options() with { SslMode = SslMode.Disabled, GetServerPublicKey = true };
            foreach (var options in (ConnectionOptions[])[plain, plain, account.Options(), account.Options(),
                account.SocketOptions() with { GetServerPublicKey = true }])
            {
                await LogsInAsync(options, account.User);
            }

            var fault = await Assert.ThrowsAsync<ConnectException>(
                () => ServerSession.ConnectAsync(plain with { Password = "wrong" }, default));
            Assert.Contains("error 1045", fault.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(Servers.MySql, "caching_sha2_password", SslMode.Required, false)]
    [InlineData(Servers.MySql, "caching_sha2_password", SslMode.Disabled, true)]
    [InlineData(Servers.MySql, "sha256_password", SslMode.Required, false)]
    [InlineData(Servers.MySql, "sha256_password", SslMode.Disabled, true)]
    public async Task An_account_that_is_not_cached_gives_its_password_on_the_first_login(
        string name, string plugin, SslMode mode, bool hasKeyFile)
    {
        var server = Servers.Get(name);
        await using var account = await TestAccount.CreateAsync(server, $"IDENTIFIED WITH {plugin} BY '{Password}'", Password);
        var options = account.Options() with { SslMode = mode };
        if (!hasKeyFile)
        {
            await LogsInAsync(options, account.User);
            return;
        }

        await using var admin = await ServerSession.ConnectAsync(server.AdminOptions(), default);
        var variable = plugin == "sha256_password" ? "Rsa_public_key" : "Caching_sha2_password_rsa_public_key";
        var key = (await admin.QueryAsync($"SHOW STATUS LIKE '{variable}'", default)).Rows[0][1];
        var path = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(path, key);
            await LogsInAsync(options with { ServerPublicKeyPath = path }, account.User);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task The_operating_systems_user_logs_in_over_the_socket()
    {
        var server = Servers.Get(Servers.MySql);
        await using var account = await TestAccount.CreateAsync(server, $"IDENTIFIED WITH auth_socket AS '{Environment.UserName}'", null);
        await LogsInAsync(account.SocketOptions(), account.User);
        await Assert.ThrowsAsync<ConnectException>(() => ServerSession.ConnectAsync(account.Options(), default));
    }

    [Fact]
    public async Task A_password_is_asked_for_where_the_operating_systems_user_is_another()
    {
        var server = Servers.Get(Servers.MariaDb);
        await using var account = await TestAccount.CreateAsync(
            server, $"IDENTIFIED VIA unix_socket OR mysql_native_password USING PASSWORD('{Password}')", Password);
        await LogsInAsync(account.SocketOptions(), account.User);
        await LogsInAsync(account.Options(), account.User);
    }

    private static async Task LogsInAsync(ConnectionOptions options, string user)
    {
        await using var session = await ServerSession.ConnectAsync(options, default);
        Assert.Equal($"{user}@%", (await session.QueryAsync("SELECT CURRENT_USER()", default)).Scalar);
    }
}
