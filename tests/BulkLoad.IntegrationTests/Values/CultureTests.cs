using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Values;

/// <summary>A program whose culture writes numbers in another way: the library writes them as ever.</summary>
public sealed class CultureTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_culture_changes_nothing(string server)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, n BIGINT, d DOUBLE, at DATETIME(3));");
        var file = place.Write("t.csv", "id,n,d,at\n1,-1234567,-1234.5,2024-01-31 10:11:12.125\n2,-2,1e300,1999-12-31 00:00:00\n");
        var before = CultureInfo.CurrentCulture;
        var odd = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        odd.NumberFormat.NegativeSign = "~";
        odd.NumberFormat.NumberDecimalSeparator = ",";
        odd.NumberFormat.NumberGroupSeparator = "'";
        odd.DateTimeFormat.TimeSeparator = ".";
        try
        {
            CultureInfo.CurrentCulture = odd;
            foreach (var strategy in StrategyCatalog.Import.Where(strategy => Servers.Knows(server, strategy.Name)))
            {
                var request = new LoadRequest
                {
                    Files = [file],
                    Table = "t",
                    Strategy = strategy.Name,
                    JobId = strategy.Name,
                    Connection = place.Server.Options() with { Database = place.Database },
                };
                var report = await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(TestContext.Current.CancellationToken);
                Assert.Null(report.Failure);
                Assert.Same(odd, CultureInfo.CurrentCulture);
                Assert.Equal(
                    "1\t-1234567\t-1234.5\t2024-01-31 10:11:12.125\n2\t-2\t1e300\t1999-12-31 00:00:00.000\n",
                    string.Concat(
                        (await place.QueryAsync("SELECT * FROM t ORDER BY id;")).Split('\n').Skip(1).Take(2).Select(line => $"{line}\n")));
                await place.QueryAsync("DELETE FROM t;");
            }
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }
}
