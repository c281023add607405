namespace BulkLoad.Core.Common;

/// <summary>How the rows that a job has inserted are looked at again in the table, before they are committed.</summary>
public enum VerifyMode
{
    /// <summary>Not at all: the server's counts and warnings decide.</summary>
    None,

    /// <summary>Each key has its row.</summary>
    Count,

    /// <summary>Each key has its row, and that holds the record's values.</summary>
    Checksum,
}

/// <summary>The names of <see cref="VerifyMode"/>'s values, as options and documents have them.</summary>
public static class VerifyWords
{
    /// <summary>Every name, in the order of the help.</summary>
    public static IReadOnlyList<(string Name, VerifyMode Mode)> All { get; } = [
        ("none", VerifyMode.None), ("count", VerifyMode.Count), ("checksum", VerifyMode.Checksum)];

    /// <summary>A value's name.</summary>
    public static string Of(VerifyMode mode) => All.First(word => word.Mode == mode).Name;
}
