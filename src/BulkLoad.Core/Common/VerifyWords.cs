namespace BulkLoad.Core.Common;

/// <summary>The names of <see cref="VerifyMode"/>'s values, as options and documents have them.</summary>
public static class VerifyWords
{
    /// <summary>Every name, in the order of the help.</summary>
    public static IReadOnlyList<(string Name, VerifyMode Mode)> All { get; } = [("none", VerifyMode.None), ("count", VerifyMode.Count), ("checksum", VerifyMode.Checksum)];

    /// <summary>A value's name.</summary>
    public static string Of(VerifyMode mode) => All.First(word => word.Mode == mode).Name;
}
