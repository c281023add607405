using System.Diagnostics;

namespace BulkLoad.IntegrationTests.Library;

/// <summary>A program that streams objects by a job's name is killed at random moments, and started again until it is done.</summary>
public sealed class StreamKillTests
{
    private const int UsualKills = 4;
    private const int Rows = 60_000;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Every_record_is_there_once(string name)
    {
        var random = new Random(TestVariables.Seed);
        var server = Servers.Get(name);
        var wanted = TestVariables.Number("BULKLOAD_TEST_KILLS") ?? UsualKills;
        var usual = TimeSpan.MaxValue;
        for (var kills = 0; kills < wanted || usual == TimeSpan.MaxValue;)
        {
            await using var database = await TestDatabase.CreateAsync(server);
            await database.RunAsync("CREATE TABLE streamed (id INT PRIMARY KEY, small TINYINT NOT NULL)");
            var url = OtherProgram.UrlOf(server, database);
            string? said;
            while (true)
            {
                var started = Stopwatch.StartNew();
                using var process = OtherProgram.Start("BulkLoad.Streamer", url, $"{Rows}", random.Next(2) == 0 ? "beginning" : "position");
                if (kills < wanted && usual != TimeSpan.MaxValue)
                {
                    await Task.WhenAny(
                        process.WaitForExitAsync(TestContext.Current.CancellationToken),
                        Task.Delay(usual * random.NextDouble(), TestContext.Current.CancellationToken));
                    if (!process.HasExited)
                    {
                        process.Kill();
                        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
                        kills++;
                        continue;
                    }
                }

                said = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
                await process.WaitForExitAsync(TestContext.Current.CancellationToken);
                usual = usual == TimeSpan.MaxValue ? started.Elapsed : usual;
                break;
            }

            // Whoever has loaded them, the result is about the whole job.
            Assert.Equal($"{Rows * 99 / 100} {Rows / 100}", said.Trim());
            Assert.Equal(
                $"{Rows * 99 / 100} {(long)Rows * (Rows + 1) / 2 - 50L * (Rows / 100) * (Rows / 100 + 1)}",
                await database.ScalarAsync("SELECT CONCAT(COUNT(*), ' ', SUM(id)) FROM streamed"));
        }
    }
}
