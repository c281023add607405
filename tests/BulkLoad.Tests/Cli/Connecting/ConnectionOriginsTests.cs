using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Host;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Cli.Connecting;

/// <summary>Which source each setting comes from, as 'bulkload doctor' shows it.</summary>
public sealed class ConnectionOriginsTests
{
    private readonly Dictionary<string, string> _variables = new(StringComparer.Ordinal);
    private readonly FakeFiles _files = new();

    private Dictionary<string, SettingOrigin> Resolve(ConnectionSettings typed)
    {
        var resolved = ResolveAll(typed);
        return resolved.Origins.Of(resolved.Options).ToDictionary(setting => setting.Name, StringComparer.Ordinal);
    }

    private string? Describe(ConnectionSettings typed)
    {
        var resolved = ResolveAll(typed);
        return resolved.Origins.Describe(resolved.Options);
    }

    private ResolvedConnection ResolveAll(ConnectionSettings typed)
    {
        var host = new HostEnvironment
        {
            Output = TextWriter.Null,
            Error = TextWriter.Null,
            Files = _files,
            Variable = _variables.GetValueOrDefault,
            Home = "/home/me",
            LoginName = "me",
        };
        return new ConnectionResolver(host, _ => { }).Resolve(typed, new OptionFileChoice());
    }

    [Fact]
    public void Each_setting_names_its_nearest_source()
    {
        _variables["MYSQL_HOST"] = "far";
        _variables["MYSQL_PWD"] = "far";
        _variables["BULKLOAD_URL"] = "mysql://url@url.example";
        _files.With("/etc/my.cnf", "[client]\nport=1\ndatabase=far");
        _files.With("/home/me/.my.cnf", "[client]\nport=2\n[bulkload]\nssl-verify-server-cert");

        var settings = Resolve(new ConnectionSettings { Database = "typed" });

        Assert.Equal(new SettingOrigin("host", "url.example", "BULKLOAD_URL"), settings["host"]);
        Assert.Equal(new SettingOrigin("port", "2", "/home/me/.my.cnf [client]"), settings["port"]);
        Assert.Equal(new SettingOrigin("user", "url", "BULKLOAD_URL"), settings["user"]);
        Assert.Equal(new SettingOrigin("password", "given", "MYSQL_PWD"), settings["password"]);
        Assert.Equal(new SettingOrigin("database", "typed", "command line"), settings["database"]);
        Assert.Equal(new SettingOrigin("ssl-mode", "verify-identity", "/home/me/.my.cnf [bulkload]"), settings["ssl-mode"]);
    }

    [Fact]
    public void A_failed_connection_says_where_host_and_account_came_from()
    {
        _variables["MYSQL_PWD"] = "secret";
        _files.With("/home/me/.my.cnf", "[client]\nhost=db\nuser=bob");

        Assert.Equal(
            "the connection was: host db, user bob (/home/me/.my.cnf [client]); port 3307 (command line); password (MYSQL_PWD); 'bulkload "
                + "doctor' shows all settings",
            Describe(new ConnectionSettings { Port = 3307 }));
    }

    [Fact]
    public void Where_nobody_says_anything_the_way_to_do_so_is_named() => Assert.Equal(
        "the connection was: host localhost, port 3306, no password (default); user me (default: the login name); say where the server is: "
            + "export BULKLOAD_URL='mysql://USER:PASSWORD@127.0.0.1:3306/DATABASE'",
        Describe(new ConnectionSettings()));

    [Fact]
    public void What_was_typed_needs_no_source() =>
        Assert.Null(Describe(new ConnectionSettings { Host = "db", Port = 1, User = "me", Password = "secret" }));

    [Fact]
    public void What_nobody_says_is_a_default()
    {
        var settings = Resolve(new ConnectionSettings());
        Assert.Equal(["host", "port", "user", "password", "database", "ssl-mode"], settings.Keys);
        Assert.Equal(("me", "default: the login name"), (settings["user"].Value, settings["user"].Origin));
        Assert.All(settings.Values, setting => Assert.StartsWith("default", setting.Origin, StringComparison.Ordinal));
    }

    [Fact]
    public void A_login_path_is_named_with_its_group()
    {
        _files.With("/home/me/.mylogin.cnf", LoginPathTests.Encoded("[client]\nuser = hidden\n"));
        Assert.Equal("/home/me/.mylogin.cnf [client]", Resolve(new ConnectionSettings())["user"].Origin);
    }

    [Fact]
    public void The_usual_socket_takes_the_place_of_host_and_port()
    {
        _files.With("/run/mysqld/mysqld.sock", "");
        var settings = Resolve(new ConnectionSettings());
        Assert.Equal(("/run/mysqld/mysqld.sock", "default: it is there"), (settings["socket"].Value, settings["socket"].Origin));
        Assert.DoesNotContain("port", settings.Keys);
    }

    [Fact]
    public void No_secret_is_a_value()
    {
        _variables["BULKLOAD_URL"] = "mysql://app:s3cret@db/shop";
        _files.With("/home/me/.my.cnf", "[client]\npassword=s3cret");
        Assert.All(Resolve(new ConnectionSettings { Password = "s3cret" }).Values, setting =>
            Assert.DoesNotContain("s3cret", setting.ToString(), StringComparison.Ordinal));
    }

    [Fact]
    public void Every_setting_of_a_source_is_told()
    {
        var all = new ConnectionSettings
        {
            Host = "h",
            Port = 1,
            Socket = "s",
            Protocol = Transport.Tcp,
            User = "u",
            AsksPassword = true,
            Database = "d",
            SslMode = SslMode.Required,
            SslCa = "c",
            SslCert = "e",
            SslKey = "k",
            GetServerPublicKey = true,
            ServerPublicKeyPath = "p",
            EnableCleartextPlugin = false,
            ConnectTimeout = TimeSpan.FromSeconds(1),
            ReadTimeout = TimeSpan.FromSeconds(2),
            Wait = TimeSpan.FromSeconds(3),
        };
        Assert.Equal(17, all.Said().Count());
        Assert.Empty(new ConnectionSettings().Said());
    }
}
