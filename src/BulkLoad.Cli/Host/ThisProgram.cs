using System.Reflection;
using System.Runtime.InteropServices;

namespace BulkLoad.Cli.Host;

internal static class ThisProgram
{
    public const string Name = "bulkload";

    /// <summary>As set once for the whole build.</summary>
    public static string Version { get; } = typeof(ThisProgram).Assembly.GetName().Version?.ToString(3) ?? "0.0.0";

    /// <summary>What a bug report needs: version, commit (where it was built from a clone), runtime, platform.</summary>
    public static string Description { get; } =
        $"{Name} {Version} ({Commit}.NET {Environment.Version}, {RuntimeInformation.RuntimeIdentifier})";

    private static string Commit => typeof(ThisProgram).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
        is { } built && built.InformationalVersion.Split('+') is [_, var commit]
            ? $"commit {commit[..Math.Min(commit.Length, 12)]}, "
            : "";
}
