namespace BulkLoad.Core.Input;

/// <summary>What formats have in common.</summary>
internal static class InputFormats
{
    /// <summary>Whether records are objects that name their fields, in any order.</summary>
    public static bool IsJson(this InputFormat format) => format is InputFormat.Jsonl or InputFormat.Json;

    /// <summary>Whether fields are escaped by backslashes, so that only <c>\N</c> is NULL, and no header is expected.</summary>
    public static bool IsEscaped(this InputFormat format) => format is InputFormat.Mysql or InputFormat.Postgres;

    /// <summary>Whether a record has as many fields as others, in the same order.</summary>
    public static bool HasPlaces(this InputFormat format) => !format.IsJson() && format != InputFormat.Keys;

    /// <summary>The word of <c>--format</c>.</summary>
    public static string Word(this InputFormat format) => format.ToString().ToLowerInvariant();
}
