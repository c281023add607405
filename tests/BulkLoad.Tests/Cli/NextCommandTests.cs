using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli;

/// <summary>A printed command reaches the same server as the one that printed it, and has no password.</summary>
public sealed class NextCommandTests
{
    [Theory]
    [InlineData("-h db.example.org -P 3307 -u app -pHUSH -D shop", "-h db.example.org -P 3307 -u app -D shop -p")]
    [InlineData("--host=db.example.org --password=HUSH --ssl-mode required --ssl-ca ca.pem",
        "-h db.example.org --ssl-mode required --ssl-ca ca.pem -p")]
    [InlineData("-S /run/my.sock --no-defaults --wait 60s --connect-timeout 5", "-S /run/my.sock --no-defaults")]
    [InlineData("mysql://app:HUSH@db:3307/shop", "mysql://app@db:3307/shop -p")]
    [InlineData("mysql://app@db:3307/shop", "mysql://app@db:3307/shop")]
    [InlineData("--defaults-file my.cnf --get-server-public-key", "--get-server-public-key --defaults-file my.cnf")]
    [InlineData("--no-ledger -D shop", "-D shop --no-ledger")]
    public async Task It_has_the_connection_as_it_was_typed(string typed, string printed)
    {
        var run = new CliRun { Run = (_, _) => Rejected };
        run.Files.With("my.cnf", "[client]\nhost=x\n");

        await run.CallAsync(["import", "people.csv", "--max-rejects", "5", "--reject-file", "bad.csv", .. typed.Split(' ')]);

        Assert.Equal($"fix them there, then: bulkload import bad.csv {printed} --table shop.people",
            run.Output.Split((char)10).Single(line => line.Contains("then: ", StringComparison.Ordinal)));
        Assert.DoesNotContain("HUSH", run.Output + run.Error, StringComparison.Ordinal);
    }

    private static LoadReport Rejected => Samples.Report with
    {
        FirstRejects = Samples.Checked.FirstRejects,
        Counts = new LoadCounts { Read = 3, Inserted = 1, Rejected = 2 },
        RejectFile = "bad.csv",
    };
}
