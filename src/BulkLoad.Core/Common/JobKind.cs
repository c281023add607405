namespace BulkLoad.Core.Common;

internal enum JobKind
{
    Import,

    Update,

    Delete,
}

internal static class DuplicateModes
{
    /// <summary>In the order of the help.</summary>
    public static IReadOnlyList<(string Name, DuplicateMode Mode)> All { get; } =
    [
        ("error", DuplicateMode.Error), ("ignore", DuplicateMode.Ignore), ("replace", DuplicateMode.Replace),
            ("update", DuplicateMode.Update),
    ];

    public static string Of(DuplicateMode mode) => All.First(word => word.Mode == mode).Name;
}

/// <summary>How the rows that a job has inserted are looked at again in the table, before they are committed.</summary>
internal enum VerifyMode
{
    /// <summary>Not at all: the server's counts and warnings decide.</summary>
    None,

    Count,

    /// <summary>Each key has its row, and that holds the record's values.</summary>
    Checksum,
}

internal static class VerifyModes
{
    public static IReadOnlyList<(string Name, VerifyMode Mode)> All { get; } = [
        ("none", VerifyMode.None), ("count", VerifyMode.Count), ("checksum", VerifyMode.Checksum)];

    public static string Of(VerifyMode mode) => All.First(word => word.Mode == mode).Name;
}
