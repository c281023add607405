namespace BulkLoad.Core.Common;

/// <summary>The names of <see cref="DuplicateMode"/>'s values, as options and documents have them.</summary>
public static class DuplicateWords
{
    /// <summary>Every name, in the order of the help.</summary>
    public static IReadOnlyList<(string Name, DuplicateMode Mode)> All { get; } =
    [
        ("error", DuplicateMode.Error), ("ignore", DuplicateMode.Ignore), ("replace", DuplicateMode.Replace), ("update", DuplicateMode.Update),
    ];

    /// <summary>A value's name.</summary>
    public static string Of(DuplicateMode mode) => All.First(word => word.Mode == mode).Name;
}
