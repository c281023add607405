using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Cli.Connecting;

public sealed class ConnectionUrlTests
{
    [Theory]
    [InlineData("mysql://app:s3cret@db.example:3307/shop", "app", "s3cret", "db.example", 3307, "shop")]
    [InlineData("mariadb://app@db.example/shop", "app", null, "db.example", null, "shop")]
    [InlineData("MySQL://db.example", null, null, "db.example", null, null)]
    [InlineData("mysql://db.example/", null, null, "db.example", null, null)]
    [InlineData("mysql://:only@db", null, "only", "db", null, null)]
    [InlineData("mysql://a:@db", "a", "", "db", null, null)]
    [InlineData("mysql://a%40b:p%2Fq%3A%3F%25%C3%A9@db/sh%20op", "a@b", "p/q:?%é", "db", null, "sh op")]
    [InlineData("mysql://a:p@ss:w@db:1", "a", "p@ss:w", "db", 1, null)]
    [InlineData("mysql://a+b:c+d@[::1]:3306/x", "a+b", "c+d", "::1", 3306, "x")]
    [InlineData("mysql://[fe80::1]", null, null, "fe80::1", null, null)]
    [InlineData("mysql:///shop", null, null, null, null, "shop")]
    public void A_url_names_account_server_and_database(
        string url, string? user, string? password, string? host, int? port, string? database)
    {
        var settings = ConnectionUrl.Read(url);

        Assert.Equal(
            (user, password, host, port, database), (settings.User, settings.Password, settings.Host, settings.Port, settings.Database));
    }

    [Fact]
    public void A_url_can_carry_settings()
    {
        var settings =
            ConnectionUrl.Read("mysql://db/x?ssl-mode=VERIFY_CA&ssl-ca=%2Fetc%2Fca.pem&socket=/s&connect-timeout=3&get-server-public-key");

        Assert.Equal((SslMode.VerifyCa, "/etc/ca.pem", "/s", TimeSpan.FromSeconds(3), true),
            (settings.SslMode, settings.SslCa, settings.Socket, settings.ConnectTimeout, settings.GetServerPublicKey));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    public void No_url_says_nothing(string? url) => Assert.Equal(new ConnectionSettings(), ConnectionUrl.Read(url));

    [Theory]
    [InlineData("HUSH:HUSH@db")]
    [InlineData("postgres://a:HUSH@db/x")]
    [InlineData("mysql://a:HUSH/HUSH@db/x")]
    [InlineData("mysql://a:HUSH@HUSH/HUSH@db/x")]
    [InlineData("mysql://a:HUSH?HUSH=HUSH@db/x")]
    [InlineData("mysql://a:HUSH#HUSH@db/x")]
    [InlineData("mysql://a:HUSH%zz@db/x")]
    [InlineData("mysql://a:HUSH%4@db:x")]
    [InlineData("mysql://a:HUSH@db:99999/x")]
    [InlineData("mysql://a:HUSH@[::1/x")]
    [InlineData("mysql://a:HUSH@[::1]HUSH/x")]
    [InlineData("mysql://a:HUSH@db/x?password=HUSH")]
    [InlineData("mysql://a:HUSH@db/x?ssl-mode=HUSH")]
    [InlineData("mysql://a:HUSH@db/x?connect-timeout=HUSH%")]
    public void An_error_never_repeats_what_may_be_the_password(string url)
    {
        var wrong = Assert.Throws<RequestException>(() => ConnectionUrl.Read(url));

        Assert.StartsWith("BULKLOAD_URL: ", wrong.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("HUSH", wrong.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("mysql://app:s3cret@db.example.org:3307/shop?ssl-mode=required", "mysql://app@db.example.org:3307/shop?ssl-mode=required")]
    [InlineData("mysql://app:a@b:c@db.example.org", "mysql://app@db.example.org")]
    [InlineData("mariadb://app@[::1]:3306/shop", "mariadb://app@[::1]:3306/shop")]
    [InlineData("mysql://db.example.org?ssl-ca=a@b", "mysql://db.example.org?ssl-ca=a@b")]
    [InlineData("mysql://:s3cret@/shop", "mysql://@/shop")]
    public void A_url_is_printed_without_its_password(string url, string printed) =>
        Assert.Equal(printed, ConnectionUrl.WithoutPassword(url));

    [Theory]
    [InlineData("https://user:HUSH@host/people.csv", "curl -sf URL | bulkload import -")]
    [InlineData("s3://bucket/HUSH.csv", "aws s3 cp s3://BUCKET/FILE - | bulkload import -")]
    [InlineData("gs://bucket/HUSH.csv", "gcloud storage cat")]
    public void The_address_of_a_file_is_read_by_another_program_and_never_shown(string url, string expected)
    {
        var fault = Assert.Throws<RequestException>(() => ConnectionUrl.Read(url));
        Assert.Contains(expected, fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("HUSH", fault.Message, StringComparison.Ordinal);
    }
}
