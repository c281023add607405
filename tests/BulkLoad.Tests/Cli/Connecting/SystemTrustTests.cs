namespace BulkLoad.Tests.Cli.Connecting;

/// <summary>The system's CAs take longer to read than ten rows to import: they are read only for whom they are held against.</summary>
public sealed class SystemTrustTests
{
    [Theory]
    [InlineData("", true)]
    [InlineData("--ssl-mode=disabled", true)]
    [InlineData("--ssl-mode=required", true)]
    [InlineData("--ssl-mode=verify-ca --ssl-ca=ca.pem", true)]
    [InlineData("--ssl-mode=verify-identity --ssl-ca=ca.pem", true)]
    [InlineData("--ssl-mode=verify-identity", false)]
    [InlineData("--max-lag 5 --check-replica mysql://db/?ssl-mode=verify-identity", false)]
    [InlineData("--max-lag 5 --check-replica mysql://db/?ssl-mode=required", true)]
    public async Task They_are_read_where_a_connection_rests_on_them(string options, bool arePassedOver)
    {
        var run = new CliRun();
        await run.CallAsync(["import", "people.csv", "--table", "people", .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);
        Assert.Equal("", run.Error);
        Assert.NotNull(run.Request);
        Assert.Equal(arePassedOver, run.PassesOverSystemTrust);
    }
}
