using BulkLoad.Cli.Connecting;
using BulkLoad.Cli.Host;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Cli.Connecting;

public sealed class OptionFilesTests
{
    private readonly FakeFiles _files = new();
    private readonly List<string> _warnings = [];
    private readonly Dictionary<string, string> _variables = [];

    [Fact]
    public void Files_are_read_in_MySQLs_order_and_the_later_wins()
    {
        _variables["MYSQL_HOME"] = "/opt/mysql";
        _files.With("/etc/my.cnf", "[client]\nhost=1\nuser=1\ndatabase=1\nssl-ca=1\nssl-cert=1")
            .With("/etc/mysql/my.cnf", "[client]\nuser=2\ndatabase=2\nssl-ca=2\nssl-cert=2")
            .With("/opt/mysql/my.cnf", "[client]\ndatabase=3\nssl-ca=3\nssl-cert=3")
            .With("/extra.cnf", "[client]\nssl-ca=4\nssl-cert=4")
            .With("/home/me/.my.cnf", "[client]\nssl-cert=5");

        var settings = Read(new OptionFileChoice { Extra = "/extra.cnf" });

        Assert.Equal(("1", "2", "3", "4", "5"), (settings.Host, settings.User, settings.Database, settings.SslCa, settings.SslCert));
    }

    [Fact]
    public void Our_own_group_wins_over_client_wherever_it_stands()
    {
        _files.With("/home/me/.my.cnf", "[bulkload]\nuser=loader\n[client]\nuser=app\nhost=db\n[mysqld]\nport=1\nuser=mysql");

        Assert.Equal(("loader", "db", null), Pick(Read(new OptionFileChoice())));

        static (string?, string?, int?) Pick(ConnectionSettings settings) => (settings.User, settings.Host, settings.Port);
    }

    [Fact]
    public void A_named_file_is_the_only_one()
    {
        _files.With("/etc/my.cnf", "[client]\nuser=machine").With("/home/me/only.cnf", "[client]\nhost=db");

        var settings = Read(new OptionFileChoice { Only = "~/only.cnf" });

        Assert.Equal((null, "db"), (settings.User, settings.Host));
    }

    [Fact]
    public void No_defaults_reads_none()
    {
        _files.With("/etc/my.cnf", "[client]\nuser=machine");

        Assert.Equal(new ConnectionSettings(), Read(new OptionFileChoice { None = true }));
    }

    [Fact]
    public void A_suffix_adds_groups()
    {
        _files.With("/etc/my.cnf", "[client]\nuser=a\nhost=h\n[client_test]\nuser=b\n[clienttest]\nuser=c");

        Assert.Equal(("b", "h"), (Read(new OptionFileChoice { GroupSuffix = "_test" }).User, Read(new OptionFileChoice()).Host));
    }

    [Fact]
    public void Includes_are_followed_files_by_name_folders_by_ending()
    {
        _files.With("/etc/my.cnf", "[client]\nuser=a\n!include /etc/one.cnf\n!includedir /etc/my.d\n[client]\nhost=last")
            .With("/etc/one.cnf", "[client]\nuser=b\nhost=b")
            .With("/etc/my.d/1.cnf", "[client]\nport=1")
            .With("/etc/my.d/2.cnf", "[client-server]\nport=2")
            .With("/etc/my.d/3.txt", "[client]\nport=3");

        var settings = Read(new OptionFileChoice());

        Assert.Equal(("b", "last", 2), (settings.User, settings.Host, settings.Port));
    }

    [Fact]
    public void Files_that_include_themselves_are_an_error()
    {
        _files.With("/etc/my.cnf", "[client]\n!include /etc/my.cnf");

        Assert.Equal("/etc/my.cnf: more than 10 option files include each other", Refusal(new OptionFileChoice()));
    }

    [Theory]
    [InlineData("!include /etc/none.cnf", "/etc/none.cnf: this option file cannot be read: no such file")]
    [InlineData("!includedir /etc/none.d", "/etc/my.cnf:2: the folder '/etc/none.d' is not there")]
    [InlineData("!includedir /etc/my.cnf", "/etc/my.cnf:2: the folder '/etc/my.cnf' cannot be read: not a folder")]
    public void Includes_that_cannot_be_read_were_internal_errors(string line, string message)
    {
        _files.With("/etc/my.cnf", $"[client]\n{line}");

        Assert.Equal(message, Refusal(new OptionFileChoice()));
    }

    [Fact]
    public void A_file_that_anyone_may_write_is_passed_over_with_a_warning()
    {
        _files.With("/etc/my.cnf", "[client]\nuser=evil", UnixFileMode.OtherWrite);

        Assert.Equal(new ConnectionSettings(), Read(new OptionFileChoice()));
        Assert.Equal(["/etc/my.cnf: anyone may write this option file, so it is ignored"], _warnings);
    }

    [Theory]
    [InlineData("/a.cnf", null)]
    [InlineData(null, "/a.cnf")]
    [InlineData("/includes.cnf", null)]
    public void A_file_that_was_named_and_that_anyone_may_write_was_passed_over_and_the_job_went_on_as_somebody_else(string? only,
        string? extra)
    {
        _files.With("/a.cnf", "[client]\nuser=evil", UnixFileMode.OtherWrite).With("/includes.cnf", "!include /a.cnf\n[client]\nhost=db");

        Assert.Equal(
            "/a.cnf: anyone may write this option file, so nothing in it can be trusted (chmod o-w fixes it)",
            Refusal(new OptionFileChoice { Only = only, Extra = extra }));
        Assert.Empty(_warnings);
    }

    [Fact]
    public void Unknown_settings_are_left_to_others_in_client_and_are_errors_in_our_group()
    {
        _files.With("/etc/my.cnf", "[client]\nauto-rehash\nloose_user=a\nssl_mode=required")
            .With("/b.cnf", "[bulkload]\nloose-colour=red\nthreads=HUSH");

        var settings = Read(new OptionFileChoice());

        Assert.Equal(("a", SslMode.Required), (settings.User, settings.SslMode));
        Assert.Equal("/b.cnf:3: [bulkload] has a setting that is not a connection setting, such as 'threads'",
            Refusal(new OptionFileChoice { Only = "/b.cnf" }));
    }

    [Theory]
    [InlineData("port=x", "/f.cnf:2: port: 'x' is not a whole number from 1 to 65535")]
    [InlineData("user", "/f.cnf:2: user: a value is missing")]
    public void A_value_that_makes_no_sense_is_told_with_its_place(string line, string message)
    {
        _files.With("/f.cnf", $"[client]\n{line}");

        Assert.Equal(message, Refusal(new OptionFileChoice { Only = "/f.cnf" }));
    }

    [Fact]
    public void A_file_that_was_named_must_be_there()
    {
        Assert.Equal("/none.cnf: there is no such option file", Refusal(new OptionFileChoice { Extra = "/none.cnf" }));
        Assert.Equal("--defaults-file or --defaults-extra-file: the file name is empty", Refusal(new OptionFileChoice { Extra = "" }));
    }

    [Theory]
    [InlineData("password", null, true)]
    [InlineData("password=", "", false)]
    [InlineData("password=x", "x", false)]
    public void A_password_without_a_value_is_asked_for(string line, string? password, bool asks)
    {
        _files.With("/etc/my.cnf", $"[client]\n{line}");

        var settings = Read(new OptionFileChoice());

        Assert.Equal((password, asks), (settings.Password, settings.AsksPassword));
    }

    [Theory]
    [InlineData("ssl", SslMode.Required)]
    [InlineData("ssl=0", SslMode.Disabled)]
    [InlineData("skip-ssl", SslMode.Disabled)]
    [InlineData("ssl-verify-server-cert\nssl", SslMode.VerifyIdentity)]
    public void MariaDBs_words_for_TLS_are_understood(string lines, SslMode mode)
    {
        _files.With("/etc/my.cnf", $"[client-mariadb]\n{lines}");

        Assert.Equal(mode, Read(new OptionFileChoice()).SslMode);
    }

    private ConnectionSettings Read(OptionFileChoice choice) => new OptionFiles(Host, _warnings.Add).Read(choice);

    private string Refusal(OptionFileChoice choice) => Assert.Throws<RequestException>(() => Read(choice)).Message;

    private HostEnvironment Host => new()
    {
        Output = TextWriter.Null,
        Error = TextWriter.Null,
        Variable = _variables.GetValueOrDefault,
        Home = "/home/me",
        Files = _files,
    };
}
