namespace BulkLoad.IntegrationTests;

/// <summary>What variables of the environment say of tests that are made at random.</summary>
internal static class TestVariables
{
    /// <summary>Repeats the random choices of a run, as far as the machine does.</summary>
    public static int Seed { get; } = Number("BULKLOAD_TEST_SEED") ?? Random.Shared.Next();

    /// <summary>Null: the variable is not there, or empty.</summary>
    /// <exception cref="FormatException">it is no number</exception>
    public static int? Number(string name) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : null;
}
