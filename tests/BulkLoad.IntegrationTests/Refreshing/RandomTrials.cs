namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>Runs a trial for each of some seeds, whatever became of the ones before. BULKLOAD_TEST_TABLES says how many are run,
/// BULKLOAD_TEST_SEED where they begin.</summary>
internal static class RandomTrials
{
    /// <param name="first">usual seed of the first one</param>
    /// <param name="usual">how many are usually run</param>
    /// <param name="tryAsync">of a seed: what it has counted, which is added up and shown</param>
    public static async Task RunAsync(int first, int usual, Func<int, Task<(string Name, int Count)[]>> tryAsync)
    {
        first = TestVariables.Number("BULKLOAD_TEST_SEED") ?? first;
        var ends = new SortedDictionary<string, int>();
        var faults = new List<string>();
        for (var seed = first; seed < first + (TestVariables.Number("BULKLOAD_TEST_TABLES") ?? usual); seed++)
        {
            try
            {
                foreach (var (name, count) in await tryAsync(seed))
                {
                    ends[name] = ends.GetValueOrDefault(name) + count;
                }
            }
            catch (Exception fault)
            {
                faults.Add(fault.Message);
            }
        }

        TestContext.Current.TestOutputHelper?.WriteLine(string.Join(", ", ends.Select(end => $"{end.Key}: {end.Value}")));
        Assert.True(faults.Count == 0, $"{faults.Count} faults\n{string.Join("\n\n", faults)}");
    }
}
