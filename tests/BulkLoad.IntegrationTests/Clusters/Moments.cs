using System.Diagnostics;

namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>
/// Tries a fault at moments that a seed chooses. BULKLOAD_TEST_MOMENTS multiplies how many; BULKLOAD_TEST_SEED is the first one's seed.
/// </summary>
internal static class Moments
{
    private const int UsualSeed = 50;

    /// <summary>Tries them all, and then fails if one of them has failed. What came of each is in the test's output.</summary>
    /// <param name="what">is tried</param>
    /// <param name="tryAsync">one of them; returns what is worth knowing of it</param>
    public static async Task TryAsync(string what, Func<Random, Task<string>> tryAsync)
    {
        var failures = new List<string>();
        var first = TestVariables.Number("BULKLOAD_TEST_SEED") ?? UsualSeed;
        var count = TestVariables.Number("BULKLOAD_TEST_MOMENTS") ?? 1;
        for (var seed = first; seed < first + count; seed++)
        {
            var clock = Stopwatch.StartNew();
            string outcome;
            try
            {
                // Seeds that are near each other begin with near numbers, so a second one is drawn.
                outcome = await tryAsync(new Random(new Random(seed + what.Sum(letter => letter)).Next()));
            }
            catch (Exception fault)
            {
                outcome = "FAILED";
                failures.Add($"seed {seed}: {fault}");
            }

            TestContext.Current.TestOutputHelper?.WriteLine($"moment|{what}|seed {seed}|{outcome}|{clock.Elapsed.TotalSeconds:N1} s");
        }

        Assert.True(failures.Count == 0, $"{what}: {failures.Count} of {count}\n{string.Join("\n\n", failures)}");
    }
}
