using System.Net;
using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Hosts, accounts and transports that do not let the program in, or not far enough.</summary>
public sealed class ConnectFaultTests
{
    private const string People = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(40));";
    private const string Rows = "id,name\n1,Ann\n";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_wrong_password_is_refused(string server)
    {
        await using var place = await CreateAsync(server);
        using var program = BulkLoadProcess.Start(
            place, BulkLoadProcess.UrlOf(place.Server, place.Server.User, "wrong-secret", place.Database), "import", "people.csv");
        var end = await program.EndAsync();
        end.ShouldExitWith(5);
        end.ShouldSay("the server refused the account or password (error 1045");
        Assert.DoesNotContain("wrong-secret", end.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_unknown_host_cannot_be_connected_to(string server)
    {
        await using var place = await CreateAsync(server);
        var end = await place.RunAsync("import", "people.csv", "--host", "nowhere.invalid");
        end.ShouldExitWith(5);
        end.ShouldSay("error: cannot connect to nowhere.invalid:");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_unknown_database_cannot_be_connected_to(string server)
    {
        await using var place = await CreateAsync(server);
        var end = await place.RunAsync("import", "people.csv", "-D", "no_such_database");
        end.ShouldExitWith(5);
        end.ShouldSay("there is no database 'no_such_database' (error 1049");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Another_certificate_authority_is_refused(string server)
    {
        await using var place = await CreateAsync(server);
        var end = await place.RunAsync("import", "people.csv", "--ssl-mode", "verify-ca", "--ssl-ca", Servers.TlsOtherCa);
        end.ShouldExitWith(5);
        end.ShouldSay("by TLS");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_right_certificate_authority_is_accepted(string server)
    {
        await using var place = await CreateAsync(server);
        (await place.RunAsync("import", "people.csv", "--ssl-mode", "verify-identity", "--ssl-ca", Servers.TlsCa)).ShouldExitWith(0);
    }

    /// <summary>As the machine's administrator would make it known.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_certificate_authority_that_the_system_trusts_is_accepted_and_no_other(string server)
    {
        await using var place = await CreateAsync(server);
        foreach (var (trusted, exit) in new[] { (Servers.TlsOtherCa, 5), (Servers.TlsCa, 0) })
        {
            using var program = BulkLoadProcess.StartLine(
                place, $"SSL_CERT_FILE={trusted} bulkload import people.csv --host localhost --protocol tcp --ssl-mode=verify-identity");
            program.Input.Close();
            (await program.EndAsync()).ShouldExitWith(exit);
        }
    }

    [Fact]
    public async Task Required_encryption_is_never_given_up()
    {
        await using var place = await CreateAsync(Servers.MariaDb);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var greeting = GreetAsync(listener);
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        var end = await place.RunAsync("import", "people.csv", "--host", "127.0.0.1", "--port", $"{port}", "--ssl-mode", "required");
        end.ShouldExitWith(5);
        end.ShouldSay("TLS");
        Assert.Equal(0, await greeting);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_connection_in_clear_is_called_not_encrypted(string server)
    {
        await using var place = await CreateAsync(server);
        var end = await place.RunAsync("import", "people.csv", "--ssl-mode", "disabled");
        end.ShouldExitWith(0);
        Assert.Contains("(not encrypted)", end.Output, StringComparison.Ordinal);
    }

    [Theory]
    [CombinatorialServers("load-data", "bulk-execute", "multi-row-insert")]
    public async Task An_account_with_no_right_but_insert_and_select_can_load(string server, string strategy)
    {
        await using var place = await CreateAsync(server);
        var end = await RunAsAsync(place, "SELECT, INSERT", "--no-ledger", "--strategy", strategy);
        end.ShouldExitWith(0);
        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_account_that_may_not_insert_is_refused(string server)
    {
        await using var place = await CreateAsync(server);
        var end = await RunAsAsync(place, "SELECT");
        end.ShouldExitWith(9);
        end.ShouldSay("GRANT INSERT ON");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_account_that_may_insert_one_column_only_is_told_which_it_may_not(string server)
    {
        await using var place = await CreateAsync(server);
        var end = await RunAsAsync(place, "SELECT, INSERT (id)");
        end.ShouldExitWith(9);
        end.ShouldSay("this account may not insert into column 'name'");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_account_that_may_insert_but_not_select_can_load(string server)
    {
        await using var place = await CreateAsync(server);
        (await RunAsAsync(place, "INSERT", "--no-ledger")).ShouldExitWith(0);
        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    private static async Task<Workplace> CreateAsync(string server)
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), People);
        place.Write("people.csv", Rows);
        return place;
    }

    private static async Task<ProgramEnd> RunAsAsync(Workplace place, string rights, params string[] options)
    {
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'secret-7'", "secret-7");
        await ServerClient.RunAsync(place.Server, null, $"GRANT {rights} ON {place.Database}.people TO '{account.User}'@'%';");
        var url = BulkLoadProcess.UrlOf(place.Server, account.User, account.Password!, place.Database);
        using var program = BulkLoadProcess.Start(place, url, ["import", "people.csv", .. options]);
        return await program.EndAsync();
    }

    /// <summary>Greets as a server without TLS and says how many bytes the client answered.</summary>
    private static async Task<int> GreetAsync(TcpListener listener)
    {
        // Capabilities: protocol 4.1, secure connection, plugin names; no TLS.
        byte[] payload =
        [
            10, .. "8.0.0\0"u8, 1, 0, 0, 0, .. "12345678"u8, 0, 0x00, 0x82, 45, 2, 0, 0x08, 0x00, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            .. "123456789012\0"u8, .. "mysql_native_password\0"u8,
        ];
        using var client = await listener.AcceptTcpClientAsync();
        await client.GetStream().WriteAsync(new byte[] { (byte)payload.Length, 0, 0, 0 }.Concat(payload).ToArray());
        var received = 0;
        var buffer = new byte[256];
        int count;
        while ((count = await client.GetStream().ReadAsync(buffer)) > 0)
        {
            received += count;
        }

        return received;
    }
}
