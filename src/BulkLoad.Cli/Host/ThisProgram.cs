namespace BulkLoad.Cli.Host;

internal static class ThisProgram
{
    public const string Name = "bulkload";

    /// <summary>As set once for the whole build.</summary>
    public static string Version { get; } = typeof(ThisProgram).Assembly.GetName().Version?.ToString(3) ?? "0.0.0";
}
