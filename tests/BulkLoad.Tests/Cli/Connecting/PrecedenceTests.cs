using BulkLoad.Cli.Host;

namespace BulkLoad.Tests.Cli.Connecting;

public sealed class PrecedenceTests
{
    private const string DefaultSocket = "/run/mysqld/mysqld.sock";

    private readonly CliRun _run = new();

    [Fact]
    public async Task The_nearest_source_wins()
    {
        _run.Variables["MYSQL_HOST"] = "environment";
        _run.Variables["MYSQL_TCP_PORT"] = "1";
        _run.Variables["MYSQL_PWD"] = "environment";
        _run.Files.With("/home/me/.my.cnf", "[client]\nport=2\npassword=file\nuser=file\ndatabase=file");
        _run.Variables["BULKLOAD_URL"] = "mysql://url@url.example";

        var connection = await ResolveAsync("--database", "typed");

        Assert.Equal(("url.example", 2, "url", "file", "typed"),
            (connection.Host, connection.Port, connection.User, connection.Password, connection.Database));
    }

    [Fact]
    public async Task The_environment_is_asked_last()
    {
        _run.Variables["MYSQL_HOST"] = "db";
        _run.Variables["MYSQL_TCP_PORT"] = "3307";
        _run.Variables["MYSQL_PWD"] = "pass";

        var connection = await ResolveAsync();

        Assert.Equal(("db", 3307, "me", "pass"), (connection.Host, connection.Port, connection.User, connection.Password));
    }

    [Fact]
    public async Task An_empty_password_typed_is_a_password()
    {
        _run.Variables["MYSQL_PWD"] = "environment";

        Assert.Equal("", (await ResolveAsync("--password=")).Password);
    }

    [Fact]
    public async Task A_password_to_be_asked_for_is_not_taken_from_farther_away()
    {
        var run = new CliRun { TypedPassword = "typed" };
        run.Variables["MYSQL_PWD"] = "environment";

        await run.CallAsync("import", "a.csv", "-p");

        Assert.Equal("typed", run.Request!.Connection.Password);
    }

    [Fact]
    public async Task Nobody_saying_how_means_the_usual_socket_if_there_is_one()
    {
        Assert.Null((await ResolveAsync()).Socket);
        _run.Files.With(DefaultSocket, "");
        Assert.Equal(DefaultSocket, (await ResolveAsync()).Socket);
        Assert.Equal(DefaultSocket, (await ResolveAsync("-h", "localhost")).Socket);
    }

    [Fact]
    public async Task A_socket_in_a_folder_where_anyone_may_make_one_was_taken_for_the_servers()
    {
        _run.Files.With("/tmp/mysql.sock", "");
        Assert.Null((await ResolveAsync()).Socket);
        Assert.Equal(DefaultSocket, (await ResolveAsync("--protocol", "socket")).Socket);
        Assert.Equal("/tmp/mysql.sock", (await ResolveAsync("-S", "/tmp/mysql.sock")).Socket);
    }

    [Fact]
    public async Task A_plugin_that_shows_the_password_is_allowed_by_every_source()
    {
        Assert.False((await ResolveAsync()).EnableCleartextPlugin);
        Assert.True((await ResolveAsync("--enable-cleartext-plugin")).EnableCleartextPlugin);
        _run.Files.With("/etc/my.cnf", "[client]\nenable-cleartext-plugin");
        Assert.True((await ResolveAsync()).EnableCleartextPlugin);
        _run.Variables["BULKLOAD_URL"] = "mysql://url.example/?enable-cleartext-plugin=0";
        Assert.False((await ResolveAsync()).EnableCleartextPlugin);
    }

    [Theory]
    [InlineData("-h", "127.0.0.1")]
    [InlineData("-h", "db.example")]
    [InlineData("-P", "3306")]
    [InlineData("-h", "localhost", "-P", "3306")]
    [InlineData("--protocol", "tcp")]
    [InlineData("-S", "/s", "-h", "db.example")]
    public async Task A_host_or_a_port_means_TCP(params string[] args)
    {
        _run.Files.With(DefaultSocket, "");

        Assert.Null((await ResolveAsync(args)).Socket);
    }

    [Theory]
    [InlineData("-S", "/s")]
    [InlineData("-S", "/s", "-h", "localhost")]
    [InlineData("-S", "/s", "-P", "3306")]
    [InlineData("-S", "/s", "-P", "3306", "--protocol=socket")]
    public async Task A_socket_means_the_socket(params string[] args) => Assert.Equal("/s", (await ResolveAsync(args)).Socket);

    [Fact]
    public async Task A_nearer_socket_wins_over_a_farther_host_and_a_nearer_port_over_a_farther_socket()
    {
        _run.Variables["MYSQL_HOST"] = "db";
        Assert.Equal("/s", (await ResolveAsync("-S", "/s")).Socket);

        _run.Files.With("/etc/my.cnf", "[client]\nport=3306\nsocket=/distribution.sock");
        Assert.Equal("/distribution.sock", (await ResolveAsync("-h", "localhost")).Socket);
        Assert.Null((await ResolveAsync("-P", "3307")).Socket);
        Assert.Null((await ResolveAsync("-h", "other")).Socket);
    }

    [Theory]
    [InlineData("db.example", null)]
    [InlineData("127.0.0.1", null)]
    [InlineData("localhost", "/distribution.sock")]
    public async Task A_socket_in_a_file_does_not_go_before_a_host_of_the_environment(string host, string? socket)
    {
        _run.Variables["MYSQL_HOST"] = host;
        _run.Files.With("/etc/my.cnf", "[client-server]\nport=3306\nsocket=/distribution.sock");

        var connection = await ResolveAsync();

        Assert.Equal((host, 3306, socket), (connection.Host, connection.Port, connection.Socket));
    }

    [Fact]
    public async Task A_socket_of_the_url_goes_before_a_host_of_a_file()
    {
        _run.Variables["BULKLOAD_URL"] = "mysql://me@/shop?socket=/s";
        _run.Files.With("/etc/my.cnf", "[client]\nhost=db.example");

        Assert.Equal("/s", (await ResolveAsync()).Socket);
    }

    private async Task<ConnectionOptions> ResolveAsync(params string[] args)
    {
        Assert.True(await _run.CallAsync(["import", "a.csv", .. args]) == ExitCode.Done, _run.Error);
        return _run.Request!.Connection;
    }
}
