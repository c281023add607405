namespace BulkLoad.Cli.Output;

/// <summary>The program's version, as set once for the whole build.</summary>
internal static class ProgramVersion
{
    public static string Text { get; } = typeof(ProgramVersion).Assembly.GetName().Version?.ToString(3) ?? "0.0.0";
}
