namespace BulkLoad.Core.Common;

/// <summary>What happens to a record where the table, or the input before it, has a row with the same primary or unique key.</summary>
public enum DuplicateMode
{
    /// <summary>It is a reject.</summary>
    Error,

    /// <summary>It is skipped: the first one wins.</summary>
    Ignore,

    /// <summary>It takes the place of every row that has one of its keys: the last one wins. What the input has no column for gets its
    /// default.</summary>
    Replace,

    /// <summary>The row gets its values: the last one wins. What the input has no column for stays.</summary>
    Update,
}

/// <summary>The names of <see cref="DuplicateMode"/>'s values, as options and documents have them.</summary>
public static class DuplicateWords
{
    /// <summary>Every name, in the order of the help.</summary>
    public static IReadOnlyList<(string Name, DuplicateMode Mode)> All { get; } =
    [
        ("error", DuplicateMode.Error), ("ignore", DuplicateMode.Ignore), ("replace", DuplicateMode.Replace),
            ("update", DuplicateMode.Update),
    ];

    /// <summary>A value's name.</summary>
    public static string Of(DuplicateMode mode) => All.First(word => word.Mode == mode).Name;
}
