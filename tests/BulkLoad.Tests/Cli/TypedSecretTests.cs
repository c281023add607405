using BulkLoad.Cli.Host;

namespace BulkLoad.Tests.Cli;

/// <summary>Passwords typed where a file or a name belongs.</summary>
public sealed class TypedSecretTests
{
    private const string Url = "mysql://u:SECRET@db.example:3307/shop";

    [Theory]
    [InlineData("import", "people.csv", Url)]
    [InlineData("import", Url, "people.csv")]
    [InlineData(Url, "import", "people.csv")]
    [InlineData("import", "people.csv", "--", Url)]
    [InlineData("import", "people.csv", Url, Url)]
    [InlineData("import", "people.csv", Url, "--host", "db.example", "-P3307", "-uu", "-pSECRET", "-D", "shop")]
    [InlineData("delete", "people.csv", "--table", "t", Url)]
    [InlineData("check", "people.csv", Url)]
    public async Task A_word_with_a_scheme_is_the_connection(params string[] args)
    {
        var run = new CliRun();

        Assert.True(await run.CallAsync(args) == ExitCode.Done, run.Error);
        Assert.Equal(["people.csv"], run.Request!.Files);
        var connection = run.Request.Connection;
        Assert.Equal(("db.example", 3307, "u", "SECRET", "shop"),
            (connection.Host, connection.Port, connection.User, connection.Password, connection.Database));
    }

    [Fact]
    public async Task It_goes_before_the_variable()
    {
        var run = new CliRun();
        run.Variables["BULKLOAD_URL"] = "mysql://other:other@other.example/other?ssl-mode=required";

        await run.CallAsync("import", "people.csv", "mysql://u:SECRET@db.example");

        var connection = run.Request!.Connection;
        Assert.Equal(("db.example", "u", "SECRET", "other"), (connection.Host, connection.User, connection.Password, connection.Database));
        Assert.Equal(SslMode.Required, connection.SslMode);
    }

    [Theory]
    [InlineData("the word with '://': it is the address of a file, and bulkload reads files and pipes: aws s3 cp s3://BUCKET/FILE - | "
        + "bulkload import -", "import", "people.csv", "s3://SECRET/people.csv")]
    [InlineData(
        "the word with '://', which is the connection: it must begin with mysql:// or mariadb://", "import", "people.csv", "://SECRET")]
    [InlineData("the word with '://': it is the address of a file, and bulkload reads files and pipes: curl -sf URL | bulkload import -",
        "jobs", "list", "https://SECRET")]
    [InlineData(
        "the word with '://', which is the connection: an '@' comes after the host (in a name or password '/' is written %2F, '@' %40)",
        "import", "people.csv", "mysql://u:SEC/RET@h/db")]
    [InlineData("the word with '://', which is the connection: after '?' there is an unknown setting; known are ssl-mode", "import",
        "people.csv", "mysql://u:SECRET@h/db?x=SECRET")]
    [InlineData("the word with '://', which is the connection: a JDBC URL is written mysql://user:pass@host:port/db here, without jdbc: "
        + "and without its parameters", "import", "people.csv", "jdbc:mysql://h/db?password=SECRET")]
    [InlineData(
        "the word with '@tcp(' or '@unix(', which is a connection: a data source name of Go is written mysql://user:pass@host:port/db here",
        "import", "people.csv", "u:SECRET@tcp(h:3306)/db")]
    [InlineData(
        "the word with '://', which is the connection: without '+' and the driver behind it: mysql://USER:PASSWORD@127.0.0.1:3306/DATABASE",
        "import", "people.csv", "mysql+pymysql://u:SECRET@h/db")]
    [InlineData(
        "the word with '://', which is the connection: it is for another kind of server; MySQL and MariaDB are reached by mysql://USER",
        "import", "people.csv", "postgres://u:SECRET@h/db")]
    [InlineData("the word with a password in it, which is a connection: a connection string of names and values is written mysql://USER",
        "import", "people.csv", "Server=h;Uid=u;Pwd=SECRET;Database=d")]
    [InlineData("two words with '://' name two connections: leave one out", "import", "people.csv", Url, "mysql://v:SECRET@h")]
    [InlineData(
        "--host and the connection's URL contradict each other: leave one out", "import", "people.csv", Url, "--host", "other.example")]
    [InlineData("--password and the connection's URL contradict each other: leave one out", "import", "people.csv", Url, "-pSECRET2")]
    [InlineData("--password and the connection's URL contradict each other: leave one out", "import", "people.csv", Url, "-p")]
    [InlineData("--database and the connection's URL contradict each other: leave one out", "import", "people.csv", "-D", "other", Url)]
    [InlineData("--read-timeout and the connection's URL contradict each other: leave one out", "import", "people.csv",
        Url + "?read-timeout=6", "--read-timeout", "5")]
    [InlineData("option '--host' takes no connection: write mysql://... as a word by itself", "import", "people.csv", "--host", Url)]
    [InlineData("option '-h' takes no connection: write mysql://... as a word by itself", "import", "people.csv", "-h" + Url)]
    [InlineData("option '--ids' takes no connection: write mysql://... as a word by itself", "delete", "--table", "t", "--ids=" + Url)]
    [InlineData("option '--report' takes no connection: write mysql://... as a word by itself", "import", "people.csv", "--report", Url)]
    [InlineData(
        "unknown option after --password or with '://', which may be a secret and is not shown", "import", "people.csv", "--" + Url)]
    [InlineData("unknown option '--url'", "import", "people.csv", "--url", Url)]
    [InlineData("unknown option '--connection-url'", "import", "people.csv", "--connection-url=" + Url)]
    public async Task Nothing_of_it_is_in_an_error(string message, params string[] args)
    {
        var run = new CliRun { TypedPassword = "typed" };

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(args));
        Assert.StartsWith($"error: {message}", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain(
            "SEC", run.Error.Replace("may be a secret", "", StringComparison.Ordinal), StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("RET", run.Error, StringComparison.Ordinal);
        Assert.Equal("", run.Output);
        Assert.Null(run.Request);
    }

    [Theory]
    [InlineData("import", "people.csv", "-p", "SECRET")]
    [InlineData("import", "people.csv", "--password", "SECRET", "--table", "t")]
    [InlineData("import", "-p", "SECRET*", "people.csv")]
    [InlineData("import", "-p", "SECRET")]
    [InlineData("import", "-u", "root", "-p", "SECRET", "--tabel", "t", "people.csv")]
    [InlineData("jobs", "-p", "SECRET")]
    [InlineData("jobs", "show", "-p", "SECRET")]
    [InlineData("bench", "oltp", "run", "-p", "SECRET")]
    [InlineData("bench", "-p", "SECRET", "oltp")]
    [InlineData("-p", "SECRET", "import", "people.csv")]
    [InlineData("doctor", "-p", "--", "SECRET")]
    [InlineData("import", "--table", "t", "--password", "--", "SECRET", "people.csv")]
    public async Task The_word_behind_a_lone_password_option_was_shown(params string[] args)
    {
        var run = new CliRun { TypedPassword = "typed" };
        run.Files.With("people.csv", "");

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(args));
        Assert.StartsWith(
            "error: the word after -p or --password is not a file; if it is the password, attach it: -pPASSWORD, --password=PASSWORD (-p "
                + "alone asks for it)\n",
            run.Error,
            StringComparison.Ordinal);
        Assert.DoesNotContain("SECRET", run.Error, StringComparison.Ordinal);
        Assert.Null(run.Request);
    }

    [Fact]
    public async Task An_option_behind_it_is_not_shown_either()
    {
        var run = new CliRun { TypedPassword = "typed" };

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "people.csv", "-p", "--SECRET"));
        Assert.DoesNotContain("SECRET", run.Error, StringComparison.Ordinal);
    }
}
